"""What the baseline of ``agentprint check`` knew before a check, and what it knows after it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from ...base.errors import UsageError
from ...base.outputs import check_writable, write_whole
from ...gates.baseline import Baseline, Entry, KnownMargins, baseline_text, load_baseline
from ...gates.baseline.margins import (
    Lookup,
    Taken,
    closest_menu,
    gather,
    lead,
    names,
    place_of,
    take,
)
from ...gates.interface import KNOWN, NEW, Facts, Gate, Looked
from ...model import Fact, Sourced, Status, absent

Looks = Sequence[tuple[Gate, Looked]]
_OF_OTHERS = ("alone", "threshold", "neighbours")


def has_margins(path: str | None) -> bool:
    """Whether there is a baseline at ``path`` that holds margins. Raises `UsageError` for a
    broken one."""
    return path is not None and os.path.exists(path) and load_baseline(path).margins is not None


def entry_of(finding: Fact) -> Entry:
    """What the baseline keeps of a finding."""

    def text(name: str) -> str | None:
        value = finding.get(name)
        return None if value is None else str(value)

    return Entry(finding.text("gate"), *map(text, ("tool", "rival", "request", "unread")))


class CheckBaseline:
    """The baseline, before and after this check."""

    def __init__(self, path: str | None, update: bool) -> None:
        """Raises `UsageError` for a baseline that is missing or broken."""
        self._path = path
        self._update = update
        self._before = Baseline()
        if path is None:
            if update:
                raise UsageError("--update-baseline needs the baseline's name: --baseline FILE")
        elif not update or os.path.exists(path):
            self._before = load_baseline(path)
        if path is not None and update:
            check_writable(path)
        self._entries = set(self._before.findings)
        self._margins = self._before.margins
        self._taken: Taken | None = None
        self._added = self._removed = 0
        self._seen: set[object] = set()
        self._noise: float | None = None

    @property
    def has_margins(self) -> bool:
        """Whether choices can be compared with it."""
        return self._before.margins is not None

    # Margins ----------------------------------------------------------------------------------

    def compare(self, facts: Facts, noise: float) -> Iterator[Fact]:
        """A fact for each choice: what the baseline knew of it, or why nothing can be said.

        What an update takes in is idle: it has nothing to be compared with yet. So is every choice
        of an update that finds no margins, or replaces all of them: nobody asked it to compare.
        A margin in which other recordings have a say moves with them, so the one without them is
        compared.
        """
        self._noise = noise
        why = self._why_incomparable(facts)
        known = self._before.margins
        lookup = Lookup(known.entries if known is not None and why is None else ())
        only_written = self._update and why is not None and _scored_by(facts) is not None
        for choice in map(_alone, facts.of("choice")):
            if choice.get("chosen"):
                values = {"idle": True} if only_written else self._compared(choice, why, lookup)
                yield replace(_with(choice, {**values, "declared": noise}), rule="compared")

    def _why_incomparable(self, facts: Facts) -> dict[str, object] | None:
        """Why no choice at all can be compared."""
        if self._path is None:
            return {"uncompared": "no-baseline"}
        known, now = self._before.margins, _scored_by(facts)
        if known is None:
            return {"uncompared": "no-margins"}
        if now is not None and known.scorer != now.scorer:
            values = {"was": known.scorer, "now": now.scorer}
            return {"uncompared": "other-scorer", **values}
        if now is not None and known.embedder != now.embedder:
            values = {"was": known.embedder, "now": now.embedder}
            return {"uncompared": "other-embedder", **values}
        return None

    def _compared(
        self, choice: Fact, why: dict[str, object] | None, lookup: Lookup
    ) -> dict[str, object]:
        place, rival = place_of(choice), choice.get("rival")
        if choice.get("flags") is None:
            return {"unscored": True}
        chosen, menu = names(choice.get("chosen")), names(choice.get("offered"))
        at_place = lookup.at(place) if place is not None else ()
        if rival is None and (self._update or not at_place):
            return {"idle": True}  # all tools were chosen, as ever
        if place is None:
            return {"uncompared": "no-request"}
        if why is not None:
            return why
        same = [entry for entry in at_place if entry.chosen == chosen]
        if not same:
            if self._update:
                return {"idle": True}
            if not at_place:
                return {"uncompared": "not-in-baseline"}
            others = sorted({", ".join(entry.chosen) for entry in at_place})
            return {"uncompared": "other-choice", "was": others, "now": ", ".join(chosen)}
        if rival is None:
            return {"idle": True}  # what was chosen before is all that is left of the menu
        known = closest_menu(same, menu)
        self._seen.update(entry.key for entry in same)
        rivals = sorted({name for entry in same for name in entry.rivals})
        return {
            "previous_margin": known.lowest,
            "previous_rival": known.rivals[0],
            "known_rivals": rivals,
            "spread": known.spread,
            "menu_changed": known.menu != menu,
            "added_tools": sorted(set(menu).difference(*(entry.menu for entry in same))) or None,
            "removed_tools": sorted(set(known.menu) - set(menu)) or None,
            "lead": lead(choice.get("scores"), str(rival), rivals),
        }

    def _take_margins(self, facts: Facts) -> None:
        """Take in the margins of now, when there are any. An entry that was not seen stays when
        something that was not read or scored may be it."""
        now = _scored_by(facts)
        if now is None:
            return
        choices = [_alone(choice) for choice in facts.of("choice")]
        unsure = {
            choice.get("request")
            for choice in choices
            if choice.get("chosen") and choice.get("flags") is None
        }
        all_unsure = None in unsure or facts.of("unreadable") or facts.of("unread-place")
        before = self._margins
        kept = [
            entry
            for entry in (before.entries if before is not None else ())
            if all_unsure or entry.request in unsure
        ]
        self._taken = take(before, replace(now, entries=gather(choices)), kept)
        self._margins = self._taken.margins

    # Findings ---------------------------------------------------------------------------------

    def settle(self, looked: Looks, facts: Facts) -> None:
        """Take in this check's findings and margins and write the file, when that was asked for.
        A finding that was not made again stays when a part of its gate could not be looked at."""
        if self._path is None or not self._update:
            return
        unreadable = bool(facts.of("unreadable"))
        found = _found(looked)
        gone = {entry for entry in self._entries - found if _certain(entry, looked, unreadable)}
        self._added, self._removed = len(found - self._entries), len(gone)
        self._entries = (self._entries | found) - gone
        self._take_margins(facts)
        write_whole(self._path, baseline_text(self._entries, self._margins))

    def states(self, gate: Gate, looked: Looked) -> list[str]:
        """Of each finding, whether the baseline knows it. What a gate finds in comparing is known
        once an update has put the margins of now into the file."""
        if gate.compares:
            return [KNOWN if self._update else NEW] * len(looked.findings)
        return [KNOWN if entry_of(f) in self._entries else NEW for f in looked.findings]

    # Telling ----------------------------------------------------------------------------------

    def facts(self, looked: Looks, facts: Facts) -> Iterator[Fact]:
        """About the baseline, when there is one: what it is, and which entries were not found."""
        if self._path is None:
            return
        values: dict[str, object] = {
            "path": self._path,
            "entries": len(self._entries),
            "updated": self._update or None,
            "added": self._added if self._update else None,
            "removed": self._removed if self._update else None,
            "lacks_margins": (self._margins is None and _scored_by(facts) is not None) or None,
        }
        yield absent("baseline", Status.NOT_APPLICABLE, None, values)
        if self._margins is not None:
            yield self._about_margins(self._margins)
        unreadable = bool(facts.of("unreadable"))
        found = _found(looked)
        ran = {gate.id for gate, _ in looked}
        before = set(self._before.findings)
        for entry in sorted(before - found, key=lambda entry: json.dumps(entry.members())):
            if entry.gate in ran:
                gone = _certain(entry, looked, unreadable)
                rule = "baseline-gone" if gone else "baseline-not-seen"
                yield absent(rule, Status.NOT_APPLICABLE, None, entry.members())

    def _about_margins(self, margins: KnownMargins) -> Fact:
        compared = self._noise is not None and not self._update
        unseen = [entry for entry in margins.entries if entry.key not in self._seen]
        taken = self._taken
        values: dict[str, object] = {
            "embedder": margins.embedder,
            "scorer": margins.scorer,
            "noise": self._noise,
            "entries": len(margins.entries),
            "not_seen": len(unseen) if compared else None,
            "added": taken.added if taken is not None else None,
            "changed": taken.changed if taken is not None else None,
            "removed": taken.removed if taken is not None else None,
        }
        return absent("baseline-margins", Status.NOT_APPLICABLE, None, values)


def _found(looked: Looks) -> set[Entry]:
    """The findings that the file keeps as such: of a gate that compares it keeps the margin."""
    return {
        entry_of(finding) for gate, seen in looked if not gate.compares for finding in seen.findings
    }


def _certain(entry: Entry, looked: Looks, unreadable: bool) -> bool:
    """Whether a finding that was not made is gone: all that its gate looks at was measured."""
    return not unreadable and any(
        gate.id == entry.gate and seen.measured and not seen.not_measured_in
        for gate, seen in looked
    )


def _scored_by(facts: Facts) -> KnownMargins | None:
    """Who made the margins of now that are compared, without entries; None when nobody did."""
    for fact in facts.of("embedder"):
        if fact.get("fingerprint") is not None:
            scorer = fact.text("alone" if fact.get("alone") is not None else "scorer")
            return KnownMargins(fact.text("fingerprint"), scorer)
    return None


def _alone(choice: Fact) -> Fact:
    """The choice with the margin that no other recording has a say in."""
    found = choice.get("alone")
    if not isinstance(found, dict):
        return choice
    # The threshold is of the margin that goes.
    rest = {name: value for name, value in choice.values.items() if name not in _OF_OTHERS}
    return _with(replace(choice, values=MappingProxyType(rest)), found)


def _with(fact: Fact, values: dict[str, object]) -> Fact:
    added = {name: Sourced(value) for name, value in values.items() if value is not None}
    return replace(fact, values=MappingProxyType({**fact.values, **added}))
