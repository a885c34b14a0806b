"""What was put in front of the model for its answer.

Source of the rules: "Answering iteration" and "In-view witnesses" in the analyses' specification.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Reason
from .keeping import Keeper
from .scope import Scope


@dataclass(frozen=True, slots=True)
class Answering:
    """The model call that gave the answer, as far as the record names it."""

    turn_end: int | None
    """None: the run is unfinished."""
    llm_start: int | None
    iteration: int | None
    compose: int | None
    """The last messages-slot compose of that iteration."""
    stage: str | None
    rows: tuple[int, ...] = ()
    """All messages-slot rows of that stage, in recorded order."""
    since: int = 0
    """Where the answered turn begins: with several turns under one run id, its turn start."""
    complete: bool = False
    """The record holds as many tool-result rows as the compose says that it placed. Only then
    does a missing row prove that a result was not in front of the model."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A recorded row that proves a tool result to have been in the model's context."""

    event: int
    call_id: str | None
    """None: the record keeps the id out."""
    own_call: bool
    position: int | None

    @property
    def kept_out(self) -> bool:
        """Whether the record keeps out which call the result belongs to."""
        return self.call_id is None


def read_answering(scope: Scope) -> Answering:
    """Find the answering model call and the compose that made its messages."""
    view = scope.view
    turn_end = scope.last_of_type("agent.turn_end")
    llm_start = scope.last_of_type("stream.llm_start", before=turn_end)
    since = _turn_begins(scope, turn_end)
    if llm_start is None or llm_start < since:
        return Answering(turn_end, None, None, None, None, since=since)
    iteration = view.at(llm_start).payload.get("iteration")
    if not isinstance(iteration, int) or isinstance(iteration, bool):
        return Answering(turn_end, llm_start, None, None, None, since=since)
    compose = messages_compose(scope, iteration, turn_end, since)
    stage = stage_of(scope, compose)
    rows = tuple(r for r in rows_of(scope, stage, "messages") if r >= since)
    complete = compose is not None and stage is not None and _all_rows(scope, compose, rows)
    return Answering(turn_end, llm_start, iteration, compose, stage, rows, since, complete)


def _turn_begins(scope: Scope, turn_end: int | None) -> int:
    """The first event of the answered turn: what came before it answered another question."""
    starts = scope.of_type("agent.turn_start")
    if len(starts) < 2:
        return scope.numbers[0] if scope.numbers else 0
    start = scope.last_of_type("agent.turn_start", before=turn_end)
    return 0 if start is None else start


def _all_rows(scope: Scope, compose: int, rows: tuple[int, ...]) -> bool:
    """Whether ``rows`` are all the tool results that the compose counts in its breakdown."""
    breakdown = scope.view.at(compose).payload.get("sourceBreakdown")
    if not isinstance(breakdown, dict):
        return False
    entry = breakdown.get("tool-result", {"count": 0})
    counted = entry.get("count") if isinstance(entry, dict) else None
    payloads = (scope.view.at(row).payload for row in rows)
    found = sum(
        p.get("source") == "tool-result" and isinstance(p.get("sourceId"), str) for p in payloads
    )
    return type(counted) is int and counted == found


def messages_compose(
    scope: Scope, iteration: int, before: int | None, since: int = 0
) -> int | None:
    """The run's last messages-slot compose of ``iteration`` from event ``since`` on and before
    event ``before``."""
    for number in reversed(scope.of_type("context.slot_composed")):
        if number < since or (before is not None and number > before):
            continue
        payload = scope.view.at(number).payload
        if payload.get("slot") == "messages" and payload.get("iteration") == iteration:
            return number
    return None


def stage_of(scope: Scope, compose: int | None) -> str | None:
    """The stage id that a compose ran under."""
    if compose is None:
        return None
    stage = scope.view.at(compose).meta.get("runtimeStageId")
    return stage if isinstance(stage, str) else None


def rows_of(scope: Scope, stage: str | None, slot: str) -> tuple[int, ...]:
    """The run's ``context.injected`` rows of one stage and slot, in recorded order."""
    if stage is None:
        return ()
    found = []
    for number in scope.of_type("context.injected"):
        event = scope.view.at(number)
        if event.meta.get("runtimeStageId") == stage and event.payload.get("slot") == slot:
            found.append(number)
    return tuple(found)


def read_witnesses(
    scope: Scope, answering: Answering, own_calls: frozenset[str], keeper: Keeper
) -> tuple[Witness, ...]:
    """The tool results that the answering compose placed, in recorded order."""
    found = []
    for number in answering.rows:
        payload = scope.view.at(number).payload
        source_id = payload.get("sourceId")
        if payload.get("source") != "tool-result" or not isinstance(source_id, str):
            continue
        position = payload.get("position")
        call_id = None if keeper.kept_out(source_id) else source_id
        found.append(
            Witness(
                event=number,
                call_id=call_id,
                own_call=call_id is not None and call_id in own_calls,
                position=position if isinstance(position, int) else None,
            )
        )
    return tuple(found)


def was_offered(scope: Scope, llm_start: int, tool: str, keeper: Keeper) -> bool | Reason:
    """Whether a model call was offered ``tool``, or why that is not known. That it was not needs
    a whole menu: as many entries as the event counts, each with a readable name."""
    payload = scope.view.at(llm_start).payload
    tools, count = payload.get("tools"), payload.get("toolsCount")
    if not isinstance(tools, list):
        return False if count == 0 else Reason.NO_CATALOGUE
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in tools]
    if tool in names:
        return True
    if any(keeper.kept_out(name) for name in names):
        return Reason.KEPT_OUT
    whole = all(isinstance(name, str) for name in names)
    if not whole or (isinstance(count, int) and count != len(tools)):
        return Reason.NO_CATALOGUE
    return False
