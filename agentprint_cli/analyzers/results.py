"""The results that the model had: those of the run's own calls, and earlier ones in view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import Fact, Pointer, Reason, Sourced, Status, Voucher, absent, recorded, tool_voucher
from ..readings.calls import Call
from ..readings.context import Witness, was_offered
from ..readings.conversation import Message
from ..readings.run import RunReading
from ..rules.emptiness import Emptiness
from ..rules.result_cap import CutMarker
from .interface import Analyzer, Context

_COVERAGE_LISTS = (
    ("checked", "checked"),
    ("notChecked", "not_checked"),
    ("cannotCover", "cannot_cover"),
)


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The facts ``witness``, ``in-view``, ``before-pause``, ``call`` and ``unchecked``."""
    yield from _witnesses(reading)
    for witness in reversed(reading.witnesses):
        if not witness.own_call:
            yield _earlier(reading, context, witness)
    for call in reading.calls:
        yield _call(reading, context, call)
    for call in reading.calls:
        yield from _unchecked(reading, call)
    for number in reading.calls_without_id:
        yield recorded("nameless-call", [reading.view.pointer(number, "payload")])


def _witnesses(reading: RunReading) -> Iterator[Fact]:
    for witness in reading.witnesses:
        pointer = reading.view.pointer(witness.event, "payload", "sourceId")
        kept_out = witness.kept_out or (reading.conversation.kept_out and not witness.own_call)
        yield recorded(
            "witness",
            [pointer],
            {
                "event": witness.event,
                "call_id": Sourced(witness.call_id, pointer),
                "own_call": witness.own_call,
                "kept_out": True if kept_out else None,
            },
        )


def _earlier(reading: RunReading, context: Context, witness: Witness) -> Fact:
    """An earlier result in view; not measurable when the conversation does not place it."""
    pointer = reading.view.pointer(witness.event, "payload", "sourceId")
    values: dict[str, object] = {"event": witness.event, "call_id": witness.call_id}
    if witness.call_id is not None:
        values["tool"] = Sourced(*reading.tool_of(witness.call_id))
    if witness.call_id is None or reading.conversation.kept_out:
        return absent("in-view", Status.NOT_MEASURABLE, Reason.KEPT_OUT, values, [pointer])
    message = reading.conversation.tool_message(witness.call_id, witness.position)
    if message is None:
        return absent("in-view", Status.NOT_MEASURABLE, Reason.NOT_IN_HISTORY, values, [pointer])
    distance = reading.conversation.distance(message)
    if distance is None or (distance == 0 and not reading.resumed):
        # No question after it is on record, so how long ago it was asked for cannot be told.
        return absent("in-view", Status.NOT_MEASURABLE, Reason.NOT_IN_HISTORY, values, [pointer])
    tool, tool_pointer = _tool_of_message(reading, message, witness.call_id)
    emptiness = reading.emptiness_of_message(
        message, context.declarations.rows_at.get(tool) if tool is not None else None
    )
    values.update(
        tool=Sourced(tool, tool_pointer),
        distance=distance if distance > 0 else None,
        at_least=reading.windowed if distance > 0 else None,
        content=Sourced(reading.keeper.shown(message.content), message.content_pointer),
        cut=_cut(reading.cut_of_message(message)),
        **_emptiness(emptiness, tool),
    )
    rule = "in-view" if distance > 0 else "before-pause"
    return recorded(rule, [pointer, message.content_pointer], values)


def _tool_of_message(
    reading: RunReading, message: Message, call_id: str
) -> tuple[str | None, Pointer | None]:
    if message.tool is not None:
        return message.tool, message.pointer.into("toolName")
    return reading.tool_of(call_id)


def _call(reading: RunReading, context: Context, call: Call) -> Fact:
    emptiness = (
        reading.emptiness_of_call(
            call,
            context.declarations.rows_at.get(call.tool) if call.tool is not None else None,
        )
        if call.outcome == "ran"
        else Emptiness.unknown("did-not-run")
    )
    return recorded(
        "call",
        [
            *call.pointers,
            reading.view.pointer(call.absent, "payload") if call.absent is not None else None,
            call.result_pointer,
        ],
        {
            "call_id": call.id,
            "tool": Sourced(call.tool, call.tool_pointer),
            "outcome": call.outcome,
            "by": call.by,
            "withheld_by": call.withheld_by,
            "status": call.status,
            "used": call.id in reading.used_calls or None,
            "waiting": True if call.id == reading.waiting_call else None,
            "after_answer": True if _after_answer(reading, call) else None,
            "before_pause": True
            if call.start is None and call.end is not None and reading.resumed
            else None,
            "start": call.start,
            "end": call.end,
            "args": _args(reading, call),
            "result": Sourced(reading.keeper.shown(call.result), call.result_pointer)
            if not reading.keeper.kept_out(call.result)
            else None,
            "has_result": True if call.result_pointer is not None else None,
            "cut": _cut(reading.cut_of_call(call)),
            "coverage": _coverage(reading, call),
            **_offered(reading, call),
            "expectation": _expectation(reading, call),
            **_emptiness(emptiness, call.tool),
        },
    )


def _offered(reading: RunReading, call: Call) -> Mapping[str, object]:
    """Whether the tool was on the menu of the model call that called it: yes, no, or unknown
    with the reason. Nothing is said of a call that this run did not start."""
    if call.start is None or call.tool is None:
        return {}
    llm_start = reading.scope.last_of_type("stream.llm_start", before=call.start)
    if llm_start is None:
        return {"offered": "unknown", "offered_reason": Reason.NO_EVENT}
    offered = was_offered(reading.scope, llm_start, call.tool, reading.keeper)
    if offered is False and any(llm_start < n < call.start for n in reading.unread_events):
        offered = Reason.UNREADABLE  # what could not be read may be the menu of a later call
    if isinstance(offered, Reason):
        place = reading.view.pointer(llm_start, "payload")
        return {"offered": Sourced("unknown", place), "offered_reason": offered}
    key = "tools" if "tools" in reading.view.at(llm_start).payload else "toolsCount"
    place = reading.view.pointer(llm_start, "payload", key)
    return {"offered": Sourced("yes" if offered else "no", place)}


def _after_answer(reading: RunReading, call: Call) -> bool:
    """Whether the call belongs to a turn after the answered one."""
    end = reading.answering.turn_end
    began = call.start if call.start is not None else call.end
    return end is not None and began is not None and began > end


def _emptiness(emptiness: Emptiness, tool: str | None) -> Mapping[str, object]:
    vouchers = {
        "tool": tool_voucher(tool),
        "library": str(Voucher.LIBRARY),
        "app": str(Voucher.APP),
    }
    return {
        "emptiness": emptiness.emptiness,
        "emptiness_detail": emptiness.detail if emptiness.emptiness == "unknown" else None,
        "rows": emptiness.rows,
        "vouched_by": vouchers[emptiness.voucher] if emptiness.voucher is not None else None,
    }


def _cut(marker: CutMarker | None) -> dict[str, object] | None:
    if marker is None:
        return None
    cut: dict[str, object] = {"shown_chars": marker.shown_chars}
    if marker.true_chars is not None:
        cut["true_chars"] = marker.true_chars
    if marker.cap is not None:
        cut["cap"] = marker.cap
    return cut


def _args(reading: RunReading, call: Call) -> Sourced | None:
    if call.start is None or call.args_pointer is None:
        return None
    args = reading.view.at(call.start).payload.get("args")
    return Sourced(reading.keeper.shown(args), call.args_pointer)


def _coverage(reading: RunReading, call: Call) -> dict[str, object] | None:
    """What the tool itself said that it searched, as its events carry it."""
    found: dict[str, object] = {}
    for number in call.coverage:
        payload = reading.view.at(number).payload
        if isinstance(payload.get("lookedFor"), str):
            found["looked_for"] = reading.keeper.shown(payload["lookedFor"])
        for key, name in _COVERAGE_LISTS:
            if isinstance(payload.get(key), list):
                found[name] = reading.keeper.shown(payload[key])
    return found or None


def _expectation(reading: RunReading, call: Call) -> dict[str, object] | None:
    """What the model declared of the call before it ran: the last word on it."""
    found: dict[str, object] | None = None
    for event in reading.scope.events("findings.declared"):
        if event.call == call.id:
            found = {
                key: event.payload[key]
                for key in ("basis", "expect")
                if isinstance(event.payload.get(key), str)
            }
    return found or None


def _unchecked(reading: RunReading, call: Call) -> Iterator[Fact]:
    """What the tool of a call declared that it did not check, or can never cover."""
    for number in call.coverage:
        payload = reading.view.at(number).payload
        for key, name in _COVERAGE_LISTS[1:]:
            entries = payload.get(key)
            if not isinstance(entries, list):
                continue
            for position, entry in enumerate(entries):
                pointer = reading.view.pointer(number, "payload", key, position)
                row = entry if isinstance(entry, dict) else {"what": entry}
                kind = row.get("kind")
                row = {name: reading.keeper.shown(value) for name, value in row.items()}
                yield recorded(
                    "unchecked",
                    [pointer],
                    {
                        "call_id": call.id,
                        "tool": call.tool,
                        "list": name,
                        "what": row.get("what"),
                        "why": row.get("why"),
                        "short": row.get("short"),
                        "kind": None if reading.keeper.kept_out(kind) else kind,
                    },
                    voucher=tool_voucher(call.tool),
                )


ANALYZER = Analyzer("results", ask)
