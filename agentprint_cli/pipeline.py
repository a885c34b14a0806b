"""Paths and options in, a report out: the door for the commands, the library and the tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from . import __version__
from .analyzers import CODE, EXPLAIN, IDS, RESULTS
from .analyzers.interface import Analyzer, Context
from .declarations import Declarations
from .documents import code as code_document
from .documents import explain as explain_document
from .documents import ids as ids_document
from .documents import results as results_document
from .documents import runs as runs_document
from .errors import UnreadableInput
from .model import (
    Fact,
    Outcome,
    Pointer,
    Reason,
    Recording,
    Report,
    Sourced,
    Status,
    Verdict,
    absent,
    recorded,
)
from .readings.keeping import Keeper
from .readings.run import RunReading
from .readings.runs import RunInfo, choose_run, list_runs
from .readings.scope import Scope
from .rules.result_cap import cap_tool_result
from .signals import SIGNAL_CHECKS, checks_called
from .signals.interface import Facts, SignalCheck
from .view import View, open_view
from .view.source import Progress


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
            yield explain_run(view, runs, run, declarations)


def explain_run(
    view: View,
    runs: Sequence[RunInfo],
    run: str | None,
    declarations: Declarations | None = None,
) -> Report:
    """Explain one run of an open recording."""
    reading = RunReading(view, runs, run)
    context = Context(declarations=declarations or Declarations())
    facts: list[Fact] = []
    verdicts: tuple[Verdict, ...] = ()
    for analyzer in EXPLAIN:
        facts.extend(analyzer.ask(reading, context))
        if not reading.scope.numbers:
            facts = facts[:1]  # the run owns no event: nothing more is claimed
            break
    else:
        verdicts = tuple(_judge(Facts(facts)))
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


def _judge(facts: Facts, checks: Sequence[SignalCheck] = SIGNAL_CHECKS) -> Iterator[Verdict]:
    for check in checks:
        if check.needs is not None and not facts.of(check.needs):
            continue
        found = tuple(check.run(facts))
        rules = {fact.rule for fact in found}
        if "signal" in rules:
            outcome = Outcome.FAIL
        elif "not-measurable" in rules:
            outcome = Outcome.INCONCLUSIVE
        else:
            outcome = Outcome.PASS
        yield Verdict(check.id, outcome, found)


@dataclass(frozen=True, slots=True)
class Question:
    """What one of the commands that look into single runs asks."""

    schema: str
    analyzers: tuple[Analyzer, ...]
    checks: tuple[SignalCheck, ...]
    shape: Callable[[Report], dict[str, object]]


_IDS = Question(ids_document.SCHEMA, IDS, checks_called("unknown-standings"), ids_document.document)
_RESULTS = Question(results_document.SCHEMA, RESULTS, (), results_document.document)


def ids(
    path: str,
    *,
    run: str | None = None,
    all_runs: bool = False,
    each: bool = False,
    end_state: bool = False,
    progress: Progress | None = None,
) -> list[Report]:
    """The results served to the answering model call of a run (to every one with ``each``) and
    what the model had said of them; of one run, or of every configured one with ``all_runs``.
    Raises `errors.UnreadableInput`."""
    context = Context(each=each, end_state=end_state)
    return _ask(_IDS, path, run, all_runs, context, progress)


def results(
    path: str,
    *,
    run: str | None = None,
    all_runs: bool = False,
    caps: Sequence[int] = (),
    progress: Progress | None = None,
) -> list[Report]:
    """The tool results of a run, who filled its contexts, and what each of ``caps`` would have
    cut; of one run, or of every configured one. Raises `errors.UnreadableInput`, and
    `ValueError` for a cap that is no positive whole number."""
    context = Context(caps=tuple(caps))
    for cap in context.caps:
        cap_tool_result("", cap, "")
    return _ask(_RESULTS, path, run, all_runs, context, progress)


def _ask(
    question: Question,
    path: str,
    run: str | None,
    all_runs: bool,
    context: Context,
    progress: Progress | None,
) -> list[Report]:
    with open_view(path, progress) as view:
        listed = list_runs(view)
        chosen: list[str | None] = [known.id for known in listed if known.configured]
        if not all_runs or not chosen:
            chosen = [choose_run(view, listed, run)]
        return [_answer(question, view, listed, one, context) for one in chosen]


def _answer(
    question: Question,
    view: View,
    listed: Sequence[RunInfo],
    run: str | None,
    context: Context,
) -> Report:
    reading = RunReading(view, listed, run)
    facts: list[Fact] = []
    verdicts: tuple[Verdict, ...] = ()
    for analyzer in question.analyzers:
        facts.extend(analyzer.ask(reading, context))
        if not reading.scope.numbers:
            facts = facts[:1]  # the run owns no event: nothing more is claimed
            break
    else:
        verdicts = tuple(_judge(Facts(facts), question.checks))
        for verdict in verdicts:
            facts.extend(verdict.facts)
    return Report(
        schema=question.schema,
        tool_version=__version__,
        recordings=(view.recording(reading.scope.foreign),),
        facts=tuple(facts),
        shape=question.shape,
        verdicts=verdicts,
    )


_CODE_CHECKS = checks_called("attested-code", "closed-sessions", "session-keys", "session-state")


def code(
    paths: Sequence[str],
    *,
    run: str | None = None,
    show_code: bool = False,
    skip_unreadable: Sequence[str] = (),
    progress: Progress | None = None,
) -> Report:
    """The programs that tools ran, over all runs of all recordings (of one run: ``run``).

    Of the paths in ``skip_unreadable`` (those that a folder listed) what holds no recording is
    named in the report; for any other `errors.UnreadableInput` is raised.
    """
    context = Context(show_code=show_code)
    facts: list[Fact] = []
    read: list[Recording] = []
    for path in paths:
        try:
            with open_view(path, progress) as view:
                listed = list_runs(view)
                reading = RunReading(view, listed, run)
                found = [fact for analyzer in CODE for fact in analyzer.ask(reading, context)]
                read.append(view.recording(reading.scope.foreign))
        except UnreadableInput as error:
            if path not in skip_unreadable:
                raise
            values = {"recording": path, "why": str(error)}
            facts.append(absent("not-read", Status.NOT_RECORDED, Reason.UNREADABLE, values))
        else:
            facts.extend(_in_file(fact, path) if len(paths) > 1 else fact for fact in found)
    verdicts = tuple(_judge(Facts(facts), _CODE_CHECKS))
    for verdict in verdicts:
        facts.extend(verdict.facts)
    return Report(
        schema=code_document.SCHEMA,
        tool_version=__version__,
        recordings=tuple(read),
        facts=tuple(facts),
        shape=code_document.document,
        verdicts=verdicts,
    )


def _in_file(fact: Fact, path: str) -> Fact:
    """The same fact, with pointers that name the file."""

    def named(value: object) -> object:
        if isinstance(value, Pointer):
            return replace(value, file=path)
        return [named(item) for item in value] if isinstance(value, list) else value

    return replace(
        fact,
        pointers=tuple(replace(pointer, file=path) for pointer in fact.pointers),
        values={
            name: Sourced(
                named(sourced.value),
                replace(sourced.pointer, file=path) if sourced.pointer is not None else None,
            )
            for name, sourced in fact.values.items()
        },
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
