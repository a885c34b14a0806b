"""Which results the model could still have named when it answered.

Source of the rules: "Offered and undeclared ids" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Pointer, Reason, Status, absent, recorded
from ..readings.run import RunReading
from ..readings.standings import served_rows, standings_before
from ..rules.offer import nameable_ids, undeclared_ids, unknown_ids
from .interface import Analyzer, Context


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The fact ``ids``: of the answering model call."""
    answering = reading.answering
    if answering.llm_start is None:
        yield absent("ids", Status.NOT_RECORDED, Reason.NO_EVENT)
        return
    if answering.compose is None:
        yield absent("ids", Status.NOT_RECORDED, Reason.NO_COMPOSE)
        return
    rows = served_rows(reading, answering.rows)
    standings = standings_before(reading, answering.llm_start)
    served = list(rows)
    words = {call: standing.word for call, standing in standings.items()}
    nameable = nameable_ids(served, words)
    pointers: list[Pointer] = [reading.view.pointer(answering.compose, "payload", "slot")]
    pointers.extend(rows.values())
    pointers.extend(standing.pointer for standing in standings.values())
    yield recorded(
        "ids",
        pointers,
        {
            "served": served,
            "offered": list(reversed(nameable)),
            "nameable": nameable,
            "undeclared": undeclared_ids(served, words),
            "unknown": unknown_ids(served, words),
            "standings": words,
        },
    )


ANALYZER = Analyzer("ids", ask)
