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
    if llm_start is None:
        return Answering(turn_end, None, None, None, None)
    iteration = view.at(llm_start).payload.get("iteration")
    if not isinstance(iteration, int) or isinstance(iteration, bool):
        return Answering(turn_end, llm_start, None, None, None)
    compose = messages_compose(scope, iteration, turn_end)
    stage = stage_of(scope, compose)
    rows = rows_of(scope, stage, "messages")
    complete = compose is not None and stage is not None and _all_rows(scope, compose, rows)
    return Answering(turn_end, llm_start, iteration, compose, stage, rows, complete)


def _all_rows(scope: Scope, compose: int, rows: tuple[int, ...]) -> bool:
    """Whether ``rows`` are all the tool results that the compose counts in its breakdown."""
    breakdown = scope.view.at(compose).payload.get("sourceBreakdown")
    if not isinstance(breakdown, dict):
        return False
    entry = breakdown.get("tool-result", {"count": 0})
    counted = entry.get("count") if isinstance(entry, dict) else None
    found = sum(scope.view.at(row).payload.get("source") == "tool-result" for row in rows)
    return isinstance(counted, int) and counted <= found


def messages_compose(scope: Scope, iteration: int, before: int | None) -> int | None:
    """The run's last messages-slot compose of ``iteration``, before event ``before``."""
    for number in reversed(scope.of_type("context.slot_composed")):
        if before is not None and number > before:
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


def offered_tools(scope: Scope, llm_start: int) -> list[str] | Reason:
    """The names of the tools that a model call was offered, or why they are not known."""
    payload = scope.view.at(llm_start).payload
    tools = payload.get("tools")
    if isinstance(tools, list):
        return [
            tool["name"]
            for tool in tools
            if isinstance(tool, dict) and isinstance(tool.get("name"), str)
        ]
    return [] if payload.get("toolsCount") == 0 else Reason.NO_CATALOGUE
