"""Which events of a recording a filter lets through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ...readings.scope import Scope
from ...view import View


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list; everything by default. All conditions hold together."""

    types: tuple[str, ...] = ()
    """Shell patterns for types, with or without the prefix; any of them."""
    run: str | None = None
    call: str | None = None
    text: str | None = None
    """A text that the event's recorded bytes hold, raw or as a JSON string holds it."""
    span: tuple[int, int | None] | None = None
    """First and last event number."""


def select_events(view: View, wanted: EventFilter) -> Iterator[int]:
    """The event numbers that the filter lets through, ascending."""
    numbers: Sequence[int] = range(len(view))
    if wanted.call is not None:
        numbers = view.of_call(wanted.call)
    scope = Scope(view, wanted.run) if wanted.run is not None else None
    needles = _needles(wanted.text)
    matches: dict[str, bool] = {}
    first, last = wanted.span or (0, None)
    for number in numbers:
        kind = view.type_of(number)
        if kind is None or number < first or (last is not None and number > last):
            continue
        if kind not in matches:
            matches[kind] = not wanted.types or any(
                fnmatchcase(kind, pattern) or fnmatchcase(kind.partition(".")[2], pattern)
                for pattern in wanted.types
            )
        if not matches[kind] or (scope is not None and not scope.owns(number)):
            continue
        if needles and not any(needle in view.raw(number) for needle in needles):
            continue
        yield number


def _needles(text: str | None) -> tuple[bytes, ...]:
    """The ways in which JSON writers put ``text``: as it is, with and without escapes."""
    if text is None:
        return ()
    forms = (json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return tuple(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in forms))
