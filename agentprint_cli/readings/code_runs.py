"""The programs that tools ran, the calls that asked for them, and the sessions they ran in.

Source of the rules: "Code runs and their sessions" in the analyses' specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..model import Event
from ..rules.code_shape import shape_hash
from .code_names import names_of
from .run import RunReading

_EXIT_NOTE = re.compile(r"\[exit (-?[0-9]{1,9})\][^\n]*\s*\Z")
_SESSION_KINDS = ("started", "reused", "closed", "close_failed")


@dataclass(slots=True)
class CodeCall:
    """A call of a tool that runs code."""

    run: str | None
    id: str
    tool: str
    start: int
    stage: object
    code: str
    """``recorded``, ``missing`` or ``kept-out``: what the arguments hold."""
    hash: str | None
    """Of the recorded code's shape."""
    defined: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    end: int | None = None
    exit_note: int | None = None
    """The exit code that the tool's own result ends with, where it says one."""
    refused: bool = False
    """Its end says that it was not dispatched, not executed, or failed."""
    runs: int = 0
    """How many ``code_run`` events belong to it."""


@dataclass(frozen=True, slots=True)
class CodeRun:
    """One ``tools.code_run`` event."""

    event: int
    run: str | None
    tool: str | None
    call: CodeCall | None
    """The call that it belongs to; None: no call on record, or one of several."""
    open_calls: tuple[CodeCall, ...]
    """The calls of its tool that were open, where it is not known which one it belongs to."""
    session: int | None
    """The ``session_started`` or ``session_reused`` event of its call."""
    session_new: bool | None
    lost: Mapping[str, int] = field(default_factory=dict)
    """Name -> the earlier code run that defined it, where the session was new."""


@dataclass(slots=True)
class ToolSession:
    """One session that a tool opened, from its start to its close."""

    tool: str | None
    key: str | None
    scope: str | None
    runner: str | None
    label: str | None
    started: int | None
    """None: the record begins after it."""
    uses: list[int] = field(default_factory=list)
    """Its ``session_started`` and ``session_reused`` events."""
    calls: int = 0
    """How many calls shared it, as the last of these states."""
    closed: int | None = None
    failed: list[int] = field(default_factory=list)
    restarted: int | None = None
    """The event that started the same key again while this one was open."""
    runs: dict[str, int] = field(default_factory=dict)
    """The runs that used it, each with its first use; likewise the following."""
    principals: dict[str, int] = field(default_factory=dict)
    tenants: dict[str, int] = field(default_factory=dict)
    session_ids: dict[str, int] = field(default_factory=dict)
    last: int = 0
    """Its last event."""


def read_code_runs(reading: RunReading) -> tuple[tuple[CodeRun, ...], tuple[CodeCall, ...]]:
    """The code runs of the reading's scope in recorded order, and every call of their tools."""
    if not reading.scope.of_type("tools.code_run"):
        return (), ()
    return _Pairing(reading).read()


class _Pairing:
    """Walks starts, session events, code runs and ends once, in recorded order."""

    def __init__(self, reading: RunReading) -> None:
        self._reading = reading
        self._scope = reading.scope
        self._languages: dict[str | None, str | None] = {}
        for event in self._scope.events("tools.code_run"):
            tool = _text(event.payload.get("tool"))
            self._languages.setdefault(tool, _text(event.payload.get("language")))
        self._open: dict[tuple[str | None, str | None], dict[str, CodeCall]] = {}
        self._ended: dict[tuple[str | None, str | None], CodeCall] = {}
        self._sessions: dict[tuple[str | None, str | None], list[Event]] = {}
        self._names: dict[tuple[object, ...], dict[str, int]] = {}
        self._calls: list[CodeCall] = []
        self._by_id: dict[tuple[str | None, str], CodeCall] = {}

    def read(self) -> tuple[tuple[CodeRun, ...], tuple[CodeCall, ...]]:
        steps = {
            "stream.tool_start": self._start,
            "stream.tool_end": self._end,
            "tools.session_started": self._session,
            "tools.session_reused": self._session,
        }
        numbers = sorted(
            (n, name) for name in (*steps, "tools.code_run") for n in self._scope.of_type(name)
        )
        found = []
        for number, kind in numbers:
            event = self._scope.view.at(number)
            if kind == "tools.code_run":
                found.append(self._run(event))
            else:
                steps[kind](event)
        return tuple(found), tuple(self._calls)

    def _start(self, event: Event) -> None:
        tool = _text(event.payload.get("toolName"))
        if tool not in self._languages or tool is None or event.call is None:
            return
        args = event.payload.get("args")
        code = args.get("code") if isinstance(args, dict) else None
        call = CodeCall(
            run=event.run,
            id=event.call,
            tool=tool,
            start=event.index,
            stage=event.meta.get("runtimeStageId"),
            code="recorded" if isinstance(code, str) else "missing",
            hash=None,
        )
        if self._reading.keeper.kept_out(args) or self._reading.keeper.kept_out(code):
            call.code = "kept-out"
        elif isinstance(code, str):
            call.hash = shape_hash(code)
            names = names_of(code, self._languages[tool])
            call.defined, call.used = names.defined, names.used
        self._calls.append(call)
        self._by_id[event.run, event.call] = call
        self._open.setdefault((event.run, tool), {})[event.call] = call

    def _end(self, event: Event) -> None:
        call = self._by_id.get((event.run, event.call)) if event.call is not None else None
        if call is None:
            return
        call.end = event.index
        payload = event.payload
        call.refused = any(payload.get(k) for k in ("notDispatched", "notExecuted", "error"))
        result = payload.get("modelResult", payload.get("result"))
        note = _EXIT_NOTE.search(result[-400:]) if isinstance(result, str) else None
        call.exit_note = int(note[1]) if note is not None else None
        self._open.get((call.run, call.tool), {}).pop(call.id, None)
        self._ended[call.run, call.tool] = call

    def _session(self, event: Event) -> None:
        key = (event.run, _text(event.payload.get("tool")))
        self._sessions.setdefault(key, []).append(event)

    def _run(self, event: Event) -> CodeRun:
        key = (event.run, _text(event.payload.get("tool")))
        stated = event.payload.get("shapeHash")
        open_calls = tuple(self._open.get(key, {}).values())
        if event.call is not None:
            named = self._by_id.get((event.run, event.call))
            open_calls = (named,) if named is not None else ()
        elif not open_calls:
            # The end may have been recorded first: then it is the same stage's last call.
            ended = self._ended.get(key)
            if ended is not None and ended.runs == 0 and _same_stage(ended, event):
                open_calls = (ended,)
        call = _owner(open_calls, stated)
        pending = self._sessions.get(key, [])
        session = pending[-1] if pending and (len(open_calls) < 2 or len(pending) == 1) else None
        if len(open_calls) < 2:
            self._sessions.pop(key, None)
        new = session.type.endswith("session_started") if session is not None else None
        found = CodeRun(
            event=event.index,
            run=event.run,
            tool=key[1],
            call=call,
            open_calls=() if call is not None else open_calls,
            session=session.index if session is not None else None,
            session_new=new,
        )
        if call is None:
            return found
        call.runs += 1
        return replace(found, lost=self._lost(event, call, session))

    def _lost(self, event: Event, call: CodeCall, session: Event | None) -> Mapping[str, int]:
        """The names that the program uses and an earlier one in the same scope defined, when
        its session is new; and note what it defines itself."""
        if session is None:
            return {}
        scope = session.payload.get("scope")
        where: tuple[object, ...]
        if scope == "run":
            where = (call.tool, scope, event.run)
        elif scope == "session" and event.session is not None:
            meta = event.meta
            owner = (str(meta.get("principal")), str(meta.get("tenant")))
            where = (call.tool, scope, event.session, *owner)
        else:
            return {}  # a session of one call keeps nothing
        known = self._names.setdefault(where, {})
        lost = {}
        if session.type.endswith("session_started"):
            lost = {name: known[name] for name in sorted(call.used) if name in known}
        if event.payload.get("ok") is not False:
            known.update(dict.fromkeys(call.defined, call.start))
        return lost


def _owner(open_calls: tuple[CodeCall, ...], stated: object) -> CodeCall | None:
    """The one open call; of several the first whose code has the stated hash."""
    if len(open_calls) == 1:
        return open_calls[0]
    for call in open_calls:
        if call.runs == 0 and call.hash is not None and call.hash == stated:
            return call
    return None


def _same_stage(call: CodeCall, event: Event) -> bool:
    return call.stage is not None and call.stage == event.meta.get("runtimeStageId")


def read_sessions(reading: RunReading) -> tuple[ToolSession, ...]:
    """The sessions that the reading's scope used, in the order of their first events. Their
    ends are looked for in the whole record: a later run may close what an earlier one opened."""
    view, scope = reading.view, reading.scope
    if not any(scope.of_type(f"tools.session_{kind}") for kind in _SESSION_KINDS):
        return ()
    found: list[ToolSession] = []
    current: dict[tuple[object, ...], int] = {}
    mine: set[int] = set()
    numbers = sorted(
        (n, kind) for kind in _SESSION_KINDS for n in view.of_type(f"tools.session_{kind}")
    )
    for number, kind in numbers:
        event = view.at(number)
        payload = event.payload
        key = tuple(_text(payload.get(name)) for name in ("tool", "keyHash", "runnerId"))
        place = current.get(key)
        if kind == "started" and place is not None:
            found[place].restarted = number
            place = None
        if place is None:
            place = current[key] = len(found)
            found.append(_opened(event, number if kind == "started" else None))
        _note(found[place], kind, event)
        if kind == "closed":
            del current[key]
        if scope.owns(number):
            mine.add(place)
    return tuple(session for place, session in enumerate(found) if place in mine)


def _opened(event: Event, started: int | None) -> ToolSession:
    payload = event.payload
    return ToolSession(
        tool=_text(payload.get("tool")),
        key=_text(payload.get("keyHash")),
        scope=_text(payload.get("scope")),
        runner=_text(payload.get("runnerId")),
        label=_text(payload.get("label")),
        started=started,
    )


def _note(session: ToolSession, kind: str, event: Event) -> None:
    """Take in one more event of a session."""
    session.last = event.index
    if kind == "closed":
        session.closed = event.index
    elif kind == "close_failed":
        session.failed.append(event.index)
    else:
        # Only a use tells whose the key is: a teardown runs in whatever run comes last.
        calls = event.payload.get("calls")
        counted = calls if isinstance(calls, int) and not isinstance(calls, bool) else None
        session.uses.append(event.index)
        session.calls = counted if counted is not None else session.calls + 1
        for known, value in (
            (session.runs, event.run),
            (session.principals, event.meta.get("principal")),
            (session.tenants, event.meta.get("tenant")),
            (session.session_ids, event.session),
        ):
            if isinstance(value, str):
                known.setdefault(value, event.index)


def calls_without_run(calls: tuple[CodeCall, ...]) -> Iterator[CodeCall]:
    """Calls that ended as if they had run, and that no ``code_run`` event belongs to."""
    for call in calls:
        if call.runs == 0 and call.end is not None and not call.refused:
            yield call


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
