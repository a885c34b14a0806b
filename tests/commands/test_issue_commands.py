"""``agentprint ids``, ``results`` and ``code`` as they are typed."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest

from agentprint_cli.commands import run
from agentprint_cli.model.outline import Outline
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.code.document import outline as code_outline
from agentprint_cli.reports.code.pipeline import code as code_report
from agentprint_cli.reports.ids.document import outline as ids_outline
from agentprint_cli.reports.ids.pipeline import ids as ids_report
from agentprint_cli.reports.results.outline import outline as results_outline
from agentprint_cli.reports.results.pipeline import results as results_report
from agentprint_cli.reports.shared import bars
from tests.analyzers.log_builder import Log

HOSTILE = "\x1b[31m[red]x[/red]\u202e</details>`|\n# h"


def _hostile(folder: Path) -> str:
    """A log whose every recorded name and text is hostile."""
    log = Log(HOSTILE, HOSTILE).begin(HOSTILE)
    log.model(1)
    log.start(HOSTILE, HOSTILE, {"code": HOSTILE, HOSTILE: HOSTILE})
    log.session("started", key=HOSTILE, scope=HOSTILE, tool=HOSTILE)
    log.code(HOSTILE, False, HOSTILE, terminatedBy=HOSTILE, language=HOSTILE)
    marker = {"truncated": True, "reason": HOSTILE, "head": HOSTILE}
    log.add("stream.tool_end", {"toolCallId": HOSTILE, "result": marker})
    log.standing(HOSTILE, HOSTILE)
    log.standing("0", HOSTILE)
    log.call("c2", HOSTILE, {"_findings": {"previous": [{"toolCallId": "x", "standing": HOSTILE}]}})
    log.model(2, (HOSTILE, HOSTILE), ("c2", HOSTILE))
    log.answer(HOSTILE)
    log.session("close_failed", key=HOSTILE, scope=HOSTILE, tool=HOSTILE, error=HOSTILE)
    return log.save(folder)


def _outlines(path: str) -> list[Outline]:
    return [
        *(ids_outline(r, full=True) for r in ids_report(path, each=True, end_state=True)),
        *(results_outline(r, full=True) for r in results_report(path, caps=[5])),
        code_outline(code_report([path], show_code=True), full=True),
    ]


def _shown(outline: Outline) -> Output:
    return Output(dict, lambda: outline)


@pytest.mark.parametrize("style", [Style(), Style(width=24), Style(color=True, width=60)])
def test_hostile_text_is_printed_through_the_renderers(tmp_path: Path, style: Style) -> None:
    for outline in _outlines(_hostile(tmp_path)):
        for name in ("text", "md"):
            out = StringIO()
            RENDERERS[name].write(_shown(outline), out, style)
            written = out.getvalue()
            assert "\x1b[31m" not in written
            assert "\u202e" not in written
            assert "\n# h" not in written


@pytest.mark.parametrize("command", ["ids", "results", "code"])
def test_one_json_document_and_the_same_bytes_each_time(
    command: str, recordings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(recordings / "code-runs.jsonl")
    written = []
    for _ in range(2):
        assert run([command, log, "--format", "json"]) == 0
        written.append(capsys.readouterr().out)
    assert written[0] == written[1]
    document = json.loads(written[0])
    assert document["schema"] == f"agentprint/{command}@1"


@pytest.mark.parametrize("format", ["text", "md", "json"])
@pytest.mark.parametrize("command", [["ids", "--each"], ["results", "--what-if-cap", "10,20"]])
def test_all_runs(
    command: list[str], format: str, recordings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(recordings / "earlier-empty-in-view.jsonl")
    assert run([command[0], log, *command[1:], "--all", "--format", format]) == 0
    out = capsys.readouterr().out
    if format == "json":
        assert [r["run"]["id"] for r in json.loads(out)["reports"]] == [
            "run-1796079185196-1",
            "run-1796079185273-2",
        ]
    else:
        assert "run-1796079185196-1" in out
        assert "run-1796079185273-2" in out


@pytest.mark.parametrize("command", ["ids", "results", "code"])
def test_a_run_that_owns_nothing_is_a_usage_error(
    command: str, recordings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(recordings / "code-runs.jsonl")
    assert run([command, log, "--run", "nobody"]) == 2
    assert "'nobody'" in capsys.readouterr().err
    assert run([command, log, "--run", "x", "--all"]) == 2
    assert run([command, log, "--format", "yaml"]) == 2


@pytest.mark.parametrize("cap", ["0", "-1", "1.5", "ten", "100,,200", "", "1e3", "²"])
def test_a_bad_cap_names_the_value_and_teaches_the_fix(
    cap: str, recordings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(recordings / "capped-result.jsonl")
    assert run(["results", log, f"--what-if-cap={cap}"]) == 2
    complaint = capsys.readouterr().err
    assert "positive whole number" in complaint
    if "," not in cap:
        assert repr(cap) in complaint


def test_results_as_text(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["results", str(recordings / "capped-result.jsonl")]) == 0
    out = capsys.readouterr().out
    assert "370 of 241,781 characters shown (0.2 %, cap 600)" in out
    assert (
        "  · 2 (answer)         728  ████████████████████▓▓▒░  [23 /payload/sourceBreakdown]" in out
    )


def test_ids_as_text_tells_standings_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = Log().begin()
    log.model(1)
    log.call("c1")
    log.standing("0", "noise")
    log.call("c2", args={"_findings": {"previous": [{"toolCallId": "c1", "standing": "fact"}]}})
    log.model(2, ("c1", "one"), ("c2", "two"))
    log.answer()
    assert run(["ids", log.save(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "it could name, newest first: c2, c1" in out
    assert "a standing on an id that was never served: 0 (noise)  [7 /payload/standing]" in out
    assert "with c2 (find) it wrote c1: fact; no such standing was filed" in out


def test_code_takes_the_recordings_of_the_working_directory(
    tmp_path: Path,
    recordings: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["code"]) == 2
    assert "no folder recordings/" in capsys.readouterr().err
    (tmp_path / "recordings").mkdir()
    assert run(["code"]) == 2
    assert "no recording in it" in capsys.readouterr().err
    shutil.copy(recordings / "code-runs.jsonl", tmp_path / "recordings" / "b.jsonl")
    (tmp_path / "recordings" / "a.json").write_text('{"name": "no recording"}')
    assert run(["code", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [read["path"] for read in document["recordings"]] == ["recordings/b.jsonl"]
    assert [entry["recording"] for entry in document["not_read"]] == ["recordings/a.json"]
    assert len(document["runs"]) == 4
    assert run(["code", "recordings/a.json"]) == 3


def test_code_is_printed_on_request_only(
    recordings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(recordings / "code-runs.jsonl")
    for options, shown in (([], False), (["--show-code"], True)):
        for format in ("text", "md", "json"):
            assert run(["code", log, *options, "--format", format]) == 0
            assert ("throw new Error" in capsys.readouterr().out) is shown


@pytest.mark.parametrize(
    ("parts", "scale", "drawn"),
    [
        ([("█", 10), ("▓", 10)], 20, "████▓▓▓▓"),
        ([("█", 10), ("▓", 10)], 40, "██▓▓"),
        ([("█", 1), ("▓", 0)], 1000, "█"),
        ([("█", 1), ("▓", 1), ("▒", 1)], 3, "███▓▓▓▒▒"),
        ([], 10, ""),
        ([("█", 0)], 0, ""),
    ],
)
def test_bars(parts: list[tuple[str, int]], scale: int, drawn: str) -> None:
    assert bars.stacked(parts, scale, width=8) == drawn


def test_small_parts_share_one_fill() -> None:
    fills = bars.fills({f"part {n}": n for n in range(12)})
    assert fills["part 11"] == "█"
    assert list(fills.values()).count(bars.REST) == 12 - len(bars.FILLS)
