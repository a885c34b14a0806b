"""The events of one run: what an analyzer may read as that run's own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..model import Event
from ..view import View


class Scope:
    """One run's events, by type, in recorded order.

    An event belongs to the run whose id it names; an event without a run id belongs to the runs
    of the session that it names. With no run (``run`` is None) every event belongs.
    """

    def __init__(self, view: View, run: str | None) -> None:
        self.view = view
        self.run = run
        self.sessions: tuple[str, ...] = ()
        ownership = view.ownership
        if run is None:
            owners = view.owners()
        else:
            own = ownership.by_run.get(run, ())
            self.sessions = tuple(dict.fromkeys(s for _, s in own if s is not None))
            owners = [*own, *((None, s) for s in self.sessions if s in ownership.without_run)]
        numbers: list[int] = []
        for owner in owners:
            numbers.extend(view.of_owner(*owner))
        self.numbers: Sequence[int] = sorted(numbers)
        self.foreign = 0 if run is None else ownership.owned - len(self.numbers)
        self._by_type: dict[str, list[int]] = {}
        for number in self.numbers:
            kind = view.type_of(number)
            if kind is not None:
                self._by_type.setdefault(kind, []).append(number)

    @property
    def session(self) -> str | None:
        """The run's session id, when its events name one."""
        return self.sessions[0] if self.sessions else None

    def of_type(self, name: str) -> Sequence[int]:
        """The run's events of a type, given without its prefix, ascending."""
        return self._by_type.get("agentfootprint." + name, ())

    def events(self, name: str) -> Iterator[Event]:
        """The same, decoded one by one."""
        for number in self.of_type(name):
            yield self.view.at(number)

    def last_of_type(self, name: str, before: int | None = None) -> int | None:
        """The run's last event of a type, before event ``before`` when given."""
        numbers = self.of_type(name)
        place = len(numbers) if before is None else bisect_left(numbers, before)
        return numbers[place - 1] if place else None

    def owns(self, number: int) -> bool:
        """Whether event ``number`` belongs to the run."""
        if self.run is None:
            return True
        run, session = self.view.owner_of(number)
        return run == self.run or (run is None and session in self.sessions)

    def kin(self, call: str) -> Kin:
        """Events about tool-call ``call`` in other runs that may speak of it.

        Those of the same session; where the run has no session, those of the only other run that
        started this call at all. Only what came before the run's answer counts. Ids repeat, so
        with more than one other run that used this one, none is evidence of it.
        """
        uses = self.view.call_uses(call)
        if self.sessions:
            found = [n for s in self.sessions for n in uses.by_session.get(s, ())]
        elif len(uses.starters) == 1:
            found = list(uses.by_run[next(iter(uses.starters))])
        else:
            found = []
        end = self.last_of_type("agent.turn_end")
        others = sorted(n for n in found if not self.owns(n) and (end is None or n < end))
        users = {self.view.owner_of(n)[0] for n in others if self.view.type_of(n) in _USES}
        return Kin(tuple(others), len(users) > 1)


_USES = ("agentfootprint.stream.tool_start", "agentfootprint.stream.tool_end")


@dataclass(frozen=True, slots=True)
class Kin:
    """What other runs say of a tool-call id."""

    events: tuple[int, ...]
    ambiguous: bool
    """Several runs used the id, so that none of it is evidence of one of them."""
