"""The JSON that the commands print is as the printed schemas say."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.commands import run
from agentprint_cli.reports.runs.pipeline import runs as list_runs
from agentprint_cli.schemas import Checker, find

from .samples import FOREIGN_TO_THE_PROJECT, SHIPPED, event, lines, needs_shared, token

Print = Callable[..., Any]


@cache
def checker(schema: str) -> Checker:
    return Checker.of(find(schema))


def check(document: Any) -> None:
    """``document`` is as the schema that it names says."""
    assert list(checker(document["schema"]).check(document)) == []


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Print:
    """Runs a command and reads the JSON that it prints."""

    def print_it(*arguments: str, code: int = 0) -> Any:
        assert run([*arguments, "--format", "json"]) == code
        return json.loads(capsys.readouterr().out)

    return print_it


def run_ids(path: Path) -> list[str]:
    return [fact.text("id") for fact in list_runs(str(path)).of("run-listed")]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_explain_of_every_run(path: Path, printed: Print) -> None:
    check(printed("explain", str(path)))
    for run_id in run_ids(path):
        check(printed("explain", str(path), "--run", run_id))
    check(printed("explain", str(path), "--all"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_runs_and_validate(path: Path, printed: Print) -> None:
    check(printed("runs", str(path)))
    check(printed("validate", str(path)))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_ids_results_and_code(path: Path, printed: Print) -> None:
    check(printed("ids", str(path), "--each", "--end"))
    check(printed("ids", str(path), "--all"))
    check(printed("results", str(path), "--what-if-cap", "50,300"))
    check(printed("results", str(path), "--all"))
    check(printed("code", str(path), "--show-code"))


def test_margins(printed: Print) -> None:
    shipped = [str(path) for path in SHIPPED]
    check(printed("margins", *shipped, "--no-scores"))
    plugin = ("--embedder", "tests.margins.counting:make", "--no-cache")
    check(printed("margins", *shipped, *plugin, "--show-context", "--pairs"))


def test_calibrate(printed: Print) -> None:
    plugin = ("--embedder", "tests.margins.counting:make", "--no-cache")
    check(printed("calibrate", *[str(path) for path in SHIPPED], *plugin))


@needs_shared
@pytest.mark.parametrize("path", FOREIGN_TO_THE_PROJECT, ids=lambda path: path.name)
def test_logs_of_the_frameworks_examples(path: Path, printed: Print) -> None:
    check(printed("explain", str(path), "--all"))
    check(printed("runs", str(path)))
    check(printed("ids", str(path), "--all", "--each", "--end"))
    check(printed("results", str(path), "--all", "--what-if-cap", "50,300"))
    check(printed("code", str(path)))


def test_explain_with_declarations(tmp_path: Path, printed: Print) -> None:
    declared = tmp_path / "declared.toml"
    declared.write_text('app_decides = "the desk"\n[tools.list_shelves]\nrows_at = "shelves"\n')
    for path in SHIPPED:
        check(printed("explain", str(path), "--declare", str(declared)))


def test_explain_of_a_run_that_owns_nothing(printed: Print) -> None:
    document = printed("explain", str(SHIPPED[0]), "--run", "nobody", code=2)
    check(document)
    assert "question" not in document


HOSTILE = lines(
    token("\ud83d\x1b[31m"),
    event("future.thing", x=1),
    event("stream.tool_start", toolName=5, toolCallId="c", args=[]),
    event("stream.tool_end", toolCallId="c", result=None, durationMs=-1),
    event("agent.turn_end", finalContent={"not": "text"}),
    {"type": "agentfootprint.stream.llm_start", "payload": {"iteration": "one"}},
)


@pytest.mark.parametrize(
    "data",
    [
        HOSTILE,
        HOSTILE + b'{"broken\n' + HOSTILE[:-5],
        json.dumps({"events": [token(), 5], "snapshot": [], "meta": 1}).encode(),
        json.dumps({"events": [token()], "snapshot": {"sharedState": {}}}).encode()[:-9],
    ],
)
def test_documents_about_logs_that_deviate(tmp_path: Path, data: bytes, printed: Print) -> None:
    log = tmp_path / "log"
    log.write_bytes(data)
    check(printed("validate", str(log), code=1))
    check(printed("validate", str(log), "--max", "1", code=1))
    check(printed("runs", str(log)))
    check(printed("explain", str(log)))
    check(printed("ids", str(log), "--each", "--end"))
    check(printed("results", str(log), "--what-if-cap", "5"))
    check(printed("code", str(log)))


def at(document: Any, path: str) -> tuple[Any, Any]:
    """The container and the key that a path of names and numbers leads to."""
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        document = document[part]
    return document, last


EMPTY = next(path for path in SHIPPED if path.name == "earlier-empty-in-view.jsonl")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "agentprint/explain@2"),
        ("tool.name", "other"),
        ("recording.sha256", "abc"),
        ("recording.unread", None),
        ("recording.fidelity.catalogue", "some"),
        ("run.scope", "all"),
        ("run.pointers", []),
        ("answer.status", "found"),
        ("answer.pointers", []),
        ("answering.iteration", "2"),
        ("answering.pointers", []),
        ("witnesses.0.event", -1),
        ("witnesses.0.pointers", []),
        ("in_view.0.emptiness", "empty"),
        ("in_view.0.distance", 0),
        ("calls.0.outcome", "done"),
        ("calls.0.emptiness", None),
        ("calls.0.pointers.0.path", "payload"),
        ("calls.0.pointers.0.line", 0),
        ("calls.0.vouched_by", "nobody"),
        ("ids.served", ["t1", "t1"]),
        ("signals.0.tone", "error"),
        ("signals.0.text", ""),
        ("signals.0.pointers", []),
        ("not_measurable.0.reason", ""),
        ("checks.0.outcome", "pass"),
        ("counts.calls", 1.5),
    ],
)
def test_the_contract_of_explain_is_strict(path: str, value: object, printed: Print) -> None:
    document = printed("explain", str(EMPTY))
    check(document)
    container, key = at(document, path)
    assert key in container if isinstance(container, dict) else key < len(container)
    container[key] = value
    assert list(checker("explain").check(document)), path


@pytest.mark.parametrize(
    "path", ["question.text", "answer.status", "calls.0.emptiness", "signals.0.pointers"]
)
def test_members_inside_may_not_be_left_out(path: str, printed: Print) -> None:
    document = printed("explain", str(EMPTY))
    container, key = at(document, path)
    del container[key]
    assert list(checker("explain").check(document)), path


def test_no_member_of_the_contract_may_be_left_out(printed: Print) -> None:
    document = printed("explain", str(EMPTY))
    for name in document:
        if name not in ("routing",):
            less = {key: value for key, value in document.items() if key != name}
            assert list(checker("explain").check(less)), name


def test_members_may_be_added(printed: Print) -> None:
    document = copy.deepcopy(printed("explain", str(EMPTY)))
    document["new"] = document["calls"][0]["new"] = document["run"]["new"] = [None]
    check(document)


EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.jsonl"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_of_the_docs(path: Path, printed: Print) -> None:
    check(printed("ids", str(path), "--each", "--end"))
    check(printed("results", str(path), "--what-if-cap", "60"))
    check(printed("code", str(path), "--show-code"))
    check(printed("explain", str(path)))
