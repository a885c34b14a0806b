"""Nothing is called clean, recorded or this run's without proof. Each case was once wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.model.declarations import Declarations
from agentprint_cli.reports.explain.pipeline import explain
from tests.logs import Log, one_call


def _explain(log: Log, folder: Path, **options: Any) -> dict[str, Any]:
    return explain(log.save(folder), **options).to_dict()


def _outcome(found: dict[str, Any], check: str) -> str:
    return next(str(c["outcome"]) for c in found["checks"] if c["id"] == check)


def _ids(found: dict[str, Any]) -> list[str]:
    return [str(signal["id"]) for signal in found["signals"]]


def _two_turns() -> Log:
    log = Log("r1", "s").configured().asked("q1")
    log.called_model(1, "find")
    log.started("t1", "find")
    log.ended("t1", [])
    log.answered("none")
    log.as_run("r2", "s").configured().asked("q2")
    log.composed(1, ("user", None, "q1"), ("tool-result", "t1", "[]"), ("user", None, "q2"))
    log.called_model(1, "find")
    log.answered("no")
    return log


def test_a_later_run_is_no_evidence_of_an_earlier_result(tmp_path: Path) -> None:
    log = _two_turns()
    log.as_run("r3", "s").configured().asked("q3")
    log.started("t1", "other")
    log.ended("t1", {})
    log.add("tools.absent", {"toolName": "other", "toolCallId": "t1"})
    log.answered("x")
    found = _explain(log, tmp_path, run="r2")
    assert (found["in_view"][0]["tool"], _ids(found)) == ("find", ["undeclared-empty-in-view"])


def test_id_that_two_earlier_runs_used_is_evidence_of_neither(tmp_path: Path) -> None:
    log = Log("r0", "s").configured().asked("q0")
    log.started("t1", "other")
    log.add("tools.absent", {"toolName": "other", "toolCallId": "t1"})
    log.ended("t1", {})
    log.answered("x")
    log.events += _two_turns().events
    found = _explain(log, tmp_path, run="r2")
    assert "tool" not in found["in_view"][0]
    assert _outcome(found, "empty-results-in-view") == "not-measurable"
    assert found["not_measurable"][0]["reason"] == "ambiguous-id"


def test_pause_of_another_session_is_not_this_runs(tmp_path: Path) -> None:
    log = Log("a", "sA").configured().asked("q")
    log.called_model(1, "find")
    log.started("t1", "find")
    log.as_run("b", "sB").configured().asked("q")
    log.called_model(1, "pay")
    log.started("t1", "pay")
    log.add("pause.request", {"questionPayload": {"toolCallId": "t1"}})
    log.as_run("a", "sA").add("stream.token", {"content": "x"})
    found = _explain(log, tmp_path, run="a")
    assert "paused" not in found["run"]
    assert _ids(found) == ["unknown-call-before-answer"]


def test_resume_of_another_session_is_not_this_runs(tmp_path: Path) -> None:
    log = Log("helper", "sA")
    log.add("pause.resume", {"resumeInput": {}})
    log.as_run("b", "sB").configured()
    log.called_model(1)
    log.answered("x")
    assert _explain(log, tmp_path, run="b")["run"]["resumed"] is False


def test_unread_place_inside_the_run_leaves_no_check_clean(tmp_path: Path) -> None:
    lines = one_call([1]).lines().split(b"\n")
    lines.insert(7, b'{"type":"agentfootprint.stream.tool_start","payload":{"toolName":"pay"')
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(lines))
    found: Any = explain(str(path)).to_dict()
    assert {check["outcome"] for check in found["checks"]} == {"not-measurable"}


def test_snapshot_belongs_to_the_run_of_the_last_event(tmp_path: Path) -> None:
    log = Log("A", "sA").asked("qa")
    log.composed(1, ("tool-result", "t0", "[]"), ("user", None, "qa"))
    log.called_model(1)
    log.answered("x")
    log.as_run("B", "sB").asked("qb")
    log.answered("y")
    history = [
        {"role": "tool", "toolCallId": "t0", "toolName": "of_b", "content": "[1,2,3]"},
        {"role": "user", "content": "qb"},
    ]
    path = tmp_path / "r.json"
    path.write_bytes(log.document({"sharedState": {"history": history}}))
    found: Any = explain(str(path), run="A").to_dict()
    assert [entry.get("tool") for entry in found["in_view"]] in ([], [None])
    assert "of_b" not in str(found)


def _second_turn() -> Log:
    log = one_call([])
    log.asked("second?")
    return log


def test_call_after_the_answer_is_not_before_it(tmp_path: Path) -> None:
    log = _second_turn()
    log.called_model(1, "find")
    log.started("t9", "find")
    log.ended("t9", "boom", error="x")
    assert "failed-call-before-answer" not in _ids(_explain(log, tmp_path))


def test_compose_of_an_earlier_turn_proves_nothing_of_this_one(tmp_path: Path) -> None:
    log = _second_turn()
    log.called_model(2, "find")
    log.answered("again")
    found = _explain(log, tmp_path)
    assert "compose" not in found["answering"]
    assert found["witnesses"] == []
    assert _outcome(found, "empty-results-used") == "not-measurable"


def test_history_of_an_earlier_turn_gives_no_distance(tmp_path: Path) -> None:
    log = _second_turn()
    log.composed(
        1,
        ("user", None, "what is there?"),
        ("tool-result", "t0", "[]"),
        ("user", None, "between?"),
        ("user", None, "second?"),
    )
    log.called_model(1, "find")
    log.answered("again")
    assert _explain(log, tmp_path)["in_view"][0]["distance"] == 2


@pytest.mark.parametrize("error", [{}, [], "boom", True, 1])
def test_error_that_javascript_takes_for_true_is_a_failure(tmp_path: Path, error: object) -> None:
    found = _explain(one_call("x", error=error), tmp_path)
    assert found["calls"][0]["outcome"] == "failed"


@pytest.mark.parametrize("error", [False, None, 0, ""])
def test_error_that_javascript_takes_for_false_is_none(tmp_path: Path, error: object) -> None:
    assert _explain(one_call("x", error=error), tmp_path)["calls"][0]["outcome"] == "ran"


def test_result_without_a_question_after_it_is_not_from_before_a_pause(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.composed(1, ("tool-result", "t0", "[]"))
    log.called_model(1)
    log.answered("no")
    found = _explain(log, tmp_path)
    assert found["before_pause"] == []
    assert _outcome(found, "empty-results-in-view") == "not-measurable"


def test_row_without_an_id_is_no_complete_evidence(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.composed(1, ("user", None, "q"), ("tool-result", None, "[]"))
    log.called_model(1)
    log.answered("none")
    found = _explain(log, tmp_path)
    assert found["answering"]["complete"] is False
    assert _outcome(found, "empty-results-in-view") == "not-measurable"


@pytest.mark.parametrize("count", [-5, True, 1.0, "1", None])
def test_count_that_is_no_count_proves_nothing(tmp_path: Path, count: object) -> None:
    log = one_call([1])
    for event in log.events:
        if event["type"].endswith("slot_composed"):
            event["payload"]["sourceBreakdown"] = {"tool-result": {"count": count}}
    assert _explain(log, tmp_path)["answering"]["complete"] is False


@pytest.mark.parametrize(
    "change",
    [
        {"toolsCount": 2},
        {"tools": [{"name": "a"}, {"name": 7}], "toolsCount": 2},
    ],
)
def test_menu_that_is_not_whole_proves_no_tool_unknown(
    tmp_path: Path, change: dict[str, object]
) -> None:
    log = Log().configured().asked("q")
    number = log.called_model(1, "a")
    log.events[number]["payload"].update(change)
    log.started("t1", "other")
    log.ended("t1", [1])
    log.answered("x")
    found = _explain(log, tmp_path)
    assert "unknown-tool-called" not in _ids(found)
    assert _outcome(found, "offered-tools") == "not-measurable"


def test_denial_of_a_later_call_is_not_an_open_earlier_ones(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "find")
    log.started("t1", "find")
    log.started("t2", "find")
    log.add("permission.check", {"target": "find", "result": "deny"})
    log.ended("t2", "no")
    log.answered("x")
    outcomes = [call["outcome"] for call in _explain(log, tmp_path)["calls"]]
    assert outcomes == ["unknown", "refused"]


def _redacted(log: Log, folder: Path, **options: Any) -> dict[str, Any]:
    path = folder / "r.json"
    path.write_bytes(log.document({"recorders": [{"id": "agentfootprint.redaction"}]}))
    return explain(str(path), **options).to_dict()


def test_placeholders_are_never_values(tmp_path: Path) -> None:
    log = one_call({"rows": "REDACTED"}, tool="[REDACTED]")
    log.add("skill.turn_routed", {"by": "intent", "to": "REDACTED"})
    log.events.insert(3, log.events.pop())
    rows = Declarations(rows_at={"find": "rows"})
    found = _redacted(log, tmp_path, declarations=rows)
    assert "tool" not in found["calls"][0]
    assert "unknown-tool-called" not in _ids(found)
    assert found["routing"]["delivered"] == "not-measurable"
    assert found["routing"]["delivery_reason"] == "kept-out"


def test_calls_whose_ids_are_kept_out_are_not_one_call(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "find")
    for result in ([], [1]):
        log.started("[REDACTED]", "find")
        log.ended("[REDACTED]", result)
    log.answered("x")
    found = _redacted(log, tmp_path)
    assert found["calls"] == []
    assert _outcome(found, "failed-calls") == "not-measurable"


def test_run_id_in_two_sessions_is_said(tmp_path: Path) -> None:
    log = Log("run-1", "sA").configured().asked("q")
    log.as_run("run-1", "sB").answered("x")
    assert _explain(log, tmp_path)["run"]["sessions"] == ["sA", "sB"]


def test_null_is_no_answer_text(tmp_path: Path) -> None:
    log = one_call([1])
    log.events[-1]["payload"]["finalContent"] = None
    answer = _explain(log, tmp_path)["answer"]
    assert (answer["status"], answer["reason"]) == ("not-recorded", "no-field")
