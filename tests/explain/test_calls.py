"""The outcome of each call, by the rules' own order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.reports.explain.pipeline import explain
from tests.logs import Log, one_call


def _calls(log: Log, folder: Path, **options: Any) -> list[dict[str, Any]]:
    found = explain(log.save(folder), **options).to_dict()["calls"]
    assert isinstance(found, list)
    return found


def _started() -> Log:
    log = Log().configured().asked("q")
    log.called_model(1, "find")
    log.started("t1", "find")
    return log


def test_not_dispatched(tmp_path: Path) -> None:
    log = _started()
    log.ended("t1", "settled", notDispatched=True)
    log.answered("a")
    assert _calls(log, tmp_path)[0]["outcome"] == "not-dispatched"


def test_not_dispatched_only_in_the_history(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "find")
    log.history(
        1,
        {"role": "user", "content": "q"},
        {"role": "tool", "content": "settled", "toolCallId": "t9", "notDispatched": True},
    )
    log.answered("a")
    (call,) = _calls(log, tmp_path)
    assert (call["call_id"], call["outcome"]) == ("t9", "not-dispatched")
    assert "tool" not in call


def test_declined_by_a_person(tmp_path: Path) -> None:
    log = _started()
    log.add("checkin.decision", {"toolCallId": "t1", "approved": False})
    log.ended("t1", "declined", error=True)
    log.answered("a")
    (call,) = _calls(log, tmp_path)
    assert (call["outcome"], call["by"]) == ("declined", "person")


def test_denial_on_the_call_that_a_resumed_leg_answers_is_a_persons(tmp_path: Path) -> None:
    log = _started().as_run("run-2").configured()
    log.add(
        "middleware.decision",
        {"middleware": "ask", "moment": "before-tool", "outcome": "deny", "toolCallId": "t1"},
    )
    log.ended("t1", "no")
    log.answered("a")
    (call,) = _calls(log, tmp_path, run="run-2")
    assert (call["outcome"], call["by"], call["tool"]) == ("declined", "ask", "find")


def test_refused_before_it_ran(tmp_path: Path) -> None:
    log = _started()
    log.add(
        "middleware.decision",
        {"middleware": "gate", "moment": "before-tool", "outcome": "deny", "toolCallId": "t1"},
    )
    log.ended("t1", "refused", error=True)
    log.answered("a")
    (call,) = _calls(log, tmp_path)
    assert (call["outcome"], call["by"]) == ("refused", "gate")


@pytest.mark.parametrize("result", ["deny", "halt"])
def test_permission_refuses_between_start_and_end(tmp_path: Path, result: str) -> None:
    log = _started()
    log.add("permission.check", {"target": "find", "result": result, "policyRuleId": "p-1"})
    log.ended("t1", "no")
    log.answered("a")
    (call,) = _calls(log, tmp_path)
    assert (call["outcome"], call["by"]) == ("refused", "p-1")


@pytest.mark.parametrize("result", ["allow", "gate_open"])
def test_permissions_that_stop_nothing(tmp_path: Path, result: str) -> None:
    log = _started()
    log.add("permission.check", {"target": "find", "result": result})
    log.ended("t1", "ok")
    log.answered("a")
    assert _calls(log, tmp_path)[0]["outcome"] == "ran"


def test_denial_of_another_tool_or_outside_the_call_stops_nothing(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.add("permission.check", {"target": "find", "result": "deny"})
    log.called_model(1, "find")
    log.started("t1", "find")
    log.add("permission.check", {"target": "other", "result": "deny"})
    log.ended("t1", "ok")
    log.add("permission.check", {"target": "find", "result": "deny"})
    log.answered("a")
    assert _calls(log, tmp_path)[0]["outcome"] == "ran"


def test_not_executed_is_refused(tmp_path: Path) -> None:
    log = _started()
    log.ended("t1", "invalid", notExecuted=True, error=True)
    log.answered("a")
    assert _calls(log, tmp_path)[0]["outcome"] == "refused"


def test_failed_and_unknown(tmp_path: Path) -> None:
    log = _started()
    log.ended("t1", "boom", error=True)
    log.started("t2", "find")
    log.answered("a")
    assert [call["outcome"] for call in _calls(log, tmp_path)] == ["failed", "unknown"]


def test_withheld_after_it_ran(tmp_path: Path) -> None:
    log = _started()
    log.add(
        "middleware.decision",
        {"middleware": "pii", "moment": "after-tool", "outcome": "deny", "toolCallId": "t1"},
    )
    log.ended("t1", [])
    log.answered("a")
    report = explain(log.save(tmp_path)).to_dict()
    call = report["calls"][0]  # type: ignore[index]
    assert (call["outcome"], call["withheld_by"]) == ("ran", "pii")
    assert report["counts"]["withheld"] == 1  # type: ignore[index]
    assert [s["id"] for s in report["signals"]] == []  # type: ignore[attr-defined]


def test_call_whose_tool_no_event_names_is_kept(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "find")
    log.ended("t1", "x")
    log.answered("a")
    (call,) = _calls(log, tmp_path)
    assert call["call_id"] == "t1"
    assert "tool" not in call


def test_model_result_counts_when_it_differs(tmp_path: Path) -> None:
    (call,) = _calls(one_call([1, 2], modelResult=[]), tmp_path)
    assert (call["emptiness"], call["rows"]) == ("undeclared-empty", 0)
    assert call["pointers"][-1]["path"] == "/payload/modelResult"


def test_first_seen_order(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "b", "a")
    log.started("t2", "b")
    log.started("t1", "a")
    log.ended("t1", 1)
    log.ended("t2", 2)
    log.answered("x")
    assert [call["call_id"] for call in _calls(log, tmp_path)] == ["t2", "t1"]


def test_start_without_an_id_is_said_and_not_passed_over(tmp_path: Path) -> None:
    log = _started()
    log.add("stream.tool_start", {"toolName": "find", "args": {}})
    log.ended("t1", 1)
    log.answered("x")
    found = explain(log.save(tmp_path)).to_dict()
    assert ("failed-calls", "no-id") in {
        (n["check"], n["reason"])
        for n in found["not_measurable"]  # type: ignore[attr-defined]
    }
