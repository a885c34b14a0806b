"""The event log: one JSON event a line, as the framework's file sink writes it."""

from __future__ import annotations

from ..base.errors import UnreadableInput
from ..base.json_text import BOM
from ..model import Unread
from .interface import ByteSource, Format, Layout, NotAnEvent, Sink, read_head, without_bom

_MARK = b'"agentfootprint.'


def detect(head: bytes, complete: bool) -> bool:
    """Whether some whole line among the first bytes is an event, or a line too long for them
    begins like one."""
    lines = without_bom(head).split(b"\n")
    last = lines.pop()
    for line in lines:
        if _is_event(line):
            return True
    if complete:
        return _is_event(last)
    return last.lstrip().startswith(b"{") and _MARK in last


def _is_event(line: bytes) -> bool:
    try:
        read_head(line)
    except NotAnEvent:
        return False
    return True


def index(source: ByteSource, sink: Sink) -> Layout:
    """Number every physical line; a broken one becomes an unread entry under its own number."""
    start = found = 0
    event = sink.event  # looked up once: the loop runs once per line
    for number, line in enumerate(source.lines()):
        end = start + len(line)
        try:
            head = read_head(line)
        except NotAnEvent as error:
            found += _without_event(sink, number, start, line, error)
        else:
            event(start, end, head)
            found += 1
        start = end
    if not found:
        raise UnreadableInput("no line of it is an event of a recorded run")
    return Layout(kind="jsonl", lines=True)


def _without_event(sink: Sink, number: int, start: int, line: bytes, error: NotAnEvent) -> int:
    """Report a line that did not read as an event; 1 when it is one behind a byte order mark."""
    mark = len(BOM) if number == 0 and line.startswith(BOM) else 0
    if mark:
        try:
            head = read_head(line[mark:])
        except NotAnEvent as behind:
            error = behind
        else:
            sink.event(start, start + len(line), head)
            return 1
    if not line[mark:].strip():
        sink.gap(start, start + len(line))
        return 0
    cut = not line.endswith(b"\n")
    sink.unread(
        start,
        start + len(line),
        Unread(
            reason=f"the file ends in mid-line: {error}" if cut else str(error),
            offset=start + mark + error.offset,
            line=number + 1,
            event=number,
            cut=cut,
        ),
    )
    return 0


FORMAT = Format(name="jsonl", detect=detect, index=index)
