"""Reports about single runs of one recording: what is asked of the run, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ... import __version__
from ...analyzers.interface import Analyzer, Context
from ...model import Fact, Report, Verdict
from ...readings.run import RunReading
from ...readings.runs import RunInfo, choose_run, list_runs
from ...signals.interface import Facts, SignalCheck
from ...view import View, open_view
from ...view.source import Progress
from .signals import run_checks


@dataclass(frozen=True, slots=True)
class RunReport:
    """One of these reports."""

    schema: str
    """Name and version of its JSON contract."""
    analyzers: tuple[Analyzer, ...]
    """What is asked of the run, in this order."""
    checks: tuple[SignalCheck, ...]
    """What is looked for in the facts."""
    shape: Callable[[Report], dict[str, object]]
    """How the facts become the JSON contract's form."""

    def of_run(
        self,
        view: View,
        listed: Sequence[RunInfo],
        run: str | None,
        context: Context,
        *,
        list_others: bool = True,
    ) -> Report:
        """The report on one run (None: all events as one run). ``list_others``: name the
        recording's other runs. A run that owns no event gets a report that says so and nothing
        else."""
        reading = RunReading(view, listed, run, list_others=list_others)
        facts: list[Fact] = []
        verdicts: tuple[Verdict, ...] = ()
        for analyzer in self.analyzers:
            facts.extend(analyzer.ask(reading, context))
            if not reading.scope.numbers:
                facts = facts[:1]  # the run owns no event: nothing more is claimed
                break
        else:
            verdicts = tuple(run_checks(Facts(facts), self.checks))
            for verdict in verdicts:
                facts.extend(verdict.facts)
        return Report(
            schema=self.schema,
            tool_version=__version__,
            recordings=(view.recording(reading.scope.foreign),),
            facts=tuple(facts),
            shape=self.shape,
            verdicts=verdicts,
        )

    def of_recording(
        self,
        path: str,
        run: str | None,
        all_runs: bool,
        context: Context,
        progress: Progress | None,
    ) -> list[Report]:
        """The report on ``run`` (None: on the run of the last answer), or with ``all_runs`` one
        on each configured run. Raises `errors.UnreadableInput`."""
        with open_view(path, progress) as view:
            listed = list_runs(view)
            chosen: list[str | None] = [known.id for known in listed if known.configured]
            if not all_runs or not chosen:
                chosen = [choose_run(view, listed, run)]
            return [self.of_run(view, listed, one, context) for one in chosen]
