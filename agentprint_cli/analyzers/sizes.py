"""How large were the results, who filled the context, and what would a cap have cut?

Source of the rules: "Tool results and their size" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Fact, Pointer, Reason, Sourced, Status, absent, recorded, tool_voucher
from ..readings.calls import Call
from ..readings.composed import SLOTS, Compose, ModelCall
from ..readings.results import AskedAgain, Departures, NextCalls, Result, read_results, result_text
from ..readings.run import RunReading
from ..rules import js_text
from ..rules.result_cap import CutMarker, cap_tool_result
from .interface import Analyzer, Context

_UNNAMED = "(unnamed)"


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The facts ``context`` for each model call, ``result`` for each tool result, and ``what-if``
    for each result and cap."""
    results = read_results(reading)
    tools = {result.call_id: result.tool for result in results}
    totals: dict[int, int] = {}
    for model_call in reading.model_calls:
        fact = _context(reading, model_call, tools)
        size = fact.get("chars")
        if isinstance(size, int):
            totals[model_call.event] = size
        yield fact
    events = _Events(reading)
    following = NextCalls(reading)
    departures = Departures(reading)
    for result in results:
        yield _result(reading, result, totals, events, following, departures)
        for cap in context.caps:
            yield _what_if(reading, result, cap, events)


class _Events:
    """The events about results, gathered once."""

    def __init__(self, reading: RunReading) -> None:
        self.refused: dict[str, int] = {}
        self.repeated: dict[str, int] = {}
        for kind, found in (
            ("tools.result_refused", self.refused),
            ("tools.repeated_call", self.repeated),
        ):
            for number in reading.scope.of_type(kind):
                call = reading.view.call_of(number)
                if call is not None:
                    found[call] = number


def _context(reading: RunReading, model_call: ModelCall, tools: Mapping[str, str | None]) -> Fact:
    """Who filled the context of a model call: by slot, by source, and by tool."""
    view = reading.view
    answering = model_call.event == reading.answering.llm_start
    start = view.pointer(model_call.event, "payload")
    values: dict[str, object] = {
        "llm_start": model_call.event,
        "iteration": model_call.iteration,
        "answering": answering or None,
    }
    if not model_call.composes:
        return absent("context", Status.NOT_RECORDED, Reason.NO_COMPOSE, values, [start])
    pointers = [
        view.pointer(
            compose.event,
            "payload",
            *(("sourceBreakdown",) if compose.breakdown is not None else ()),
        )
        for compose in model_call.composes.values()
    ]
    values["missing_slots"] = [slot for slot in SLOTS if slot not in model_call.composes] or None
    parts: list[dict[str, object]] = []
    for compose in model_call.composes.values():
        parts += _parts(compose, tools)
    values["parts"] = parts
    sizes = [compose.chars for compose in model_call.composes.values()]
    if None in sizes:
        return absent("context", Status.NOT_MEASURABLE, Reason.INCOMPLETE, values, pointers)
    values["chars"] = sum(size or 0 for size in sizes)
    values["slots"] = {slot: c.chars for slot, c in model_call.composes.items()}
    return recorded("context", pointers, values)


def _parts(compose: Compose, tools: Mapping[str, str | None]) -> list[dict[str, object]]:
    """A slot's contents by source, tool results by tool. What the compose counts and no row on
    record accounts for stays a part of its own, without a tool."""
    rows: dict[tuple[str, str | None], list[int]] = {}
    for row in compose.rows:
        tool = None
        if row.is_result:
            tool = tools.get(row.source_id or "") or _UNNAMED
        rows.setdefault((row.source or "", tool), []).append(row.chars or 0)
    stated = compose.breakdown
    sources = list(stated) if stated else list(dict.fromkeys(source for source, _ in rows))
    parts: list[dict[str, object]] = []
    for source in sources:
        chars, count = (stated or {}).get(source, (None, None))
        named = [(tool, sizes) for (of, tool), sizes in rows.items() if of == source]
        by_tool = [(tool, sizes) for tool, sizes in named if tool is not None]
        told = sum(sum(sizes) for _, sizes in named)
        if chars is None:
            chars, count = told, sum(len(sizes) for _, sizes in named)
        rest, left = chars, count
        for tool, sizes in by_tool if sum(sum(s) for _, s in by_tool) <= chars else ():
            part = {"slot": compose.slot, "source": source, "tool": tool}
            parts.append({**part, "chars": sum(sizes), "count": len(sizes)})
            rest -= sum(sizes)
            left = left - len(sizes) if left is not None else None
        if rest or not by_tool:
            whole: dict[str, object] = {"slot": compose.slot, "source": source, "chars": rest}
            parts.append({**whole, **({"count": left} if left is not None and left >= 0 else {})})
    return parts


def _result(
    reading: RunReading,
    result: Result,
    totals: Mapping[int, int],
    events: _Events,
    following: NextCalls,
    departures: Departures,
) -> Fact:
    view = reading.view
    call = result.call
    pointers = [result.pointer]
    values: dict[str, object] = {
        "call_id": result.call_id,
        "tool": Sourced(result.tool, result.tool_pointer),
        "own_call": call is not None,
        "event": result.pointer.event,
        "outcome": call.outcome if call is not None else None,
        "withheld_by": call.withheld_by if call is not None else None,
        "text_kept_out": True if result.chars is None else None,
        "chars": Sourced(result.chars, result.pointer),
        "cut": _cut(result.cut),
    }
    shares = _shares(result, totals)
    values["shares"] = shares or None
    answering = [share for share in shares if share["event"] == reading.answering.llm_start]
    if answering:
        values["share_of_context"] = answering[-1].get("share")
        values["chars_in_context"] = answering[-1].get("chars")
        row = result.placed[-1][1]
        place = view.pointer(row.event, "payload", "sourceId")
        values["in_answering_context"] = Sourced(True, place)
        pointers.append(place)
    if call is not None:
        pointers += _refusal(reading, call, events, values)
        pointers += _repetition(reading, call, events, values)
        if values["cut"] is not None or "refused_for_size" in values:
            pointers += _asked_again(following.after(call), values)
    pointers += _departure(reading, result, departures, values)
    return recorded("result", pointers, values, voucher=tool_voucher(result.tool))


def _shares(result: Result, totals: Mapping[int, int]) -> list[dict[str, object]]:
    """Its share of each context that it stood in; of a context whose size is not on record, only
    that it stood there."""
    shares: list[dict[str, object]] = []
    for model_call, row in result.placed:
        share: dict[str, object] = {"event": model_call.event}
        if model_call.iteration is not None:
            share["iteration"] = model_call.iteration
        if row.chars is not None:
            share["chars"] = row.chars
            total = totals.get(model_call.event)
            if total:
                share["share"] = round(row.chars / total, 4)
        shares.append(share)
    return shares


def _cut(marker: CutMarker | None) -> dict[str, object] | None:
    if marker is None:
        return None
    cut: dict[str, object] = {"shown_chars": marker.shown_chars}
    if marker.true_chars is not None:
        cut["true_chars"] = marker.true_chars
        if marker.true_chars > 0:
            cut["share_seen"] = round(marker.shown_chars / marker.true_chars, 4)
    if marker.cap is not None:
        cut["cap"] = marker.cap
    return cut


def _refusal(
    reading: RunReading, call: Call, events: _Events, values: dict[str, object]
) -> list[Pointer]:
    number = events.refused.get(call.id)
    if number is None:
        return []
    payload = reading.view.at(number).payload
    place = reading.view.pointer(number, "payload")
    names = {"sizeChars": "size_chars", "maxChars": "max_chars", "narrowBy": "narrow_by"}
    said = {name: payload[key] for key, name in names.items() if payload.get(key) is not None}
    values["refused_for_size"] = Sourced(said, place)
    return [place]


def _repetition(
    reading: RunReading, call: Call, events: _Events, values: dict[str, object]
) -> list[Pointer]:
    number = events.repeated.get(call.id)
    if number is None:
        return []
    occurrences = reading.view.at(number).payload.get("occurrences")
    place = reading.view.pointer(number, "payload")
    said = {"occurrences": occurrences} if occurrences is not None else {}
    values["repeated"] = Sourced(said, place)
    return [place]


def _asked_again(asked: AskedAgain | None, values: dict[str, object]) -> list[Pointer]:
    if asked is None:
        values["asked_again"] = {"asked": False}
        return []
    changed = []
    pointers = []
    for change in asked.changes:
        entry: dict[str, object] = {
            "path": Pointer(path="").into(*change.names).path,
            "what": change.what,
        }
        if change.what != "added":
            entry["before"] = change.before
        if change.what != "removed":
            entry["after"] = change.after
        changed.append(entry)
    place = asked.call.args_pointer or asked.call.tool_pointer
    if place is not None:
        pointers.append(place)
    said: dict[str, object] = {
        "asked": True,
        "call_id": asked.call.id,
        "changed": changed,
        "narrower": asked.narrower,
    }
    if asked.not_compared:
        said["calls_not_compared"] = asked.not_compared
    values["asked_again"] = Sourced(said, place)
    return pointers


def _departure(
    reading: RunReading, result: Result, departures: Departures, values: dict[str, object]
) -> list[Pointer]:
    """How it left the context before the answer, where it did."""
    left = departures.of(result.placed)
    if left is None:
        return []
    view = reading.view
    model_call, row = left.last
    if not left.proven:
        values["left_context"] = {"left": "not-measurable"}
        return []
    said: dict[str, object] = {"left": "yes", "last_in": model_call.event}
    pointers = [view.pointer(row.event, "payload", "sourceId")]
    if left.evicted is not None:
        said["evicted_by"] = left.evicted
        reason = view.at(left.evicted).payload.get("reason")
        if isinstance(reason, str):
            said["reason"] = reason
        pointers.append(view.pointer(left.evicted, "payload", "contentHash"))
    compose = reading.answering.compose
    if left.absent and compose is not None:
        said["absent_from_answering_context"] = True
        pointers.append(view.pointer(compose, "payload", "sourceBreakdown"))
    values["left_context"] = Sourced(said, pointers[-1])
    values["left_at"] = pointers
    return pointers


def _what_if(reading: RunReading, result: Result, cap: int, events: _Events) -> Fact:
    """One result under one cap. A result that is on record only as far as it was already cut,
    or not at all because it was refused, is not replayed: its full text is not there."""
    values: dict[str, object] = {"call_id": result.call_id, "tool": result.tool, "cap": cap}
    if result.chars is None:
        return absent("what-if", Status.NOT_MEASURABLE, Reason.KEPT_OUT, values, [result.pointer])
    known: object = None
    if result.cut is not None:
        known = result.cut.true_chars
    elif result.call is not None and result.call_id in events.refused:
        known = reading.view.at(events.refused[result.call_id]).payload.get("sizeChars")
    if result.cut is not None or (result.call is not None and result.call_id in events.refused):
        if isinstance(known, int):
            values["would_cut"] = known > cap
        return absent("what-if", Status.NOT_MEASURABLE, Reason.CUT, values, [result.pointer])
    capped, cut = cap_tool_result(result.value, cap, result.tool or _UNNAMED)
    values["would_cut"] = cut
    if cut:
        head = capped.get("head") if isinstance(capped, dict) else None
        shown = head if isinstance(head, str) else ""
        values["head"] = shown
        values["head_chars"] = js_text.length(shown)
        saved = result.chars - js_text.length(result_text(capped))
        values["chars_saved"] = saved
        values["in_answering_context"] = _answered_with(reading, result.placed) or None
    return recorded("what-if", [result.pointer], values)


def _answered_with(reading: RunReading, placed: Sequence[tuple[ModelCall, object]]) -> bool:
    return any(model_call.event == reading.answering.llm_start for model_call, _ in placed)


ANALYZER = Analyzer("sizes", ask)
