"""The texts that a choice margin compares. Rule: "Choice margins" in the analyses' rules.

Both must agree with the source framework to the character, so that a score made from a log is the
score that the framework would have made while it ran.
"""

from __future__ import annotations

import re

from . import js_text

# Letters and digits are ASCII here: "toolÉtat" is one word to the framework.
_SEPARATORS = re.compile("[_-]+")
_WORD_START = re.compile("([a-z0-9])([A-Z])")


def choice_context(
    user_prompt: str, latest_assistant_text: str | None = None, max_slot_chars: int = 2000
) -> str:
    """The context that a tool was chosen in: the turn's prompt and the turn's latest model text.

    ``max_slot_chars`` counts UTF-16 units for each of the two: the prompt keeps its start, the
    model's text (trimmed, left out when nothing is left of it) its end. A cut may halve a surrogate
    pair. Raises ValueError when ``max_slot_chars`` is not a positive whole number.
    """
    if (
        isinstance(max_slot_chars, bool)
        or not isinstance(max_slot_chars, int)
        or max_slot_chars < 1
    ):
        raise ValueError(
            f"max_slot_chars must be a positive whole number of characters, such as 2000, "
            f"not {max_slot_chars!r}"
        )
    context = "user: " + js_text.first_units(user_prompt, max_slot_chars)
    said = js_text.trim(latest_assistant_text or "")
    if said:
        context += "\n\nassistant: " + js_text.last_units(said, max_slot_chars)
    return context


def context_words(
    user_prompt: str, latest_assistant_text: str | None = None, max_slot_chars: int = 2000
) -> str:
    """What `choice_context` holds, without the names of the roles: the words that may be compared
    with a tool's."""
    said = js_text.trim(latest_assistant_text or "")
    asked = js_text.first_units(user_prompt, max_slot_chars)
    return f"{asked}\n{js_text.last_units(said, max_slot_chars)}" if said else asked


def candidate_text(name: str, description: str | None = None) -> str:
    """What a tool says of itself: its name as words, then its trimmed description if it has one.

    Runs of ``_`` and ``-`` become one space, and a space parts a lower-case letter or a digit from
    the capital after it: ``getHTTPResponse`` is "get HTTPResponse".
    """
    spaced = _SEPARATORS.sub(" ", name)
    words = js_text.trim(_WORD_START.sub(r"\1 \2", spaced))
    says = js_text.trim(description or "")
    return f"{words}: {says}" if says else words
