"""Layout and safety of the text and Markdown renderers."""

from __future__ import annotations

import io
import json
import math

import pytest
from rich.cells import cell_len

from agentprint_cli.model import Pointer
from agentprint_cli.model.outline import Block, Line, Outline, Section, Table
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.renderers.as_json import dumps
from agentprint_cli.renderers.as_md import code, escape

WIDE = "日本語のとても長い文章で、折り返しが必要になるもの。" * 4


def _render(outline: Outline, format: str, style: Style | None = None) -> str:
    stream = io.StringIO()
    RENDERERS[format].write(Output(dict, lambda: outline), stream, style or Style())
    return stream.getvalue()


def _line(text: str, **options: object) -> Outline:
    return Outline("t", (Section("s", (Line(text, **options),)),))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [10, 24, 40, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    places = (Pointer("/payload/a/very/long/path/inside", event=123_456),)
    outline = _line(f"{WIDE} and words " * 3, pointers=places, label="warn", tone="warn", indent=1)
    lines = _render(outline, "text", Style(width=width)).splitlines()
    assert max(cell_len(line) for line in lines) <= max(width, 24)
    assert "".join("".join(lines).split()).count("日本語") == 12


def test_piped_text_is_not_wrapped() -> None:
    text = "word " * 500
    assert text.strip() in _render(_line(text.strip()), "text")


def test_table_that_does_not_fit_is_stacked() -> None:
    table = Table(("run", "question"), (("r-1", "q" * 60),), ((Pointer("/x", event=1),),))
    outline = Outline("t", (Section("s", (table,)),))
    wide, narrow = (_render(outline, "text", Style(width=w)) for w in (120, 40))
    assert "run  question" in wide
    assert "run: r-1" in narrow
    assert "[1 /x]" in wide
    assert "[1 /x]" in narrow


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[click](http://evil.example)",
        "![x](http://evil.example/p.png)",
        "@everyone look",
        "fixes #12",
        "| a | b |",
        "`code` ``more``",
        "# head",
        "1. item",
        "- item",
        "see https://evil.example and www.evil.example",
        "a_b_c __init__ *bold* ~~gone~~ $x$",
        "&lt;b&gt; :smile:",
    ],
)
def test_recorded_text_is_no_markdown(text: str) -> None:
    import markdown_it

    html = markdown_it.MarkdownIt("gfm-like").render(f"- {escape(text)}")
    for tag in ("<script", "<a ", "<img", "<h1", "<ol", "<em", "<strong", "<code", "<s>", "<table"):
        assert tag not in html
    assert html.count("<li>") == 1


def test_code_spans_hold_any_text() -> None:
    import markdown_it

    for text in ("`", "a``b", " x ", "``` y", "\x1b[2J"):
        assert "<code>" in markdown_it.MarkdownIt("commonmark").render(code(text))


def test_block_of_several_lines_cannot_be_closed_by_its_text() -> None:
    block = Block("a\n```\n# head\n````\nb")
    shown = _render(Outline("t", (Section("s", (block,)),)), "md")
    assert "  `````text\n" in shown


@pytest.mark.parametrize(
    "value",
    [
        {"a": "\ud83d cut"},
        {"a": 10**30},
        {"a": "\x9b31m \u202e \x7f \U000e0041"},
        {"a": [None, True, 1.5, "x"]},
    ],
)
def test_json_says_the_same_and_is_safe(value: object) -> None:
    text = dumps(value)
    assert json.loads(text) == value
    text.encode("utf-8")
    assert not [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]


def test_json_writes_what_it_cannot_hold_as_words() -> None:
    assert json.loads(dumps({"a": math.nan, "b": [math.inf], "c": None})) == {
        "a": "nan",
        "b": ["inf"],
        "c": None,
    }
