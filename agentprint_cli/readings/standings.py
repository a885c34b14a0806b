"""The results served to a model call and what the model had said of them by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Pointer
from .run import RunReading


@dataclass(frozen=True, slots=True)
class Standing:
    """The current word on one result id, and where it was said."""

    word: str
    pointer: Pointer


def served_rows(reading: RunReading, rows: Sequence[int]) -> dict[str, Pointer]:
    """Result ids served by a compose's rows, in the order of their positions, each once.

    A message that the framework settled without running its call is no result.
    """
    placed: list[tuple[int, int, str]] = []
    for order, number in enumerate(rows):
        payload = reading.view.at(number).payload
        source_id, position = payload.get("sourceId"), payload.get("position")
        if payload.get("source") != "tool-result" or not isinstance(source_id, str):
            continue
        if reading.keeper.kept_out(source_id) or _settled(reading, source_id):
            continue
        placed.append((position if isinstance(position, int) else order, number, source_id))
    served: dict[str, Pointer] = {}
    for _, number, source_id in sorted(placed):
        served.setdefault(source_id, reading.view.pointer(number, "payload", "sourceId"))
    return served


def _settled(reading: RunReading, call_id: str) -> bool:
    message = reading.conversation.tool_message(call_id)
    if message is not None and message.not_dispatched:
        return True
    return any(call.id == call_id and call.outcome == "not-dispatched" for call in reading.calls)


def standings_before(reading: RunReading, before: int) -> dict[str, Standing]:
    """The standings declared before event ``before``; the last one per id wins.

    From ``findings.standing`` events of the run and of earlier runs of its session; where the
    record holds none at all, from the ledger of the run's snapshot.
    """
    view, scope = reading.view, reading.scope
    found: dict[str, Standing] = {}
    events = view.of_type("findings.standing")
    for number in events:
        in_session = view.owner_of(number)[1] in scope.sessions if scope.sessions else False
        if number >= before or not (scope.owns(number) or in_session):
            continue
        event = view.at(number)
        word = event.payload.get("standing")
        if event.call is not None and isinstance(word, str):
            found.pop(event.call, None)
            found[event.call] = Standing(word, view.pointer(number, "payload", "standing"))
    if not events and reading.has_snapshot:
        found = _from_ledger(reading)
    return found


def _from_ledger(reading: RunReading) -> dict[str, Standing]:
    snapshot = reading.view.part("snapshot")
    state = snapshot.get("sharedState") if isinstance(snapshot, dict) else None
    ledger = state.get("findingsLedger") if isinstance(state, dict) else None
    found: dict[str, Standing] = {}
    for position, row in enumerate(ledger if isinstance(ledger, list) else ()):
        if not isinstance(row, dict) or row.get("kind") != "standing":
            continue
        call, word = row.get("toolCallId"), row.get("standing")
        if isinstance(call, str) and isinstance(word, str):
            found.pop(call, None)
            found[call] = Standing(
                word,
                reading.view.document_pointer(
                    "snapshot", "sharedState", "findingsLedger", position, "standing"
                ),
            )
    return found
