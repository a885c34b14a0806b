"""One line for one event, for ``agentprint events``."""

from __future__ import annotations

from ...base.json_text import compact
from ...base.safe_text import visible
from ...view import View

_WIDTH = 160


def line(view: View, number: int, width: int | None) -> str:
    """Number, type, owner and the payload's beginning, safe to print and no wider than
    ``width`` (160 characters in a pipe)."""
    kind = view.type_of(number)
    if kind is None:
        return visible(f"{number:>6}  (unread)")
    event = view.at(number)
    owner = f"{event.run}  " if event.run is not None else ""
    text = f"{number:>6}  {kind.removeprefix('agentfootprint.'):<24}  {owner}"
    text += compact(dict(event.payload))
    shown = visible(text[: 4 * _WIDTH])
    limit = width or _WIDTH
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
