"""What a report looks like to a person, before it is text, Markdown or anything else.

A report turns facts into an outline; a renderer turns any outline into a stream. What a log says
is hostile, so a text is made safe when it enters: a `Line`, a title and a cell of a `Table` are one
line by their type, whatever line feeds the recorded words in them hold. Only a `Block` has several
lines, and a renderer sets each of them apart from the lines of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..base.safe_text import visible, visible_lines
from . import Pointer


@dataclass(frozen=True, slots=True)
class Line:
    """One statement with the places that it rests on. It begins with a word of ours, never with
    recorded text, so that no recorded text can look like a line of a report."""

    text: str
    pointers: tuple[Pointer, ...] = ()
    tone: str | None = None
    """``bad``, ``warn``, ``good``, ``muted`` or None."""
    indent: int = 0
    label: str | None = None
    """A short word set before the text, such as a signal's tone."""

    def __post_init__(self) -> None:
        _make_safe(self, "text", visible)
        _make_safe(self, "label", visible)


@dataclass(frozen=True, slots=True)
class Block:
    """A recorded text with its own lines, such as a question, an answer or a program."""

    text: str
    pointers: tuple[Pointer, ...] = ()
    indent: int = 0

    def __post_init__(self) -> None:
        _make_safe(self, "text", visible_lines)


def _make_safe(part: object, name: str, safe: Callable[[str], str]) -> None:
    text = getattr(part, name)
    if text is not None:
        object.__setattr__(part, name, safe(text))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads; each row may point to where it was read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    pointers: tuple[tuple[Pointer, ...], ...] = ()
    numeric: frozenset[int] = frozenset()
    """Columns that are set flush right."""

    def __post_init__(self) -> None:
        rows = tuple(tuple(visible(cell) for cell in row) for row in self.rows)
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under its own head (none: an empty title)."""

    title: str
    blocks: tuple[Line | Block | Table, ...]

    def __post_init__(self) -> None:
        _make_safe(self, "title", visible)


@dataclass(frozen=True, slots=True)
class Outline:
    """The whole report."""

    title: str
    sections: tuple[Section, ...]
    summary: Line | None = None
    """The one line at the end that sums up."""

    def __post_init__(self) -> None:
        _make_safe(self, "title", visible)
