"""The margins that a baseline knows, and how those of now are gathered and matched with them.

A choice is known by what was asked and chosen: the request, which model call of its turn it was,
and the chosen tools. Choices that share these, and were offered the same tools, are one entry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ...model import Fact

DIGITS = 4
"""How many digits of a margin are kept and compared. More would change from one processor to the
next, and the file with them."""

Place: TypeAlias = tuple[str, int]
"""The request's digest, and how many model calls of the turn came before."""


@dataclass(frozen=True, slots=True)
class KnownMargin:
    """The choices of the same tools, at the same place of the same request, from the same menu."""

    request: str
    """`digest` of the turn's prompt."""
    position: int
    chosen: tuple[str, ...]
    """Sorted: which of several calls comes first says nothing."""
    menu: tuple[str, ...]
    """The names that were offered, sorted."""
    lowest: float
    highest: float
    rivals: tuple[str, ...]
    """The closest tools that were not chosen; that of the lowest margin first, others sorted."""
    choices: int = 1
    """How many choices it stands for."""

    @property
    def place(self) -> Place:
        """Which model call of which request."""
        return self.request, self.position

    @property
    def key(self) -> tuple[str, int, tuple[str, ...], tuple[str, ...]]:
        """What no other entry has."""
        return self.request, self.position, self.chosen, self.menu

    @property
    def spread(self) -> float:
        """How far the margins that it stands for lie apart."""
        return round(self.highest - self.lowest, DIGITS)


@dataclass(frozen=True, slots=True)
class KnownMargins:
    """All margins that a baseline knows; only one embedder and one scorer made them."""

    embedder: str
    """The embedder's fingerprint."""
    scorer: str
    entries: tuple[KnownMargin, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """Margins after an update, and what it did."""

    margins: KnownMargins
    added: int
    changed: int
    removed: int


def place_of(choice: Fact) -> Place | None:
    """The place of a choice; None when the record does not hold what was asked."""
    request, position = choice.get("request"), choice.get("turn_position")
    if isinstance(request, str) and isinstance(position, int):
        return request, position
    return None


def names(value: object) -> tuple[str, ...]:
    """The names of a list, sorted, each once."""
    return tuple(sorted({str(name) for name in value} if isinstance(value, list) else ()))


def rounded(margin: float) -> float:
    """A margin as the file holds it; never a negative zero."""
    return round(margin, DIGITS) + 0.0


def gather(choices: Iterable[Fact]) -> tuple[KnownMargin, ...]:
    """The entries of these choices, sorted. A choice without a margin, since all tools were
    chosen, and one without a recorded request have none."""
    seen: dict[tuple[Place, tuple[str, ...], tuple[str, ...]], list[tuple[float, str]]] = {}
    for choice in choices:
        place, margin = place_of(choice), choice.get("margin")
        if place is not None and isinstance(margin, int | float):
            key = place, names(choice.get("chosen")), names(choice.get("offered"))
            seen.setdefault(key, []).append((rounded(margin), choice.text("rival")))
    return tuple(
        _entry(place, chosen, menu, margins)
        for (place, chosen, menu), margins in sorted(seen.items())
    )


def _entry(
    place: Place, chosen: tuple[str, ...], menu: tuple[str, ...], seen: list[tuple[float, str]]
) -> KnownMargin:
    lowest, closest = min(seen)
    others = sorted({rival for _, rival in seen} - {closest})
    highest = max(margin for margin, _ in seen)
    return KnownMargin(*place, chosen, menu, lowest, highest, (closest, *others), len(seen))


def take(
    before: KnownMargins | None, now: KnownMargins, kept: Collection[KnownMargin] = ()
) -> Taken:
    """``before`` brought up to date with ``now``: what was seen replaces what was known, and what
    was not seen goes, but for ``kept``. Margins of another embedder or scorer all go: no figure
    of theirs can be compared with a new one."""
    same = before is not None and (before.embedder, before.scorer) == (now.embedder, now.scorer)
    known = {entry.key: entry for entry in before.entries} if before is not None else {}
    seen = {entry.key: entry for entry in now.entries}
    stay = {entry.key: entry for entry in kept if entry.key not in seen} if same else {}
    entries = tuple(sorted({**seen, **stay}.values(), key=lambda entry: entry.key))
    return Taken(
        KnownMargins(now.embedder, now.scorer, entries),
        added=len(seen.keys() - known.keys()),
        changed=sum(known[key] != seen[key] for key in known.keys() & seen.keys()),
        removed=len(known.keys() - seen.keys() - stay.keys()),
    )


class Lookup:
    """The entries by place."""

    def __init__(self, entries: Iterable[KnownMargin]) -> None:
        self._at: dict[Place, list[KnownMargin]] = {}
        for entry in entries:
            self._at.setdefault(entry.place, []).append(entry)

    def at(self, place: Place) -> tuple[KnownMargin, ...]:
        """All entries of a place, whatever was chosen there."""
        return tuple(self._at.get(place, ()))


def closest_menu(entries: Iterable[KnownMargin], menu: Collection[str]) -> KnownMargin:
    """The entry whose menu differs least from ``menu``: that of the same menu, if there is one."""
    return min(entries, key=lambda entry: (len(set(entry.menu) ^ set(menu)), entry.menu))


def lead(scores: object, rival: str, others: Collection[str]) -> float | None:
    """By how much ``rival`` scored above the best of ``others``; None when none of them was
    scored."""
    found = _scores(scores)
    best = max((found[name] for name in others if name in found), default=None)
    return None if best is None or rival not in found else found[rival] - best


def _scores(value: object) -> Mapping[str, float]:
    rows = value if isinstance(value, list) else []
    return {row["tool"]: row["score"] for row in rows if isinstance(row, dict)}
