"""The explanation of one run, or of each run of a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...analyzers import EXPLAIN
from ...analyzers.interface import Context
from ...model import Report
from ...model.declarations import Declarations
from ...readings.runs import RunInfo, choose_run, list_runs
from ...signals import SIGNAL_CHECKS
from ...view import View, open_view
from ...view.source import Progress
from ..shared.single_runs import RunReport
from .document import SCHEMA, document

_EXPLAIN = RunReport(SCHEMA, EXPLAIN, SIGNAL_CHECKS, document)


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
    none is configured), one by one: a recording can hold many thousand. Raises
    `errors.UnreadableInput`."""
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
    context = Context(declarations=declarations or Declarations())
    return _EXPLAIN.of_run(view, runs, run, context, list_others=list_others)
