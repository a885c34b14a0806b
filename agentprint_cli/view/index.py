"""The index: tens of bytes an event, in compact arrays, whatever the events' size."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..formats.interface import Head
from ..model import Unread

NO_EVENT = 0xFFFFFFFF


class Interner:
    """Numbers distinct values in first-seen order."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self.numbers: dict[object, int] = {}

    def number(self, value: object) -> int:
        """The number of ``value``, a new one when it was not seen before."""
        found = self.numbers.get(value)
        if found is None:
            found = self.numbers[value] = len(self.values)
            self.values.append(value)
        return found

    def find(self, value: object) -> int | None:
        """The number of ``value``, or None when it was never seen."""
        return self.numbers.get(value)


class Index:
    """Where each event stands, its type, its owner (run and session) and its call id.

    It is the `formats.interface.Sink` that a format reports to. 28 bytes an event number.
    """

    def __init__(self) -> None:
        self.starts = array("Q")
        self.lengths = array("Q")
        self.types = array("I")
        self.owners = array("I")
        self.calls = array("I")
        self.type_names = Interner()
        self.owner_pairs = Interner()
        self.call_ids = Interner()
        self.unread_entries: list[Unread] = []
        self.events = 0
        self._postings: dict[int, array[int]] | None = None
        self._call_postings: dict[int, array[int]] | None = None
        self._owner_postings: dict[int, array[int]] | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def event(self, start: int, end: int, head: Head) -> None:
        """See `formats.interface.Sink.event`."""
        kind, run, session, call = head
        owner = (run, session)
        self.starts.append(start)
        self.lengths.append(end - start)
        # The common case of `Interner.number` stands here too: this runs once per line.
        known = self.type_names.numbers.get(kind)
        self.types.append(self.type_names.number(kind) if known is None else known)
        known = self.owner_pairs.numbers.get(owner)
        self.owners.append(self.owner_pairs.number(owner) if known is None else known)
        self.calls.append(NO_EVENT if call is None else self.call_ids.number(call))
        self.events += 1

    def gap(self, start: int, end: int) -> None:
        """See `formats.interface.Sink.gap`."""
        self.starts.append(start)
        self.lengths.append(end - start)
        self.types.append(NO_EVENT)
        self.owners.append(NO_EVENT)
        self.calls.append(NO_EVENT)

    def unread(self, start: int, end: int, entry: Unread) -> None:
        """See `formats.interface.Sink.unread`."""
        self.gap(start, end)
        self.unread_entries.append(entry)

    def damage(self, entry: Unread) -> None:
        """See `formats.interface.Sink.damage`."""
        self.unread_entries.append(entry)

    def type_of(self, number: int) -> str | None:
        """The type of event ``number``, or None when that number holds no event."""
        kind = self.types[number]
        return None if kind == NO_EVENT else str(self.type_names.values[kind])

    def owner_of(self, number: int) -> tuple[str | None, str | None]:
        """Run id and session id of event ``number``; both None when it names neither."""
        owner = self.owners[number]
        if owner == NO_EVENT:
            return None, None
        pair = self.owner_pairs.values[owner]
        assert isinstance(pair, tuple)
        return pair

    def call_of(self, number: int) -> str | None:
        """The tool-call id of event ``number``, when its payload names one."""
        call = self.calls[number]
        return None if call == NO_EVENT else str(self.call_ids.values[call])

    def of_type(self, name: str) -> Sequence[int]:
        """The event numbers of this type, ascending."""
        if self._postings is None:
            self._postings = _group(self.types)
        found = self.type_names.find(name)
        return () if found is None else self._postings.get(found, ())

    def of_call(self, call: str) -> Sequence[int]:
        """The event numbers whose payload names this tool-call id, ascending."""
        if self._call_postings is None:
            self._call_postings = _group(self.calls)
        found = self.call_ids.find(call)
        return () if found is None else self._call_postings.get(found, ())

    def of_owner(self, run: str | None, session: str | None) -> Sequence[int]:
        """The event numbers with exactly this run id and session id, ascending."""
        if self._owner_postings is None:
            self._owner_postings = _group(self.owners)
        found = self.owner_pairs.find((run, session))
        return () if found is None else self._owner_postings.get(found, ())

    def owner_list(self) -> list[tuple[str | None, str | None]]:
        """All pairs of run id and session id, in first-seen order."""
        return [pair for pair in self.owner_pairs.values if isinstance(pair, tuple)]


def _group(column: array[int]) -> dict[int, array[int]]:
    """The positions of each value of ``column``, without those of `NO_EVENT`."""
    grouped: dict[int, array[int]] = {}
    for position, value in enumerate(column):
        if value == NO_EVENT:
            continue
        positions = grouped.get(value)
        if positions is None:
            positions = grouped[value] = array("I")
        positions.append(position)
    return grouped
