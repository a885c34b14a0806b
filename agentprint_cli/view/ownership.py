"""Who owns which events, indexed once for the recording: a log can hold many thousand runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .view import View

Owner = tuple[str | None, str | None]
"""Run id and session id, as an event names them."""
_USES = ("agentfootprint.stream.tool_start", "agentfootprint.stream.tool_end")


@dataclass(frozen=True, slots=True)
class Ownership:
    """The owners of a recording."""

    by_run: dict[str, tuple[Owner, ...]]
    without_run: frozenset[str]
    """Sessions that own events which name no run."""
    owned: int
    """Events that name a run or a session."""

    @staticmethod
    def of(view: View) -> Ownership:
        """Gather the owners of ``view``."""
        by_run: dict[str, list[Owner]] = {}
        without_run = set()
        owned = 0
        for run, session in view.owners():
            if run is not None:
                by_run.setdefault(run, []).append((run, session))
            elif session is not None:
                without_run.add(session)
            if (run, session) != (None, None):
                owned += len(view.of_owner(run, session))
        return Ownership(
            {run: tuple(pairs) for run, pairs in by_run.items()}, frozenset(without_run), owned
        )


@dataclass(frozen=True, slots=True)
class CallUses:
    """The events that name one tool-call id."""

    by_session: dict[str, tuple[int, ...]]
    by_run: dict[str | None, tuple[int, ...]]
    starters: frozenset[str | None]
    """Runs that started a call of this id."""

    @staticmethod
    def of(view: View, call: str) -> CallUses:
        """Gather the uses of ``call`` in ``view``."""
        by_session: dict[str, list[int]] = {}
        by_run: dict[str | None, list[int]] = {}
        starters = set()
        for number in view.of_call(call):
            run, session = view.owner_of(number)
            by_run.setdefault(run, []).append(number)
            if session is not None:
                by_session.setdefault(session, []).append(number)
            if view.type_of(number) == _USES[0]:
                starters.add(run)
        return CallUses(
            {session: tuple(numbers) for session, numbers in by_session.items()},
            {run: tuple(numbers) for run, numbers in by_run.items()},
            frozenset(starters),
        )
