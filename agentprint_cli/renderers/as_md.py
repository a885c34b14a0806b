"""Markdown for a pull request or an incident channel.

What a log says is set so that no Markdown reader takes it for markup: texts of several lines in
fenced blocks, everything else with its special characters escaped, and nothing that a forge would
turn into a mention, a reference or a link.
"""

from __future__ import annotations

import re
from typing import TextIO

from ..base.safe_text import visible
from ..model import Pointer
from ..model.outline import Block, Line, Section, Table
from .interface import Output, Renderer, Style

# What GitHub-flavoured Markdown gives a meaning to, where it does: an underscore only at the
# edge of a word, a number or a dash only at the start of a line.
_SPECIAL = re.compile(
    r"[\\`*\[\]#|~$>]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^\d+[.)]|^[-+=]|:(?=[\w+-]+:)", re.ASCII
)
_BREAK = "<!-- -->"
_TONES = {"bad": "🔴", "warn": "🟡", "good": "🟢"}


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the outline as Markdown."""
    outline = output.outline()
    out = [f"### {escape(outline.title)}", ""]
    if outline.summary is not None:
        out += [f"{_mark(outline.summary)}**{escape(outline.summary.text)}**", ""]
    for section in outline.sections:
        out += _section(section)
    stream.write("\n".join(out).rstrip("\n") + "\n")


def escape(text: str) -> str:
    """``text`` on one line, as plain characters to any Markdown reader."""
    shown = visible(text).replace("&", "&amp;").replace("<", "&lt;")
    shown = _SPECIAL.sub(_escape, shown)
    # Forges look for these in the rendered text, so an escape alone does not stop them.
    shown = shown.replace("@", "@" + _BREAK).replace("\\#", "\\#" + _BREAK)
    shown = shown.replace("://", f":{_BREAK}/{_BREAK}/{_BREAK}")
    return re.sub(r"(?i)\bwww\.", lambda m: m.group()[:3] + _BREAK + ".", shown)


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    # A backslash does nothing before a digit: the mark behind the number is what counts.
    return f"{found[:-1]}\\{found[-1]}"


def code(text: str) -> str:
    """``text`` on one line as a code span, whatever backticks it holds."""
    shown = visible(text)
    fence = "`" * (max((len(run) for run in re.findall(r"`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{space}{shown}{space}{fence}"


def _fenced(shown: str, indent: str) -> list[str]:
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return [indent + line for line in (fence + "text", *shown.split("\n"), fence)]


def _pointers(pointers: tuple[Pointer, ...]) -> str:
    return " ".join(code(_pointer(pointer)) for pointer in pointers)


def _pointer(pointer: Pointer) -> str:
    place = str(pointer.event) if pointer.event is not None else ""
    inside = f"{place} {pointer.path}".strip() or "/"
    file = f"{pointer.file}:" if pointer.file is not None else ""
    return f"[{file}{inside}]"


def _mark(line: Line) -> str:
    mark = _TONES.get(line.tone or "")
    return f"{mark} " if mark else ""


def _section(section: Section) -> list[str]:
    out = [f"#### {escape(section.title)}", ""] if section.title else []
    for block in section.blocks:
        if isinstance(block, Table):
            out += ["", *_table(block), ""]
            continue
        indent = "  " * block.indent
        end = f" {_pointers(block.pointers)}" if block.pointers else ""
        if isinstance(block, Block):
            text = block.text.removesuffix("\n")
            out += [f"{indent}-{end}", "", *_fenced(text, indent + "  "), ""]
            continue
        label = f"**{escape(block.label)}** " if block.label else ""
        out.append(f"{indent}- {_mark(block)}{label}{escape(block.text)}{end}")
    return [*out, ""]


def _table(table: Table) -> list[str]:
    pointed = any(table.pointers)
    columns = [escape(column) for column in table.columns] + ([" "] if pointed else [])
    rules = ["---:" if i in table.numeric else "---" for i in range(len(table.columns))]
    rows = [
        [escape(cell) for cell in row]
        + ([_pointers(table.pointers[i]).replace("|", "\\|")] if pointed else [])
        for i, row in enumerate(table.rows)
    ]
    lines = [columns, rules + (["---"] if pointed else []), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


RENDERER = Renderer("md", write)
