"""Cutting a tool's result to a cap, and reading the marks that such cuts leave.

Rule: "Tool results and their size" in the analyses' rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..base.json_text import BrokenJson
from . import js_text

# At most 15 digits: what a double counts exactly. A longer "size" is not one that was counted.
_REASON = re.compile(
    r"(?P<tool>.*?) returned (?P<chars>[0-9]{1,15}) chars, "
    r"over the (?P<cap>[0-9]{1,15})-char cap\.",
    re.DOTALL,
)


def cap_tool_result(value: object, max_chars: int, tool_name: str) -> tuple[object, bool]:
    """What a cap of ``max_chars`` UTF-16 units would have made of a result, and whether it cuts.

    A result's text is the string itself, else its compact JSON. One that fits is returned
    untouched. A longer one becomes ``{truncated, reason, head}``, where the head is the start of
    the text, shrunk until the whole serialises to at most ``max_chars``; where the envelope leaves
    no room for a head there is none, and then the envelope alone may exceed a very small cap.

    Raises ValueError when the cap is not a positive whole number, and TypeError when ``value`` is
    not what JSON decodes to.
    """
    if isinstance(max_chars, bool) or not isinstance(max_chars, int) or max_chars < 1:
        raise ValueError(
            f"a result cannot be capped at {max_chars!r}: give a positive whole number of "
            f"characters, such as 20000, or apply no cap to keep results whole"
        )
    text = value if isinstance(value, str) else js_text.stringify(value)
    chars = js_text.length(text)
    if chars <= max_chars:
        return value, False
    marker: dict[str, object] = {
        "truncated": True,
        "reason": (
            f"{tool_name} returned {chars} chars, over the {max_chars}-char cap. "
            "Narrow the request and call again."
        ),
    }
    room = max_chars - js_text.length(js_text.stringify({**marker, "head": ""}))
    size = room
    while size > 0:
        head = js_text.first_units(text, size)
        if js_text.length(js_text.quote(head)) - len('""') <= room:
            return {**marker, "head": head}, True
        # A fifth of it and one more at a time: the steps that explain every head the framework is
        # known to have cut. They are few for any size, and need not end at the longest that fits.
        size -= size // 5 + 1
    return marker, True


@dataclass(frozen=True, slots=True)
class CutMarker:
    """What a result that was cut says of its cut."""

    reason: str
    head: str | None = None
    """The start of the result's text, verbatim, when the marker carries one."""
    tool: str | None = None
    true_chars: int | None = None
    """UTF-16 units of the whole result, when the reason states them."""
    cap: int | None = None
    """The cap in UTF-16 units, when the reason states it."""

    @property
    def shown_chars(self) -> int:
        """UTF-16 units of the result's text that the marker still carries."""
        return js_text.length(self.head or "")


def read_cut_marker(value: object) -> CutMarker | None:
    """The cut that ``value`` marks, or None when it is no cut marker.

    A marker is an object with ``truncated`` true and a string ``reason``, given as itself or as
    JSON text that starts with ``{``. Tool, true size and cap are read from a reason of the
    framework's form only: ``<tool> returned <n> chars, over the <C>-char cap. …``.
    """
    if isinstance(value, str):
        if not value.startswith("{") or not _may_be_marker(value):
            return None
        try:
            value = js_text.parse(value)
        except BrokenJson:
            return None
    if not isinstance(value, dict) or value.get("truncated") is not True:
        return None
    reason = value.get("reason")
    if not isinstance(reason, str):
        return None
    head = value.get("head")
    head = head if isinstance(head, str) else None
    stated = _REASON.match(reason)
    if stated is None:
        return CutMarker(reason, head)
    return CutMarker(reason, head, stated["tool"], int(stated["chars"]), int(stated["cap"]))


def _may_be_marker(text: str) -> bool:
    # Results can be megabytes: parse only where the key can stand, plainly or with escapes.
    return '"truncated"' in text or "\\u" in text
