"""``agentprint results``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..base.errors import UsageError
from ..model import Report
from ..renderers import Output
from ..reports.results import document
from ..reports.results.outline import outline
from ..reports.results.pipeline import results as ask
from ..reports.shared.lines import all_runs as all_documents
from . import common, single_runs


def results(
    log: common.LogArgument,
    run: common.RunOption = None,
    all_runs: single_runs.AllOption = False,
    what_if_cap: Annotated[
        str | None,
        typer.Option(
            "--what-if-cap",
            metavar="N[,N…]",
            help="Replay a cap of N characters over the recorded results.",
        ),
    ] = None,
    full: single_runs.FullOption = False,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """List how large each tool result was, what was cut, and who filled the model's context.

    Sizes are characters as JavaScript counts them (UTF-16 units), of the text that the model
    got. --what-if-cap says which results a cap would have cut, and what would have been left.

    Examples:

      agentprint results run.jsonl

      agentprint results run.jsonl --what-if-cap 2000,8000
    """
    single_runs.check(run, all_runs, format)
    caps = _caps(what_if_cap)
    bar = common.progress()
    reports = ask(log, run=run, all_runs=all_runs, caps=caps, progress=bar)
    common.done(bar)

    def output(report: Report) -> Output:
        return Output(report.to_dict, lambda: outline(report, full=full))

    single_runs.write(
        reports, format, output, lambda: all_documents(document.ALL_SCHEMA, reports), all_runs
    )


def _caps(written: str | None) -> list[int]:
    """The caps of the option, each once. Raises `UsageError` for one that is no cap."""
    if written is None:
        return []
    caps = []
    for part in written.split(","):
        text = part.strip().replace("_", "")
        if not (text.isascii() and text.isdigit()) or len(text) > 15 or int(text) < 1:
            raise UsageError(
                f"--what-if-cap {part.strip()!r} is no cap: give a positive whole number of "
                "characters, such as 2000, or several with commas between them"
            )
        caps.append(int(text))
    return list(dict.fromkeys(caps))
