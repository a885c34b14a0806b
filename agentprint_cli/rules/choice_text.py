"""The two texts that a choice margin compares: the model's context and a tool of its menu.

Source of the rules: "Choice margins" in the analyses' specification. The framework is written in
JavaScript, so lengths are UTF-16 units and trimming and letter classes are JavaScript's.
"""

from __future__ import annotations

import re

from .js_text import first_units, last_units, trim

_SEPARATORS = re.compile(r"[_-]+")
_CAMEL = re.compile(r"([a-z0-9])([A-Z])")


def choice_context(
    user_prompt: str, latest_assistant_text: str | None = None, max_slot_chars: int = 2000
) -> str:
    """The text of what the model chose on: the turn's prompt, and its own latest words.

    ``user: `` and the first ``max_slot_chars`` units of the prompt; then, when the turn already
    has model text that is not blank, an empty line, ``assistant: `` and its last
    ``max_slot_chars`` units, trimmed. System prompt, older turns and tool results stay out.
    """
    context = f"user: {first_units(user_prompt, max_slot_chars)}"
    latest = trim(latest_assistant_text or "")
    if latest:
        context += f"\n\nassistant: {last_units(latest, max_slot_chars)}"
    return context


def candidate_text(name: str, description: str | None = None) -> str:
    """The text of a tool: its name in words, then its description when it has one.

    Runs of ``_`` and ``-`` become spaces, and a space is set between a lower-case letter or a
    digit and the capital after it.
    """
    words = trim(_CAMEL.sub(r"\1 \2", _SEPARATORS.sub(" ", name)))
    said = trim(description or "")
    return f"{words}: {said}" if said else words
