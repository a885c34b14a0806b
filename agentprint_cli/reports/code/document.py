"""``agentprint/code@1``: the programs that tools ran, as JSON and as an outline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import Fact, Pointer, Report
from ...model.outline import Block, Line, Outline, Section, Table
from ..shared import common, lines

SCHEMA = "agentprint/code@1"
_LISTED = 40
_RANK = {"no": 0, "unknown": 1, "yes": 2}
_RUN_MEMBERS = (
    "recording",
    "run",
    "event",
    "call_id",
    "tool",
    "language",
    "shape_hash",
    "recomputed_hash",
    "attested",
    "attested_why",
    "outcome",
    "exit_code",
    "exit_code_in_result",
    "service_error",
    "terminated_by",
    "output_chars",
    "output_cut",
    "staged_inputs",
    "session_key",
    "session_scope",
    "session_new",
    "lost_names",
    "code",
)
_SESSION_MEMBERS = (
    "recording",
    "tool",
    "scope",
    "key_hash",
    "runner",
    "label",
    "started",
    "calls",
    "closed",
    "close_failed",
    "error",
    "restarted",
    "runs",
    "principals",
    "tenants",
    "session_ids",
)


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    again = _seen_before(report)
    return {
        **common.head(report),
        "recordings": [common.recording(read) for read in report.recordings],
        "not_read": [common.values(fact, "recording", "why") for fact in report.of("not-read")],
        "runs": [
            {
                **common.values(fact, *_RUN_MEMBERS),
                **({"recorded_twice": True} if number in again else {}),
                "pointers": common.pointers(fact.pointers),
            }
            for number, fact in enumerate(report.of("code-run"))
        ],
        "calls_without_run": [
            {
                **common.values(fact, "recording", "run", "call_id", "tool"),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("code-call-without-run")
        ],
        "shapes": [
            {
                "hash": shape,
                "count": len(facts),
                "recordings": _recordings(facts),
                "outcomes": _outcomes(facts),
                "tools": list(dict.fromkeys(fact.text("tool") for fact in facts)),
                "example": common.pointer(_example(facts[0])),
            }
            for shape, facts in _shapes(report)
        ],
        "sessions": [
            {
                **common.values(fact, *_SESSION_MEMBERS),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("code-session")
        ],
        "findings": [lines.signal_document(fact) for fact in report.of("signal")],
        "not_measurable": [lines.unmeasured_document(f) for f in report.of("not-measurable")],
    }


def _seen_before(report: Report) -> frozenset[int]:
    """The runs, by their place, that an earlier recording already holds: a run's log and its
    recording hold the same events, which count once."""
    seen: dict[str, str] = {}
    again = set()
    for number, fact in enumerate(report.of("code-run")):
        identity = fact.get("identity")
        if not isinstance(identity, str):
            continue
        recording = fact.text("recording")
        if seen.setdefault(identity, recording) != recording:
            again.add(number)
    return frozenset(again)


def _shapes(report: Report) -> list[tuple[str, list[Fact]]]:
    """The runs by the shape of their code, the most repeated first. The hash of the code on
    record counts; where there is none, the one that the event states."""
    again = _seen_before(report)
    found: dict[str, list[Fact]] = {}
    for number, fact in enumerate(report.of("code-run")):
        shape = fact.get("recomputed_hash", fact.get("shape_hash"))
        if shape is not None and number not in again:
            found.setdefault(str(shape), []).append(fact)
    return sorted(found.items(), key=lambda entry: -len(entry[1]))


def _example(fact: Fact) -> Pointer:
    """The place of the code that has the shape; without it, the event that states its hash."""
    return fact.pointer_of("recomputed_hash") or fact.pointers[0]


def _recordings(facts: Sequence[Fact]) -> list[str]:
    return list(dict.fromkeys(fact.text("recording") for fact in facts))


def _outcomes(facts: Sequence[Fact]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for fact in facts:
        outcome = fact.text("outcome")
        counted[outcome] = counted.get(outcome, 0) + 1
    return counted


def outline(report: Report, *, full: bool = False) -> Outline:
    """The report for a person."""
    sections = [
        Section("", tuple(_head(report))),
        Section("Findings", tuple(lines.signals(report))),
        Section("The same computation, by shape", tuple(_shape_blocks(report, full))),
        Section("Code runs, those not attested first", tuple(_run_blocks(report, full))),
        Section("Sessions", tuple(_session_lines(report, full))),
        Section("Code", tuple(_code_lines(report))),
        Section("Could not be measured", tuple(lines.unmeasured(report))),
    ]
    return Outline(
        "agentprint code", tuple(part for part in sections if part.blocks), _summary(report)
    )


def _head(report: Report) -> Iterator[Line]:
    for read in report.recordings[:8]:
        yield Line(f"recording {read.path}")
        for line in lines.recording(read):
            yield Line(line.text, line.pointers, line.tone, line.indent + 1)
    if len(report.recordings) > 8:
        yield Line(f"and {len(report.recordings) - 8} more recordings")
    for fact in report.of("not-read"):
        yield Line(f"not read: {fact.text('why')}", tone="warn")


def _shape_blocks(report: Report, full: bool) -> Iterator[Line | Table]:
    shapes = _shapes(report)
    limit = len(shapes) if full else 20
    if shapes:
        yield Table(
            columns=("shape", "runs", "recordings", "outcomes", "for example"),
            rows=tuple(
                (
                    shape,
                    str(len(facts)),
                    str(len(_recordings(facts))),
                    ", ".join(f"{count} {_word(name)}" for name, count in _outcomes(facts).items()),
                    facts[0].text("call_id") or facts[0].text("tool"),
                )
                for shape, facts in shapes[:limit]
            ),
            pointers=tuple((_example(facts[0]),) for _, facts in shapes[:limit]),
            numeric=frozenset({1, 2}),
        )
    if len(shapes) > limit:
        yield Line(f"and {len(shapes) - limit} more shapes (--full lists them)")
    again = len(_seen_before(report))
    if again:
        yield Line(f"{again} run{lines.s(again)} stand in two recordings and are counted once")


def _run_blocks(report: Report, full: bool) -> Iterator[Line | Table]:
    runs = sorted(report.of("code-run"), key=lambda fact: _RANK[fact.text("attested")])
    limit = len(runs) if full else _LISTED
    if runs:
        yield Table(
            columns=("call", "tool", "language", "outcome", "output", "shape", "attested"),
            rows=tuple(_run_row(fact) for fact in runs[:limit]),
            pointers=tuple(fact.pointers[:1] for fact in runs[:limit]),
            numeric=frozenset({4}),
        )
    if len(runs) > limit:
        yield Line(f"and {len(runs) - limit} more (all are judged; --full lists them)")
    for fact in report.of("code-call-without-run")[:limit]:
        yield Line(
            f"call {fact.text('tool')} ({fact.text('call_id')}): no code_run event belongs to it",
            fact.pointers,
            tone="muted",
        )


def _run_row(fact: Fact) -> tuple[str, ...]:
    output = f"{fact.get('output_chars'):,}" if isinstance(fact.get("output_chars"), int) else "?"
    if fact.get("output_cut"):
        output += " (cut)"
    attested = fact.text("attested")
    if fact.get("attested_why") is not None:
        attested += f": {_WHY[fact.text('attested_why')]}"
    return (
        fact.text("call_id") or "(none)",
        fact.text("tool") or "(unnamed)",
        fact.text("language"),
        outcome(fact),
        output,
        fact.text("shape_hash") or "(none)",
        attested,
    )


_WHY = {
    "no-call": "no call was open",
    "no-match": "no open call's code has this hash",
    "several-calls": "several calls were open",
    "missing-code": "the call holds no code",
    "kept-out": "the record keeps the code out",
    "no-hash": "the event states no hash",
    "differs": "the code's hash differs",
}
_WORDS = {
    "ok": "ok",
    "program-failed": "program failed",
    "service-error": "service error",
    "ended-by-signal": "ended by a signal",
    "unknown": "unknown",
}


def _word(name: str) -> str:
    return _WORDS[name]


def outcome(fact: Fact) -> str:
    """What became of a program, in words."""
    kind = fact.text("outcome")
    said = _WORDS[kind]
    if kind == "program-failed":
        if fact.get("exit_code") is not None:
            said += f", exit {fact.text('exit_code')}"
        elif fact.get("exit_code_in_result") is not None:
            said += f", exit {fact.text('exit_code_in_result')} by its result"
        else:
            said += ", no exit code recorded"
    elif kind == "service-error":
        said += ": not confirmed to have run"
    elif kind == "ended-by-signal":
        said += f" ({lines.brief(fact.get('terminated_by'), 40)})"
    return said


def _session_lines(report: Report, full: bool) -> Iterator[Line]:
    sessions = report.of("code-session")
    limit = len(sessions) if full else _LISTED
    for fact in sessions[:limit]:
        label = f", {fact.text('label')}" if fact.get("label") is not None else ""
        calls = fact.get("calls")
        opened = "started" if fact.get("started") is not None else "its start is not on record"
        used = f"{calls} call{lines.s(calls)}" if isinstance(calls, int) else "calls not counted"
        if fact.get("closed") != "no":
            end = f"closed ({fact.text('closed')})"
        elif fact.get("close_failed"):
            end = f"closing it FAILED: {lines.brief(fact.get('error') or 'no reason recorded')}"
        else:
            end = "no event on record closes it"
        yield Line(
            f"session {fact.text('key_hash')} of {fact.text('tool')} (scope "
            f"{fact.text('scope')}{label}): "
            f"{opened}, {used}, {end}",
            fact.pointers[:4],
            tone="warn" if fact.get("closed") == "no" else None,
        )
    if len(sessions) > limit:
        yield Line(f"and {len(sessions) - limit} more (--full lists them)")


def _code_lines(report: Report) -> Iterator[Line | Block]:
    for fact in report.of("code-run"):
        place = fact.pointer_of("code")
        if place is not None:
            yield Line(f"code of call {fact.text('call_id')}:")
            yield Block(fact.text("code"), (place,), indent=1)


def _summary(report: Report) -> Line:
    runs, signals = report.of("code-run"), report.of("signal")
    counted = ", ".join(f"{count} {_word(name)}" for name, count in _outcomes(runs).items())
    attested = sum(fact.get("attested") == "yes" for fact in runs)
    sessions = report.of("code-session")
    read = len(report.recordings)
    told = f"{len(runs)} code run{lines.s(len(runs))} in {read} recording{lines.s(read)}"
    if runs:
        told += f" ({counted}), {attested} attested"
    bad = any(fact.get("tone") == "bad" for fact in signals)
    return Line(
        f"{told}; {len(sessions)} session{lines.s(len(sessions))}; "
        f"{len(signals)} finding{lines.s(len(signals))}.",
        tone="bad" if bad else ("warn" if signals or report.of("not-measurable") else "good"),
    )
