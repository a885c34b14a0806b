"""A known finding."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

MEMBERS = ("gate", "tool", "rival", "request", "unread")


@dataclass(frozen=True, slots=True)
class Entry:
    """One known finding, or the kind of it: what several findings may have in common."""

    gate: str
    tool: str | None = None
    rival: str | None = None
    request: str | None = None
    """`digest` of the turn's prompt."""
    unread: str | None = None
    """For a place that could not be read: `digest` of its bytes."""

    def members(self) -> dict[str, str]:
        """The entry as JSON, without what it does not have."""
        found = {name: getattr(self, name) for name in MEMBERS}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def fingerprint(self) -> str:
        """A short name of the entry."""
        return digest(json.dumps(self.members(), sort_keys=True))


def digest(text: str | bytes) -> str:
    """The first 16 hex digits of the SHA-256."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:16]
