"""``agentprint check``: gates over any number of recordings, against a baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from ... import __version__
from ...base.errors import EmbedderFailed, UsageError
from ...base.json_text import compact
from ...choices.scoring import Log, MarginOptions
from ...gates import CHECKS
from ...gates.baseline import digest
from ...gates.interface import Facts, Limit, Severity, judge
from ...model import Fact, Pointer, Reason, Recording, Report, Sourced, Status, absent, recorded
from ...model.declarations import Declarations
from ...readings.choices import Choice, read_choices
from ...readings.runs import RunInfo, choose_run, list_runs
from ...view import View
from ...view.source import Progress
from ..explain.pipeline import explain_run
from ..margins.pipeline import read_logs, score
from . import document
from .baseline import CheckBaseline, entry_of, has_margins

if TYPE_CHECKING:
    from ...embedding import Embedder, VectorCache

__all__ = ["CheckOptions", "Limit", "Severity", "check", "gate_ids", "has_margins", "severities"]

NONE = "none"
_STANDARD_INPUT = "standard input"
_NO_LIMITS: Mapping[str, Limit] = MappingProxyType({})
Words = Sequence[str]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What is checked, and how heavily it weighs."""

    severities: Mapping[str, Severity] | None = None
    """Gate -> weight; a gate that is not named is not run. None: all gates, each with its own;
    those that compare only when the baseline has margins."""
    limits: Mapping[str, Limit] = field(default_factory=lambda: _NO_LIMITS)
    """Gate -> how many new findings it bears."""
    margins: MarginOptions = field(default_factory=MarginOptions)
    declarations: Declarations | None = None
    baseline: str | None = None
    noise: float | None = None
    """What a margin may move by, in place of what the scorer declares."""
    update_baseline: bool = False


def gate_ids() -> tuple[str, ...]:
    """The gates, in order."""
    return tuple(gate.id for gate in CHECKS)


def severities(
    fail_on: Words | None, warn_on: Words | None, *, compares: bool = False
) -> dict[str, Severity]:
    """The weight of each gate that is to run.

    ``fail_on`` are exactly the gates that fail, ``warn_on`` exactly those that warn; a gate in
    neither is not run. Without the first, those fail that do by default and are not in the
    second; without the second, all others warn. A gate that compares and is in neither is left
    out unless ``compares`` says that the baseline has margins: without, it would be inconclusive
    for everybody who has asked for no comparison. Raises `UsageError` for an unknown id, a gate
    that is in both, and when no gate is left: nothing checked would look clean.
    """
    fail, warn = _ids(fail_on), _ids(warn_on)
    if both := sorted(set(fail or ()) & set(warn or ())):
        raise UsageError(f"the gate {both[0]!r} is to fail and to warn; name it once")
    chosen: dict[str, Severity] = {}
    for gate in CHECKS:
        if gate.compares and not compares and gate.id not in {*(fail or ()), *(warn or ())}:
            continue
        by_default = gate.severity is Severity.FAIL and gate.id not in (warn or ())
        if gate.id in fail if fail is not None else by_default:
            chosen[gate.id] = Severity.FAIL
        elif warn is None or gate.id in warn:
            chosen[gate.id] = Severity.WARN
    if not chosen:
        raise UsageError("no gate is left to check")
    return chosen


def _ids(words: Words | None) -> tuple[str, ...] | None:
    """The gate ids that ``words`` name: each may be a list with commas; ``none`` names none."""
    if words is None:
        return None
    ids = [id.strip() for word in words for id in word.split(",")]
    known = gate_ids()
    for id in ids:
        if id not in (*known, NONE):
            raise UsageError(f"no gate {id!r}; there is {', '.join(known)}, or none")
    return tuple(id for id in ids if id != NONE)


@dataclass(frozen=True, slots=True)
class _Read:
    """What one recording holds for the gates."""

    log: Log
    lines: Mapping[int, int | None]
    """Event of a choice -> its line in the file."""
    facts: tuple[Fact, ...]


def check(
    paths: Iterable[str],
    *,
    embedder: Callable[[], Embedder] | None = None,
    options: CheckOptions | None = None,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run the gates over the recordings that ``paths`` name.

    The report has a verdict for each gate. An embedder is made only when a gate needs scores and
    there is a choice to score; one that fails leaves such gates inconclusive. With
    ``update_baseline`` the baseline is written anew and every finding is known by it. Raises
    `errors.UsageError`, also for a baseline that is missing or broken.
    """
    options = options or CheckOptions()
    baseline = CheckBaseline(options.baseline, options.update_baseline)
    chosen = options.severities
    if chosen is None:
        chosen = severities(None, None, compares=baseline.has_margins)
    gates = [gate for gate in CHECKS if gate.id in chosen]
    needs = {gate.needs for gate in gates}
    reads, facts = read_logs(paths, lambda view: _read(view, needs, options), progress)
    if "scores" in needs:
        facts += _choices(reads, embedder, options.margins, cache)
    facts += [fact for read in reads for fact in read.facts]
    if any(gate.compares for gate in gates):
        facts += list(baseline.compare(Facts(facts), _noise(options, facts)))
    found = Facts(facts)
    looked = [(gate, gate.look(found)) for gate in gates]
    baseline.settle(looked, found)
    verdicts = tuple(
        judge(
            gate,
            chosen[gate.id],
            options.limits.get(gate.id, Limit()),
            seen,
            baseline.states(gate, seen),
        )
        for gate, seen in looked
    )
    kept = [f for rule in _REPORTED for f in found.of(rule)]
    told = [_named(fact) for verdict in verdicts for fact in verdict.facts]
    return Report(
        schema=document.SCHEMA,
        tool_version=__version__,
        recordings=tuple(read.log.recording for read in reads),
        facts=(*kept, *told, *baseline.facts(looked, found)),
        shape=document.document,
        verdicts=verdicts,
    )


def _noise(options: CheckOptions, facts: Sequence[Fact]) -> float:
    """The noise that the user gave, else that of the scorer; 0 when nothing was scored."""
    if options.noise is not None:
        return options.noise
    declared = next((fact.get("noise") for fact in facts if fact.rule == "embedder"), None)
    return float(declared) if isinstance(declared, int | float) else 0.0


_REPORTED = (
    "unreadable",
    "passed-over",
    "embedder",
    "embedder-failed",
    "threshold-made-for",
    "summary",
    "trust",
    "run-checked",
)


# Reading --------------------------------------------------------------------------------------


def _read(view: View, needs: set[str], options: CheckOptions) -> _Read:
    runs = list_runs(view)
    choices: tuple[Choice, ...] = ()
    if "scores" in needs:
        choices = tuple(read_choices(view, runs))
    lines = {c.event: view.file_line(Pointer("", event=c.event)) for c in choices}
    of_file = {"recording": view.path, "file": _relative(view.path)}
    facts: list[Fact] = []
    if "runs" in needs:
        facts.extend(_of_runs(view, runs, of_file, options.declarations))
    read = view.recording()
    facts.extend(_of_recording(view, read, of_file))
    return _Read(Log(read, choices), lines, tuple(facts))


def _relative(path: str) -> str:
    """``path`` as seen from the working directory, where it lies in it, with forward slashes;
    ``-`` for standard input."""
    if path == _STANDARD_INPUT:
        return "-"
    if not os.path.isabs(path):
        return path.replace(os.sep, "/").removeprefix("./")
    inside = os.path.relpath(path)
    return (path if inside.startswith(os.pardir) else inside).replace(os.sep, "/")


def _of_recording(view: View, read: Recording, of_file: Mapping[str, object]) -> Iterator[Fact]:
    yield recorded("recording-read", [Pointer("")], {**of_file, "events": read.events})
    for entry in read.unread:
        event = entry.event
        pointer = Pointer("", event=event, line=entry.line if event is not None else None)
        raw = view.raw(event) if event is not None else entry.reason.encode()
        values = {
            **of_file,
            "reason": entry.reason,
            "event": event,
            "line": view.line_at(min(entry.offset, view.size))
            if entry.line is None
            else entry.line,
            "path": "",
            "unread": digest(raw),
        }
        yield recorded("unread-place", [pointer], values)


def _of_runs(
    view: View,
    runs: Sequence[RunInfo],
    of_file: Mapping[str, object],
    declarations: Declarations | None,
) -> Iterator[Fact]:
    configured: Sequence[str | None] = [run.id for run in runs if run.configured]
    for run in configured or [choose_run(view, runs, None)]:
        report = explain_run(view, runs, run, declarations)
        of_run = {**of_file, "run": run, "request": _request(report)}
        about = report.one("run")
        assert about is not None
        if about.status is not Status.RECORDED:
            yield absent("run-without-events", Status.NOT_MEASURABLE, Reason.NO_EVENT, of_run)
            continue
        yield _checked(view, about, of_run)
        for verdict in report.verdicts:
            rules = {fact.rule for fact in verdict.facts}
            idle = "not-applicable" in rules or None
            values = {**of_run, "check": verdict.check, "idle": idle}
            yield absent("judged", Status.NOT_APPLICABLE, None, values)
        for fact in report.of("signal", "not-measurable"):
            yield _placed(view, fact, of_run)


def _request(report: Report) -> str | None:
    """The hash of what was asked, where that is on record."""
    question = report.one("question")
    text = question.get("text") if question is not None else None
    if text is None:
        return None
    return digest(text if isinstance(text, str) else compact(text))


def _checked(view: View, about: Fact, of_run: Mapping[str, object]) -> Fact:
    """The fact ``run-checked``, at the place where the run ends."""
    last = about.get("last_event")
    assert isinstance(last, int)
    place = about.pointer_of("error") or view.pointer(last, "type")
    values = {name: about.get(name) for name in ("finished", "paused")}
    fatal = about.pointer_of("error") is not None or None
    fact = recorded("run-checked", [place], {**values, "fatal": fatal})
    return _placed(view, fact, of_run)


def _placed(view: View, fact: Fact, of_run: Mapping[str, object]) -> Fact:
    """``fact`` with the run that it is of and the place of its first pointer."""
    first = fact.pointers[0] if fact.pointers else None
    place: dict[str, object] = {}
    if first is not None:
        place = {"event": first.event, "path": first.path, "line": view.file_line(first)}
    return _with(fact, {**of_run, **place})


def _with(fact: Fact, values: Mapping[str, object]) -> Fact:
    added = {name: Sourced(value) for name, value in values.items() if value is not None}
    return replace(fact, values=MappingProxyType({**fact.values, **added}))


def _choices(
    reads: Sequence[_Read],
    embedder: Callable[[], Embedder] | None,
    options: MarginOptions,
    cache: VectorCache | None,
) -> Iterator[Fact]:
    """The facts of all choices. When the embedder fails they have no scores, and a fact says
    so."""
    logs = [read.log for read in reads]
    try:
        facts = score(logs, embedder, options, cache)
    except EmbedderFailed as error:
        failed = {"why": str(error)}
        yield absent("embedder-failed", Status.NOT_MEASURABLE, Reason.NOT_SCORED, failed)
        facts = score(logs, None, options, None)
    lines = {read.log.recording.path: read.lines for read in reads}
    for fact in facts:
        if fact.rule != "choice":
            yield fact
            continue
        recording, event, prompt = fact.text("recording"), fact.get("event"), fact.get("prompt")
        assert isinstance(event, int)
        values: dict[str, object] = {
            "file": _relative(recording),
            "line": lines[recording].get(event),
            "path": fact.pointers[0].path,
            "request": digest(prompt) if isinstance(prompt, str) else None,
        }
        yield _with(fact, values)


def _named(fact: Fact) -> Fact:
    """A finding with its fingerprint; any other fact as it is."""
    if fact.rule != "finding":
        return fact
    return _with(fact, {"fingerprint": entry_of(fact).fingerprint})
