"""What a report looks like to a person, before it is text, Markdown or anything else.

A document module turns facts into an outline; a renderer turns any outline into a stream. Texts
in an outline are raw: they may hold whatever a log held, and a renderer makes them safe.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import Pointer


@dataclass(frozen=True, slots=True)
class Line:
    """One statement with the places that it rests on."""

    text: str
    pointers: tuple[Pointer, ...] = ()
    tone: str | None = None
    """``bad``, ``warn``, ``good``, ``muted`` or None."""
    indent: int = 0
    label: str | None = None
    """A short word set before the text, such as a signal's tone."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads; each row may point to where it was read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    pointers: tuple[tuple[Pointer, ...], ...] = ()
    numeric: frozenset[int] = frozenset()
    """Columns that are set flush right."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under its own head (none: an empty title)."""

    title: str
    blocks: tuple[Line | Table, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The whole report."""

    title: str
    sections: tuple[Section, ...]
    summary: Line | None = None
    """The one line at the end that sums up."""
