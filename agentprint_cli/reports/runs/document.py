"""``agentprint/runs@1``: the runs and sessions of a recording."""

from __future__ import annotations

from ...base.json_text import compact
from ...model import Fact, Report
from ...model.outline import Line, Outline, Section, Table
from ..shared import common

SCHEMA = "agentprint/runs@1"
_QUESTION = 60


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    return {
        **common.head(report),
        "recording": common.recording(report.recordings[0]),
        "runs": [
            {
                **common.values(
                    fact,
                    "id",
                    "session",
                    "question",
                    "configured",
                    "model_calls",
                    "tool_calls",
                    "finished",
                    "explained",
                    "events",
                ),
                "range": [fact.get("first"), fact.get("last")],
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("run-listed")
        ],
        "sessions": _sessions(report),
    }


def _sessions(report: Report) -> list[dict[str, object]]:
    found: dict[str, list[str]] = {}
    for fact in report.of("run-listed"):
        if fact.get("session") is not None:
            found.setdefault(fact.text("session"), []).append(fact.text("id"))
    return [{"id": session, "runs": runs} for session, runs in found.items()]


def outline(report: Report) -> Outline:
    """The list for a person."""
    read = report.recordings[0]
    facts = report.of("run-listed")
    head = Line(f"{read.format}, {read.events:,} events, {len(read.unread)} unread", tone="muted")
    if not facts:
        none = Line("No event names a run.", tone="warn")
        return Outline(f"agentprint runs · {read.path}", (Section("", (head, none)),))
    table = Table(
        columns=("", "run", "session", "question", "model calls", "tool calls", "state", "events"),
        rows=tuple(_row(fact) for fact in facts),
        numeric=frozenset({4, 5}),
        pointers=tuple(fact.pointers[:1] for fact in facts),
    )
    note = Line("→ the run that `agentprint explain` takes by default", tone="muted")
    return Outline(f"agentprint runs · {read.path}", (Section("", (head, table, note)),))


def _row(fact: Fact) -> tuple[str, ...]:
    question = fact.get("question")
    asked = (
        question if isinstance(question, str) else ("" if question is None else compact(question))
    )
    if len(asked) > _QUESTION:
        asked = asked[: _QUESTION - 1] + "…"
    state = "finished" if fact.get("finished") else "unfinished"
    if not fact.get("configured"):
        state = "not configured"
    return (
        "→" if fact.get("explained") else "",
        fact.text("id"),
        fact.text("session"),
        asked,
        fact.text("model_calls"),
        fact.text("tool_calls"),
        state,
        f"{fact.text('first')}–{fact.text('last')}",
    )
