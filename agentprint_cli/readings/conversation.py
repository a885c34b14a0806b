"""The conversation that the model answered in, and the place that each message was read from.

Source of the rules: "Where the conversation comes from" and "What a person wrote" in the event
log's specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..model import Pointer
from ..view import View
from .keeping import Keeper, truthy
from .scope import Scope

_FRAMES = (
    "[dropped history",
    "[compacted history",
    "[schema check",
    "[evidence check",
    "[budget exhausted",
    "[steps unrun",
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: str | None
    content: object
    """As recorded; usually text."""
    pointer: Pointer
    """The place of the whole message."""
    content_pointer: Pointer
    position: int
    call_id: str | None = None
    tool: str | None = None
    tool_chars: int | None = None
    """Where the tool's own text ends inside ``content``, in UTF-16 units."""
    injected_by: object = None
    not_dispatched: bool = False
    tool_calls: tuple[Mapping[str, object], ...] = ()
    """By their positions on record; what is no object stands as an empty one."""

    @property
    def by_person(self) -> bool:
        """Whether a person wrote it: not injected, and none of the framework's own frames."""
        if self.role != "user" or truthy(self.injected_by):
            return False
        return not (isinstance(self.content, str) and self.content.startswith(_FRAMES))


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages, oldest first, and where they come from."""

    source: str
    """``snapshot``, ``initial-state``, ``iteration-end``, ``injected`` or ``none``."""
    messages: tuple[Message, ...] = ()
    kept_out: bool = False
    """The record keeps the history out."""
    pointer: Pointer | None = None
    """The place of the list as a whole, where it stands in one place."""
    question_at: int | None = None
    """Position in ``messages`` of the question being answered."""
    _by_id: Mapping[str, list[int]] = field(default_factory=dict)
    _by_person: Sequence[int] = ()
    """How many messages that a person wrote stand before each place, and in all."""

    def tool_message(self, call_id: str, position: int | None = None) -> Message | None:
        """The tool message with this id. Of several, the one at ``position``: None when none of
        them stands there, the last when no position is given."""
        found = self._by_id.get(call_id, ())
        if len(found) > 1 and position is not None:
            for place in found:
                if self.messages[place].position == position:
                    return self.messages[place]
            return None
        return self.messages[found[-1]] if found else None

    def distance(self, message: Message) -> int | None:
        """How many messages that a person wrote come after ``message``, up to and including the
        question being answered; None when no question is on record."""
        if self.question_at is None:
            return None
        place = next(p for p in self._by_id[message.call_id or ""] if self.messages[p] is message)
        return max(0, self._by_person[self.question_at + 1] - self._by_person[place + 1])


def read_conversation(
    scope: Scope,
    keeper: Keeper,
    *,
    use_snapshot: bool,
    end: int | None,
    since: int,
    rows: list[int],
    prompt: str | None,
) -> Conversation:
    """The conversation of the run.

    ``use_snapshot``: the document's snapshot is this run's. ``end``: the event of the answer
    (None: the run is unfinished). ``since``: where the answered turn begins. ``rows``: the
    messages-slot rows of the answering compose.
    ``prompt``: what the person asked in this turn, when the record says it.
    """
    found = (
        (_from_snapshot(scope.view, keeper) if use_snapshot else None)
        or _from_iteration_end(scope, keeper, since, end)
        or _from_rows(scope, keeper, rows)
        or Conversation(source="none")
    )
    return _with_question(found, prompt)


def _from_snapshot(view: View, keeper: Keeper) -> Conversation | None:
    snapshot = view.part("snapshot")
    if not isinstance(snapshot, dict):
        return None
    for part, source in (("sharedState", "snapshot"), ("initialState", "initial-state")):
        state = snapshot.get(part)
        history = state.get("history") if isinstance(state, dict) else None
        pointer = view.document_pointer("snapshot", part, "history")
        if keeper.kept_out(history):
            return Conversation(source=source, kept_out=True, pointer=pointer)
        if isinstance(history, list) and history:
            return _from_history(
                history,
                keeper,
                source,
                pointer,
                lambda *path, part=part: view.document_pointer("snapshot", part, "history", *path),
            )
    return None


def _from_iteration_end(
    scope: Scope, keeper: Keeper, since: int, end: int | None
) -> Conversation | None:
    for number in reversed(scope.of_type("agent.iteration_end")):
        if number < since or (end is not None and number > end):
            continue
        history = scope.view.at(number).payload.get("history")
        pointer = scope.view.pointer(number, "payload", "history")
        if keeper.kept_out(history):
            return Conversation(source="iteration-end", kept_out=True, pointer=pointer)
        if isinstance(history, list):
            return _from_history(
                history,
                keeper,
                "iteration-end",
                pointer,
                lambda *path, number=number: scope.view.pointer(
                    number, "payload", "history", *path
                ),
            )
    return None


def _from_history(
    history: list[object],
    keeper: Keeper,
    source: str,
    whole: Pointer,
    pointer: Callable[..., Pointer],
) -> Conversation:
    messages = []
    for position, entry in enumerate(history):
        if not isinstance(entry, dict):
            continue
        calls = entry.get("toolCalls")
        chars = entry.get("toolChars")
        messages.append(
            Message(
                role=_text(entry.get("role")),
                content=entry.get("content"),
                pointer=pointer(position),
                content_pointer=pointer(position, "content")
                if "content" in entry
                else pointer(position),
                position=position,
                call_id=_id(entry.get("toolCallId"), keeper),
                tool=_id(entry.get("toolName"), keeper),
                tool_chars=chars
                if isinstance(chars, int) and not isinstance(chars, bool)
                else None,
                injected_by=entry.get("injectedBy"),
                not_dispatched=truthy(entry.get("notDispatched")),
                tool_calls=tuple(c if isinstance(c, dict) else {} for c in calls)
                if isinstance(calls, list)
                else (),
            )
        )
    return Conversation(source=source, messages=tuple(messages), pointer=whole)


def _from_rows(scope: Scope, keeper: Keeper, rows: list[int]) -> Conversation | None:
    """The messages as the compose placed them, in the order of their positions."""
    if not rows:
        return None
    placed = []
    for order, number in enumerate(rows):
        payload = scope.view.at(number).payload
        position = payload.get("position")
        placed.append((position if isinstance(position, int) else order, order, number))
    messages = []
    for position, _, number in sorted(placed):
        payload = scope.view.at(number).payload
        role = _text(payload.get("asRole"))
        source = payload.get("source")
        content = payload.get("rawContent")
        key = "rawContent" if "rawContent" in payload else "contentSummary"
        call_id = _id(payload.get("sourceId"), keeper) if source == "tool-result" else None
        messages.append(
            Message(
                role=role,
                content=content,
                pointer=scope.view.pointer(number, "payload"),
                content_pointer=scope.view.pointer(number, "payload", key)
                if key in payload
                else scope.view.pointer(number, "payload"),
                position=position,
                call_id=call_id,
                # A row that another source placed under the user's role was not typed by anyone.
                injected_by=source if role == "user" and source != "user" else None,
            )
        )
    return Conversation(source="injected", messages=tuple(messages))


def _with_question(conversation: Conversation, prompt: str | None) -> Conversation:
    """Mark the question being answered: the last message that a person wrote with the text that
    the turn began with, else the last one that a person wrote.

    After it the framework may speak under the user's role (it asks for a summary when the budget
    is spent, for instance): what follows the question is not the person's.
    """
    by_person = [i for i, m in enumerate(conversation.messages) if m.by_person]
    same = [i for i in by_person if conversation.messages[i].content == prompt]
    at = same[-1] if same else (by_person[-1] if by_person else None)
    by_id: dict[str, list[int]] = {}
    before = [0]
    for place, message in enumerate(conversation.messages):
        if message.role == "tool" and message.call_id is not None:
            by_id.setdefault(message.call_id, []).append(place)
        before.append(before[-1] + message.by_person)
    return replace(conversation, question_at=at, _by_id=by_id, _by_person=before)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _id(value: object, keeper: Keeper) -> str | None:
    return value if isinstance(value, str) and not keeper.kept_out(value) else None
