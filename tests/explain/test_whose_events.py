"""Which run is explained, and that nothing of another session leaks into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentprint_cli.reports.explain.pipeline import explain
from agentprint_cli.reports.runs.pipeline import runs
from tests.logs import Log


def _explain(log: Log, folder: Path, **options: Any) -> dict[str, Any]:
    return explain(log.save(folder), **options).to_dict()


def _turn(log: Log, run: str, session: str | None, question: str, result: object) -> None:
    log.as_run(run, session).configured().asked(question)
    log.composed(1, ("user", None, question))
    log.called_model(1, "find")
    log.started("t1", "find")
    log.ended("t1", result)
    log.composed(2, ("user", None, question), ("tool-result", "t1", str(result)))
    log.called_model(2, "find")
    log.answered(f"answer to {question}")


def test_last_answer_wins_when_several_runs_are_configured(tmp_path: Path) -> None:
    log = Log()
    _turn(log, "run-1", "a", "one?", [])
    log.as_run("run-2", "b").configured().asked("two?")
    found = _explain(log, tmp_path)
    assert (found["run"]["id"], found["run"]["other_runs"]) == ("run-1", ["run-2"])


def test_run_configured_last_when_none_answered(tmp_path: Path) -> None:
    log = Log("run-1").configured().asked("one?").as_run("run-2").configured().asked("two?")
    assert _explain(log, tmp_path)["run"]["id"] == "run-2"


def test_artifact_names_its_own_run(open_bytes: Any, tmp_path: Path) -> None:
    log = Log()
    _turn(log, "run-1", "a", "one?", [])
    _turn(log, "run-2", "a", "two?", [])
    path = tmp_path / "artifact.json"
    path.write_bytes(log.document({}, meta={"origin": {"runId": "run-1"}}))
    found: Any = explain(str(path)).to_dict()
    assert (found["recording"]["format"], found["run"]["id"]) == ("artifact", "run-1")


def test_nothing_is_filtered_without_a_configured_run(tmp_path: Path) -> None:
    log = Log("run-1").asked("one?")
    log.called_model(1)
    log.answered("a")
    found = _explain(log, tmp_path)
    assert found["run"]["scope"] == "unfiltered"
    assert "id" not in found["run"]
    assert found["answer"]["text"] == "a"


def test_event_without_a_run_id_belongs_to_the_runs_of_its_session(tmp_path: Path) -> None:
    log = Log()
    _turn(log, "run-1", "a", "one?", [1])
    log.as_run(None, "a").add("tools.absent", {"toolName": "find", "toolCallId": "t1"})
    assert _explain(log, tmp_path)["calls"][0]["emptiness"] == "declared-absent"
    log.events[-1]["meta"]["sessionId"] = "b"
    assert _explain(log, tmp_path)["calls"][0]["emptiness"] == "non-empty"


def test_interleaved_sessions_do_not_leak(tmp_path: Path) -> None:
    mine, other = Log(), Log()
    _turn(mine, "run-1", "a", "one?", [1])
    _turn(other, "run-2", "b", "two?", [])
    alone = _explain(mine, tmp_path)
    mixed = Log()
    mixed.events = [e for pair in zip(mine.events, other.events, strict=True) for e in pair]
    found = _explain(mixed, tmp_path, run="run-1")
    assert found["recording"]["foreign"] == len(other.events)
    for part in ("question", "answer", "signals", "calls"):
        assert _stripped(found[part]) == _stripped(alone[part])


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _stripped(v) for k, v in value.items() if k not in ("event", "line")}
    return [_stripped(item) for item in value] if isinstance(value, list) else value


def test_tool_name_from_another_run_needs_the_same_session(tmp_path: Path) -> None:
    log = Log("run-1", "a").configured()
    log.started("t1", "find")
    log.as_run("run-2", "b").configured().asked("q")
    log.ended("t1", 1)
    log.answered("x")
    assert "tool" not in _explain(log, tmp_path)["calls"][0]
    for event in log.events:
        event["meta"]["sessionId"] = "a"
    assert _explain(log, tmp_path)["calls"][0]["tool"] == "find"


def test_tool_name_without_sessions_needs_a_single_candidate(tmp_path: Path) -> None:
    log = Log("run-1").configured()
    log.started("t1", "find")
    log.as_run("run-2").configured().asked("q")
    log.ended("t1", 1)
    log.answered("x")
    assert _explain(log, tmp_path)["calls"][0]["tool"] == "find"
    log.as_run("run-3").configured()
    log.started("t1", "other")
    assert "tool" not in _explain(log, tmp_path)["calls"][0]


def test_runs_are_listed(tmp_path: Path) -> None:
    log = Log()
    _turn(log, "run-1", "a", "one?", [])
    log.as_run("run-2", "a").configured().asked("two?")
    found: Any = runs(log.save(tmp_path)).to_dict()
    assert [(r["id"], r["finished"], r.get("explained")) for r in found["runs"]] == [
        ("run-1", True, True),
        ("run-2", False, None),
    ]
    first = found["runs"][0]
    assert (first["question"], first["model_calls"], first["tool_calls"]) == ("one?", 2, 1)
    assert first["range"] == [0, 11]
    assert found["sessions"] == [{"id": "a", "runs": ["run-1", "run-2"]}]


def test_redaction_only_where_the_snapshot_says_so(tmp_path: Path) -> None:
    log = Log()
    _turn(log, "run-1", None, "REDACTED", [])
    path = tmp_path / "r.json"
    path.write_bytes(log.document({"recorders": [{"id": "agentfootprint.redaction"}]}))
    found: Any = explain(str(path)).to_dict()
    assert (found["question"]["status"], found["question"]["reason"]) == (
        "not-recorded",
        "kept-out",
    )
    path.write_bytes(log.document({"recorders": [{"id": "other"}]}))
    plain: Any = explain(str(path)).to_dict()
    assert plain["question"]["text"] == "REDACTED"


def test_witness_whose_id_is_kept_out(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.composed(1, ("tool-result", "[REDACTED]", "x"), ("user", None, "q"))
    log.called_model(1)
    log.answered("a")
    path = tmp_path / "r.json"
    path.write_bytes(log.document({"recorders": [{"id": "agentfootprint.redaction"}]}))
    found: Any = explain(str(path)).to_dict()
    (witness,) = found["witnesses"]
    assert witness["kept_out"] is True
    assert "call_id" not in witness
    assert found["in_view"] == []
    assert {n["reason"] for n in found["not_measurable"]} == {"kept-out"}
