"""``agentprint show``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..base import rfc6901
from ..base.errors import UsageError
from ..base.json_text import BrokenJson, span_at
from ..base.safe_text import visible_lines
from ..view import View, open_view
from . import common


def show(
    log: common.LogArgument,
    index: Annotated[
        str,
        typer.Argument(
            metavar="INDEX",
            help="The event's number as reports print it, or - for the document itself.",
        ),
    ],
    path: Annotated[
        str, typer.Argument(metavar="[PATH]", help="An RFC 6901 path inside it, such as /payload.")
    ] = "",
    around: Annotated[
        int,
        typer.Option(
            "--around", "-C", min=0, metavar="N", help="Print N neighbours on either side too."
        ),
    ] = 0,
) -> None:
    """Print the very bytes of an event, or of the value at a path inside it.

    In a terminal, control characters are made visible; in a pipe the bytes are untouched.

    Examples:

      agentprint show run.jsonl 64

      agentprint show run.jsonl 64 /payload/rawContent

      agentprint show recording.json - /snapshot/sharedState/history/2/content
    """
    tokens = _tokens(path)
    with open_view(log, common.progress()) as view:
        if index == "-":
            _put(view.document(tokens), "")
            return
        number = _number(index, view)
        if not around:
            _put(_value(view, number, tokens, path), "")
            return
        first, last = max(0, number - around), min(len(view) - 1, number + around)
        for near in range(first, last + 1):
            mark = ">" if near == number else " "
            raw = _value(view, near, tokens, path) if near == number else view.raw(near)
            _put(raw, f"{mark} {near:>{len(str(last))}} ")


def _tokens(path: str) -> list[str]:
    try:
        return rfc6901.parse(path)
    except rfc6901.BadPath as error:
        raise UsageError(f"bad path: {error}") from None


def _number(index: str, view: View) -> int:
    if not (index.isascii() and index.isdigit()):
        raise UsageError(f"{index!r} is no event number: give a whole number, from 0")
    number = int(index) if len(index) < 19 else len(view)
    if number >= len(view):
        raise UsageError(
            f"{view.path}: no event {index}: its numbers run from 0 to {len(view) - 1}"
        )
    return number


def _value(view: View, number: int, tokens: list[str], path: str) -> bytes:
    raw = view.raw(number)
    if not tokens:
        return raw
    try:
        start, end = span_at(raw, tokens)
    except rfc6901.BadPath as error:
        raise UsageError(f"{view.path}: event {number} has nothing at {path}: {error}") from None
    except BrokenJson as error:
        raise UsageError(f"{view.path}: event {number} cannot be read: {error}") from None
    return raw[start:end]


def _put(raw: bytes, prefix: str) -> None:
    if sys.stdout.isatty():
        text = visible_lines(raw.decode("utf-8", "backslashreplace"))
        sys.stdout.write(f"{prefix}{text}\n")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(prefix.encode() + raw + b"\n")
