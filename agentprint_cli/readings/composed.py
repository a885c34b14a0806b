"""What was put into the context of each model call of a run: slots, rows, and their sizes.

One pass over the run's rows, one over its composes; nothing is read again per model call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..rules import js_text
from .context import Answering
from .keeping import Keeper
from .scope import Scope

SLOTS = ("system-prompt", "tools", "messages")
TOOL_RESULT = "tool-result"


@dataclass(frozen=True, slots=True)
class Row:
    """One ``context.injected`` event: a piece that was placed in a slot."""

    event: int
    slot: str
    source: str | None
    source_id: str | None
    """None: the event names none, or the record keeps it out."""
    kept_out: bool
    """The record keeps the source id out."""
    place: int
    """Its position in the slot; the recorded order where the event names none."""
    chars: int | None
    """Of the text that was placed, in UTF-16 units; None: that text is not on record."""
    hash: str | None

    @property
    def is_result(self) -> bool:
        """Whether the piece is a tool's result."""
        return self.source == TOOL_RESULT


@dataclass(frozen=True, slots=True)
class Compose:
    """One ``context.slot_composed`` event and the rows of its stage, in their order."""

    event: int
    slot: str
    rows: tuple[Row, ...]
    breakdown: Mapping[str, tuple[int | None, int | None]] | None
    """Source -> characters and count, as the event states them; None: it states none."""

    @property
    def complete(self) -> bool:
        """Whether the tool results on record are all that the event counts, each with its id:
        only then does a result that is not there prove anything."""
        if self.breakdown is None:
            return False
        results = [row for row in self.rows if row.is_result]
        counted = self.breakdown.get(TOOL_RESULT, (0, 0))[1]
        known = all(row.source_id is not None for row in results)
        return known and counted is not None and counted <= len(results)

    @property
    def chars(self) -> int | None:
        """Characters in the slot: as the event states them by source, else the sum of its rows;
        None when neither is on record."""
        sizes = [row.chars for row in self.rows]
        if self.breakdown:
            sizes = [chars for chars, _ in self.breakdown.values()]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One ``stream.llm_start`` and the last compose of each slot that was made for it."""

    event: int
    iteration: int | None
    composes: Mapping[str, Compose]
    """By slot; a slot without a compose on record is absent."""

    @property
    def messages(self) -> Compose | None:
        """The compose of its messages."""
        return self.composes.get("messages")


def read_model_calls(scope: Scope, answering: Answering, keeper: Keeper) -> tuple[ModelCall, ...]:
    """The run's model calls in recorded order.

    A call's composes are, slot by slot, the last one of its iteration before it, and after the
    end of the turn before. The messages of the answering call are those that `read_answering`
    found.
    """
    rows = _read_rows(scope, keeper, scope.of_type("context.injected"))
    composes = _read_composes(scope, rows, scope.of_type("context.slot_composed"))
    steps = sorted(
        (number, kind)
        for kind in ("agent.turn_end", "context.slot_composed", "stream.llm_start")
        for number in scope.of_type(kind)
    )
    current: dict[tuple[str, int], Compose] = {}
    found = []
    for number, kind in steps:
        if kind == "agent.turn_end":
            current = {}
        elif kind == "context.slot_composed":
            compose, iteration = composes[number]
            if iteration is not None:
                current[compose.slot, iteration] = compose
        else:
            iteration = _whole(scope.view.at(number).payload.get("iteration"))
            made = {
                slot: current[slot, iteration]
                for slot in SLOTS
                if iteration is not None and (slot, iteration) in current
            }
            if number == answering.llm_start:
                if answering.compose is None:
                    made.pop("messages", None)
                else:
                    made["messages"] = composes[answering.compose][0]
            found.append(ModelCall(number, iteration, made))
    return tuple(found)


def answering_compose(scope: Scope, answering: Answering, keeper: Keeper) -> Compose | None:
    """What was put before the model for its answer, without reading the rest of the run."""
    if answering.compose is None:
        return None
    rows = _read_rows(scope, keeper, answering.rows)
    return _read_composes(scope, rows, (answering.compose,))[answering.compose][0]


def _read_rows(
    scope: Scope, keeper: Keeper, numbers: Sequence[int]
) -> Mapping[tuple[str | None, str, str], list[Row]]:
    """These rows by owner, stage and slot. (Stage ids are unique within one run only.)"""
    found: dict[tuple[str | None, str, str], list[Row]] = {}
    for event in map(scope.view.at, numbers):
        stage, slot = event.meta.get("runtimeStageId"), event.payload.get("slot")
        if not isinstance(stage, str) or not isinstance(slot, str):
            continue
        rows = found.setdefault((event.run, stage, slot), [])
        source, source_id = event.payload.get("source"), event.payload.get("sourceId")
        text = event.payload.get("rawContent")
        digest = event.payload.get("contentHash")
        position = _whole(event.payload.get("position"))
        kept_out = keeper.kept_out(source_id)
        rows.append(
            Row(
                event=event.index,
                slot=slot,
                source=source if isinstance(source, str) else None,
                source_id=source_id if isinstance(source_id, str) and not kept_out else None,
                kept_out=kept_out,
                place=len(rows) if position is None else position,
                chars=js_text.length(text)
                if isinstance(text, str) and not keeper.kept_out(text)
                else None,
                hash=digest if isinstance(digest, str) else None,
            )
        )
    return found


def _read_composes(
    scope: Scope,
    rows: Mapping[tuple[str | None, str, str], Sequence[Row]],
    numbers: Sequence[int],
) -> Mapping[int, tuple[Compose, int | None]]:
    """These composes by event number, each with its iteration."""
    found = {}
    for event in map(scope.view.at, numbers):
        stage, slot = event.meta.get("runtimeStageId"), event.payload.get("slot")
        mine: Sequence[Row] = ()
        if isinstance(stage, str) and isinstance(slot, str):
            mine = rows.get((event.run, stage, slot), ())
        compose = Compose(
            event=event.index,
            slot=slot if isinstance(slot, str) else "",
            rows=tuple(sorted(mine, key=lambda row: (row.place, row.event))),
            breakdown=_breakdown(event.payload.get("sourceBreakdown")),
        )
        found[event.index] = (compose, _whole(event.payload.get("iteration")))
    return found


def _breakdown(stated: object) -> Mapping[str, tuple[int | None, int | None]] | None:
    if not isinstance(stated, dict):
        return None
    return {
        source: (_size(entry.get("chars")), _size(entry.get("count")))
        if isinstance(entry, dict)
        else (None, None)
        for source, entry in stated.items()
    }


def _size(value: object) -> int | None:
    number = _whole(value)
    return number if number is not None and number >= 0 else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
