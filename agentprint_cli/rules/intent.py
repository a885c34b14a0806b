"""Whether what the model wrote with its call fits the tool that it called.

The text comes after the choice, or with it: this says nothing of how close the choice was. It says
that the model announced one thing and did another, which only a recording can show.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from .js_text import last_units, trim
from .margin import Margin

SAYS_ONE_CALLS_ANOTHER = "says-one-calls-another"
_MAX = 2000
# East Asian sentences end without a space; a closing quote still belongs to the sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?:…؟۔।])\s+|(?<=[。！？：])(?![。！？…」』”’）)])\s*")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")


def announcement(said: str) -> str:
    """The last sentence of what the model wrote with its call, at most its last 2,000 UTF-16
    units. What comes before it tells of what was found or done; the step that follows is announced
    at the end, if at all.

    A list at the end counts as one sentence, with the line that leads to it when that ends in a
    colon: any of its items may be the step. Fenced code is no sentence. Empty when nothing else
    has a letter or a digit.
    """
    lines = list(_prose(said))
    while lines and not _speaks(lines[-1]):
        lines.pop()
    if not lines:
        return ""
    start = _list_at_the_end(lines)
    if start is None:
        found = _last_sentence(lines[-1])
    else:
        before = lines[start - 1] if start else ""
        lead = [_last_sentence(before)] if trim(before).endswith((":", "：")) else []
        found = "\n".join([*lead, *map(trim, lines[start:])])
    found = last_units(found, _MAX)
    return found if _speaks(found) else ""


def _prose(said: str) -> Iterator[str]:
    """The lines of ``said`` that are neither white nor code between fences."""
    fence = ""
    for line in _LINE_END.split(said):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not trim(line).strip(fence[0])
            fence = "" if closes else fence
        elif mark and not (mark[1][0] == "`" and "`" in line[mark.end() :]):
            fence = mark[1]
        elif trim(line):
            yield line


def _list_at_the_end(lines: Sequence[str]) -> int | None:
    """Where the list begins that the text ends with; an indented line belongs to its item."""
    start = None
    for number in range(len(lines) - 1, -1, -1):
        if _LIST_ITEM.match(lines[number]):
            start = number
        elif not lines[number][0].isspace():
            break
    return start


def _last_sentence(line: str) -> str:
    sentences = [trim(part) for part in _SENTENCE_END.split(line) if _speaks(part)]
    return sentences[-1] if sentences else ""


def _speaks(text: str) -> bool:
    return any(map(str.isalnum, text))


def intent_context(said: str) -> str:
    """The announcement as a scorer's context."""
    return "assistant: " + announcement(said)


def named_tools(said: str, names: Sequence[str]) -> list[str]:
    """The tools of ``names`` that the announcement calls by their exact name, as a whole word,
    each once and in their order. Where one name is part of another, the longer one is meant.

    A name that is also words of prose (letters of one case only, such as ``search``) is never
    taken for a tool's: the text may well use the word.
    """
    announced = announcement(said)
    there = [name for name in dict.fromkeys(names) if name in announced and _is_identifier(name)]
    if not there:
        return []
    longest_first = sorted(there, key=len, reverse=True)
    found = set(re.findall("|".join(map(_whole, longest_first)), announced))
    return [name for name in there if name in found]


def _is_identifier(name: str) -> bool:
    letters = [char for char in name if char.isalpha()]
    prose = all(char.isalpha() or char.isspace() or _is_mark(char) for char in name)
    words = name.split()
    one_case = name in (name.lower(), name.upper()) or all(
        word[1:] == word[1:].lower() for word in words
    )
    return bool(letters) and not (prose and one_case)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _whole(name: str) -> str:
    """A pattern for ``name`` as a whole: no part of a longer word, and no part of a name or a path
    whose other parts hang on by a dot, a slash or a dash. Text in a script without spaces may
    stand right beside a name in ASCII."""
    word = "[A-Za-z0-9_]" if name.isascii() else r"\w"
    before = f"(?<!{word})(?<!{word}[-./])"
    after = f"(?!{word})(?![-./]{word})"
    return before + re.escape(name) + after


def intent_flag(
    margin: Margin, named: Sequence[str], chosen: Sequence[str], threshold: float
) -> bool:
    """Whether the text announced another tool: it names tools of the menu and none of the chosen
    ones; or it names none, and another tool fits it better by more than ``threshold`` says."""
    if named:
        return not set(named) & set(chosen)
    return margin.margin is not None and margin.margin < threshold
