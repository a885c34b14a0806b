"""Which results the model could still name: those served to a model call, less what it retired.

Source of the rules: "Offered and undeclared ids" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Fact, Pointer, Reason, Sourced, Status, Voucher, absent, recorded
from ..readings.composed import Compose
from ..readings.run import RunReading
from ..readings.standings import (
    Served,
    Standing,
    Written,
    read_standings,
    read_written,
    standings_before,
)
from ..rules.offer import nameable_ids, undeclared_ids, unknown_ids
from .interface import Analyzer, Context

_AT_THE_END = 1 << 62


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The fact ``ids`` of the answering model call; where the record holds any standing, also
    ``standing`` for each one filed and ``written-standing`` for each one written."""
    standings = read_standings(reading)
    served = Served(reading)
    answering = reading.answering
    if answering.llm_start is None:
        yield absent("ids", Status.NOT_RECORDED, Reason.NO_EVENT)
    else:
        compose = reading.answering_compose
        rows = served.to(compose) if compose is not None else {}
        yield _ids(
            reading, served, standings, answering.llm_start, answering.iteration, compose, rows
        )
    yield from _said(reading, served, standings)


def ask_in_detail(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The same, of the answering model call or of each, with ``served`` for every id."""
    standings = read_standings(reading)
    served = Served(reading)
    asked = [
        call
        for call in reading.model_calls
        if context.each or call.event == reading.answering.llm_start
    ]
    if not asked and not context.end_state:
        yield absent("ids", Status.NOT_RECORDED, Reason.NO_EVENT)
    for call in asked:
        compose = call.messages
        rows = served.to(compose) if compose is not None else {}
        yield _ids(reading, served, standings, call.event, call.iteration, compose, rows)
        yield from _served(served, call.event, rows)
    if context.end_state:
        yield from _at_the_end(reading, served, standings)
    yield from _said(reading, served, standings)


def _ids(
    reading: RunReading,
    served: Served,
    standings: Sequence[Standing],
    llm_start: int,
    iteration: int | None,
    compose: Compose | None,
    rows: Mapping[str, Pointer],
) -> Fact:
    start = reading.view.pointer(llm_start, "payload")
    values: dict[str, object] = {
        "llm_start": Sourced(llm_start, start),
        "iteration": iteration,
        "answering": llm_start == reading.answering.llm_start or None,
    }
    if compose is None:
        return absent("ids", Status.NOT_RECORDED, Reason.NO_COMPOSE, values, [start])
    said = standings_before(standings, llm_start, iteration)
    values.update(_offer(served, rows, said, llm_start))
    return recorded(
        "ids",
        [
            reading.view.pointer(compose.event, "payload", "slot"),
            *rows.values(),
            *(standing.pointer for standing in said.values()),
        ],
        values,
    )


def _at_the_end(
    reading: RunReading, served: Served, standings: Sequence[Standing]
) -> Iterator[Fact]:
    """The offer after everything that the run did, over the results in its conversation."""
    conversation = reading.conversation
    values: dict[str, object] = {"end_state": True}
    if conversation.kept_out or not conversation.messages:
        reason = Reason.KEPT_OUT if conversation.kept_out else Reason.NO_EVENT
        yield absent("ids", Status.NOT_RECORDED, reason, values, [conversation.pointer])
        return
    rows = served.at_the_end()
    said = standings_before(standings, _AT_THE_END, None)
    values.update(_offer(served, rows, said, _AT_THE_END))
    place = conversation.pointer or conversation.messages[0].pointer
    yield recorded(
        "ids",
        [place, *rows.values(), *(standing.pointer for standing in said.values())],
        values,
    )
    yield from _served(served, None, rows)


def _offer(
    served: Served, rows: Mapping[str, Pointer], said: Mapping[str, Standing], event: int
) -> Mapping[str, object]:
    ids = list(rows)
    words = {call: standing.word for call, standing in said.items()}
    nameable = nameable_ids(ids, words)
    elsewhere = [call for call in words if call not in rows and served.by(call, event)]
    return {
        "served": ids,
        "offered": list(reversed(nameable)),
        "nameable": nameable,
        "undeclared": undeclared_ids(ids, words),
        "unknown": unknown_ids([*ids, *elsewhere], words),
        "no_longer_served": elsewhere or None,
        "standings": words,
        "said_at": {call: standing.pointer for call, standing in said.items()},
    }


def _served(served: Served, llm_start: int | None, rows: Mapping[str, Pointer]) -> Iterator[Fact]:
    for call, pointer in rows.items():
        tool, tool_pointer = served.tool_of(call)
        yield recorded(
            "served",
            [pointer],
            {
                "llm_start": llm_start,
                "end_state": llm_start is None or None,
                "call_id": Sourced(call, pointer),
                "tool": Sourced(tool, tool_pointer),
            },
        )


def _said(reading: RunReading, served: Served, standings: Sequence[Standing]) -> Iterator[Fact]:
    for standing in standings:
        yield _standing(reading, served, standing)
    for written in read_written(reading, standings):
        yield _written(written)


def _standing(reading: RunReading, served: Served, standing: Standing) -> Fact:
    """Whether its id was ever served is judged for the run's own standings only: what was served
    to an earlier run may be on no record here."""
    known: str | None = None
    reason: Reason | None = None
    if standing.own:
        if served.by(standing.call_id, _AT_THE_END):
            known = "yes"
        elif standing.flagged_unknown or served.gap is None:
            known = "no"
        else:
            known = "unknown"
            reason = Reason.NO_COMPOSE if served.gap.messages is None else Reason.INCOMPLETE
    return recorded(
        "standing",
        [standing.pointer],
        {
            "call_id": standing.call_id,
            "standing": Sourced(standing.word, standing.pointer),
            "declared_on": standing.declared_on,
            "said_by": standing.source,
            "event": standing.event,
            "own_run": standing.own,
            "served": known,
            "served_reason": reason,
            "flagged_unknown": standing.flagged_unknown or None,
        },
        voucher=Voucher.MODEL,
    )


def _written(written: Written) -> Fact:
    return recorded(
        "written-standing",
        [written.pointer],
        {
            "call_id": written.call_id,
            "standing": Sourced(written.word, written.pointer),
            "by_call": written.by_call,
            "by_tool": written.by_tool,
            "filed": Sourced("yes" if written.filed is not None else "no", written.filed),
        },
        voucher=Voucher.MODEL,
    )


ANALYZER = Analyzer("ids", ask)
DETAIL = Analyzer("ids-in-detail", ask_in_detail)
