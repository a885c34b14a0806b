"""``agentprint events``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..base.errors import UsageError
from ..base.safe_text import visible
from ..reports.events import outline as document
from ..reports.events.pipeline import EventFilter, select_events
from ..view import View, open_view
from . import common


def events(
    log: common.LogArgument,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            "-t",
            metavar="TYPE",
            help="Only this type; * stands for anything; the agentfootprint. prefix may be left "
            "out. May be given several times.",
        ),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Only events of this run.")
    ] = None,
    call: Annotated[
        str | None, typer.Option("--call", metavar="ID", help="Only events about this tool call.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", metavar="TEXT", help="Only events whose recorded text holds this."),
    ] = None,
    span: Annotated[
        str | None,
        typer.Option(
            "--range", metavar="A:B", help="Only event numbers from A up to B, inclusive."
        ),
    ] = None,
    format: Annotated[str, common.format_option("text", "jsonl")] = "text",
) -> None:
    """List events, one line each, or as JSONL (the recorded bytes).

    Examples:

      agentprint events run.jsonl --type 'stream.tool_*'

      agentprint events run.jsonl --call t2 --format jsonl
    """
    common.check_format(format, ("text", "jsonl"))
    wanted = EventFilter(types=tuple(types or ()), run=run, call=call, text=text, span=_span(span))
    bar = common.progress()
    with open_view(log, bar) as view:
        common.done(bar)
        if run is not None and not any(owner == run for owner, _ in view.owners()):
            raise UsageError(f"{view.path}: run {run!r} owns no event (agentprint runs lists them)")
        for number in select_events(view, wanted):
            if format == "jsonl":
                _raw(view, number)
            else:
                width = common.style().width
                sys.stdout.write(document.line(view, number, width) + "\n")
        if format == "text" and view.unread:
            sys.stdout.flush()
            count = len(view.unread)
            places = "place" if count == 1 else "places"
            narrowed = wanted != EventFilter()
            more = " (without a filter they are listed)" if narrowed else ":"
            print(f"agentprint: {count} {places} could not be read{more}", file=sys.stderr)
            for entry in () if narrowed else view.unread:
                where = f"line {entry.line}" if entry.line is not None else f"byte {entry.offset}"
                print(visible(f"  {where}: {entry.reason}"), file=sys.stderr)


def _raw(view: View, number: int) -> None:
    raw = view.raw(number)
    if view.type_of(number) is not None and b"\n" in raw:
        raw = raw.replace(b"\n", b" ").replace(b"\r", b" ")  # a pretty-printed document's event
    if sys.stdout.isatty():
        sys.stdout.write(visible(raw.decode("utf-8", "backslashreplace")) + "\n")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(raw + b"\n")


def _span(written: str | None) -> tuple[int, int | None] | None:
    if written is None:
        return None
    first, colon, last = written.partition(":")
    if not colon:
        last = first
    if any(
        part and not (part.isascii() and part.isdigit() and len(part) < 19)
        for part in (first, last)
    ):
        raise UsageError(
            f"--range {written!r}: give A:B, two event numbers from 0 (either may be left out)"
        )
    begin, end = int(first or 0), int(last) if last else None
    if end is not None and end < begin:
        raise UsageError(f"--range {written!r}: it ends before it begins")
    return begin, end
