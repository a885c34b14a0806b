"""The lines that several outlines share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...base.json_text import compact
from ...model import Fact, Pointer, Recording, Report, Status
from ...model.outline import Line
from . import common, phrases

BRIEF = 160


def recording(read: Recording) -> Iterator[Line]:
    """What was read, and what could not be."""
    yield Line(
        f"{read.format}, {read.events:,} event{s(read.events)}, {read.bytes:,} bytes, "
        f"sha256 {read.sha256[:12]}…",
        tone="muted",
    )
    count = len(read.unread)
    if not count:
        return
    yield Line(
        f"{count} place{s(count)} could not be read; what stands there is not part of this report:",
        tone="warn",
    )
    for entry in read.unread[:5]:
        where = f"line {entry.line}, " if entry.line is not None else ""
        yield Line(f"{where}byte {entry.offset:,}: {entry.reason}", indent=1, tone="warn")
    if count > 5:
        yield Line(f"and {count - 5} more", indent=1, tone="warn")


def head(report: Report) -> Iterator[Line]:
    """What was read, and which run of it the report is about."""
    read, fact = report.recordings[0], report.one("run")
    yield from recording(read)
    if fact is None or fact.status is not Status.RECORDED:
        return
    yield Line(_run_sentence(fact), fact.pointers)
    sessions = fact.get("sessions")
    if isinstance(sessions, list):
        yield Line(
            f"This run id is used in {len(sessions)} sessions; their events are read together.",
            tone="warn",
        )
    if fact.get("later_turn") is not None:
        yield Line(
            "A later turn of this run began and has no answer; this report is about the last "
            "answer.",
            places(fact, "later_turn"),
            tone="warn",
        )
    others = fact.get("other_runs")
    if isinstance(others, list) and others:
        shown = ", ".join(str(other) for other in others[:3])
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        yield Line(
            f"Other runs in this recording: {shown}{more}; {read.foreign:,} of its events are "
            "theirs (--run ID or --all reports on them).",
            tone="muted",
        )


def _run_sentence(run: Fact) -> str:
    if run.get("scope") == "unfiltered":
        together = run.get("runs_read_together")
        many = (
            f" The events of {together} run ids are read together."
            if (isinstance(together, int) and together > 1)
            else ""
        )
        return (
            "No run is configured in this recording, so nothing is filtered: every event is read "
            f"as one run.{many}"
        )
    session = f" of session {run.text('session')}" if run.get("session") is not None else ""
    state = "finished" if run.get("finished") else "UNFINISHED: no answer is recorded"
    if run.get("paused"):
        state = "UNFINISHED: it paused for a person, and no answer is recorded"
    if run.get("error") is not None:
        state += f". The record ends in an error: {brief(run.get('error'))}"
    if run.get("stopped_early"):
        state += f", stopped early ({compact(run.get('stopped_early'))})"
    resumed = "; it resumes after a pause" if run.get("resumed") else ""
    return (
        f"Run {run.text('id')}{session}, events {run.get('first_event')} to "
        f"{run.get('last_event')}: {state}{resumed}."
    )


def places(fact: Fact, *names: str) -> tuple[Pointer, ...]:
    """Where the named values were read, of those that were read from one place."""
    found = (fact.pointer_of(name) for name in names)
    return tuple(pointer for pointer in found if pointer is not None)


def empty_run(report: Report) -> Line | None:
    """What to say where the run that was asked for owns no event."""
    fact = report.one("run")
    if fact is None or fact.status is Status.RECORDED:
        return None
    return Line(f"No event in this recording belongs to run {fact.text('id')}.", tone="bad")


def signals(report: Report, *, whole: bool = False) -> Iterator[Line]:
    """Every signal, its weight first. ``whole``: with all its pointers."""
    for fact in report.of("signal"):
        yield Line(
            f"{fact.text('id')}: {phrases.signal(fact)}",
            fact.pointers if whole else fact.pointers[:6],
            tone=fact.text("tone"),
            label=fact.text("tone"),
        )


def unmeasured(report: Report) -> Iterator[Line]:
    """Every check, or part of one, that could not run."""
    for fact in report.of("not-measurable"):
        yield Line(phrases.not_measurable(fact), fact.pointers[:4])


def signal_document(fact: Fact) -> dict[str, object]:
    """A signal's JSON form."""
    return {
        "id": fact.get("id"),
        "check": fact.get("check"),
        "tone": fact.get("tone"),
        "values": {
            name: sourced.value
            for name, sourced in fact.values.items()
            if name not in ("id", "check", "tone")
        },
        "pointers": common.pointers(fact.pointers),
        "text": phrases.signal(fact),
    }


def unmeasured_document(fact: Fact) -> dict[str, object]:
    """The JSON form of what could not be measured."""
    return {
        "check": fact.get("check"),
        "reason": str(fact.reason),
        **common.values(fact, "calls", "tools", "keys", "detail"),
        "pointers": common.pointers(fact.pointers),
        "text": phrases.not_measurable(fact),
    }


def run_document(report: Report, *more: str) -> dict[str, object]:
    """The JSON form of the run that a report is about, with ``more`` of its values."""
    fact = report.one("run")
    if fact is None:
        return {}
    return {
        **common.values(fact, "id", "session", "scope", "finished", "resumed", "paused", *more),
        "other_runs": fact.get("other_runs", []),
        **({} if fact.status is Status.RECORDED else common.status(fact)),
        "pointers": common.pointers(fact.pointers),
    }


def all_runs(schema: str, reports: Sequence[Report]) -> dict[str, object]:
    """The documents of several runs of one recording."""
    return {
        "schema": schema,
        "tool": common.head(reports[0])["tool"],
        "reports": [report.to_dict() for report in reports],
    }


def brief(value: object, limit: int | None = BRIEF) -> str:
    """A recorded value on one line, shortened to ``limit`` characters (None: whole)."""
    written = value if isinstance(value, str) else compact(value)
    if limit is None or len(written) <= limit:
        return written
    return f"{written[:limit]}… ({len(written):,} characters)"


def percent(share: object) -> str:
    """A share as a person reads it; empty when there is none."""
    if not isinstance(share, int | float):
        return ""
    return f"{100 * share:.1f}".rstrip("0").rstrip(".") + " %"


def s(count: int) -> str:
    """The plural's ending."""
    return "" if count == 1 else "s"
