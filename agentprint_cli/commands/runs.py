"""``agentprint runs``."""

from __future__ import annotations

from typing import Annotated

from ..renderers import Output
from ..reports.runs import document
from ..reports.runs.pipeline import runs as list_runs
from . import common


def runs(
    log: common.LogArgument,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """List the runs and sessions of a recording, and which one `explain` would choose.

    Example:

      agentprint runs run.jsonl
    """
    common.check_format(format)
    bar = common.progress()
    report = list_runs(log, progress=bar)
    common.done(bar)
    common.write(Output(report.to_dict, lambda: document.outline(report)), format)
