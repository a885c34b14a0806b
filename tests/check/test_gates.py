"""Each gate: what it finds, where, and when it can say nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.errors import EmbedderFailed, UsageError
from agentprint_cli.gates import CHECKS
from agentprint_cli.gates.interface import Severity
from agentprint_cli.reports.check.pipeline import CheckOptions, Limit, check, gate_ids, severities
from agentprint_cli.reports.shared.phrases import GATES
from tests.conftest import ROOT
from tests.logs import Log, one_call

from .logs import choice, make

COMPARING = ("margin-narrowed", "new-rival")
RECORDINGS = ROOT / "recordings"
EXAMPLES = ROOT / "docs" / "examples"


def checked(*paths: object, **options: Any) -> dict[str, Any]:
    """The document of a check with the counting embedder."""
    found = check(map(str, paths), embedder=make, options=CheckOptions(**options))
    return found.to_dict()


def gate(document: dict[str, Any], id: str) -> dict[str, Any]:
    return next(gate for gate in document["gates"] if gate["id"] == id)


def of(document: dict[str, Any], id: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["gate"] == id]


def only(*ids: str, severity: Severity = Severity.FAIL) -> dict[str, Severity]:
    return dict.fromkeys(ids, severity)


def test_every_gate_is_described() -> None:
    assert list(GATES) == [gate.id for gate in CHECKS] == list(gate_ids())


def test_margins_of_the_twin_tools() -> None:
    document = checked(RECORDINGS / "twin-tools.jsonl")
    narrow, disagreement = of(document, "narrow-margin"), of(document, "proxy-disagreement")
    assert [(f["tool"], f["rival"], f["event"], f["line"]) for f in narrow] == [
        ("search_loans", "search_loan_history", 13, 14),
        ("search_loan_history", "list_shelves", 40, 41),
    ]
    assert narrow[0]["margin"] == pytest.approx(-0.006333925870145918, abs=1e-9)
    assert [(f["tool"], f["path"]) for f in disagreement] == [("search_loans", "/payload/tools")]
    assert [gate(document, id)["outcome"] for id in ("narrow-margin", "unread-lines")] == [
        "fail",
        "pass",
    ]
    assert document["exit_code"] == 1


def test_the_line_in_a_json_document_is_that_of_the_event(tmp_path: Path) -> None:
    log = choice()
    text = json.dumps({"snapshot": {}, "events": log.events}, indent=1)
    (tmp_path / "run.recording.json").write_text(text)
    [finding] = of(checked(tmp_path), "narrow-margin")
    lines = text.split("\n")
    before = "\n".join(lines[: finding["line"] - 1])
    assert lines[finding["line"] - 1].strip() == "{"
    assert before.count('"type": "agentfootprint.') == finding["event"]


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [
        (Limit("1", 1), "fail"),
        (Limit("2", 2), "pass"),
        (Limit("99%", 99, share=True), "fail"),
        (Limit("100%", 100, share=True), "pass"),
    ],
)
def test_limits(limit: Limit, outcome: str) -> None:
    document = checked(RECORDINGS / "twin-tools.jsonl", limits={"narrow-margin": limit})
    assert gate(document, "narrow-margin")["outcome"] == outcome
    levels = {finding["level"] for finding in of(document, "narrow-margin")}
    assert levels == {"error" if outcome == "fail" else "note"}


@pytest.mark.parametrize(
    ("path", "id", "signals", "tools"),
    [
        (
            RECORDINGS / "earlier-empty-in-view.jsonl",
            "undeclared-empty",
            ["undeclared-empty-used"],
            ["search_loans"],
        ),
        (
            RECORDINGS / "failed-and-unknown.jsonl",
            "failed-call-before-answer",
            ["failed-call-before-answer"] * 2,
            ["reserve_room", "book_room_v2"],
        ),
        (
            EXAMPLES / "call-without-end.jsonl",
            "failed-call-before-answer",
            ["unknown-call-before-answer"],
            None,
        ),
        (
            RECORDINGS / "failed-and-unknown.jsonl",
            "unknown-tool",
            ["unknown-tool-called"],
            ["book_room_v2"],
        ),
        (
            RECORDINGS / "capped-result.jsonl",
            "cut-result-used",
            ["cut-result-used"],
            ["export_catalogue"],
        ),
        (
            EXAMPLES / "existence-not-checked.jsonl",
            "existence-not-checked",
            ["existence-not-checked"],
            None,
        ),
        (
            EXAMPLES / "decided-not-delivered.jsonl",
            "decided-not-delivered",
            ["decided-not-delivered"],
            None,
        ),
    ],
)
def test_signals(path: Path, id: str, signals: list[str], tools: list[str] | None) -> None:
    document = checked(path, severities=only(id))
    assert [finding["signal"] for finding in of(document, id)] == signals
    if tools is not None:
        assert [finding["tool"] for finding in of(document, id)] == tools
    assert gate(document, id)["outcome"] == "fail"
    assert all(f["line"] == f["event"] + 1 for f in of(document, id) if "event" in f)


def test_no_gate_makes_an_embedder_that_needs_none() -> None:
    document = check([str(RECORDINGS)], options=CheckOptions(severities=only("unread-lines")))
    assert "embedder" not in document.to_dict()


def test_unfinished_runs_and_not_those_that_paused() -> None:
    document = checked(RECORDINGS, severities=only("unfinished-run"))
    [finding] = of(document, "unfinished-run")
    assert finding["file"].endswith("no-answer.jsonl")
    assert (finding["event"], finding["path"]) == (70, "/payload/error")
    assert finding["message"] == "a fatal error comes before an answer"


def test_unread_lines(tmp_path: Path) -> None:
    log = choice().lines()
    (tmp_path / "a.jsonl").write_bytes(log + b'{"type": "agentfootprint.x", \n')
    document = checked(tmp_path, severities=only("unread-lines"))
    [finding] = of(document, "unread-lines")
    assert finding["line"] == log.count(b"\n") + 1
    assert finding["event"] == log.count(b"\n")
    assert document["exit_code"] == 1


def test_nothing_scored_is_inconclusive(tmp_path: Path) -> None:
    document = checked(one_call([1]).save(tmp_path))
    found = gate(document, "narrow-margin")
    assert (found["outcome"], found["measured"]) == ("inconclusive", 0)
    assert document["exit_code"] == 4
    [part] = [p for p in document["not_measured"] if p["gate"] == "narrow-margin"]
    assert part["why"] == "single-candidate"


def test_every_run_not_measurable_is_inconclusive(tmp_path: Path) -> None:
    path = one_call({"rows": []}).save(tmp_path)
    ids = only("undeclared-empty")
    document = checked(path, severities=ids)
    assert gate(document, "undeclared-empty")["outcome"] == "inconclusive"
    assert document["exit_code"] == 4
    other = one_call([1]).save(tmp_path, "measured.jsonl")
    document = checked(path, other, severities=ids)
    found = gate(document, "undeclared-empty")
    assert (found["outcome"], found["measured"], found["not_measured"]) == ("pass", 1, 1)
    assert document["exit_code"] == 0


def test_nothing_to_look_at_passes(tmp_path: Path) -> None:
    log = Log().configured().asked("hello")
    log.called_model(1)
    log.answered("hello")
    document = checked(log.save(tmp_path), severities=only("failed-call-before-answer"))
    found = gate(document, "failed-call-before-answer")
    assert (found["outcome"], found["measured"], found["idle"]) == ("pass", 0, 1)


def test_without_a_recording_nothing_is_clean(tmp_path: Path) -> None:
    document = checked(tmp_path)
    assert {gate["outcome"] for gate in document["gates"]} == {"inconclusive"}
    assert document["exit_code"] == 4


def test_an_embedder_that_fails_leaves_the_other_gates(tmp_path: Path) -> None:
    def fail() -> Any:
        raise EmbedderFailed("no such model")

    found = check([choice().save(tmp_path)], embedder=fail).to_dict()
    assert gate(found, "narrow-margin")["outcome"] == "inconclusive"
    assert gate(found, "unread-lines")["outcome"] == "pass"
    assert found["exit_code"] == 4
    assert found["embedder"]["error"] == "no such model"  # type: ignore[index]


def test_default_weights() -> None:
    chosen = severities(None, None)
    assert list(chosen) == [gate.id for gate in CHECKS if not gate.compares]
    assert [id for id, weight in chosen.items() if weight is Severity.FAIL] == [
        "narrow-margin",
        "proxy-disagreement",
        "unread-lines",
    ]
    chosen = severities(None, None, compares=True)
    assert list(chosen) == list(gate_ids())
    assert {chosen[id] for id in COMPARING} == {Severity.FAIL}


@pytest.mark.parametrize("compares", [False, True])
def test_weights_of_the_gates_that_compare(compares: bool) -> None:
    fail, warn = Severity.FAIL, Severity.WARN
    some = severities(["unread-lines"], None, compares=compares)
    assert [some.get(id) for id in COMPARING] == ([warn] * 2 if compares else [None] * 2)
    named = severities(["new-rival"], ["margin-narrowed"], compares=compares)
    assert named == {"margin-narrowed": warn, "new-rival": fail}
    assert severities(["unread-lines"], ["none"], compares=compares) == {"unread-lines": fail}


def test_weights() -> None:
    fail, warn = Severity.FAIL, Severity.WARN
    assert severities(["unread-lines,unknown-tool"], ["none"]) == {
        "unknown-tool": fail,
        "unread-lines": fail,
    }
    assert severities(None, ["unread-lines"]) == {
        "narrow-margin": fail,
        "proxy-disagreement": fail,
        "unread-lines": warn,
    }
    assert set(severities(["none"], None).values()) == {warn}


@pytest.mark.parametrize(
    ("fail", "warn", "complaint"),
    [
        (["nothing"], None, "no gate 'nothing'; there is narrow-margin, .*unread-lines"),
        (["unread-lines"], ["unread-lines"], "name it once"),
        (["none"], ["none"], "no gate is left"),
    ],
)
def test_bad_weights(fail: list[str], warn: list[str] | None, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        severities(fail, warn)
