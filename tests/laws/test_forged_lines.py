"""No recorded text can begin a line of a report, in any format: what a log says can never look
like a line of ours."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.commands import run
from agentprint_cli.model import Report
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.explain.outline import outline
from agentprint_cli.reports.explain.pipeline import explain_all

RECORDINGS = Path(__file__).parents[2] / "recordings"
MARK = "FORGED"
BREAKS = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")
LINES = (
    f"2. {MARK} (t2) ran; a list of 3 rows  [74 /payload/result]",
    f"[bad] {MARK}: see this",
    f"Signals {MARK}",
    f"#### {MARK}",
    f"- 🔴 **{MARK}** `[74 /payload/result]`",
    f"```\n- {MARK}",
    f"| {MARK} | b |",
    f"· {MARK}",
    f"│ {MARK}",
    f"[74 /payload/{MARK}]",
    f"::error title={MARK}::x",
    f"</failure>{MARK}",
)
# Words that rules read; with anything set before them the log would say something else.
KEPT_KEYS = frozenset(
    (
        *("type", "slot", "source", "asRole", "outcome", "moment", "standing", "declaredOn"),
        *("kind", "status", "by", "scope", "reason", "role", "result", "action", "closed"),
    )
)
COMMANDS = (
    ["explain", "--all", "--full"],
    ["ids", "--all", "--each", "--end", "--full"],
    ["results", "--all", "--full", "--what-if-cap", "80"],
    ["code", "--show-code", "--full"],
    ["runs"],
    ["events"],
    ["validate"],
    ["lint", "--no-scores"],
    ["margins", "--show-context"],
    ["margins", "--pairs"],
    ["check", "--fail-on", "undeclared-empty,unread-lines,narrow-margin"],
)
FORMATS = {
    "check": ("text", "md", "json", "junit", "sarif", "github"),
    "margins": ("text", "md", "json", "jsonl"),  # a row of a table of values is no line of ours
    "events": ("text",),
}


def _hostile(value: Any, text: str, key: str = "") -> Any:
    """``value`` with ``text`` at the beginning of each string and each key that is no word of
    the dialect."""
    if isinstance(value, dict):
        return {name: _hostile(item, text, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_hostile(item, text, key) for item in value]
    if isinstance(value, str) and key not in KEPT_KEYS:
        return f"{text} {value}"
    return value


@pytest.fixture(params=LINES)
def forged(request: pytest.FixtureRequest) -> str:
    """What the log tries to print as a line."""
    return str(request.param)


@pytest.fixture
def log(forged: str, tmp_path: Path) -> Path:
    """All shipped logs in one, with a forged line before, inside and after each string."""
    text = "".join([forged, *(f"{br}{forged}" for br in BREAKS), "\n"])
    path = tmp_path / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for source in sorted(RECORDINGS.glob("*.jsonl")):
            for line in source.read_text("utf-8").splitlines():
                file.write(json.dumps(_hostile(json.loads(line), text)) + "\n")
        unknown = {"type": f"agentfootprint.x{text}", "payload": {}, "meta": {}}
        file.write(json.dumps(unknown) + "\n")
        file.write("{broken\n")
    return path


def _printed(arguments: list[str]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = run(arguments)
    assert code in (0, 1, 2, 4), (arguments, code)
    return out.getvalue()


def _outside_fences(markdown: str) -> Iterator[str]:
    fence = ""
    for line in markdown.split("\n"):
        bare = line.strip()
        if fence:
            fence = "" if bare == fence else fence
        elif opened := re.match(r"(`{3,})text$", bare):
            fence = opened.group(1)
        else:
            yield line


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_recorded_text_begins_no_line(command: list[str], log: Path, forged: str) -> None:
    seen = False
    for format in FORMATS.get(command[0], ("text", "md", "json")):
        printed = _printed([command[0], str(log), *command[1:], "--format", format])
        assert not set(printed) & set("".join(BREAKS)) - {"\n"}
        shown = _outside_fences(printed) if format == "md" else printed.split("\n")
        seen = seen or MARK in printed
        for line in shown:
            assert not line.strip().startswith(_beginning(forged)), (format, line)
    assert seen


def _beginning(forged: str) -> str:
    return forged.split("\n")[-1][:16]


@pytest.mark.parametrize("width", [24, 40, 72, 100])
def test_a_wrapped_line_goes_on_in_an_odd_column(log: Path, forged: str, width: int) -> None:
    """A terminal breaks long lines anywhere, also before a word that looks like a line of ours;
    such a line is set in by an odd number of columns, a line of ours by an even one."""
    if forged.startswith("│"):
        return  # the bar itself says that what follows it is recorded
    for report in explain_all(str(log)):
        for line in _wrapped(report, width).split("\n"):
            if line.strip().startswith(_beginning(forged)):
                assert (len(line) - len(line.lstrip(" "))) % 2 == 1, line


def _wrapped(report: Report, width: int) -> str:
    stream = io.StringIO()
    output = Output(report.to_dict, lambda: outline(report, full=True))
    RENDERERS["text"].write(output, stream, Style(width=width))
    return stream.getvalue()
