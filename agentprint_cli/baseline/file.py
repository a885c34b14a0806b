"""The baseline: findings that are known, so that only new ones fail.

An entry says what was found, never where or when: the same log recorded again, with other run
ids, times and paths, has the same entries.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import UsageError

SCHEMA = "agentprint/baseline@1"
_MEMBERS = ("gate", "tool", "rival", "request", "unread")


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
        found = {name: getattr(self, name) for name in _MEMBERS}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def fingerprint(self) -> str:
        """A short name of the entry."""
        return digest(json.dumps(self.members(), sort_keys=True))


def digest(text: str | bytes) -> str:
    """The first 16 hex digits of the SHA-256."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:16]


def load_baseline(path: str) -> list[Entry]:
    """The entries of a baseline file. Raises `UsageError` that says what is wrong with it."""
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read())
    except FileNotFoundError:
        raise UsageError(
            f"{path}: there is no such baseline; --update-baseline writes it"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: the baseline cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: the baseline is not valid JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"{path}: not a baseline: it has no member schema = {SCHEMA!r}")
    entries = document.get("findings")
    if not isinstance(entries, list):
        raise UsageError(f"{path}: a broken baseline: its findings are not a list")
    return [
        _entry(entry, f"{path}: a broken baseline: finding {n}") for n, entry in enumerate(entries)
    ]


def _entry(entry: object, where: str) -> Entry:
    if not isinstance(entry, dict) or not isinstance(entry.get("gate"), str):
        raise UsageError(f"{where} names no gate")
    unknown = [name for name in entry if name not in _MEMBERS]
    if unknown:
        raise UsageError(f"{where} has an unknown member {unknown[0]!r}")
    wrong = [name for name, value in entry.items() if not isinstance(value, str)]
    if wrong:
        raise UsageError(f"{where}: {wrong[0]} is not a string")
    return Entry(**entry)


def baseline_text(entries: Iterable[Entry]) -> str:
    """The entries as a file: sorted, each once, one a line."""
    rows = sorted(
        {json.dumps(entry.members()) for entry in entries},
        key=lambda row: [json.loads(row).get(name, "") for name in _MEMBERS],
    )
    body = ",\n".join(f"    {row}" for row in rows)
    inner = f"[\n{body}\n  ]" if rows else "[]"
    return f'{{\n  "schema": "{SCHEMA}",\n  "findings": {inner}\n}}\n'
