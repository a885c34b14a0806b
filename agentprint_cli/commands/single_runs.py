"""What the commands share that look into single runs of one recording."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import typer

from ..base.errors import EXIT_USAGE, UsageError
from ..base.safe_text import visible
from ..model import Report, Status
from ..model.outline import Outline
from ..renderers import Output
from . import common

AllOption = Annotated[
    bool, typer.Option("--all", help="Report on every configured run, one after the other.")
]
FullOption = Annotated[bool, typer.Option("--full", help="Keep long texts and long lists whole.")]


def check(run: str | None, all_runs: bool, format: str) -> None:
    """Raises `UsageError` for options that exclude each other and for an unknown format."""
    if run is not None and all_runs:
        raise UsageError("--run and --all exclude each other")
    common.check_format(format)


def write(
    reports: Sequence[Report],
    format: str,
    output: Callable[[Report], Output],
    together: Callable[[], Mapping[str, object]],
    all_runs: bool,
) -> None:
    """Write the reports; with ``all_runs`` as one JSON document, or one after the other."""
    if all_runs and format == "json":
        common.write(Output(together, _no_outline), format)
    else:
        for number, report in enumerate(reports):
            if number:
                sys.stdout.write("\n")
            common.write(output(report), format)
    complain_of_empty_run(reports)


def _no_outline() -> Outline:
    raise AssertionError("several runs have no outline of their own")


def complain_of_empty_run(reports: Sequence[Report]) -> None:
    """A run id that owns nothing is the caller's mistake: the report says so, and so does the
    exit code."""
    run = reports[0].one("run") if len(reports) == 1 else None
    if run is None or run.status is Status.RECORDED:
        return
    others = run.get("other_runs")
    known = ", ".join(str(other) for other in others[:8]) if isinstance(others, list) else ""
    hint = f"; its runs are: {known}" if known else ""
    path = reports[0].recordings[0].path
    print(
        visible(
            f"agentprint: {path}: run {run.text('id')!r} owns no event{hint} "
            "(agentprint runs lists them)"
        ),
        file=sys.stderr,
    )
    raise typer.Exit(EXIT_USAGE)
