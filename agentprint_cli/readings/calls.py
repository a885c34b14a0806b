"""The tool calls of a run: paired by id, each with one outcome.

Source of the rules: "The calls of a run" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..model import Pointer
from .conversation import Conversation
from .keeping import Keeper, truthy
from .scope import Scope

NOT_DISPATCHED = "not-dispatched"
DECLINED = "declined"
REFUSED = "refused"
FAILED = "failed"
UNKNOWN = "unknown"
RAN = "ran"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of the run."""

    id: str
    tool: str | None
    """None: no event names its tool."""
    tool_pointer: Pointer | None
    start: int | None
    """None: the call was started before the pause that this run resumes from, or its start is
    not in the record."""
    end: int | None
    outcome: str
    by: str | None = None
    """Who declined or refused it, as the record names them."""
    withheld_by: str | None = None
    """The after-tool rule that kept its result from the model."""
    status: str | None = None
    """The framework's own status word on its result, when it gave one."""
    pointers: tuple[Pointer, ...] = ()
    """The places that the outcome was read from."""
    result: object = None
    """What the model was given."""
    result_pointer: Pointer | None = None
    """None: no result is recorded."""
    args_pointer: Pointer | None = None
    coverage: tuple[int, ...] = field(default=())
    """``tools.absent`` and ``tools.coverage_declared`` events for it."""
    absent: int | None = None
    """The event by which the tool declared an absence."""


def own_call_ids(scope: Scope, keeper: Keeper) -> frozenset[str]:
    """The ids of the calls that the run itself started or ended, as far as they are on record."""
    ids = set()
    for kind in ("stream.tool_start", "stream.tool_end"):
        for number in scope.of_type(kind):
            call = scope.view.call_of(number)
            if call is not None and not keeper.kept_out(call):
                ids.add(call)
    return frozenset(ids)


def calls_without_id(scope: Scope, keeper: Keeper) -> tuple[int, ...]:
    """Starts and ends that name no tool-call id, or one that is kept out of the record, so that
    they belong to no call."""
    return tuple(
        number
        for kind in ("stream.tool_start", "stream.tool_end")
        for number in scope.of_type(kind)
        if (call := scope.view.call_of(number)) is None or keeper.kept_out(call)
    )


def read_calls(
    scope: Scope, conversation: Conversation, resumed: bool, keeper: Keeper
) -> tuple[Call, ...]:
    """The run's calls in first-seen order, one per tool-call id."""
    starts: dict[str, int] = {}
    ends: dict[str, int] = {}
    for number in scope.of_type("stream.tool_start"):
        call = scope.view.call_of(number)
        if call is not None and not keeper.kept_out(call):
            starts.setdefault(call, number)
    for number in scope.of_type("stream.tool_end"):
        call = scope.view.call_of(number)
        if call is not None and not keeper.kept_out(call):
            ends[call] = number
    order = sorted(
        {*starts, *ends}, key=lambda call: min(starts.get(call, 1 << 62), ends.get(call, 1 << 62))
    )
    evidence = _Evidence(scope)
    found = [
        _read_call(
            scope, conversation, evidence, call, starts.get(call), ends.get(call), resumed, keeper
        )
        for call in order
    ]
    return (*found, *_settled_in_history(conversation, frozenset(order)))


class _Evidence:
    """The events that decide outcomes, gathered once."""

    def __init__(self, scope: Scope) -> None:
        self.before_deny: dict[str, int] = {}
        self.after_deny: dict[str, int] = {}
        self.declined: dict[str, int] = {}
        self.coverage: dict[str, list[int]] = {}
        self.absent: dict[str, int] = {}
        self.denied_targets: list[tuple[int, str]] = []
        view = scope.view
        for event in scope.events("middleware.decision"):
            if event.payload.get("outcome") != "deny" or event.call is None:
                continue
            if event.payload.get("moment") == "before-tool":
                self.before_deny[event.call] = event.index
            elif event.payload.get("moment") == "after-tool":
                self.after_deny[event.call] = event.index
        for event in scope.events("checkin.decision"):
            if event.payload.get("approved") is False and event.call is not None:
                self.declined[event.call] = event.index
        for event in scope.events("permission.check"):
            target = event.payload.get("target")
            if event.payload.get("result") in ("deny", "halt") and isinstance(target, str):
                self.denied_targets.append((event.index, target))
        self._ends_of_open_calls = sorted(
            (*scope.of_type("stream.tool_start"), *scope.of_type("stream.llm_start"))
        )
        for kind in ("tools.absent", "tools.coverage_declared"):
            for number in scope.of_type(kind):
                call = view.call_of(number)
                if call is not None:
                    self.coverage.setdefault(call, []).append(number)
                    if kind == "tools.absent":
                        self.absent[call] = number

    def denied(self, tool: str, start: int, end: int | None) -> int | None:
        """A permission denial of ``tool`` between a call's start and its end. A call without an
        end is taken to last until the tool is started again or the model is called again."""
        bound = end
        if bound is None:
            later = (n for n in self._ends_of_open_calls if n > start)
            bound = next(later, 1 << 62)
        for number, target in self.denied_targets:
            if target == tool and number > start and number < bound:
                return number
        return None


def _read_call(
    scope: Scope,
    conversation: Conversation,
    evidence: _Evidence,
    call: str,
    start: int | None,
    end: int | None,
    resumed: bool,
    keeper: Keeper,
) -> Call:
    view = scope.view
    ended = view.at(end).payload if end is not None else {}
    tool, tool_pointer = tool_name(scope, conversation, call, keeper)
    outcome, by, places = _outcome(scope, evidence, call, tool, start, end, resumed)
    withheld = evidence.after_deny.get(call) if outcome == RAN else None
    if withheld is not None:
        places = (*places, view.pointer(withheld, "payload", "outcome"))
    key = "modelResult" if "modelResult" in ended else "result"
    status = ended.get("status")
    return Call(
        id=call,
        tool=tool,
        tool_pointer=tool_pointer,
        start=start,
        end=end,
        outcome=outcome,
        by=by,
        withheld_by=_name(scope, withheld, "middleware"),
        status=status if isinstance(status, str) else None,
        pointers=places,
        result=ended.get(key),
        result_pointer=view.pointer(end, "payload", key)
        if end is not None and key in ended
        else None,
        args_pointer=view.pointer(start, "payload", "args")
        if start is not None and "args" in view.at(start).payload
        else None,
        coverage=tuple(evidence.coverage.get(call, ())),
        absent=evidence.absent.get(call),
    )


def _outcome(
    scope: Scope,
    evidence: _Evidence,
    call: str,
    tool: str | None,
    start: int | None,
    end: int | None,
    resumed: bool,
) -> tuple[str, str | None, tuple[Pointer, ...]]:
    """The call's outcome, who decided it, and the places that say so."""
    view = scope.view
    ended = view.at(end).payload if end is not None else {}

    def at_end(key: str) -> tuple[Pointer, ...]:
        assert end is not None
        return (view.pointer(end, "payload", key),)

    if truthy(ended.get("notDispatched")):
        return NOT_DISPATCHED, None, at_end("notDispatched")
    declined = evidence.declined.get(call)
    if declined is not None:
        return DECLINED, "person", (view.pointer(declined, "payload", "approved"),)
    denied = evidence.before_deny.get(call)
    if denied is not None:
        place = (view.pointer(denied, "payload", "outcome"),)
        # On the call that a resumed leg answers, the denial carries the person's own no.
        if resumed and start is None:
            return DECLINED, _name(scope, denied, "middleware"), place
        return REFUSED, _name(scope, denied, "middleware"), place
    if tool is not None and start is not None:
        denied = evidence.denied(tool, start, end)
        if denied is not None:
            by = _name(scope, denied, "policyRuleId") or "permission policy"
            return REFUSED, by, (view.pointer(denied, "payload", "result"),)
    if truthy(ended.get("notExecuted")):
        return REFUSED, None, at_end("notExecuted")
    if truthy(ended.get("error")):
        return FAILED, None, at_end("error")
    if end is None:
        assert start is not None
        return UNKNOWN, None, (view.pointer(start, "payload", "toolCallId"),)
    return RAN, None, at_end("toolCallId")


def _name(scope: Scope, number: int | None, key: str) -> str | None:
    value = scope.view.at(number).payload.get(key) if number is not None else None
    return value if isinstance(value, str) else None


def _settled_in_history(conversation: Conversation, known: frozenset[str]) -> Iterable[Call]:
    """Calls of this turn that the framework settled without any event of their own."""
    if conversation.question_at is None:
        return
    for message in conversation.messages[conversation.question_at + 1 :]:
        if message.not_dispatched and message.call_id is not None and message.call_id not in known:
            yield Call(
                id=message.call_id,
                tool=message.tool,
                tool_pointer=message.pointer if message.tool is not None else None,
                start=None,
                end=None,
                outcome=NOT_DISPATCHED,
                pointers=(message.pointer,),
            )


def tool_name(
    scope: Scope, conversation: Conversation, call: str, keeper: Keeper
) -> tuple[str | None, Pointer | None]:
    """The tool that a call names and where it says so; (None, None) when nothing does.

    The run's own start first, then any of its events that names the tool, then the start in a
    run that may speak of this call, then the message in the conversation.
    """
    view = scope.view
    own = [n for n in view.call_uses(call).by_run.get(scope.run, ()) if scope.owns(n)]
    if scope.run is None:
        own = list(view.of_call(call))
    own.sort(key=lambda n: view.type_of(n) != "agentfootprint.stream.tool_start")
    others = scope.kin(call)
    kin = [
        n
        for n in (() if others.ambiguous else others.events)
        if view.type_of(n) == "agentfootprint.stream.tool_start"
    ]
    for number in (*own, *reversed(kin)):
        payload = view.at(number).payload
        for key in ("toolName", "tool"):
            name = payload.get(key)
            if isinstance(name, str) and not keeper.kept_out(name):
                return name, view.pointer(number, "payload", key)
    message = conversation.tool_message(call)
    if message is not None and message.tool is not None:
        return message.tool, message.pointer.into("toolName")
    return None, None
