"""What a log format is: two plain functions and a name.

A format looks at the first bytes and says whether it knows them; then it goes through the input
once and tells a sink where each event stands. It keeps nothing of the events themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from ..base.json_text import BOM, BrokenJson, decode
from ..model import Unread

Head = tuple[str, str | None, str | None, str | None]
"""What the index keeps of one event: its type, run id, session id and tool-call id. A plain
tuple, since one is made for every line."""


class ByteSource(Protocol):
    """The plain (decompressed) bytes of the input."""

    @property
    def size(self) -> int:
        """How many plain bytes there are."""

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end``."""

    def lines(self) -> Iterator[bytes]:
        """The physical lines, each with its line feed."""


class Sink(Protocol):
    """Where a format reports what it finds, in the order of the event numbers."""

    def event(self, start: int, end: int, head: Head) -> None:
        """The next event number is the event at these bytes."""

    def gap(self, start: int, end: int) -> None:
        """The next event number belongs to no event (an empty line)."""

    def unread(self, start: int, end: int, entry: Unread) -> None:
        """The next event number belongs to something that cannot be read."""

    def damage(self, entry: Unread) -> None:
        """Something outside the numbered events cannot be read."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the input is laid out, as far as pointers and the view need it."""

    kind: str
    """The format's published name, such as ``jsonl`` or ``recording``."""
    lines: bool
    """Event numbers are physical line numbers, from 0."""
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Byte spans of the document's parts beside its events, by name, such as ``snapshot``."""
    prefix: str = ""
    """RFC 6901 path from the document's root to the part that holds the events."""


@dataclass(frozen=True, slots=True)
class Format:
    """One dialect."""

    name: str
    detect: Callable[[bytes, bool], bool]
    """(first bytes, whether they are the whole input) -> whether this format reads it."""
    index: Callable[[ByteSource, Sink], Layout]
    """Goes through the input once. Raises `errors.UnreadableInput` when it is no recording."""


TYPE_PREFIX = "agentfootprint."


class _Meta(msgspec.Struct, gc=False):
    runId: str | None = None  # noqa: N815
    sessionId: str | None = None  # noqa: N815


class _Payload(msgspec.Struct, gc=False):
    toolCallId: str | None = None  # noqa: N815


class _Line(msgspec.Struct, gc=False):
    type: str
    meta: _Meta | None = None
    payload: _Payload | None = None


_decode_line = msgspec.json.Decoder(_Line).decode


class NotAnEvent(ValueError):
    """The bytes hold no event; ``offset`` counts from their start."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        super().__init__(reason)
        self.offset = offset


def read_head(raw: bytes) -> Head:
    """What the index keeps of the event in ``raw``. Raises `NotAnEvent`.

    The whole value is checked, so that what the index takes in can be decoded later. The typed
    decoder skips what it does not keep; it does not look at the encoding of skipped strings, so
    bytes beyond ASCII are checked here, and whatever it refuses gets a second, lenient reading.
    """
    try:
        if not raw.isascii():
            raw.decode("utf-8")
        line = _decode_line(raw)
    except UnicodeDecodeError as error:
        raise NotAnEvent("not valid UTF-8", error.start) from None
    except (msgspec.DecodeError, RecursionError):  # a ValidationError is a DecodeError
        return _read_head_leniently(raw.rstrip(b"\r\n"))
    kind = line.type
    if kind[: len(TYPE_PREFIX)] != TYPE_PREFIX:
        raise NotAnEvent(_foreign_type(kind))
    meta, payload = line.meta, line.payload
    call = None if payload is None else payload.toolCallId
    if meta is None:
        return kind, None, None, call
    return kind, meta.runId, meta.sessionId, call


def _read_head_leniently(raw: bytes) -> Head:
    try:
        value = decode(raw)
    except BrokenJson as error:
        raise NotAnEvent(str(error), error.offset) from None
    if not isinstance(value, dict):
        raise NotAnEvent("valid JSON, but not an object")
    kind = value.get("type")
    if not isinstance(kind, str):
        raise NotAnEvent("an object without a string 'type'")
    if not kind.startswith(TYPE_PREFIX):
        raise NotAnEvent(_foreign_type(kind))
    return (
        kind,
        _member(value.get("meta"), "runId"),
        _member(value.get("meta"), "sessionId"),
        _member(value.get("payload"), "toolCallId"),
    )


def _member(value: object, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _foreign_type(kind: str) -> str:
    shown = kind if len(kind) <= 60 else kind[:57] + "…"
    return f"an object whose type {shown!r} is no event type ('{TYPE_PREFIX}…')"


def without_bom(head: bytes) -> bytes:
    """``head`` without a leading byte order mark."""
    return head[len(BOM) :] if head.startswith(BOM) else head
