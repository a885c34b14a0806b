"""Text for a person: wrapped and coloured in a terminal, plain and unwrapped in a pipe."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..base.safe_text import visible, visible_lines
from ..model import Pointer
from ..model.outline import Line, Outline, Section, Table
from .interface import Output, Renderer, Style

_TONES = {"bad": "bold red", "warn": "yellow", "good": "green", "muted": "dim"}
_POINTER = "dim cyan"
_TITLE = "bold"
_INDENT = "  "
_NARROWEST = 24


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the outline."""
    paper = _Paper(style)
    outline = output.outline()
    paper.line(Text(visible(outline.title), style=_TITLE))
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
        paper.line(Text(visible(section.title), style=_TITLE))
    for block in section.blocks:
        if isinstance(block, Table):
            _table(paper, block)
        else:
            _line(paper, block, 1 if section.title else 0)


def _line(paper: _Paper, line: Line, base: int) -> None:
    """The lines of the text, with the pointers at the end of the last one."""
    indent = _INDENT * (base + line.indent)
    label = f"[{line.label}] " if line.label else ""
    parts = visible_lines(line.text.rstrip("\n")).split("\n")
    tone = _TONES.get(line.tone or "", "")
    for number, part in enumerate(parts):
        text = Text()
        if number == 0 and label:
            text.append(label, style=tone)
        text.append(part, style=tone if not label else "")
        if number == len(parts) - 1 and line.pointers:
            text.append("  ")
            text.append(" ".join(pointer_text(p) for p in line.pointers), style=_POINTER)
        hang = indent + " " * (cell_len(label) or (2 if line.indent or base else 0))
        # Text of a log that goes on over several lines stands deeper than any line of ours.
        further = indent if line.indent == 0 else hang + _INDENT
        paper.line(text, first=indent if number == 0 else further, rest=hang)


def pointer_text(pointer: Pointer) -> str:
    """A pointer as it stands at the end of a line: ``[64 /payload/sourceId]``."""
    place = str(pointer.event) if pointer.event is not None else ""
    inside = f"{place} {pointer.path}".strip() if pointer.path else (place or "/")
    file = f"{pointer.file}:" if pointer.file is not None else ""
    return visible(f"[{file}{inside}]")


def _table(paper: _Paper, table: Table) -> None:
    """Columns as wide as their widest cell; in a terminal too narrow for that, one row a block
    of ``column: cell`` lines."""
    rows = [tuple(visible(cell) for cell in row) for row in table.rows]
    ends = [
        " ".join(pointer_text(p) for p in table.pointers[i]) if i < len(table.pointers) else ""
        for i in range(len(rows))
    ]
    widths = [
        max(cell_len(cell) for cell in column) for column in zip(table.columns, *rows, strict=True)
    ]
    total = sum(widths) + 2 * len(widths) + max((cell_len(end) for end in ends), default=0)
    if paper.width is not None and total + 2 > paper.width:
        _stacked(paper, table.columns, rows, ends)
        return
    head = Text(_INDENT).append("  ".join(_cells(table.columns, widths, table)).rstrip(), "bold")
    paper.line(head)
    for row, end in zip(rows, ends, strict=True):
        text = Text(_INDENT).append("  ".join(_cells(row, widths, table)))
        if end:
            text.append("  ").append(end, style=_POINTER)
        text.rstrip()
        paper.line(text)


def _cells(row: tuple[str, ...], widths: list[int], table: Table) -> Iterator[str]:
    for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - cell_len(cell))
        yield space + cell if number in table.numeric else cell + space


def _stacked(
    paper: _Paper, columns: tuple[str, ...], rows: list[tuple[str, ...]], ends: list[str]
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
