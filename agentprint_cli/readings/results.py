"""The tool results of a run as the model got them: their sizes, where they stood in which
context, and what was asked after them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ..model import Pointer
from ..rules import js_text
from ..rules.result_cap import CutMarker, read_cut_marker
from .calls import Call
from .composed import ModelCall, Row
from .run import RunReading, own_text

_COMPARED = 64
"""Calls of one model step that a result is compared with."""
_DEPTH = 16
"""How deep arguments are taken apart; what lies below is compared as a whole."""
_RESERVED = "_findings"
"""What the framework adds to arguments: no part of the request."""


@dataclass(frozen=True, slots=True)
class Result:
    """One tool result that the run produced or had in its context."""

    call_id: str
    call: Call | None
    """The run's own call; None: the result is from an earlier run or turn."""
    tool: str | None
    tool_pointer: Pointer | None
    value: object
    """What the model was given: the value itself, or the text as the context held it."""
    pointer: Pointer
    chars: int | None
    """None: the text is not on record, or the record keeps it out."""
    cut: CutMarker | None
    placed: tuple[tuple[ModelCall, Row], ...]
    """The model calls that had it in their context."""


def result_text(value: object) -> str:
    """A result as a model reads it: the text itself, else its JSON as JavaScript writes it."""
    return value if isinstance(value, str) else js_text.stringify(value)


def read_results(reading: RunReading) -> tuple[Result, ...]:
    """The run's own results in the order of their calls, then those of earlier turns that were
    placed in its contexts. A call that the framework settled without running it has none."""
    placed: dict[str, list[tuple[ModelCall, Row]]] = {}
    for model_call in reading.model_calls:
        compose = model_call.messages
        for row in compose.rows if compose is not None else ():
            if row.is_result and row.source_id is not None:
                placed.setdefault(row.source_id, []).append((model_call, row))
    found = []
    for call in reading.calls:
        rows = tuple(placed.pop(call.id, ()))
        if call.result_pointer is not None and call.outcome != "not-dispatched":
            found.append(_own(reading, call, call.result_pointer, rows))
    for call_id, earlier in placed.items():
        found.append(_earlier(reading, call_id, tuple(earlier)))
    return tuple(found)


def _own(
    reading: RunReading, call: Call, pointer: Pointer, rows: tuple[tuple[ModelCall, Row], ...]
) -> Result:
    kept_out = reading.keeper.kept_out(call.result)
    return Result(
        call_id=call.id,
        call=call,
        tool=call.tool,
        tool_pointer=call.tool_pointer,
        value=None if kept_out else call.result,
        pointer=pointer,
        chars=None if kept_out else js_text.length(result_text(call.result)),
        cut=None if kept_out else reading.cut_of_call(call),
        placed=rows,
    )


def _earlier(reading: RunReading, call_id: str, rows: tuple[tuple[ModelCall, Row], ...]) -> Result:
    """A result of an earlier turn, as the last context that had it held it."""
    row = rows[-1][1]
    view = reading.view
    payload = view.at(row.event).payload
    text: object = payload.get("rawContent") if row.chars is not None else None
    marked: object = text
    message = reading.conversation.tool_message(call_id)
    if message is not None and isinstance(text, str) and message.content == text:
        marked = own_text(message)
    tool, tool_pointer = reading.tool_of(call_id)
    key = "rawContent" if "rawContent" in payload else "sourceId"
    return Result(
        call_id=call_id,
        call=None,
        tool=tool,
        tool_pointer=tool_pointer,
        value=text,
        pointer=view.pointer(row.event, "payload", key),
        chars=row.chars,
        cut=read_cut_marker(marked),
        placed=rows,
    )


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between the arguments of two calls."""

    names: tuple[str, ...]
    """The way from the arguments' root."""
    what: str
    """``added``, ``removed``, ``smaller``, ``larger``, ``shorter``, ``longer`` or ``changed``."""
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The next call of the same tool after a result."""

    call: Call
    changes: tuple[Change, ...]
    not_compared: int
    """Calls of the same step that were left out of the comparison."""

    @property
    def narrower(self) -> bool:
        """Whether it adds an argument, or makes a number smaller or a text or list shorter."""
        return any(change.what in ("added", "smaller", "shorter") for change in self.changes)


class NextCalls:
    """Finds, for a call, the next one of its tool: in the first later model step that calls the
    tool, the call whose arguments differ least."""

    def __init__(self, reading: RunReading) -> None:
        self._reading = reading
        self._steps = [model_call.event for model_call in reading.model_calls]
        self._by_tool: dict[str, list[tuple[int, Call]]] = {}
        for call in reading.calls:
            if call.tool is not None and call.start is not None:
                self._by_tool.setdefault(call.tool, []).append((call.start, call))
        for starts in self._by_tool.values():
            starts.sort(key=lambda entry: entry[0])

    def after(self, call: Call) -> AskedAgain | None:
        """The next call, or None when the run called the tool no more."""
        if call.tool is None or call.end is None:
            return None
        starts = self._by_tool.get(call.tool, [])
        first = bisect_right(starts, call.end, key=lambda entry: entry[0])
        if first >= len(starts):
            return None
        step = bisect_right(self._steps, starts[first][0])
        last = first
        while last < len(starts) and last - first < _COMPARED:
            if bisect_right(self._steps, starts[last][0]) != step:
                break
            last += 1
        rest = 0
        if last - first == _COMPARED:
            end = self._steps[step] if step < len(self._steps) else 1 << 62
            rest = bisect_right(starts, end, key=lambda entry: entry[0]) - last
        before = self._args(call)
        found = [(tuple(changes(before, self._args(c))), c) for _, c in starts[first:last]]
        differing = [entry for entry in found if entry[0]] or found
        least, chosen = min(differing, key=lambda entry: len(entry[0]))
        return AskedAgain(chosen, least, rest)

    def _args(self, call: Call) -> Mapping[str, object]:
        args = (
            self._reading.view.at(call.start).payload.get("args")
            if call.start is not None
            else None
        )
        return args if isinstance(args, dict) else {}


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Change]:
    """What differs between two sets of arguments, in the order of their names."""
    yield from _changes((), _request(before), _request(after))


def _request(args: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in args.items() if name != _RESERVED}


def _changes(
    names: tuple[str, ...], before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        here = (*names, name)
        if name not in before:
            yield Change(here, "added", None, after[name])
        elif name not in after:
            yield Change(here, "removed", before[name], None)
        else:
            old, new = before[name], after[name]
            if isinstance(old, dict) and isinstance(new, dict) and len(here) < _DEPTH:
                yield from _changes(here, old, new)
            elif old != new or isinstance(old, bool) != isinstance(new, bool):
                yield Change(here, _how(old, new), old, new)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _how(old: object, new: object) -> str:
    for kind in (str, list):
        if isinstance(old, kind) and isinstance(new, kind) and len(old) != len(new):
            return "shorter" if len(new) < len(old) else "longer"
    if _is_number(old) and _is_number(new):
        return "smaller" if new < old else "larger"
    return "changed"


@dataclass(frozen=True, slots=True)
class Departure:
    """How a result that had been in a context came to be absent from the answering one."""

    last: tuple[ModelCall, Row]
    """The last model call that had it."""
    evicted: int | None
    """The ``context.evicted`` event that names its row."""
    absent: bool
    """The answering context is on record with every row, and the result is not among them."""

    @property
    def proven(self) -> bool:
        """Whether the record shows that it left; else the answering context is not all there."""
        return self.absent or self.evicted is not None


class Departures:
    """Tells which results left the context before the answer."""

    def __init__(self, reading: RunReading) -> None:
        self._answering = reading.answering.llm_start
        self._compose = reading.answering_compose
        self._evicted: dict[str, list[int]] = {}
        for event in reading.scope.events("context.evicted"):
            digest = event.payload.get("contentHash")
            if isinstance(digest, str) and event.payload.get("slot") in ("messages", None):
                self._evicted.setdefault(digest, []).append(event.index)

    def of(self, placed: Sequence[tuple[ModelCall, Row]]) -> Departure | None:
        """How a result left; None when it never entered or is among the answering rows."""
        if not placed or self._answering is None:
            return None
        before = [entry for entry in placed if entry[0].event < self._answering]
        if not before or len(before) != len(placed):
            return None
        model_call, row = before[-1]
        evicted = None
        for number in self._evicted.get(row.hash, ()) if row.hash is not None else ():
            if model_call.event < number < self._answering:
                evicted = number
                break
        absent = self._compose is not None and self._compose.complete
        return Departure((model_call, row), evicted, absent)
