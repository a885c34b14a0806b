"""Cut tool results: the marker that stands for a result too long to be served whole.

Source of the rules: "Tool results and their size" in the analyses' specification.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..json_text import BrokenJson, decode
from . import js_text

_STATED = re.compile(r"returned ([0-9]+) chars, over the ([0-9]+)-char cap\.")


@dataclass(frozen=True, slots=True)
class CutMarker:
    """What a cut result says of itself. Sizes are UTF-16 units, as the framework counts."""

    reason: str
    shown_chars: int
    """How much of the result's own text is left (its head)."""
    true_chars: int | None
    """How long the whole was, when the reason states it."""
    cap: int | None
    """The cap, when the reason states it."""


def read_cut_marker(value: object) -> CutMarker | None:
    """The marker that ``value`` is, as an object or as its JSON text; None when it is none."""
    if isinstance(value, str):
        if not value.startswith("{"):
            return None
        try:
            value = decode(value.encode("utf-8", "surrogatepass"))
        except BrokenJson:
            return None
    if not isinstance(value, dict) or value.get("truncated") is not True:
        return None
    reason, head = value.get("reason"), value.get("head")
    if not isinstance(reason, str):
        return None
    stated = _STATED.search(reason)
    return CutMarker(
        reason=reason,
        shown_chars=js_text.length(head) if isinstance(head, str) else 0,
        true_chars=int(stated[1]) if stated else None,
        cap=int(stated[2]) if stated else None,
    )
