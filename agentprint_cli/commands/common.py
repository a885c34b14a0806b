"""What the commands share: their options, where output goes, and the progress bar."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Annotated

import typer

from ..base.errors import UsageError
from ..renderers import RENDERERS, Output, Style
from .progress import Bar

LogArgument = Annotated[
    str,
    typer.Argument(
        metavar="LOG",
        help="An event log (JSONL), a recording, an envelope or an artifact (JSON); plain, gzip "
        "or zstd; - reads standard input.",
    ),
]
RunOption = Annotated[
    str | None, typer.Option("--run", metavar="ID", help="The run to explain, by its id.")
]
DeclareOption = Annotated[
    str | None,
    typer.Option(
        "--declare",
        metavar="FILE",
        help="What the application declares of its tools and skills (TOML or JSON).",
    ),
]


def format_option(*names: str) -> object:
    """The ``--format`` option, for a command that has these formats."""
    return typer.Option("--format", "-f", metavar="|".join(names), help="The output format.")


def write(output: Output, format: str, allowed: tuple[str, ...] = ("text", "json", "md")) -> None:
    """Write what a command found to standard output. Raises `UsageError` for a format that the
    command does not have."""
    check_format(format, allowed)
    RENDERERS[format].write(output, sys.stdout, style())


def check_format(format: str, allowed: tuple[str, ...] = ("text", "json", "md")) -> None:
    """Raises `UsageError` unless ``format`` is one of ``allowed``."""
    if format not in allowed:
        raise UsageError(f"no format {format!r}; there is {', '.join(allowed)}")


def style() -> Style:
    """How to lay out for standard output: wrapped and coloured only in a terminal, and never
    coloured where NO_COLOR is set (https://no-color.org)."""
    if not sys.stdout.isatty():
        return Style()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Style(color=not plain, width=shutil.get_terminal_size().columns)


def progress(verb: str = "reading") -> Bar | None:
    """A progress bar on standard error, in a terminal only; it shows up after a moment. ``verb``
    says what takes so long."""
    return Bar(verb) if sys.stderr.isatty() else None


def done(bar: Bar | None) -> None:
    """Remove the progress bar before anything is printed."""
    if bar is not None:
        bar.clear()
