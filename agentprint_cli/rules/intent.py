"""Whether what the model wrote with its call fits the tool that it called.

The text comes after the choice, or with it: this says nothing of how close the choice was. It says
that the model announced one thing and did another, which only a recording can show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import js_text
from .margin import Margin

SAYS_ONE_CALLS_ANOTHER = "says-one-calls-another"
_MAX = 2000
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")
_PLAIN_WORD = re.compile(r"[^\W_]+")


def announcement(said: str) -> str:
    """The last sentence of what the model wrote with its call, at most its last 2,000 UTF-16
    units. What comes before it tells of what was found or done; the step that follows is announced
    at the end, if at all. Empty for a text that is empty or white."""
    sentences = [part.strip() for part in _SENTENCE_END.split(said) if part.strip()]
    return js_text.last_units(sentences[-1], _MAX) if sentences else ""


def intent_context(said: str) -> str:
    """The announcement as a scorer's context."""
    return "assistant: " + announcement(said)


def named_tools(said: str, names: Sequence[str]) -> list[str]:
    """The tools of ``names`` that the announcement calls by their exact name, as a whole word.

    A name that is also a word of prose (letters of one case only, such as ``search``) is never
    taken for a tool's: the text may well use the word.
    """
    announced = announcement(said)
    return [name for name in names if _is_identifier(name) and _holds(announced, name)]


def _is_identifier(name: str) -> bool:
    plain = _PLAIN_WORD.fullmatch(name)
    one_case = name.islower() or name.isupper() or name[1:].islower()
    return not (plain and one_case and name.isalpha())


def _holds(said: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said) is not None


def intent_flag(
    margin: Margin, named: Sequence[str], chosen: Sequence[str], threshold: float
) -> bool:
    """Whether the text announced another tool: it names tools of the menu and none of the chosen
    ones; or it names none, and another tool fits it better by more than ``threshold`` says."""
    if named:
        return not set(named) & set(chosen)
    return margin.margin is not None and margin.margin < threshold
