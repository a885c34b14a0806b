"""Where the recordings are, and events to check."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.view import open_view

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "recordings").glob("*.json*"))
SHARED = Path(os.environ.get("AGENTPRINT_SHARED_DATA", ROOT.parent / "shared" / "data"))
"""Logs to check against that are not part of the project."""
FOREIGN_TO_THE_PROJECT = [
    *sorted((SHARED / "corpus").glob("*.jsonl")),
    *sorted((SHARED / "flagship").glob("*.json")),
]

needs_shared = pytest.mark.skipif(not FOREIGN_TO_THE_PROJECT, reason="no shared data here")

META = {
    "wallClockMs": 1,
    "runOffsetMs": 0,
    "runtimeStageId": "stage#0",
    "subflowPath": [],
    "compositionPath": [],
    "runId": "run-1",
}


def event(kind: str, **payload: Any) -> dict[str, Any]:
    """An event as the framework writes it."""
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": dict(META)}


def token(content: Any = "word", **payload: Any) -> dict[str, Any]:
    """A valid event, unless ``content`` or ``payload`` make it another."""
    return event("stream.token", **{"iteration": 1, "tokenIndex": 0, "content": content, **payload})


def lines(*events: object) -> bytes:
    """The bytes of a log."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


def recorded_events() -> Iterator[tuple[str, Any]]:
    """The first few events of each type in the shipped recordings, with their type."""
    seen: dict[str, int] = {}
    for path in SHIPPED:
        with open_view(str(path)) as view:
            for number in range(len(view)):
                kind = view.type_of(number)
                if kind is not None and seen.get(kind, 0) < 3:
                    seen[kind] = seen.get(kind, 0) + 1
                    yield kind, view.value(number)
