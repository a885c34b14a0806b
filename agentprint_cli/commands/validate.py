"""``agentprint validate``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..base.errors import EXIT_CHECK_FAILED
from ..renderers import Output
from ..reports.validate import document
from ..reports.validate.pipeline import LISTED_DEVIATIONS
from ..reports.validate.pipeline import validate as validate_recording
from . import common


def validate(
    log: common.LogArgument,
    limit: Annotated[
        int,
        typer.Option("--max", min=0, metavar="N", help="List N deviations; all are counted."),
    ] = LISTED_DEVIATIONS,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """Check every event, and the document around them, against the schemas.

    Ends with exit code 1 when something deviates or could not be read. Events of a type that the
    schemas do not know deviate from nothing; they are counted. `agentprint schema event-log`
    prints what is checked.

    Examples:

      agentprint validate run.jsonl

      agentprint validate run.jsonl --max 1000 --format json
    """
    common.check_format(format)
    bar = common.progress("checking")
    report = validate_recording(log, limit=limit, progress=bar)
    common.done(bar)
    common.write(Output(report.to_dict, lambda: document.outline(report)), format)
    if not document.is_valid(report):
        raise typer.Exit(EXIT_CHECK_FAILED)
