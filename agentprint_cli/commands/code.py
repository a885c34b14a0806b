"""``agentprint code``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..documents import code as document
from ..errors import UnreadableInput, UsageError
from ..pipeline import code as ask
from ..renderers import Output
from . import common

_FOLDER = "recordings"
_ENDINGS = (".jsonl", ".json", ".ndjson", ".gz", ".zst")


def code(
    logs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LOG]...",
            help="Recordings, or folders of them; without any, the folder recordings/ of the "
            "working directory.",
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
    paths, listed = _paths(logs or [])
    bar = common.progress()
    report = ask(paths, run=run, show_code=show_code, skip_unreadable=listed, progress=bar)
    common.done(bar)
    if not report.recordings:
        raise UnreadableInput(f"{', '.join(logs or [_FOLDER])}: none of its files is a recording")
    if run is not None and not any(read.events > read.foreign for read in report.recordings):
        raise UsageError(f"run {run!r} owns no event in {', '.join(paths)}")
    common.write(Output(report.to_dict, lambda: document.outline(report, full=full)), format)


def _paths(logs: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The files to read, and those of them that a folder listed."""
    if not logs:
        if not Path(_FOLDER).is_dir():
            raise UsageError(
                f"no LOG was given, and the working directory has no folder {_FOLDER}/: name a "
                "recording, or a folder of them"
            )
        logs = [_FOLDER]
    paths: list[str] = []
    listed: list[str] = []
    for log in logs:
        folder = Path(log)
        if log == "-" or not folder.is_dir():
            paths.append(log)
            continue
        found = [
            str(file)
            for file in sorted(folder.iterdir())
            if file.is_file() and file.name.endswith(_ENDINGS) and not file.name.startswith(".")
        ]
        if not found:
            raise UsageError(f"{log}: the folder holds no recording ({', '.join(_ENDINGS)})")
        paths += found
        listed += found
    return list(dict.fromkeys(paths)), tuple(listed)
