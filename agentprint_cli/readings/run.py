"""One run, read: the derivations that several analyzers share, each made once, when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..model import Pointer
from ..rules.emptiness import Emptiness, judge_emptiness
from ..rules.js_text import first_units
from ..rules.result_cap import CutMarker, read_cut_marker
from ..view import View
from .calls import Call, calls_without_id, own_call_ids, read_calls, tool_name
from .composed import Compose, ModelCall, answering_compose, read_model_calls
from .context import Answering, Witness, read_answering, read_witnesses
from .conversation import Conversation, Message, read_conversation
from .keeping import Keeper
from .runs import RunInfo
from .scope import Kin, Scope


class RunReading:
    """What the record says of one run (of everything, when no run is named)."""

    def __init__(self, view: View, runs: Sequence[RunInfo], run: str | None) -> None:
        self.view = view
        self.runs = runs
        self.scope = Scope(view, run)
        self.keeper = Keeper(view)

    @property
    def run(self) -> str | None:
        """The run's id; None when nothing is filtered."""
        return self.scope.run

    @cached_property
    def info(self) -> RunInfo | None:
        """The run as listed; None when its id owns no event or when nothing is filtered."""
        return next((run for run in self.runs if run.id == self.run), None)

    @cached_property
    def other_runs(self) -> tuple[str, ...]:
        """The configured runs of the record besides this one; without any, all others."""
        configured = [r.id for r in self.runs if r.configured]
        return tuple(
            r.id
            for r in self.runs
            if r.id != self.run and (r.configured or not configured) and self.run is not None
        )

    @cached_property
    def answering(self) -> Answering:
        """The model call that gave the answer."""
        return read_answering(self.scope)

    @cached_property
    def answering_compose(self) -> Compose | None:
        """The messages that were composed for the answering model call."""
        return answering_compose(self.scope, self.answering, self.keeper)

    @cached_property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """Every model call of the run and what was composed for it."""
        return read_model_calls(self.scope, self.answering, self.keeper)

    @property
    def finished(self) -> bool:
        """Whether the record holds the run's answer."""
        return self.answering.turn_end is not None

    @cached_property
    def turn_start(self) -> int | None:
        """The ``agent.turn_start`` of the turn that was answered."""
        return self.scope.last_of_type("agent.turn_start", before=self.answering.turn_end)

    @cached_property
    def prompt(self) -> object:
        """What the person asked, when the run's own turn start says it."""
        if self.turn_start is None:
            return None
        return self.view.at(self.turn_start).payload.get("userPrompt")

    @cached_property
    def resumed(self) -> bool:
        """Whether this is the leg of a run that goes on after a pause.

        Such a leg has no turn start of its own. That alone also fits a log whose beginning is
        missing, so the record must show the leg begin or the pause end.
        """
        if self.scope.of_type("agent.turn_start"):
            return False
        if self.scope.of_type("pause.resume"):
            return True
        if not self.scope.of_type("agent.run_configured"):
            return False
        started = {self.view.call_of(n) for n in self.scope.of_type("stream.tool_start")}
        if any(self.view.call_of(n) not in started for n in self.scope.of_type("stream.tool_end")):
            return True
        before = self.scope.numbers[0] - 1
        return (
            before >= 0
            and self.view.type_of(before) == "agentfootprint.pause.resume"
            and self._may_be_ours(before)
        )

    def _may_be_ours(self, number: int) -> bool:
        """Whether an event that a helper scope owns can be about this run: it names no configured
        run and no other session."""
        run, session = self.view.owner_of(number)
        if self.scope.owns(number):
            return True
        if session is not None and session not in self.scope.sessions:
            return False
        return run is None or run not in self.configured

    @cached_property
    def configured(self) -> frozenset[str]:
        """The ids of the configured runs."""
        return frozenset(run.id for run in self.runs if run.configured)

    @property
    def paused(self) -> int | None:
        """The ``pause.request`` that this unfinished run stopped at: the one that asks about a
        call which the run started and never ended."""
        return self._pause[0]

    @property
    def waiting_call(self) -> str | None:
        """The call that the run paused for."""
        return self._pause[1]

    @cached_property
    def _pause(self) -> tuple[int | None, str | None]:
        if self.finished:
            return None, None
        ended = {self.view.call_of(n) for n in self.scope.of_type("stream.tool_end")}
        open_calls = {self.view.call_of(n) for n in self.scope.of_type("stream.tool_start")} - ended
        names = {
            event.call: event.payload.get("toolName")
            for event in self.scope.events("stream.tool_start")
        }
        last = self.scope.numbers[-1]
        for number in reversed(self.view.of_type("pause.request")):
            if not (self.scope.owns(number) or self._follows_our_event(number, last)):
                continue
            asked = self.view.at(number).payload.get("questionPayload")
            call = asked.get("toolCallId") if isinstance(asked, dict) else None
            tool = asked.get("toolName") if isinstance(asked, dict) else None
            if isinstance(call, str) and call in open_calls and tool in (None, names.get(call)):
                return number, call
        return None, None

    def _follows_our_event(self, number: int, last: int) -> bool:
        """Whether a request that a helper scope owns stands among this run's events: the last
        event of a configured run before it is this run's."""
        if not self._may_be_ours(number) or not self.scope.numbers[0] <= number <= last + 1:
            return False
        before = number - 1
        while before >= 0 and self.view.owner_of(before)[0] not in self.configured:
            before -= 1
        return before >= 0 and self.scope.owns(before)

    @cached_property
    def has_snapshot(self) -> bool:
        """Whether the document's snapshot is this run's: it holds the state at the very end,
        which is that of the run that was configured last."""
        if not isinstance(self.view.part("snapshot"), dict):
            return False
        if self.run is None:
            return True
        configured = self.view.of_type("agent.run_configured")
        for number in reversed(configured):
            owner = self.view.owner_of(number)[0]
            if owner is not None:
                return owner == self.run
        return max(self.runs, key=lambda run: run.last).id == self.run if self.runs else False

    @cached_property
    def unread_events(self) -> tuple[int, ...]:
        """Event numbers that could not be read, anywhere in the recording."""
        return tuple(e.event for e in self.view.unread if e.event is not None)

    @cached_property
    def conversation(self) -> Conversation:
        """The conversation that the answer was given in."""
        return read_conversation(
            self.scope,
            self.keeper,
            use_snapshot=self.has_snapshot,
            end=self.answering.turn_end,
            since=self.answering.since,
            rows=list(self.answering.rows),
            prompt=self.prompt if isinstance(self.prompt, str) else None,
        )

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The run's tool calls in first-seen order."""
        return read_calls(self.scope, self.conversation, self.resumed, self.keeper)

    @cached_property
    def calls_without_id(self) -> tuple[int, ...]:
        """Tool starts and ends that belong to no call, since they name no id."""
        return calls_without_id(self.scope, self.keeper)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """The tool results proven to have been in front of the model for its answer."""
        return read_witnesses(
            self.scope, self.answering, own_call_ids(self.scope, self.keeper), self.keeper
        )

    @cached_property
    def used_calls(self) -> frozenset[str]:
        """The run's own calls whose results were in front of the model for its answer."""
        return frozenset(w.call_id for w in self.witnesses if w.call_id and w.own_call)

    @cached_property
    def windowed(self) -> bool:
        """Whether a window strategy was configured, so that distances are floors."""
        return any(
            event.payload.get("window") is not None
            for event in self.scope.events("agent.run_configured")
        )

    def tool_of(self, call: str) -> tuple[str | None, Pointer | None]:
        """The tool that a call of this or an earlier run names, and where."""
        return tool_name(self.scope, self.conversation, call, self.keeper)

    def emptiness_of_call(self, call: Call, rows_at: str | None) -> Emptiness:
        """Whether the result of one of the run's own calls was empty."""
        if call.result_pointer is None or self._is_kept_out(call.result, rows_at):
            return Emptiness.unknown("kept-out" if call.result_pointer else "no-result")
        if self.cut_of_call(call) is not None:
            return Emptiness.unknown("cut")
        return judge_emptiness(
            call.result,
            declared_absent=call.absent is not None or call.status == "absent",
            may_declare_itself=False,
            rows_at=rows_at,
        )

    def emptiness_of_message(self, message: Message, rows_at: str | None) -> Emptiness:
        """Whether an earlier result, as the conversation holds it, was empty."""
        if self._is_kept_out(message.content, rows_at):
            return Emptiness.unknown("kept-out")
        if self.cut_of_message(message) is not None:
            return Emptiness.unknown("cut")
        kin = self.scope.kin(message.call_id) if message.call_id is not None else Kin((), False)
        if kin.ambiguous and any(self._declares_absence(number) for number in kin.events):
            return Emptiness.unknown("ambiguous-id")
        own_events = {"agentfootprint.stream.tool_end", "agentfootprint.tools.absent"}
        return judge_emptiness(
            own_text(message),
            declared_absent=any(self._declares_absence(number) for number in kin.events),
            may_declare_itself=not any(self.view.type_of(n) in own_events for n in kin.events),
            rows_at=rows_at,
        )

    def _is_kept_out(self, result: object, rows_at: str | None) -> bool:
        """Whether a result, or its declared rows, are kept out of the record."""
        if isinstance(result, dict) and rows_at is not None:
            return self.keeper.kept_out(result.get(rows_at))
        return self.keeper.kept_out(result)

    def _declares_absence(self, number: int) -> bool:
        event = self.view.at(number)
        if event.type == "agentfootprint.tools.absent":
            return True
        return (
            event.type == "agentfootprint.stream.tool_end"
            and event.payload.get("status") == "absent"
        )

    def cut_of_call(self, call: Call) -> CutMarker | None:
        """The cut marker on one of the run's own results."""
        return read_cut_marker(call.result)

    def cut_of_message(self, message: Message) -> CutMarker | None:
        """The cut marker on an earlier result."""
        return read_cut_marker(own_text(message))


def own_text(message: Message) -> object:
    """A tool message's content without the note that the framework set behind it."""
    content, chars = message.content, message.tool_chars
    if isinstance(content, str) and chars is not None and chars >= 0:
        return first_units(content, chars)
    return content
