"""Every event of a recording, and the document around them, against the schemas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ... import __version__, schemas
from ...formats.interface import TYPE_PREFIX
from ...model import Fact, Outcome, Pointer, Report, Verdict, recorded
from ...readings.keeping import Keeper
from ...view import View, open_view
from ...view.source import Progress
from . import document as contract

LISTED_DEVIATIONS = 50
_REPORTED_BYTES = 1 << 20
_DOCUMENTS = {"recording": "recording", "artifact": "recording", "envelope": "recording"}
"""Format -> the schema of the object that holds the events. (What makes an envelope one is
already seen when it is opened.)"""


def validate(
    path: str, *, limit: int = LISTED_DEVIATIONS, progress: Progress | None = None
) -> Report:
    """Check every event of a recording, and the document around them, against the schemas.

    All deviations are counted, the first ``limit`` become facts. Raises
    `errors.UnreadableInput`.
    """
    with open_view(path, progress) as view:
        found = _Deviations(limit)
        keeper = Keeper(view)
        document = [_check_document(view, keeper, found)] if view.format in _DOCUMENTS else []
        tallies = _check_events(view, keeper, found, progress)
        read = view.recording()
        verdicts = (("shape", found.count == 0), ("readable", not read.unread))
        return Report(
            schema=contract.SCHEMA,
            tool_version=__version__,
            recordings=(read,),
            facts=(*document, *(tallies[kind].fact() for kind in sorted(tallies)), *found.facts),
            shape=contract.document,
            verdicts=tuple(
                Verdict(check, Outcome.PASS if passed else Outcome.FAIL)
                for check, passed in verdicts
            ),
        )


@dataclass(slots=True)
class _Deviations:
    """Counts all deviations and keeps the first ones as facts."""

    limit: int
    count: int = 0
    facts: list[Fact] = field(default_factory=list)

    def add(self, deviations: Iterable[schemas.Deviation], place: Pointer) -> int:
        """Take in the deviations of the value at ``place``; how many there were."""
        before = self.count
        for deviation in deviations:
            self.count += 1
            if len(self.facts) < self.limit:
                values = {
                    "keyword": deviation.keyword,
                    "found": deviation.found,
                    "expected": deviation.expected,
                }
                self.facts.append(recorded("deviation", [place.into(*deviation.path)], values))
        return self.count - before


@dataclass(slots=True)
class _Tally:
    """What was counted for one event type."""

    place: Pointer
    """Its first event."""
    known: bool
    events: int = 0
    deviating: int = 0
    deviations: int = 0

    def fact(self) -> Fact:
        """The fact ``type-checked``."""
        values = {
            "type": self.place.type,
            "known": self.known,
            "events": self.events,
            "deviating": self.deviating,
            "deviations": self.deviations,
        }
        return recorded("type-checked", [self.place.into("type")], values)


def _check_document(view: View, keeper: Keeper, found: _Deviations) -> Fact:
    """The fact ``document-checked``. Of a document that breaks off, no member is missed."""
    name = _DOCUMENTS[view.format]
    parts = view.parts()
    whole = all(entry.event is not None for entry in view.unread)
    checker = schemas.Checker.of(name, keeper.kept_out)
    deviations = (
        deviation
        for deviation in checker.check({"events": [], **parts})
        if whole or deviation.path or deviation.keyword != "required"
    )
    place = view.document_pointer()
    count = found.add(deviations, place)
    return recorded("document-checked", [place], {"schema": name, "deviations": count})


def _check_events(
    view: View, keeper: Keeper, found: _Deviations, progress: Progress | None
) -> dict[str, _Tally]:
    """What was counted, by type."""
    checker = schemas.EventChecker(keeper.kept_out)
    tallies: dict[str, _Tally] = {}
    done = told = 0
    for number in range(len(view)):
        kind = view.type_of(number)
        if kind is None:
            continue
        place = Pointer(
            path="", event=number, type=kind.removeprefix(TYPE_PREFIX), line=view.line_of(number)
        )
        tally = tallies.get(kind)
        if tally is None:
            tally = tallies[kind] = _Tally(place, checker.knows(kind))
        count = found.add(checker.check(kind, view.value(number)), place)
        tally.events += 1
        tally.deviating += count > 0
        tally.deviations += count
        done += view.length_of(number)
        if progress is not None and done - told >= _REPORTED_BYTES:
            told = done
            progress(done, view.size)
    return tallies
