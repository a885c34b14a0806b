"""The View: what every analyzer reads a recording through."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from ..base import rfc6901
from ..base.errors import UnreadableInput, UnreadEvent, UnresolvedPointer
from ..base.json_text import BOM, BrokenJson, decode, span_at
from ..formats import FORMATS
from ..formats.interface import TYPE_PREFIX, Layout, without_bom
from ..model import Event, Fidelity, Pointer, Recording, Unread
from .index import Index
from .ownership import CallUses, Ownership
from .source import HEAD_BYTES, Progress, Source, open_source

_EMPTY: Mapping[str, object] = MappingProxyType({})
_CACHED_EVENTS = 48
_COUNTED_BYTES = 1 << 20


class View:
    """One recording, indexed. Payloads are decoded from the bytes when they are asked for."""

    def __init__(self, source: Source, index: Index, layout: Layout, name: str) -> None:
        self._source = source
        self._index = index
        self._layout = layout
        self._name = name
        self._decoded: OrderedDict[int, Event] = OrderedDict()
        self._parts: dict[str, object] = {}
        self._call_uses: dict[str, CallUses] = {}
        self._broken_parts: set[str] = set()
        self._fidelity: Fidelity | None = None
        self._counted = (0, 1)  # an offset, and the line that it stands in

    def __len__(self) -> int:
        """How many event numbers there are (unread places and empty lines keep theirs)."""
        return len(self._index)

    @property
    def path(self) -> str:
        """The path as the user gave it."""
        return self._name

    @property
    def size(self) -> int:
        """How many plain (decompressed) bytes there are."""
        return self._source.size

    @property
    def format(self) -> str:
        """``jsonl``, ``recording``, ``envelope`` or ``artifact``."""
        return self._layout.kind

    @property
    def unread(self) -> tuple[Unread, ...]:
        """Every place that could not be read, in order."""
        return tuple(self._index.unread_entries)

    def recording(self, foreign: int = 0) -> Recording:
        """What was read, with ``foreign`` events of other runs."""
        return Recording(
            path=self._name,
            sha256=self._source.sha256,
            bytes=self._source.given_size,
            format=self.format,
            events=self._index.events,
            fidelity=self.fidelity,
            unread=self.unread,
            foreign=foreign,
        )

    @property
    def fidelity(self) -> Fidelity:
        """How much of what analyses need the recording holds."""
        if self._fidelity is None:
            self._fidelity = _fidelity(self)
        return self._fidelity

    def type_of(self, number: int) -> str | None:
        """The full type of event ``number``; None when nothing readable stands there."""
        return self._index.type_of(number)

    def length_of(self, number: int) -> int:
        """How many bytes event ``number`` takes in the record; 0 when none stands there."""
        return self._index.lengths[number]

    def owner_of(self, number: int) -> tuple[str | None, str | None]:
        """Run id and session id that event ``number`` names."""
        return self._index.owner_of(number)

    def owners(self) -> list[tuple[str | None, str | None]]:
        """All pairs of run id and session id in the record, in first-seen order."""
        return self._index.owner_list()

    def of_owner(self, run: str | None, session: str | None) -> Sequence[int]:
        """The events with exactly this run id and session id."""
        return self._index.of_owner(run, session)

    @cached_property
    def ownership(self) -> Ownership:
        """Which owners there are, by run and by session."""
        return Ownership.of(self)

    def call_uses(self, call: str) -> CallUses:
        """Which runs speak of a tool-call id, by session."""
        found = self._call_uses.get(call)
        if found is None:
            found = self._call_uses[call] = CallUses.of(self, call)
        return found

    def of_type(self, name: str) -> Sequence[int]:
        """The events of a type, given without its ``agentfootprint.`` prefix."""
        return self._index.of_type(TYPE_PREFIX + name)

    def of_call(self, call: str) -> Sequence[int]:
        """The events whose payload names this tool-call id."""
        return self._index.of_call(call)

    def call_of(self, number: int) -> str | None:
        """The tool-call id that event ``number`` names in its payload."""
        return self._index.call_of(number)

    def raw(self, number: int) -> bytes:
        """The very bytes of event ``number``, without its line feed.

        A place that could not be read is returned as it stands too. Raises `UnreadEvent` when
        there is no such number.
        """
        if not 0 <= number < len(self._index):
            raise UnreadEvent(
                f"{self._name}: no event {number}: its numbers run from 0 to {len(self) - 1}"
            )
        start = self._index.starts[number]
        data = self._source.read(start, start + self._index.lengths[number])
        if self._layout.lines:
            data = data.rstrip(b"\r\n")
            return without_bom(data) if number == 0 else data
        return data

    def at(self, number: int) -> Event:
        """Event ``number``, decoded. Raises `UnreadEvent` when nothing readable stands there."""
        cached = self._decoded.get(number)
        if cached is not None:
            self._decoded.move_to_end(number)
            return cached
        value = self.value(number)
        kind = self._index.type_of(number)
        assert kind is not None
        assert isinstance(value, dict)
        run, session = self._index.owner_of(number)
        payload = value.get("payload")
        meta = value.get("meta")
        call = payload.get("toolCallId") if isinstance(payload, dict) else None
        event = Event(
            index=number,
            type=kind,
            run=run,
            session=session,
            call=call if isinstance(call, str) else None,
            payload=payload if isinstance(payload, dict) else _EMPTY,
            meta=meta if isinstance(meta, dict) else _EMPTY,
            missing=frozenset({"payload", "meta"} - set(value)),
        )
        self._decoded[number] = event
        if len(self._decoded) > _CACHED_EVENTS:
            self._decoded.popitem(last=False)
        return event

    def value(self, number: int) -> object:
        """Event ``number`` as it stands in the record, decoded anew. Raises likewise."""
        raw = self.raw(number)
        if self._index.type_of(number) is None:
            raise UnreadEvent(f"{self._name}: no event could be read at {number}")
        try:
            return decode(raw)
        except BrokenJson as error:
            raise UnreadableInput(
                f"{self._name}: event {number} can no longer be read ({error}); "
                "the file changed while it was read"
            ) from None

    def line_of(self, number: int) -> int | None:
        """1-based physical line of event ``number``, where the recording is made of lines."""
        return number + 1 if self._layout.lines else None

    def file_line(self, pointer: Pointer) -> int | None:
        """1-based physical line of the (decompressed) file at which the place begins that
        ``pointer`` names: of its event, where it names one. None when it cannot be resolved."""
        if pointer.event is not None:
            if self._layout.lines:
                return pointer.event + 1
            return self.line_at(self._index.starts[pointer.event])
        try:
            text = self._source.read(0, self._source.size)
            return self.line_at(span_at(text, rfc6901.parse(pointer.path))[0])
        except (rfc6901.BadPath, BrokenJson):
            return None

    def line_at(self, offset: int) -> int:
        """1-based physical line of the byte at ``offset`` of the (decompressed) file."""
        start, line = self._counted if self._counted[0] <= offset else (0, 1)
        while start < offset:
            end = min(offset, start + _COUNTED_BYTES)
            line += self._source.read(start, end).count(b"\n")
            start = end
        self._counted = (offset, line)
        return line

    def pointer(self, number: int, *path: str | int) -> Pointer:
        """A pointer into event ``number``: to the deepest place on ``path`` (reference tokens
        from the event's root) that the event really holds."""
        return Pointer(
            path=rfc6901.join(*self._held(number, path)),
            event=number,
            type=self._short_type(number),
            line=self.line_of(number),
        )

    def _held(self, number: int, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """The longest beginning of ``path`` that leads somewhere in event ``number``."""
        if not path:
            return path
        event = self.at(number)
        value: object = {"payload": event.payload, "meta": event.meta, "type": event.type}
        if path[0] in event.missing:
            return ()
        for depth, token in enumerate(path):
            if isinstance(value, Mapping) and token in value:
                value = value[str(token)]
            elif isinstance(value, list) and isinstance(token, int) and token < len(value):
                value = value[token]
            else:
                return path[:depth]
        return path

    def _short_type(self, number: int) -> str | None:
        kind = self.type_of(number)
        return kind.removeprefix(TYPE_PREFIX) if kind is not None else None

    def document_pointer(self, *path: str | int) -> Pointer:
        """A pointer into the document: ``path`` are reference tokens from the object that holds
        the events, such as ``snapshot``."""
        return Pointer(path=self._layout.prefix + rfc6901.join(*path))

    def parts(self) -> dict[str, object]:
        """The document's members beside its events, decoded. What cannot be read is left out and
        is among the unread places. Empty for a log of lines."""
        decoded = {name: self.part(name) for name in self._layout.spans}
        return {name: part for name, part in decoded.items() if name not in self._broken_parts}

    def part(self, name: str) -> object:
        """The document's member ``name``, such as ``snapshot``, decoded; None without one."""
        if name not in self._parts:
            span = self._layout.spans.get(name)
            value: object = None
            if span is not None:
                try:
                    value = decode(self._source.read(*span))
                except BrokenJson as error:
                    self._broken_parts.add(name)
                    self._index.damage(
                        Unread(
                            reason=f"the document's {name!r} cannot be read: {error}",
                            offset=span[0] + error.offset,
                        )
                    )
            self._parts[name] = value
        return self._parts[name]

    def document(self, tokens: Sequence[str]) -> bytes:
        """The bytes at a path from the document's root. Raises `UnresolvedPointer`, also for a
        log, which is no document."""
        if self._layout.lines:
            raise UnresolvedPointer(
                f"{self._name}: a log of lines has no document root; name an event's number"
            )
        return self.resolve(Pointer(path=rfc6901.join(*tokens)))

    def resolve(self, pointer: Pointer) -> bytes:
        """The very bytes that ``pointer`` names.

        Raises `UnresolvedPointer` when it leads nowhere, or when the event there is of another
        type than the pointer says.
        """
        try:
            tokens = rfc6901.parse(pointer.path)
            if pointer.event is None:
                text = self._source.read(0, self._source.size)
                start, end = span_at(text, tokens)
                return text[start:end]
            found = self._short_type(pointer.event) if pointer.event < len(self) else None
            if found is None or (pointer.type is not None and pointer.type != found):
                raise UnresolvedPointer(
                    f"{self._name}: event {pointer.event} is "
                    f"{found or 'no readable event'}, not {pointer.type}"
                )
            raw = self.raw(pointer.event)
            start, end = span_at(raw, tokens)
            return raw[start:end]
        except (rfc6901.BadPath, BrokenJson) as error:
            raise UnresolvedPointer(f"{self._name}: {error}") from None

    def close(self) -> None:
        """Release the file."""
        self._source.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_view(path: str, progress: Progress | None = None) -> View:
    """Open and index a recording. Raises `UnreadableInput` when it is none.

    ``path`` is a file or ``-`` for standard input; plain, gzip or zstd; recognised from its
    bytes, never from its name.
    """
    source = open_source(path, progress)
    try:
        return _indexed(source, source.path)
    except BaseException:
        source.close()
        raise


def open_view_or_source(path: str, progress: Progress | None = None) -> View | Source:
    """The recording at ``path``, or its plain bytes when it is none. Raises `UnreadableInput`
    when it cannot be opened or is empty."""
    source = open_source(path, progress)
    try:
        _refuse_empty(source, source.path)
        try:
            return _indexed(source, source.path)
        except UnreadableInput:
            return source
    except BaseException:
        source.close()
        raise


def _refuse_empty(source: Source, path: str) -> None:
    if source.size == 0:
        why = f": {source.damage.reason}" if source.damage is not None else ""
        raise UnreadableInput(f"{path}: empty: there is nothing to read{why}")


def _indexed(source: Source, path: str) -> View:
    _refuse_empty(source, path)
    head = source.read(0, min(HEAD_BYTES, source.size))
    complete = len(head) == source.size
    if not complete and head.count(b"\n") == 0:
        head = _longer_head(source)
        complete = len(head) == source.size
    for candidate in FORMATS:
        if candidate.detect(head, complete):
            index = Index()
            try:
                layout = candidate.index(source, index)
            except UnreadableInput as error:
                raise UnreadableInput(f"{path}: {error}") from None
            if source.damage is not None:
                index.damage(source.damage)
            return View(source, index, layout, path)
    raise UnreadableInput(f"{path}: not a recording of an agent's run: {_what_it_is(head)}")


def _longer_head(source: Source) -> bytes:
    """The first line as far as a few megabytes: its members may be long."""
    return source.read(0, min(4 << 20, source.size))


def _what_it_is(head: bytes) -> str:
    """A guess at the kind of a file that no format knows, for the error message."""
    text = without_bom(head).lstrip()
    if b"\0" in head or not _mostly_text(head):
        return "binary data"
    if text.startswith(b"{"):
        return "JSON, but none of its objects is an event and it has no 'events' array"
    if text.startswith(b"["):
        return "a JSON array, not one event a line"
    return "text, and none of its first lines is an event"


def _mostly_text(head: bytes) -> bool:
    try:
        head[: len(head) - 4].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not head.startswith(BOM[:2]) or head.startswith(BOM)


def _fidelity(view: View) -> Fidelity:
    with_text = described = named = missing = 0
    calls = view.of_type("stream.llm_start")
    for number in calls:
        payload = view.at(number).payload
        with_text += isinstance(payload.get("systemPromptText"), str)
        tools = payload.get("tools")
        if payload.get("toolsCount") == 0 and not tools:
            continue  # nothing was offered, so nothing is missing
        if not isinstance(tools, list):
            missing += 1
        elif any(isinstance(tool, dict) and tool.get("description") for tool in tools):
            described += 1
        else:
            named += 1
    if not described and not named:
        catalogue = "absent"
    elif named and not described:
        catalogue = "names-only"
    else:
        catalogue = "full" if not named and not missing else "partial"
    return Fidelity(
        catalogue=catalogue,
        prompt="recorded" if calls and with_text == len(calls) else "absent",
        results="verbatim" if view.of_type("stream.tool_end") else "absent",
    )
