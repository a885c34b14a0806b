"""Which runs a recording holds, and which one is to be explained.

Source of the rules: "Whose events" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..view import View


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run id of the recording and the events that it owns."""

    id: str
    session: str | None
    """The session of its first event that names one."""
    first: int
    last: int
    events: int
    configured: bool
    """An ``agent.run_configured`` event names it; helper scopes are never configured."""
    model_calls: int
    tool_calls: int
    """Distinct tool-call ids that it started or ended."""
    turn_start: int | None
    """Its first ``agent.turn_start``."""
    turn_end: int | None
    """Its last ``agent.turn_end``: with it the run is finished."""

    @property
    def finished(self) -> bool:
        """Whether the record holds the run's answer."""
        return self.turn_end is not None


def list_runs(view: View) -> list[RunInfo]:
    """Every run id that owns an event, in the order of first events."""
    configured = {view.owner_of(number)[0] for number in view.of_type("agent.run_configured")}
    owned: dict[str, list[int]] = {}
    sessions: dict[str, str] = {}
    for run, session in view.owners():
        if run is None:
            continue
        owned.setdefault(run, []).extend(view.of_owner(run, session))
        if session is not None:
            sessions.setdefault(run, session)
    model_calls = _per_run(view, "stream.llm_start")
    starts = _per_run(view, "agent.turn_start")
    ends = _per_run(view, "agent.turn_end")
    calls: dict[str, set[str]] = {}
    for kind in ("stream.tool_start", "stream.tool_end"):
        for number in view.of_type(kind):
            run = view.owner_of(number)[0]
            call = view.call_of(number)
            if run is not None and call is not None:
                calls.setdefault(run, set()).add(call)
    found = [
        RunInfo(
            id=run,
            session=sessions.get(run),
            first=min(numbers),
            last=max(numbers),
            events=len(numbers),
            configured=run in configured,
            model_calls=len(model_calls.get(run, ())),
            tool_calls=len(calls.get(run, ())),
            turn_start=starts[run][0] if run in starts else None,
            turn_end=ends[run][-1] if run in ends else None,
        )
        for run, numbers in owned.items()
    ]
    return sorted(found, key=lambda run: run.first)


def _per_run(view: View, kind: str) -> dict[str, list[int]]:
    grouped: dict[str, list[int]] = {}
    for number in view.of_type(kind):
        run = view.owner_of(number)[0]
        if run is not None:
            grouped.setdefault(run, []).append(number)
    return grouped


def artifact_run(view: View) -> str | None:
    """``meta.origin.runId`` of a stored artifact."""
    meta = view.part("meta") if view.format == "artifact" else None
    origin = meta.get("origin") if isinstance(meta, dict) else None
    run = origin.get("runId") if isinstance(origin, dict) else None
    return run if isinstance(run, str) else None


def choose_run(view: View, runs: Sequence[RunInfo], wanted: str | None) -> str | None:
    """The run to explain; None when nothing names a run, so that nothing is filtered.

    In order: the one asked for; an artifact's own; the only configured one; of several, the
    owner of the last ``agent.turn_end``; without any answer, the one configured last.
    """
    if wanted is not None:
        return wanted
    own = artifact_run(view)
    if own is not None:
        return own
    configured = [run.id for run in runs if run.configured]
    if len(configured) <= 1:
        return configured[0] if configured else None
    for number in reversed(view.of_type("agent.turn_end")):
        run = view.owner_of(number)[0]
        if run is not None:
            return run
    return max((run for run in runs if run.configured), key=lambda run: run.first).id
