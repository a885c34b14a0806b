"""``agentprint explain``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

from ..model import Report
from ..model.declarations import load_declarations
from ..renderers import Output
from ..renderers.as_json import dumps
from ..reports.explain import document
from ..reports.explain.outline import outline
from ..reports.explain.pipeline import explain as explain_one
from ..reports.explain.pipeline import explain_all
from . import common, single_runs
from .progress import Bar


def explain(
    log: common.LogArgument,
    run: common.RunOption = None,
    all_runs: single_runs.AllOption = False,
    declare: common.DeclareOption = None,
    full: single_runs.FullOption = False,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """Explain what was in front of the model when it answered, and what each call returned.

    Explains the run of the last answer unless --run or --all says otherwise. Every line ends
    with the event it was read from; `agentprint show LOG INDEX` prints that event.

    Examples:

      agentprint explain run.jsonl

      agentprint explain run.jsonl --declare tools.toml --format md

      zcat run.jsonl.gz | agentprint explain - --format json
    """
    single_runs.check(run, all_runs, format)
    declarations = load_declarations(declare) if declare is not None else None
    bar = common.progress()
    if all_runs:
        _write_all(explain_all(log, declarations=declarations, progress=bar), bar, format, full)
        return
    report = explain_one(log, run=run, declarations=declarations, progress=bar)
    common.done(bar)
    common.write(_output(report, full), format)
    single_runs.complain_of_empty_run([report])


def _write_all(reports: Iterator[Report], bar: Bar | None, format: str, full: bool) -> None:
    """One report after the other, as they are made: a recording can hold many thousand runs."""
    for number, report in enumerate(reports):
        common.done(bar)
        if format == "json":
            head = document.all_runs_head(report) if number == 0 else ","
            sys.stdout.write(f"{head}\n{dumps(report.to_dict())}")
        else:
            if number:
                sys.stdout.write("\n")
            common.write(_output(report, full), format)
    if format == "json":
        sys.stdout.write("\n]}\n")


def _output(report: Report, full: bool) -> Output:
    return Output(report.to_dict, lambda: outline(report, full=full))
