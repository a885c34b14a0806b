"""The programs that tools ran, over many recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ... import __version__
from ...analyzers import CODE
from ...analyzers.interface import Context
from ...base.errors import UnreadableInput, UsageError
from ...base.inputs import find_recordings
from ...model import Fact, Pointer, Reason, Recording, Report, Sourced, Status, absent
from ...readings.run import RunReading
from ...readings.runs import list_runs
from ...signals import checks_called
from ...signals.interface import Facts
from ...view import open_view
from ...view.source import Progress
from ..shared.signals import run_checks
from .document import SCHEMA, document

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
    verdicts = tuple(run_checks(Facts(facts), _CODE_CHECKS))
    for verdict in verdicts:
        facts.extend(verdict.facts)
    return Report(
        schema=SCHEMA,
        tool_version=__version__,
        recordings=tuple(read),
        facts=tuple(facts),
        shape=document,
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
