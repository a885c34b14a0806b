"""The tool choices of a recording: what each model call was offered and what it called.

Source of the rules: "Choice margins" in the analyses' specification. Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..model import Pointer
from ..rules.choice_text import candidate_text, choice_context, context_words
from ..rules.js_text import trim
from ..view import View
from .keeping import Keeper
from .runs import RunInfo
from .scope import Scope

NOTHING_CHOSEN = "nothing-chosen"
CHOSEN_NOT_OFFERED = "chosen-not-offered"
NO_CATALOGUE = "no-catalogue"
NO_DESCRIPTIONS = "no-descriptions"
FORCED_CHOICE = "forced-choice"
SINGLE_CANDIDATE = "single-candidate"
DUPLICATE_NAMES = "duplicate-names"
NO_CONTEXT = "no-context"

BEFORE = 100
"""How many of the calls made earlier in the turn a choice knows. A turn may have thousands, and
each choice would hold them all; what is asked of them is the last few."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One model call that was offered tools."""

    run: str | None
    session: str | None
    stage: str | None
    event: int
    """The ``stream.llm_start``."""
    iteration: int | None
    offered: tuple[str, ...]
    """Names of the menu, in request order."""
    candidates: tuple[str, ...]
    """The texts of the menu, in the same order."""
    chosen: tuple[str, ...]
    """Names of the tools that were called, each once, in order."""
    call_ids: tuple[str, ...]
    """The ids of all calls, in order."""
    prompt: str | None
    """What the person asked in this turn; None when the run does not say it."""
    context: str
    """The context's text."""
    words: str
    """The words of the context, without the names of the roles."""
    situation: str
    """The context, but with the model's latest text of an earlier turn of the run where this turn
    has none yet."""
    said: str | None
    """The text of the very response that the calls came with; None when there is none."""
    said_at: Pointer | None
    """Where it stands."""
    before: tuple[str, ...]
    """The latest tools called earlier in the turn, in order, at most `BEFORE`."""
    turn_position: int
    """How many model calls of the same turn came before this one."""
    in_run: bool
    """Whether the context holds text of the model: the turn was under way."""
    skipped: str | None
    """Why there is nothing to score: `NOTHING_CHOSEN` or `CHOSEN_NOT_OFFERED`."""
    not_measurable: str | None
    """Why a choice cannot be scored."""
    pointers: tuple[Pointer, ...]


def read_choices(view: View, runs: Sequence[RunInfo]) -> Iterator[Choice]:
    """Every choice of every run, in recorded order; of everything read as one run, where no run
    is configured."""
    keeper = Keeper(view)
    scopes: list[str | None] = [run.id for run in runs if run.model_calls]
    if not any(run.configured for run in runs):
        scopes = [None]
    found: list[Choice] = []
    turns: dict[str | None, _Turn] = {}
    menus = _Menus()
    for run in scopes:
        scope = Scope(view, run)
        turn = turns.get(_leg_before(scope), _Turn())
        found.extend(_of_run(scope, keeper, turn, menus))
        turns[run] = turn
    yield from sorted(found, key=lambda choice: choice.event)


def _leg_before(scope: Scope) -> str | None:
    """The run that paused, when this one goes on with its turn: the one that started the call
    which this one only ends. A leg after a pause has no turn start of its own."""
    if scope.run is None or scope.of_type("agent.turn_start"):
        return None
    started = {scope.view.call_of(number) for number in scope.of_type("stream.tool_start")}
    for number in scope.of_type("stream.tool_end"):
        call = scope.view.call_of(number)
        if call is not None and call not in started:
            kin = scope.kin(call)
            for other in () if kin.ambiguous else kin.events:
                if scope.view.type_of(other) == "agentfootprint.stream.tool_start":
                    return scope.view.owner_of(other)[0]
    return None


_KINDS = (
    "agent.turn_start",
    "agent.turn_end",
    "stream.llm_start",
    "stream.llm_end",
    "stream.tool_start",
)


@dataclass(slots=True)
class _Turn:
    """What is known of the turn at a place in the run."""

    prompt: str | None = None
    latest: str | None = None
    """The model's latest text in this turn."""
    spoken: str | None = None
    """The model's latest text in any turn of the run, white text left out."""
    model_calls: int = 0
    called: tuple[str, ...] = ()
    """The latest tools called so far in this turn, at most `BEFORE`."""


@dataclass(slots=True)
class _Call:
    """A model call under way: what was known when it began, and what came of it."""

    number: int
    turn: _Turn
    starts: list[int] = field(default_factory=list)
    said: str | None = None
    said_at: Pointer | None = None


class _Menus:
    """The names and texts of menus, each kept once: a recording repeats its menu in every call."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str | None], tuple[str, str]] = {}
        self._tuples: dict[tuple[str, ...], tuple[str, ...]] = {}

    def of(self, menu: Sequence[Mapping[str, object]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the tools and what each says of itself."""
        tools = [self._tool(str(tool["name"]), _text(tool.get("description"))) for tool in menu]
        names = tuple(name for name, _ in tools)
        texts = tuple(text for _, text in tools)
        return self._tuples.setdefault(names, names), self._tuples.setdefault(texts, texts)

    def _tool(self, name: str, description: str | None) -> tuple[str, str]:
        key = (name, description)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = (name, candidate_text(name, description))
        return found


def _of_run(scope: Scope, keeper: Keeper, turn: _Turn, menus: _Menus) -> Iterator[Choice]:
    """The choices of a run; ``turn`` is what is known of its turn, and is brought up to date."""
    view = scope.view
    marks = sorted(number for kind in _KINDS for number in scope.of_type(kind))
    call: _Call | None = None
    for number in marks:
        event = view.at(number)
        kind = event.type.removeprefix("agentfootprint.")
        if kind == "stream.tool_start":
            if call is not None:
                call.starts.append(number)
                called = str(event.payload.get("toolName"))
                turn.called = (*turn.called, called)[-BEFORE:]
            continue
        if kind == "stream.llm_end":
            content = event.payload.get("content")
            if isinstance(content, str) and content and not keeper.kept_out(content):
                turn.latest = content
                if not trim(content):
                    continue
                turn.spoken = content
                # Text after a call has begun to run is no longer what the call came with.
                if call is not None and not call.starts:
                    call.said, call.said_at = content, view.pointer(number, "payload", "content")
            continue
        if call is not None:
            yield from _choice(scope, call, menus)
            call = None
        if kind == "agent.turn_start":
            prompt = event.payload.get("userPrompt")
            known = isinstance(prompt, str) and not keeper.kept_out(prompt)
            turn.prompt = prompt if known and isinstance(prompt, str) else None
            turn.latest, turn.model_calls, turn.called = None, 0, ()
        elif kind == "stream.llm_start":
            call = _Call(number, replace(turn))
            turn.model_calls += 1
    if call is not None:
        yield from _choice(scope, call, menus)


def _choice(scope: Scope, call: _Call, menus: _Menus) -> Iterator[Choice]:
    """The entry of one model call; none when it was offered no tools."""
    view, number, turn, starts = scope.view, call.number, call.turn, call.starts
    event = view.at(number)
    tools = event.payload.get("tools")
    count = event.payload.get("toolsCount")
    missing = not isinstance(tools, list) or not all(map(_is_tool, tools))
    if not tools and not (isinstance(count, int) and count > 0):
        return
    menu = tools if isinstance(tools, list) and not missing else []
    offered, candidates = menus.of(menu)
    names = [view.at(start).payload.get("toolName") for start in starts]
    chosen = tuple(dict.fromkeys(str(name) for name in names))
    stage, iteration = event.meta.get("runtimeStageId"), event.payload.get("iteration")
    run, session = view.owner_of(number)
    skipped = None
    if not chosen:
        skipped = NOTHING_CHOSEN
    elif not missing and not set(chosen) <= set(offered):
        skipped = CHOSEN_NOT_OFFERED
    context, said = choice_context(turn.prompt or "", turn.latest), bool(trim(turn.latest or ""))
    pointers = [view.pointer(number, "payload", "tools")]
    pointers.extend(view.pointer(start, "payload", "toolName") for start in starts)
    yield Choice(
        run=run,
        session=session,
        stage=stage if isinstance(stage, str) else None,
        event=number,
        iteration=iteration if isinstance(iteration, int) else None,
        offered=offered,
        candidates=candidates,
        chosen=chosen,
        call_ids=tuple(view.call_of(start) or "" for start in starts),
        prompt=turn.prompt,
        context=context,
        words=context_words(turn.prompt or "", turn.latest),
        situation=context if said else choice_context(turn.prompt or "", turn.spoken),
        said=call.said,
        said_at=call.said_at,
        before=turn.called,
        turn_position=turn.model_calls,
        in_run=said,
        skipped=skipped,
        not_measurable=None if skipped else _why_not(event.payload, menu, offered, missing, turn),
        pointers=tuple(pointers),
    )


def _why_not(
    payload: Mapping[str, object],
    menu: list[dict[str, object]],
    offered: tuple[str, ...],
    missing: bool,
    turn: _Turn,
) -> str | None:
    if missing:
        return NO_CATALOGUE
    if not any(trim(_text(tool.get("description")) or "") for tool in menu):
        return NO_DESCRIPTIONS
    if _forced(payload.get("toolChoice"), offered):
        return FORCED_CHOICE
    if len(offered) == 1:
        return SINGLE_CANDIDATE
    if len(set(offered)) < len(offered):
        return DUPLICATE_NAMES
    if turn.prompt is None and turn.latest is None:
        return NO_CONTEXT
    return None


def _forced(tool_choice: object, offered: tuple[str, ...]) -> bool:
    """Whether the request named the tool to call."""
    if isinstance(tool_choice, dict):
        function = tool_choice.get("function")
        inner = function.get("name") if isinstance(function, dict) else None
        return tool_choice.get("name") in offered or inner in offered
    return isinstance(tool_choice, str) and tool_choice in offered


def _is_tool(tool: object) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
