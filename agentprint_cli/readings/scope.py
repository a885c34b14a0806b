"""The events of one run: what an analyzer may read as that run's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
        if run is None:
            owners = view.owners()
            self.foreign = 0
        else:
            self.sessions = tuple(
                dict.fromkeys(s for r, s in view.owners() if r == run and s is not None)
            )
            owners = [
                (r, s) for r, s in view.owners() if r == run or (r is None and s in self.sessions)
            ]
            mine = set(owners)
            self.foreign = sum(
                len(view.of_owner(r, s))
                for r, s in view.owners()
                if (r, s) not in mine and (r, s) != (None, None)
            )
        numbers: list[int] = []
        for owner in owners:
            numbers.extend(view.of_owner(*owner))
        self.numbers: Sequence[int] = sorted(numbers)
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
        for number in reversed(self.of_type(name)):
            if before is None or number < before:
                return number
        return None

    def owns(self, number: int) -> bool:
        """Whether event ``number`` belongs to the run."""
        if self.run is None:
            return True
        run, session = self.view.owner_of(number)
        return run == self.run or (run is None and session in self.sessions)

    def kin(self, call: str) -> list[int]:
        """Events about tool-call ``call`` in other runs that may speak of it.

        Those of the same session; where the run has no session, those of the only other run
        that names this call at all (ids repeat between unrelated runs, so two candidates are no
        evidence).
        """
        others = [number for number in self.view.of_call(call) if not self.owns(number)]
        if self.sessions:
            return [n for n in others if self.view.owner_of(n)[1] in self.sessions]
        named = {
            self.view.owner_of(number)[0]
            for number in self.view.of_call(call)
            if self.view.type_of(number) == "agentfootprint.stream.tool_start"
        }
        if len(named) != 1:
            return []
        run = named.pop()
        return [n for n in others if self.view.owner_of(n)[0] == run and run != self.run]
