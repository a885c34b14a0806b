"""``agentprint ids``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..model import Report
from ..renderers import Output
from ..reports.ids import document
from ..reports.ids.pipeline import ids as ask
from ..reports.shared.lines import all_runs as all_documents
from . import common, single_runs


def ids(
    log: common.LogArgument,
    run: common.RunOption = None,
    all_runs: single_runs.AllOption = False,
    each: Annotated[
        bool, typer.Option("--each", help="Ask of every model call, not of the answering one only.")
    ] = False,
    end: Annotated[
        bool, typer.Option("--end", help="Ask of the conversation's end too, as it is on record.")
    ] = False,
    full: single_runs.FullOption = False,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """List the results that the model could name when it answered, and what it had said of them.

    A result is offered until the model retires it (noise, ruled-out); a later fact brings it
    back. A standing on an id that was never served is listed as unknown.

    Examples:

      agentprint ids run.jsonl

      agentprint ids run.jsonl --each --format json
    """
    single_runs.check(run, all_runs, format)
    bar = common.progress()
    reports = ask(log, run=run, all_runs=all_runs, each=each, end_state=end, progress=bar)
    common.done(bar)

    def output(report: Report) -> Output:
        return Output(report.to_dict, lambda: document.outline(report, full=full))

    single_runs.write(
        reports, format, output, lambda: all_documents(document.ALL_SCHEMA, reports), all_runs
    )
