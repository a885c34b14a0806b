"""``agentprint code``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import UnreadableInput, UsageError
from ..renderers import Output
from ..reports.code import document
from ..reports.code.pipeline import code as ask
from . import common

_FOLDER = "recordings"


def code(
    logs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LOG]...",
            help="Recordings, folders of them or patterns; without any, the folder recordings/ of "
            "the working directory.",
            show_default=False,
        ),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Only what this run did.")
    ] = None,
    all_runs: Annotated[
        bool, typer.Option("--all", help="Every run of every recording (this is the default).")
    ] = False,
    show_code: Annotated[
        bool, typer.Option("--show-code", help="Print the programs too; they may quote data.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Keep long lists whole.")] = False,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """List the programs that tools ran: what became of them, whether the recorded code is what
    ran, which computations were repeated, and which sessions were left open.

    Examples:

      agentprint code

      agentprint code monday.jsonl tuesday.jsonl --format json
    """
    if run is not None and all_runs:
        raise UsageError("--run and --all exclude each other")
    common.check_format(format)
    if not logs and not Path(_FOLDER).is_dir():
        raise UsageError(
            f"no LOG was given, and the working directory has no folder {_FOLDER}/: name a "
            "recording, or a folder of them"
        )
    paths = logs or [_FOLDER]
    bar = common.progress()
    report = ask(paths, run=run, show_code=show_code, progress=bar)
    common.done(bar)
    if not report.recordings:
        raise UnreadableInput(f"{', '.join(paths)}: none of its files is a recording")
    if run is not None and not any(read.events > read.foreign for read in report.recordings):
        raise UsageError(f"run {run!r} owns no event in {', '.join(paths)}")
    common.write(Output(report.to_dict, lambda: document.outline(report, full=full)), format)
