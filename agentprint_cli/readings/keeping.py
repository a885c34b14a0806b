"""What a redaction policy keeps out of the record.

Only a record whose snapshot lists the redaction recorder was served under a policy; there, and
only there, the placeholder strings stand for a value that is kept out.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..view import View

_RECORDER = "agentfootprint.redaction"
_PLACEHOLDERS = ("REDACTED", "[REDACTED]")


def is_redacted(view: View) -> bool:
    """Whether the record was served under a redaction policy."""
    snapshot = view.part("snapshot")
    recorders = snapshot.get("recorders") if isinstance(snapshot, dict) else None
    if isinstance(recorders, Mapping):
        return _RECORDER in recorders or any(_is_row(row) for row in recorders.values())
    return isinstance(recorders, list) and any(_is_row(row) for row in recorders)


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and row.get("id") == _RECORDER


def truthy(value: object) -> bool:
    """Whether JavaScript takes ``value`` for true: an empty object or array is (an error object is
    written as ``{}``), and only null, false, 0, NaN and the empty string are not."""
    if isinstance(value, dict | list):
        return True
    return bool(value) and value == value  # NaN differs from itself


class Keeper:
    """Tells a value that the record keeps out from one that it holds."""

    def __init__(self, view: View) -> None:
        self.redacted = is_redacted(view)

    def kept_out(self, value: object) -> bool:
        """Whether ``value`` stands for something that the record keeps out."""
        return self.redacted and isinstance(value, str) and value in _PLACEHOLDERS

    def shown(self, value: object) -> object:
        """``value`` for printing: what is kept out inside it is said to be, not quoted."""
        if not self.redacted:
            return value
        if isinstance(value, dict):
            return {key: self.shown(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.shown(item) for item in value]
        return "(kept out)" if self.kept_out(value) else value
