from __future__ import annotations
import re
from dataclasses import dataclass
from ..json_text import BrokenJson, decode


@dataclass(frozen=True, slots=True)
class CutMarker:
    reason: str
    shown_chars: int
    true_chars: int | None
    cap: int | None


def read_cut_marker(value: object) -> CutMarker | None:
    if isinstance(value, str):
        if not value.startswith("{"):
            return None
        try:
            value = decode(value.encode("utf-8", "surrogatepass"))
        except BrokenJson:
            return None
    if (
        not isinstance(value, dict)
        or value.get("truncated") is not True
        or not isinstance(value.get("reason"), str)
    ):
        return None
    m = re.search(r"returned (\d+) chars, over the (\d+)-char cap", value["reason"])
    h = value.get("head")
    return CutMarker(
        value["reason"],
        len(h) if isinstance(h, str) else 0,
        int(m[1]) if m else None,
        int(m[2]) if m else None,
    )
