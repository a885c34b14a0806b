"""``agentprint/check@1``: what the gates found, and how much they could look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...base.errors import EXIT_CHECK_FAILED, EXIT_CLEAN, EXIT_NOT_MEASURED, EXIT_UNREADABLE
from ...model import Fact, Outcome, Pointer, Report
from ...model.outline import Line, Outline, Section, Table
from ..margins.outline import CLAIM, threshold
from ..shared import common, made_for, phrases, trust

SCHEMA = "agentprint/check@1"
LISTED = 20
"""How many findings of a gate, and how many parts that were not measured, a person is shown."""
_KEY = ("tool", "rival", "request", "unread")
_CHANGE = (
    "previous_margin",
    "previous_rival",
    "noise",
    "menu_changed",
    "added_tools",
    "removed_tools",
)
_FINDING = (
    "signal",
    "recording",
    "file",
    "run",
    "event",
    "line",
    "path",
    "tool",
    "call_id",
    "rival",
    "margin",
    "threshold",
    *_CHANGE,
)
_COUNTS = ("findings", "new", "known", "measured", "not_measured", "idle")
_NOUNS = {
    "choice": ("choice", "choices"),
    "run": ("run", "runs"),
    "check": ("check of a run", "checks of runs"),
    "recording": ("recording", "recordings"),
}
_WORDS = {
    (Outcome.FAIL, "fail"): "FAIL",
    (Outcome.FAIL, "warn"): "warn",
    (Outcome.INCONCLUSIVE, "fail"): "INCONCLUSIVE",
    (Outcome.INCONCLUSIVE, "warn"): "inconclusive",
}
_UPDATES = {"added": "new", "changed": "changed", "removed": "removed"}
_TONES = {"error": "bad", "warning": "warn", "note": "muted"}


def exit_code(report: Report) -> int:
    """What the command ends with: a gate that failed goes before a file that could not be read,
    and that before a gate that could not be measured. Gates that warn have no say."""
    outcomes = {
        verdict.outcome
        for verdict, about in zip(report.verdicts, report.of("gate"), strict=True)
        if about.get("severity") == "fail"
    }
    if Outcome.FAIL in outcomes:
        return EXIT_CHECK_FAILED
    if report.of("unreadable"):
        return EXIT_UNREADABLE
    return EXIT_NOT_MEASURED if Outcome.INCONCLUSIVE in outcomes else EXIT_CLEAN


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    embedder = report.one("embedder")
    findings = report.of("finding")
    members: dict[str, object] = {
        **common.head(report),
        "exit_code": exit_code(report),
        "summary": {
            "recordings": len(report.recordings),
            "unreadable": len(report.of("unreadable")),
            "passed_over": len(report.of("passed-over")),
            "findings": len(findings),
            "new": sum(fact.get("state") == "new" for fact in findings),
            "known": sum(fact.get("state") == "known" for fact in findings),
            "errors": sum(fact.get("level") == "error" for fact in findings),
            "warnings": sum(fact.get("level") == "warning" for fact in findings),
            "gone": len(report.of("baseline-gone")),
        },
        "gates": list(_gates(report)),
        "findings": [_finding(fact) for fact in findings],
        "not_measured": [
            {
                **common.values(fact, "gate", "recording", "file", "run", "event", "line", "why"),
                **common.values(fact, "uncompared"),
                "reason": str(fact.reason),
                "message": phrases.not_measured(fact),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("not-measured")
        ],
        "recordings": [common.recording(read) for read in report.recordings],
        "unreadable": [common.values(fact, "path", "why") for fact in report.of("unreadable")],
    }
    if embedder is not None:
        failed = report.one("embedder-failed")
        members["embedder"] = {
            **common.values(embedder, "id", "dimensions", "fingerprint", "input_limit"),
            **common.values(embedder, "scorer", "threshold", "threshold_rule"),
            **common.values(embedder, "cut_texts", "why"),
            **({"why": "failed", "error": failed.get("why")} if failed is not None else {}),
        }
    members.update(trust.members(report))
    members.update(made_for.members(report))
    about = report.one("baseline")
    if about is not None:
        members["baseline"] = _baseline_members(report, about)
    return members


def _baseline_members(report: Report, about: Fact) -> dict[str, object]:
    members: dict[str, object] = {
        **common.values(about, "path", "entries", "updated", "added", "removed"),
        "gone": [_entry(fact) for fact in report.of("baseline-gone")],
        "not_seen": [_entry(fact) for fact in report.of("baseline-not-seen")],
    }
    margins = report.one("baseline-margins")
    if margins is not None:
        names = ("embedder", "scorer", "noise", "entries", "not_seen", *_UPDATES)
        members["margins"] = common.values(margins, *names)
    return members


def _entry(fact: Fact) -> dict[str, object]:
    return common.values(fact, "gate", *_KEY)


def _gates(report: Report) -> Iterator[dict[str, object]]:
    for verdict, fact in zip(report.verdicts, report.of("gate"), strict=True):
        title, help = phrases.GATES[verdict.check]
        yield {
            **common.values(fact, "id", "severity"),
            "outcome": str(verdict.outcome),
            "title": title,
            "help": help,
            **common.values(fact, "unit", "limit", "allowed", *_COUNTS),
            "by_recording": list(_by_recording(fact, verdict.facts)),
        }


def _by_recording(gate: Fact, facts: Iterable[Fact]) -> Iterator[dict[str, object]]:
    """The gate's counts for each recording that it looked at."""
    kinds = {
        name: value if isinstance(value := gate.get(f"{name}_in"), Mapping) else {}
        for name in ("measured", "not_measured", "idle")
    }
    findings: dict[object, int] = {}
    for fact in facts:
        if fact.rule == "finding":
            findings[fact.get("recording")] = findings.get(fact.get("recording"), 0) + 1
    names = dict.fromkeys(name for counts in kinds.values() for name in counts)
    for name in names:
        counts = {kind: counted.get(name, 0) for kind, counted in kinds.items()}
        yield {"recording": name, "findings": findings.get(name, 0), **counts}


def _finding(fact: Fact) -> dict[str, object]:
    return {
        **common.values(fact, "gate", "level", "state"),
        "message": phrases.finding(fact),
        **common.values(fact, *_FINDING, "fingerprint"),
        "key": common.values(fact, *_KEY),
        "pointers": common.pointers(fact.pointers),
    }


# The outline ----------------------------------------------------------------------------------


def outline(report: Report) -> Outline:
    """The check for a person. Every line of it is one line: recorded line feeds are shown, so
    that nothing recorded begins a line of a build log."""
    sections = (
        Section("", tuple(_head(report))),
        Section("Gates", (_table(report),)),
        Section("Findings", tuple(_findings(report))),
        Section("Could not be measured", tuple(_not_measured(report))),
        Section("Baseline", tuple(_baseline(report))),
        Section("Files", tuple(_files(report))),
    )
    kept = tuple(section for section in sections if section.blocks)
    return Outline("agentprint check", kept, _sum(report))


def _head(report: Report) -> Iterator[Line]:
    embedder, failed = report.one("embedder"), report.one("embedder-failed")
    if failed is not None:
        yield Line(f"No scores: {failed.text('why')}", tone="bad")
    elif embedder is not None and embedder.get("id") is not None:
        yield Line(
            f"Embedder {embedder.text('id')} (fingerprint {embedder.text('fingerprint')}), "
            f"scorer {embedder.text('scorer')}, threshold {threshold(embedder)}. {CLAIM}",
            tone="muted",
        )
    elif embedder is not None:
        yield Line("Embedder: none; there is nothing to score.", tone="muted")
    yield from trust.warning(report)
    yield from made_for.lines(report)


def _table(report: Report) -> Table:
    rows = []
    for verdict, fact in zip(report.verdicts, report.of("gate"), strict=True):
        word = _WORDS.get((verdict.outcome, fact.text("severity")), "pass")
        limit = fact.text("limit")
        rows.append(
            (
                verdict.check,
                fact.text("severity"),
                word,
                fact.text("new") + (f" (limit {limit})" if limit != "0" else ""),
                fact.text("known"),
                _count(fact, "measured"),
                fact.text("not_measured"),
                fact.text("idle"),
            )
        )
    columns = ("gate", "on finding", "outcome", "new", "known", "measured", "not measured", "idle")
    return Table(columns, tuple(rows), numeric=frozenset({4, 6, 7}))


def _count(fact: Fact, name: str) -> str:
    count = fact.text(name)
    one, many = _NOUNS[fact.text("unit")]
    return f"{count} {one if count == '1' else many}"


def _findings(report: Report) -> Iterator[Line]:
    order = {"error": 0, "warning": 1, "note": 2}
    gates: dict[tuple[int, str], list[Fact]] = {}
    for fact in report.of("finding"):
        gates.setdefault((order[fact.text("level")], fact.text("gate")), []).append(fact)
    for (_, gate), facts in sorted(gates.items(), key=lambda item: item[0][0]):
        for fact in facts[:LISTED]:
            label = "known" if fact.get("state") == "known" else fact.text("level")
            place = ":".join(filter(None, (fact.text("file"), fact.text("line"))))
            run = f", run {fact.text('run')}" if fact.get("run") is not None else ""
            yield Line(
                f"{gate}: {phrases.finding(fact)} ({place}{run})",
                _shown(fact.pointers),
                tone=_TONES[fact.text("level")],
                label=label,
            )
        if len(facts) > LISTED:
            yield Line(f"{gate}: and {len(facts) - LISTED} more; the JSON has all", tone="muted")


def _shown(pointers: tuple[Pointer, ...]) -> tuple[Pointer, ...]:
    return tuple(pointer for pointer in pointers[:2] if pointer.path or pointer.event is not None)


def _not_measured(report: Report) -> Iterator[Line]:
    """Each reason once for each gate, with how often and where first."""
    grouped: dict[tuple[str, str], list[Fact]] = {}
    for fact in report.of("not-measured"):
        key = fact.text("gate"), phrases.not_measured(fact)
        grouped.setdefault(key, []).append(fact)
    for number, ((gate, why), facts) in enumerate(grouped.items()):
        if number == LISTED:
            yield Line(f"and {len(grouped) - LISTED} more; the JSON has all", tone="muted")
            return
        first = facts[0]
        place = ":".join(filter(None, (first.text("file"), first.text("line"))))
        times = f", {len(facts)} times" if len(facts) > 1 else ""
        yield Line(f"{gate}: {why} ({place}{times})", _shown(first.pointers), tone="warn")


def _baseline(report: Report) -> Iterator[Line]:
    about = report.one("baseline")
    if about is None:
        return
    path, entries = about.text("path"), about.text("entries")
    if about.get("updated"):
        yield Line(
            f"{path} was written: {entries} entries, {about.text('added')} new, "
            f"{about.text('removed')} removed"
        )
    else:
        known = sum(fact.get("state") == "known" for fact in report.of("finding"))
        yield Line(f"{path}: {entries} entries; {known} findings are known by it", tone="muted")
    yield from _margins(report, bool(about.get("lacks_margins")))
    for rule, word in (
        ("baseline-gone", "gone"),
        ("baseline-not-seen", "not seen, but not everything could be measured"),
    ):
        facts = report.of(rule)
        for fact in facts[:LISTED]:
            rival = f" over {fact.text('rival')}" if fact.get("rival") is not None else ""
            tool = f" {fact.text('tool')}{rival}" if fact.get("tool") is not None else ""
            what = f" (request {fact.text('request')})" if fact.get("request") is not None else ""
            yield Line(f"{word}: {fact.text('gate')}{tool}{what}", tone="muted")
        if len(facts) > LISTED:
            yield Line(f"{word}: and {len(facts) - LISTED} more", tone="muted")


def _margins(report: Report, lacks: bool) -> Iterator[Line]:
    """What the baseline holds to compare choices with."""
    if lacks:
        text = "it holds no margins, so no choice is compared; --update-baseline writes them"
        yield Line(text, tone="warn")
    fact = report.one("baseline-margins")
    if fact is None:
        return
    text = f"its margins, by the scorer {fact.text('scorer')}: "
    text += f"{fact.text('entries')} entries"
    if fact.get("added") is not None:
        counts = (f"{fact.text(name)} {word}" for name, word in _UPDATES.items())
        text += f"; {', '.join(counts)}"
    if fact.get("not_seen") is not None:
        text += f", {fact.text('not_seen')} of them not seen now; noise {fact.text('noise')}"
    yield Line(text, tone="muted")


def _files(report: Report) -> Iterator[Line]:
    for fact in report.of("unreadable"):
        yield Line(f"could not be read: {fact.text('why')}", tone="bad")
    if passed := len(report.of("passed-over")):
        yield Line(f"{passed} other files of the folders are no recordings", tone="muted")


def _sum(report: Report) -> Line:
    code = exit_code(report)
    failing = {f.text("id") for f in report.of("gate") if f.get("severity") == "fail"}

    def those(outcome: Outcome) -> str:
        return ", ".join(
            v.check for v in report.verdicts if v.outcome is outcome and v.check in failing
        )

    findings = report.of("finding")
    errors, warnings, notes = (
        sum(fact.get("level") == level for fact in findings)
        for level in ("error", "warning", "note")
    )
    word, why = {
        EXIT_CHECK_FAILED: ("FAILED", f": {those(Outcome.FAIL)}"),
        EXIT_UNREADABLE: ("NOT READ", f": {len(report.of('unreadable'))} files could not be read"),
        EXIT_NOT_MEASURED: (
            "INCONCLUSIVE",
            f": {those(Outcome.INCONCLUSIVE)} could not be measured",
        ),
        EXIT_CLEAN: ("passed", ""),
    }[code]
    tone = {EXIT_CHECK_FAILED: "bad", EXIT_CLEAN: "good"}.get(code, "warn")
    text = (
        f"{word}{why}. {len(report.recordings)} recordings, {len(report.verdicts)} gates: "
        f"{errors} errors, {warnings} warnings, {notes} known or within a limit."
    )
    return Line(text, tone=tone)
