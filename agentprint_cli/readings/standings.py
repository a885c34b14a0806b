"""What the model said of its results: the standings that the framework filed, and what the model
itself wrote in its tool arguments.

Source of the rules: "Offered and undeclared ids" in the analyses' specification.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..model import Pointer
from .composed import Compose, ModelCall
from .run import RunReading

FRAMEWORK_EVENT = "event"
FRAMEWORK_LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Standing:
    """One standing that the framework filed."""

    call_id: str
    word: str
    pointer: Pointer
    source: str
    """``event`` or ``ledger``."""
    event: int | None = None
    declared_on: str | None = None
    """``answer`` or ``tool-call``."""
    iteration: int | None = None
    """Set for a row of the ledger that this turn filed: the model call that it came with."""
    own: bool = True
    """Filed by this run; else by an earlier run of its session."""
    flagged_unknown: bool = False
    """The framework itself noted that the id names no result."""

    def before(self, model_call: int, iteration: int | None) -> bool:
        """Whether it had been declared when the model call at event ``model_call`` began."""
        if self.event is not None:
            return self.event < model_call
        return self.iteration is None or iteration is None or self.iteration < iteration


@dataclass(frozen=True, slots=True)
class Written:
    """One entry of ``_findings.previous`` in a call's arguments: what the model wrote."""

    call_id: str
    word: str
    pointer: Pointer
    by_call: str
    """The call whose arguments hold it."""
    by_tool: str | None
    filed: Pointer | None
    """The standing that the framework filed for it; None: none on record says the same."""


def read_standings(reading: RunReading) -> tuple[Standing, ...]:
    """Every standing that the framework filed, in the order of filing.

    From ``findings.standing`` events of the run and of its session. A ledger in the run's
    snapshot adds what was filed before the run's own events; where the record holds no such
    event, it is the whole of it.
    """
    events = tuple(_from_events(reading))
    ledger = _from_ledger(reading) if reading.has_snapshot else ()
    if not ledger:
        return events
    if not events:
        return _placed_in_turn(ledger)
    own = [(standing.call_id, standing.word) for standing in events if standing.own]
    filed = [(standing.call_id, standing.word) for standing in ledger]
    if filed[len(filed) - len(own) :] != own:
        return events
    known = {(s.call_id, s.word) for s in events if not s.own}
    earlier = (
        _as_earlier(standing)
        for standing in ledger[: len(filed) - len(own)]
        if (standing.call_id, standing.word) not in known
    )
    return (*earlier, *events)


def _from_events(reading: RunReading) -> Iterator[Standing]:
    view, scope = reading.view, reading.scope
    for number in view.of_type("findings.standing"):
        own = scope.owns(number)
        if not own and (not scope.sessions or view.owner_of(number)[1] not in scope.sessions):
            continue
        event = view.at(number)
        word = event.payload.get("standing")
        if event.call is None or not isinstance(word, str):
            continue
        if reading.keeper.kept_out(event.call) or reading.keeper.kept_out(word):
            continue
        yield Standing(
            call_id=event.call,
            word=word,
            pointer=view.pointer(number, "payload", "standing"),
            source=FRAMEWORK_EVENT,
            event=number,
            declared_on=_declared_on(event.payload.get("declaredOn")),
            own=own,
            flagged_unknown=event.payload.get("unknownId") is True,
        )


def _from_ledger(reading: RunReading) -> tuple[Standing, ...]:
    snapshot = reading.view.part("snapshot")
    state = snapshot.get("sharedState") if isinstance(snapshot, dict) else None
    ledger = state.get("findingsLedger") if isinstance(state, dict) else None
    found = []
    for position, row in enumerate(ledger if isinstance(ledger, list) else ()):
        if not isinstance(row, dict) or row.get("kind") != "standing":
            continue
        call, word, iteration = row.get("toolCallId"), row.get("standing"), row.get("iteration")
        if not isinstance(call, str) or not isinstance(word, str):
            continue
        if reading.keeper.kept_out(call) or reading.keeper.kept_out(word):
            continue
        found.append(
            Standing(
                call_id=call,
                word=word,
                pointer=reading.view.document_pointer(
                    "snapshot", "sharedState", "findingsLedger", position, "standing"
                ),
                source=FRAMEWORK_LEDGER,
                declared_on=_declared_on(row.get("declaredOn")),
                iteration=iteration
                if isinstance(iteration, int) and not isinstance(iteration, bool)
                else None,
                flagged_unknown=row.get("unknownId") is True,
            )
        )
    return tuple(found)


def _declared_on(value: object) -> str | None:
    """The ledger names the call that it came with; the event only says which kind it was."""
    if isinstance(value, dict):
        return "tool-call"
    return value if isinstance(value, str) else None


def _placed_in_turn(ledger: Sequence[Standing]) -> tuple[Standing, ...]:
    """A ledger with no events beside it: only rows of the last turn keep their iteration.

    A turn's rows go on while iterations do not fall; what was declared on an answer ends it.
    Rows of earlier turns were all declared before any model call of this one.
    """
    start = len(ledger)
    while start > 0:
        here = ledger[start - 1]
        later = ledger[start] if start < len(ledger) else None
        if later is not None:
            fell = (here.iteration or 0) > (later.iteration or 0)
            ended = here.declared_on == "answer" and (
                later.declared_on != "answer" or here.iteration != later.iteration
            )
            if fell or ended:
                break
        start -= 1
    return (*(_as_earlier(standing) for standing in ledger[:start]), *ledger[start:])


def _as_earlier(standing: Standing) -> Standing:
    """A row of the ledger that an earlier turn filed: it counts for every model call."""
    return replace(standing, iteration=None, own=False)


def standings_before(
    standings: Sequence[Standing], model_call: int, iteration: int | None
) -> dict[str, Standing]:
    """The word that stands on each id when a model call begins; the last one wins. Ids stand in the
    order in which they were first declared."""
    found: dict[str, Standing] = {}
    for standing in standings:
        if standing.before(model_call, iteration):
            found[standing.call_id] = standing
    return found


def read_written(reading: RunReading, standings: Sequence[Standing]) -> tuple[Written, ...]:
    """What the model wrote in ``_findings.previous`` of its tool arguments: of the run's own
    calls, and of the calls that the conversation holds."""
    unmatched: dict[tuple[str, str], deque[Pointer]] = {}
    for standing in standings:
        unmatched.setdefault((standing.call_id, standing.word), deque()).append(standing.pointer)
    found = []
    for by_call, by_tool, findings, place in _declarations(reading):
        previous = findings.get("previous")
        for position, entry in enumerate(previous if isinstance(previous, list) else ()):
            call = entry.get("toolCallId") if isinstance(entry, dict) else None
            word = entry.get("standing") if isinstance(entry, dict) else None
            if not isinstance(call, str) or not isinstance(word, str):
                continue
            if reading.keeper.kept_out(call) or reading.keeper.kept_out(word):
                continue
            same = unmatched.get((call, word))
            found.append(
                Written(
                    call_id=call,
                    word=word,
                    pointer=place.into("previous", position, "standing"),
                    by_call=by_call,
                    by_tool=by_tool,
                    filed=same.popleft() if same else None,
                )
            )
    return tuple(found)


def _declarations(
    reading: RunReading,
) -> Iterator[tuple[str, str | None, Mapping[str, object], Pointer]]:
    """Each ``_findings`` object in arguments, with the call, its tool and its place.

    A call's own start comes first; the conversation speaks for those that have none there.
    """
    starts: dict[str, tuple[str | None, Mapping[str, object], Pointer]] = {}
    for event in reading.scope.events("stream.tool_start"):
        args = event.payload.get("args")
        findings = args.get("_findings") if isinstance(args, dict) else None
        if event.call is not None and isinstance(findings, dict):
            tool = event.payload.get("toolName")
            place = reading.view.pointer(event.index, "payload", "args", "_findings")
            starts.setdefault(
                event.call, (tool if isinstance(tool, str) else None, findings, place)
            )
    for message in reading.conversation.messages:
        for position, call in enumerate(message.tool_calls):
            args, by_call, tool = call.get("args"), call.get("id"), call.get("name")
            findings = args.get("_findings") if isinstance(args, dict) else None
            if not isinstance(by_call, str) or by_call in starts or not isinstance(findings, dict):
                continue
            place = message.pointer.into("toolCalls", position, "args", "_findings")
            yield by_call, tool if isinstance(tool, str) else None, findings, place
    for by_call, (name, findings, place) in starts.items():
        yield by_call, name, findings, place


class Served:
    """Which results were served to which model call. The whole run's rows are read only when
    it is asked what was served before."""

    def __init__(self, reading: RunReading) -> None:
        self._reading = reading
        self._settled = {call.id for call in reading.calls if call.outcome == "not-dispatched"} | {
            message.call_id
            for message in reading.conversation.messages
            if message.not_dispatched and message.call_id is not None
        }
        self._kin: dict[str, bool] = {}
        self._tools: dict[str, tuple[str | None, Pointer | None]] = {}

    @cached_property
    def _first(self) -> Mapping[str, int]:
        """Result -> the first model call that it was served to."""
        first: dict[str, int] = {}
        for model_call in self._reading.model_calls:
            for row in model_call.messages.rows if model_call.messages is not None else ():
                if row.is_result and row.source_id is not None:
                    first.setdefault(row.source_id, model_call.event)
        return first

    @cached_property
    def gap(self) -> ModelCall | None:
        """The first model call whose messages are not on record with every row and its id."""
        for model_call in self._reading.model_calls:
            if model_call.messages is None or not model_call.messages.complete:
                return model_call
        return None

    @cached_property
    def _in_session(self) -> frozenset[str]:
        return frozenset(self._of_session())

    def to(self, compose: Compose) -> dict[str, Pointer]:
        """The results in a compose, in the order of their positions, each id once. A message
        that the framework settled without running its call is no result."""
        served: dict[str, Pointer] = {}
        for row in compose.rows:
            if row.is_result and row.source_id is not None and not self._is_settled(row.source_id):
                served.setdefault(
                    row.source_id, self._reading.view.pointer(row.event, "payload", "sourceId")
                )
        return served

    def at_the_end(self) -> dict[str, Pointer]:
        """The results that the conversation holds at its end."""
        served: dict[str, Pointer] = {}
        for message in self._reading.conversation.messages:
            call_id = message.call_id
            if message.role != "tool" or call_id is None or message.not_dispatched:
                continue
            if not self._is_settled(call_id):
                served.setdefault(call_id, message.pointer)
        return served

    def tool_of(self, call_id: str) -> tuple[str | None, Pointer | None]:
        """The tool of a served result and where it is named; looked up once for each id."""
        if call_id not in self._tools:
            self._tools[call_id] = self._reading.tool_of(call_id)
        return self._tools[call_id]

    def by(self, call_id: str, event: int) -> bool:
        """Whether a compose on record, up to the model call at ``event``, served this result
        (to this run, or to another run of its session)."""
        if self._is_settled(call_id):
            return False
        first = self._first.get(call_id)
        return (first is not None and first <= event) or call_id in self._in_session

    def _is_settled(self, call_id: str) -> bool:
        if call_id in self._settled:
            return True
        if call_id not in self._kin:
            view = self._reading.view
            self._kin[call_id] = any(
                view.type_of(number) == "agentfootprint.stream.tool_end"
                and bool(view.at(number).payload.get("notDispatched"))
                for number in self._reading.scope.kin(call_id).events
            )
        return self._kin[call_id]

    def _of_session(self) -> Iterator[str]:
        """Results that were served to earlier runs of the session, by their ids."""
        view, scope = self._reading.view, self._reading.scope
        if not scope.sessions or not scope.numbers:
            return
        for run, session in view.owners():
            if session not in scope.sessions or run == scope.run or run is None:
                continue
            for number in view.of_owner(run, session):
                if number >= scope.numbers[0]:
                    break
                if view.type_of(number) != "agentfootprint.context.injected":
                    continue
                payload = view.at(number).payload
                source_id = payload.get("sourceId")
                if payload.get("source") == "tool-result" and isinstance(source_id, str):
                    yield source_id
