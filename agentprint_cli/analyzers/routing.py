"""How the turn was routed: who decided, on what scores, and whether the decision arrived."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Pointer, Reason, Sourced, Status, Voucher, absent, recorded
from ..readings.keeping import truthy
from ..readings.run import RunReading
from .interface import Analyzer, Context

DELIVERED = "yes"
NOT_DELIVERED = "no"
UNPROVEN = "not-measurable"


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The fact ``routing``. Its value ``delivered`` is "no" only on proof of absence: every
    system-prompt compose of the run is recorded and complete, and none placed the skill."""
    view = reading.view
    number = reading.scope.last_of_type("skill.turn_routed", before=reading.answering.turn_end)
    if number is None or number < reading.answering.since:
        yield absent("routing", Status.NOT_RECORDED, Reason.NO_EVENT)
        return
    payload = view.at(number).payload
    to = payload.get("to")
    values: dict[str, object] = {
        name: Sourced(reading.keeper.shown(payload[name]), view.pointer(number, "payload", name))
        for name in ("by", "from", "to", "scorer", "scores", "runnerUp", "decisive")
        if payload.get(name) is not None
    }
    if "runnerUp" in values:
        values["runner_up"] = values.pop("runnerUp")
    pointers = [view.pointer(number, "payload", "by")]
    voucher: str = Voucher.LIBRARY
    decides = context.declarations.app_decides
    if decides is not None:
        voucher = Voucher.APP
        values["decided_by"] = decides
    if reading.keeper.kept_out(to):
        values.pop("to", None)
        values["delivered"] = UNPROVEN
        values["delivery_reason"] = Reason.KEPT_OUT
    elif isinstance(to, str):
        pointers.append(view.pointer(number, "payload", "to"))
        values["label"] = context.declarations.skill_labels.get(to)
        delivered, places, why = _delivered(reading, to)
        values["delivered"] = delivered
        values["delivery_reason"] = why
        pointers.extend(places)
    yield recorded("routing", pointers, values, voucher=voucher)


def _delivered(reading: RunReading, skill: str) -> tuple[str, list[Pointer], Reason | None]:
    """Whether the skill's text reached the model, the places that show it, and why not known."""
    view, scope = reading.view, reading.scope
    end, since = reading.answering.turn_end, reading.answering.since
    for number in scope.of_type("context.injected"):
        payload = view.at(number).payload
        if number >= since and (
            payload.get("source") == "skill"
            and payload.get("sourceId") == skill
            and payload.get("slot") in ("system-prompt", "messages")
            and (end is None or number < end)
        ):
            return DELIVERED, [view.pointer(number, "payload", "sourceId")], None
    for call in reading.calls:
        # A skill can also be read by the model itself; its text is then a tool result.
        if call.tool == "read_skill" and call.start is not None and call.outcome == "ran":
            args = view.at(call.start).payload.get("args")
            if isinstance(args, dict) and skill in args.values():
                places = [*call.pointers, view.pointer(call.start, "payload", "args")]
                if call.id in reading.used_calls:
                    return DELIVERED, places, None
                return UNPROVEN, places, Reason.NO_COMPOSE
    composes, reason = _complete_composes(reading)
    if reason is not None:
        return UNPROVEN, composes, reason
    return NOT_DELIVERED, composes, None


def _complete_composes(reading: RunReading) -> tuple[list[Pointer], Reason | None]:
    """The system-prompt composes of the run, and why they prove nothing when they don't.

    Complete: every model call's iteration has its compose, and each compose has all the rows
    that its breakdown counts, none of them with a source that is kept out.
    """
    view, scope = reading.view, reading.scope
    answering = reading.answering
    first, last = reading.scope.numbers[0], reading.scope.numbers[-1]
    if any(first < number < last for number in reading.unread_events):
        return [], Reason.UNREADABLE

    def in_turn(kind: str) -> list[int]:
        end = answering.turn_end
        return [n for n in scope.of_type(kind) if n >= answering.since and (end is None or n < end)]

    composed: dict[int, int] = {}
    for number in in_turn("context.slot_composed"):
        payload = view.at(number).payload
        iteration = payload.get("iteration")
        if payload.get("slot") == "system-prompt" and isinstance(iteration, int):
            composed[iteration] = number
    pointers = [view.pointer(number, "payload", "sourceBreakdown") for number in composed.values()]
    for number in in_turn("stream.llm_start"):
        iteration = view.at(number).payload.get("iteration")
        if not isinstance(iteration, int) or iteration not in composed:
            return [*pointers, view.pointer(number, "payload", "iteration")], Reason.NO_COMPOSE
    if not composed:
        return [], Reason.NO_COMPOSE
    rows: dict[str, int] = {}
    for number in in_turn("context.injected"):
        event = view.at(number)
        if event.payload.get("slot") == "system-prompt":
            stage = str(event.meta.get("runtimeStageId"))
            rows[stage] = rows.get(stage, 0) + 1
            if reading.keeper.kept_out(event.payload.get("sourceId")):
                return [view.pointer(number, "payload", "sourceId")], Reason.KEPT_OUT
    for number in composed.values():
        event = view.at(number)
        if truthy(event.payload.get("droppedCount")):
            return [view.pointer(number, "payload", "droppedCount")], Reason.DROPPED_FROM_CONTEXT
        counted = _counted(event.payload.get("sourceBreakdown"))
        if counted is None or counted != rows.get(str(event.meta.get("runtimeStageId")), 0):
            return [view.pointer(number, "payload")], Reason.INCOMPLETE
    return list(pointers), None


def _counted(breakdown: object) -> int | None:
    """How many rows a compose says that it placed."""
    if not isinstance(breakdown, dict):
        return None
    total = 0
    for entry in breakdown.values():
        count = entry.get("count") if isinstance(entry, dict) else None
        if type(count) is not int or count < 0:
            return None
        total += count
    return total


ANALYZER = Analyzer("routing", ask)
