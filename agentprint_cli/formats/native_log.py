"""The event log: one JSON event a line, as the framework's file sink writes it."""

from __future__ import annotations

from ..errors import UnreadableInput
from ..model import Unread
from .interface import (
    ByteSource,
    Format,
    Head,
    Layout,
    NotAnEvent,
    Sink,
    read_head,
    without_bom,
)

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
    start = 0
    found = False
    for number, line in enumerate(source.lines()):
        end = start + len(line)
        body = line[3:] if number == 0 and line.startswith(b"\xef\xbb\xbf") else line
        try:
            head: Head = read_head(body)
        except NotAnEvent as error:
            if not body.strip():
                sink.gap()
            else:
                cut = not line.endswith(b"\n")
                sink.unread(
                    Unread(
                        reason=f"the file ends in mid-line: {error}" if cut else str(error),
                        offset=start + len(line) - len(body) + error.offset,
                        line=number + 1,
                        event=number,
                        cut=cut,
                    )
                )
        else:
            found = True
            sink.event(start, end, head)
        start = end
    if not found:
        raise UnreadableInput("no line of it is an event of a recorded run")
    return Layout(kind="jsonl", lines=True)


FORMAT = Format(name="jsonl", detect=detect, index=index)
