"""Paths and options in, a report out: the door for the commands, the library and the tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from .. import __version__, schemas
from ..analyzers import EXPLAIN
from ..analyzers.interface import Context
from ..formats.interface import TYPE_PREFIX
from ..model import Fact, Outcome, Pointer, Report, Sourced, Verdict, recorded
from ..model.declarations import Declarations
from ..readings.keeping import Keeper
from ..readings.run import RunReading
from ..readings.runs import RunInfo, choose_run, list_runs
from ..readings.scope import Scope
from ..signals.interface import Facts
from ..view import View, open_view
from ..view.source import Progress
from .explain import document as explain_document
from .questions import code, ids, results
from .runs import document as runs_document
from .shared.signals import judge
from .validate import document as validate_document

__all__ = [
    "EventFilter",
    "code",
    "explain",
    "explain_all",
    "explain_run",
    "ids",
    "results",
    "runs",
    "schema",
    "schema_list",
    "select_events",
    "validate",
]


def explain(
    path: str,
    *,
    run: str | None = None,
    declarations: Declarations | None = None,
    progress: Progress | None = None,
) -> Report:
    """Explain one run of a recording: the one named, else the one of the last answer.

    Raises `errors.UnreadableInput` when ``path`` holds no recording. A run id that owns no event
    gets a report that says so and nothing else.
    """
    with open_view(path, progress) as view:
        runs = list_runs(view)
        return explain_run(view, runs, choose_run(view, runs, run), declarations)


def explain_all(
    path: str,
    *,
    declarations: Declarations | None = None,
    progress: Progress | None = None,
) -> Iterator[Report]:
    """Explain each configured run of a recording, in recorded order (all events as one run when
    none is configured). Raises `errors.UnreadableInput` likewise."""
    with open_view(path, progress) as view:
        runs = list_runs(view)
        configured: Sequence[str | None] = [run.id for run in runs if run.configured]
        for run in configured or [choose_run(view, runs, None)]:
            yield explain_run(view, runs, run, declarations, list_others=False)


def explain_run(
    view: View,
    runs: Sequence[RunInfo],
    run: str | None,
    declarations: Declarations | None = None,
    *,
    list_others: bool = True,
) -> Report:
    """Explain one run of an open recording. ``list_others``: name the recording's other runs."""
    reading = RunReading(view, runs, run, list_others=list_others)
    context = Context(declarations=declarations or Declarations())
    facts: list[Fact] = []
    verdicts: tuple[Verdict, ...] = ()
    for analyzer in EXPLAIN:
        facts.extend(analyzer.ask(reading, context))
        if not reading.scope.numbers:
            facts = facts[:1]  # the run owns no event: nothing more is claimed
            break
    else:
        verdicts = tuple(judge(Facts(facts)))
        for verdict in verdicts:
            facts.extend(verdict.facts)
    return Report(
        schema=explain_document.SCHEMA,
        tool_version=__version__,
        recordings=(view.recording(reading.scope.foreign),),
        facts=tuple(facts),
        shape=explain_document.document,
        verdicts=verdicts,
    )


def runs(path: str, *, progress: Progress | None = None) -> Report:
    """List the runs of a recording. Raises `errors.UnreadableInput`."""
    with open_view(path, progress) as view:
        listed = list_runs(view)
        chosen = choose_run(view, listed, None)
        keeper = Keeper(view)
        return Report(
            schema=runs_document.SCHEMA,
            tool_version=__version__,
            recordings=(view.recording(),),
            facts=tuple(_listed(view, run, run.id == chosen, keeper) for run in listed),
            shape=runs_document.document,
        )


def _listed(view: View, run: RunInfo, explained: bool, keeper: Keeper) -> Fact:
    question: object = None
    place = view.pointer(run.first, "meta", "runId")
    pointers = [place]
    if run.turn_start is not None:
        value = view.at(run.turn_start).payload.get("userPrompt")
        if value is not None and not keeper.kept_out(value):
            place = view.pointer(run.turn_start, "payload", "userPrompt")
            question = Sourced(value, place)
            pointers = [place, *pointers]
    return recorded(
        "run-listed",
        pointers,
        {
            "id": run.id,
            "session": run.session,
            "question": question,
            "configured": run.configured,
            "model_calls": run.model_calls,
            "tool_calls": run.tool_calls,
            "finished": run.finished,
            "explained": explained or None,
            "events": run.events,
            "first": run.first,
            "last": run.last,
        },
    )


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list; everything by default. All conditions hold together."""

    types: tuple[str, ...] = ()
    """Shell patterns for types, with or without the prefix; any of them."""
    run: str | None = None
    call: str | None = None
    text: str | None = None
    """A text that the event's recorded bytes hold, raw or as a JSON string holds it."""
    span: tuple[int, int | None] | None = None
    """First and last event number."""


def select_events(view: View, wanted: EventFilter) -> Iterator[int]:
    """The event numbers that the filter lets through, ascending."""
    numbers: Sequence[int] = range(len(view))
    if wanted.call is not None:
        numbers = view.of_call(wanted.call)
    scope = Scope(view, wanted.run) if wanted.run is not None else None
    needles = _needles(wanted.text)
    matches: dict[str, bool] = {}
    first, last = wanted.span or (0, None)
    for number in numbers:
        kind = view.type_of(number)
        if kind is None or number < first or (last is not None and number > last):
            continue
        if kind not in matches:
            matches[kind] = not wanted.types or any(
                fnmatchcase(kind, pattern) or fnmatchcase(kind.partition(".")[2], pattern)
                for pattern in wanted.types
            )
        if not matches[kind] or (scope is not None and not scope.owns(number)):
            continue
        if needles and not any(needle in view.raw(number) for needle in needles):
            continue
        yield number


def _needles(text: str | None) -> tuple[bytes, ...]:
    """The ways in which JSON writers put ``text``: as it is, with and without escapes."""
    if text is None:
        return ()
    forms = (json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return tuple(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in forms))


LISTED_DEVIATIONS = 50
_REPORTED_BYTES = 1 << 20
_DOCUMENTS = {"recording": "recording", "artifact": "recording", "envelope": "recording"}
"""Format -> the schema of the object that holds the events. (What makes an envelope one is
already seen when it is opened.)"""


def validate(
    path: str, *, limit: int = LISTED_DEVIATIONS, progress: Progress | None = None
) -> Report:
    """Check every event of a recording, and the document around them, against the schemas.

    All deviations are counted, the first ``limit`` become facts. Raises
    `errors.UnreadableInput`.
    """
    with open_view(path, progress) as view:
        found = _Deviations(limit)
        keeper = Keeper(view)
        document = [_check_document(view, keeper, found)] if view.format in _DOCUMENTS else []
        tallies = _check_events(view, keeper, found, progress)
        read = view.recording()
        verdicts = (("shape", found.count == 0), ("readable", not read.unread))
        return Report(
            schema=validate_document.SCHEMA,
            tool_version=__version__,
            recordings=(read,),
            facts=(*document, *(tallies[kind].fact() for kind in sorted(tallies)), *found.facts),
            shape=validate_document.document,
            verdicts=tuple(
                Verdict(check, Outcome.PASS if passed else Outcome.FAIL)
                for check, passed in verdicts
            ),
        )


@dataclass(slots=True)
class _Deviations:
    """Counts all deviations and keeps the first ones as facts."""

    limit: int
    count: int = 0
    facts: list[Fact] = field(default_factory=list)

    def add(self, deviations: Iterable[schemas.Deviation], place: Pointer) -> int:
        """Take in the deviations of the value at ``place``; how many there were."""
        before = self.count
        for deviation in deviations:
            self.count += 1
            if len(self.facts) < self.limit:
                values = {
                    "keyword": deviation.keyword,
                    "found": deviation.found,
                    "expected": deviation.expected,
                }
                self.facts.append(recorded("deviation", [place.into(*deviation.path)], values))
        return self.count - before


@dataclass(slots=True)
class _Tally:
    """What was counted for one event type."""

    place: Pointer
    """Its first event."""
    known: bool
    events: int = 0
    deviating: int = 0
    deviations: int = 0

    def fact(self) -> Fact:
        """The fact ``type-checked``."""
        values = {
            "type": self.place.type,
            "known": self.known,
            "events": self.events,
            "deviating": self.deviating,
            "deviations": self.deviations,
        }
        return recorded("type-checked", [self.place.into("type")], values)


def _check_document(view: View, keeper: Keeper, found: _Deviations) -> Fact:
    """The fact ``document-checked``. Of a document that breaks off, no member is missed."""
    name = _DOCUMENTS[view.format]
    parts = view.parts()
    whole = all(entry.event is not None for entry in view.unread)
    checker = schemas.Checker.of(name, keeper.kept_out)
    deviations = (
        deviation
        for deviation in checker.check({"events": [], **parts})
        if whole or deviation.path or deviation.keyword != "required"
    )
    place = view.document_pointer()
    count = found.add(deviations, place)
    return recorded("document-checked", [place], {"schema": name, "deviations": count})


def _check_events(
    view: View, keeper: Keeper, found: _Deviations, progress: Progress | None
) -> dict[str, _Tally]:
    """What was counted, by type."""
    checker = schemas.EventChecker(keeper.kept_out)
    tallies: dict[str, _Tally] = {}
    done = told = 0
    for number in range(len(view)):
        kind = view.type_of(number)
        if kind is None:
            continue
        place = Pointer(
            path="", event=number, type=kind.removeprefix(TYPE_PREFIX), line=view.line_of(number)
        )
        tally = tallies.get(kind)
        if tally is None:
            tally = tallies[kind] = _Tally(place, checker.knows(kind))
        count = found.add(checker.check(kind, view.value(number)), place)
        tally.events += 1
        tally.deviating += count > 0
        tally.deviations += count
        done += view.length_of(number)
        if progress is not None and done - told >= _REPORTED_BYTES:
            told = done
            progress(done, view.size)
    return tallies


def schema_list() -> Sequence[schemas.Schema]:
    """The schemas of what is read and written."""
    return schemas.SCHEMAS


def schema(name: str) -> dict[str, object]:
    """The schema that users call ``name``, complete in itself. Raises `errors.UsageError`."""
    return schemas.bundled(schemas.find(name))
