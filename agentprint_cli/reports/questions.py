"""The commands that look into results, ids and code: of single runs, and over many recordings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .. import __version__
from ..analyzers import CODE, IDS, RESULTS
from ..analyzers.interface import Analyzer, Context
from ..base.errors import UnreadableInput, UsageError
from ..base.inputs import find_recordings
from ..model import Fact, Pointer, Reason, Recording, Report, Sourced, Status, Verdict, absent
from ..readings.run import RunReading
from ..readings.runs import RunInfo, choose_run, list_runs
from ..rules.result_cap import cap_tool_result
from ..signals import checks_called
from ..signals.interface import Facts, SignalCheck
from ..view import View, open_view
from ..view.source import Progress
from .code import document as code_document
from .ids import document as ids_document
from .results import document as results_document
from .shared.signals import judge


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
        verdicts = tuple(judge(Facts(facts), question.checks))
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
    progress: Progress | None = None,
) -> Report:
    """The programs that tools ran, over all runs of all recordings (of one run: ``run``).

    ``paths`` are files, folders and patterns. What a folder lists and holds no recording is named
    in the report; for a file that was named itself `errors.UnreadableInput` is raised, and
    `errors.UsageError` where nothing is found at all.
    """
    context = Context(show_code=show_code)
    facts: list[Fact] = []
    read: list[Recording] = []
    files = find_recordings(paths)
    if not files:
        raise UsageError(f"{', '.join(paths)}: no recording in it")
    for path, named in files:
        try:
            with open_view(path, progress) as view:
                listed = list_runs(view)
                reading = RunReading(view, listed, run)
                found = [fact for analyzer in CODE for fact in analyzer.ask(reading, context)]
                read.append(view.recording(reading.scope.foreign))
        except UnreadableInput as error:
            if named:
                raise
            values = {"recording": path, "why": str(error)}
            facts.append(absent("not-read", Status.NOT_RECORDED, Reason.UNREADABLE, values))
        else:
            facts.extend(_in_file(fact, path) if len(files) > 1 else fact for fact in found)
    verdicts = tuple(judge(Facts(facts), _CODE_CHECKS))
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
