"""The JSON documents: a recording, an envelope around one, a stored artifact.

The document is read once, whole, to find where its events stand; then only their places are kept.
"""

from __future__ import annotations

from ..base.errors import UnreadableInput
from ..base.json_text import (
    BOM,
    BrokenJson,
    decode,
    items,
    members,
    open_member,
    skip_space,
    value_end,
)
from ..model import Unread
from .interface import (
    TYPE_PREFIX,
    ByteSource,
    Format,
    Layout,
    NotAnEvent,
    Sink,
    read_head,
    without_bom,
)

_ENVELOPE_PREFIX = "agentfootprint.recording"
_CONTAINER_KEYS = frozenset({"events", "snapshot", "recording", "structure", "format"})
_EVENT_KEYS = frozenset({"type", "payload"})


def detect(head: bytes, complete: bool) -> bool:
    """Whether the first value is an object with a member that only a container has.

    A log's line begins with ``{`` too, but has ``type`` or ``payload`` and none of those.
    """
    text = without_bom(head)
    start = skip_space(text, 0)
    if text[start : start + 1] != b"{":
        return False
    after = start
    try:
        for key, _, end in members(text, start):
            after = end
            if key in _CONTAINER_KEYS:
                return True
            if key in _EVENT_KEYS and _is_event_value(text, start, key):
                return False
    except BrokenJson:
        # A member's value may be longer than the head, or cut off: its key is what counts.
        opened = open_member(text, start, after)
        # One that breaks off in any other part may still be a container: reading it will tell.
        return opened is not None and opened[0] not in _EVENT_KEYS
    return False


def _is_event_value(text: bytes, start: int, key: str) -> bool:
    """Whether the object is an event: its ``type`` says so, or it has a payload."""
    if key != "type":
        return True
    span = next((s, e) for name, s, e in members(text, start) if name == "type")
    kind = _text(text, span)
    return kind is not None and kind.startswith(TYPE_PREFIX)


def index(source: ByteSource, sink: Sink) -> Layout:
    """Find the events' places; a document cut off in the middle is read up to there."""
    text = source.read(0, source.size)
    start = skip_space(text, len(BOM) if text.startswith(BOM) else 0)
    parts, broken = _parts(text, start)
    prefix = ""
    kind = "recording"
    envelope = _text(text, parts.get("format"))
    if envelope is not None and envelope.startswith(_ENVELOPE_PREFIX) and "recording" in parts:
        kind, prefix = "envelope", "/recording"
        inner = parts["recording"][0]
        if text[inner : inner + 1] != b"{":
            raise UnreadableInput("an envelope whose 'recording' is not an object")
        parts, broken_inside = _parts(text, inner)
        broken = broken_inside or broken
    if "events" not in parts:
        raise _not_a_container(parts, broken)
    events = parts["events"][0]
    if text[events : events + 1] != b"[":
        raise UnreadableInput("a JSON document whose 'events' is not an array")
    if kind == "recording" and _origin_run(text, parts.get("meta")) is not None:
        kind = "artifact"
    broken = _index_events(text, events, sink) or broken
    if broken is None:
        end = skip_space(text, value_end(text, start))
        if end < len(text):
            sink.damage(
                Unread(reason="something follows the document, and was not read", offset=end)
            )
    if broken is not None:
        sink.damage(
            Unread(reason=f"the document breaks off: {broken}", offset=broken.offset, cut=True)
        )
    spans = {name: span for name, span in parts.items() if name != "events"}
    return Layout(kind=kind, lines=False, spans=spans, prefix=prefix)


def _parts(text: bytes, start: int) -> tuple[dict[str, tuple[int, int]], BrokenJson | None]:
    """The members' spans (the last of duplicates counts), and where the object breaks off."""
    if text[start : start + 1] != b"{":
        raise UnreadableInput("a JSON document that is not an object")
    found: dict[str, tuple[int, int]] = {}
    after = start
    try:
        for key, value_start, after in members(text, start):
            found[key] = (value_start, after)
    except BrokenJson as error:
        opened = open_member(text, start, after)
        if opened is not None:
            found[opened[0]] = (opened[1], len(text))
        return found, error
    return found, None


def _index_events(text: bytes, start: int, sink: Sink) -> BrokenJson | None:
    """Number the items of the events array; where it breaks off, say so."""
    number = 0
    try:
        for item_start, item_end in items(text, start):
            try:
                head = read_head(text[item_start:item_end])
            except NotAnEvent as error:
                place = item_start + error.offset
                sink.unread(
                    item_start, item_end, Unread(reason=str(error), offset=place, event=number)
                )
            else:
                sink.event(item_start, item_end, head)
            number += 1
    except BrokenJson as error:
        return error
    return None


def _text(text: bytes, span: tuple[int, int] | None) -> str | None:
    if span is None:
        return None
    try:
        value = decode(text[span[0] : span[1]])
    except BrokenJson:
        return None
    return value if isinstance(value, str) else None


def _origin_run(text: bytes, span: tuple[int, int] | None) -> str | None:
    """``meta.origin.runId``, which makes a recording a stored artifact."""
    if span is None:
        return None
    try:
        meta = decode(text[span[0] : span[1]])
    except BrokenJson:
        return None
    origin = meta.get("origin") if isinstance(meta, dict) else None
    run = origin.get("runId") if isinstance(origin, dict) else None
    return run if isinstance(run, str) else None


def _not_a_container(
    parts: dict[str, tuple[int, int]], broken: BrokenJson | None
) -> UnreadableInput:
    names = ", ".join(repr(name) for name in list(parts)[:6]) or "none"
    where = f"; it breaks off at byte {broken.offset} ({broken})" if broken is not None else ""
    return UnreadableInput(
        "a JSON document that is no recording: it has no 'events' array "
        f"(its members: {names}{where})"
    )


FORMAT = Format(name="document", detect=detect, index=index)
