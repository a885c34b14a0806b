"""Text for a person: wrapped and coloured in a terminal, plain and unwrapped in a pipe."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..base.safe_text import visible
from ..model import Pointer
from ..model.outline import Block, Line, Outline, Section, Table
from .interface import Output, Renderer, Style

_TONES = {"bad": "bold red", "warn": "yellow", "good": "green", "muted": "dim"}
_POINTER = "dim cyan"
_TITLE = "bold"
_INDENT = "  "
_NARROWEST = 24
_GUTTER = "│ "
"""Stands before each line of recorded text that keeps its lines."""
_ROW = "· "
"""Stands before each row of a table, whose first cell may be recorded text."""


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the outline."""
    paper = _Paper(style)
    outline = output.outline()
    paper.line(Text(outline.title, style=_TITLE))
    for section in outline.sections:
        _section(paper, section)
    if outline.summary is not None:
        paper.line(Text(""))
        _line(paper, outline.summary, 0)
    stream.write(paper.text())


class _Paper:
    """Collects lines; wraps them when there is a width, colours them when there is colour."""

    def __init__(self, style: Style) -> None:
        self._width = max(style.width, _NARROWEST) if style.width is not None else None
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=self._width or 10**9,
            force_terminal=style.color,
            color_system="standard" if style.color else None,
            no_color=not style.color,
            markup=False,
            highlight=False,
            emoji=False,
            legacy_windows=False,
        )

    @property
    def width(self) -> int | None:
        return self._width

    def line(self, text: Text, first: str = "", rest: str = "") -> None:
        """One line of the report, over several of the terminal where it is too long."""
        if self._width is None:
            self._put(Text(first) + text)
            return
        room = max(self._width - cell_len(rest or first), _NARROWEST // 2)
        for number, part in enumerate(text.wrap(self._console, room) or [Text("")]):
            part.rstrip()
            self._put(Text(first if number == 0 else rest) + part)

    def _put(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True, end="\n")

    def text(self) -> str:
        return self._out.getvalue()


def _section(paper: _Paper, section: Section) -> None:
    if section.title:
        paper.line(Text(""))
        paper.line(Text(section.title, style=_TITLE))
    for block in section.blocks:
        if isinstance(block, Table):
            _table(paper, block)
        elif isinstance(block, Block):
            _block(paper, block, 1 if section.title else 0)
        else:
            _line(paper, block, 1 if section.title else 0)


def _line(paper: _Paper, line: Line, base: int) -> None:
    """The text with the pointers at its end. Lines of ours begin in even columns; what goes on
    in a narrow terminal begins in an odd one, so that no recorded word looks like a new line."""
    indent = _INDENT * (base + line.indent)
    tone = _TONES.get(line.tone or "", "")
    text = Text()
    if line.label:
        text.append(f"[{line.label}] ", style=tone)
    text.append(line.text, style=tone if not line.label else "")
    if line.pointers:
        text.append("  ")
        text.append(_pointers(line.pointers), style=_POINTER)
    hang = cell_len(line.label) + 3 if line.label else 3
    paper.line(text, first=indent, rest=indent + " " * (hang | 1))


def _block(paper: _Paper, block: Block, base: int) -> None:
    """Each line of the recorded text behind a bar, and the pointers on a line of their own."""
    indent = _INDENT * (base + block.indent)
    for line in block.text.removesuffix("\n").split("\n"):
        paper.line(Text(line), first=indent + _GUTTER, rest=indent + _GUTTER)
    if block.pointers:
        paper.line(Text(_pointers(block.pointers), style=_POINTER), first=indent, rest=indent)


def _pointers(pointers: tuple[Pointer, ...]) -> str:
    return " ".join(pointer_text(pointer) for pointer in pointers)


def pointer_text(pointer: Pointer) -> str:
    """A pointer as it stands at the end of a line: ``[64 /payload/sourceId]``."""
    place = str(pointer.event) if pointer.event is not None else ""
    inside = f"{place} {pointer.path}".strip() if pointer.path else (place or "/")
    file = f"{pointer.file}:" if pointer.file is not None else ""
    return visible(f"[{file}{inside}]")


def _table(paper: _Paper, table: Table) -> None:
    """Columns as wide as their widest cell; in a terminal too narrow for that, one row a block
    of ``column: cell`` lines."""
    rows = table.rows
    ends = [
        _pointers(table.pointers[i]) if i < len(table.pointers) else "" for i in range(len(rows))
    ]
    widths = [
        max(cell_len(cell) for cell in column) for column in zip(table.columns, *rows, strict=True)
    ]
    total = sum(widths) + 2 * len(widths) + max((cell_len(end) for end in ends), default=0)
    if paper.width is not None and total + len(_INDENT + _ROW) > paper.width:
        _stacked(paper, table.columns, rows, ends)
        return
    indent = _INDENT + " " * len(_ROW)
    head = Text(indent).append("  ".join(_cells(table.columns, widths, table)).rstrip(), "bold")
    paper.line(head)
    for row, end in zip(rows, ends, strict=True):
        text = Text(_INDENT + _ROW).append("  ".join(_cells(row, widths, table)))
        if end:
            text.append("  ").append(end, style=_POINTER)
        text.rstrip()
        paper.line(text)


def _cells(row: tuple[str, ...], widths: list[int], table: Table) -> Iterator[str]:
    for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - cell_len(cell))
        yield space + cell if number in table.numeric else cell + space


def _stacked(
    paper: _Paper, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...], ends: list[str]
) -> None:
    for row, end in zip(rows, ends, strict=True):
        first = _INDENT
        for name, cell in zip(columns, row, strict=True):
            if cell:
                text = Text(f"{name}: " if name else "", style="bold")
                paper.line(text.append(cell, style="not bold"), first=first, rest=_INDENT * 3)
                first = _INDENT * 2
        if end:
            paper.line(Text(end, style=_POINTER), first=_INDENT * 2, rest=_INDENT * 3)


RENDERER = Renderer("text", write)

__all__ = ["RENDERER", "Outline", "pointer_text", "write"]
