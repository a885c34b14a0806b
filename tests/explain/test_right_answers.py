"""The answers that are known, on real recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.model.declarations import Declarations
from agentprint_cli.reports.explain.pipeline import explain, explain_all
from tests.conftest import ROOT, SHARED_DATA

FLAGSHIP = SHARED_DATA / "flagship" / "turn2.recorded.json"
needs_flagship = pytest.mark.skipif(not FLAGSHIP.exists(), reason="needs the shared data")


def _explain(path: Path, **options: Any) -> dict[str, Any]:
    return explain(str(path), **options).to_dict()


def _signals(document: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(s["id"], s["values"].get("call_id")) for s in document["signals"]]


@needs_flagship
def test_flagship() -> None:
    found = _explain(FLAGSHIP)
    assert found["run"]["id"] == "run-1790361930311-2"
    assert found["run"]["scope"] == "own-run"
    answering = found["answering"]
    assert (answering["iteration"], answering["llm_start"], answering["compose"]) == (2, 98, 69)
    assert answering["stage"] == "sf-messages/compose#34"
    assert [(w["event"], w["own_call"]) for w in found["witnesses"]] == [(64, False), (68, True)]
    (earlier,) = found["in_view"]
    assert (earlier["event"], earlier["distance"], earlier["at_least"]) == (64, 1, True)
    assert earlier["tool"] == "powerstore_get_volumes"
    assert earlier["emptiness"] == "unknown"
    assert earlier["emptiness_detail"] == "undeclared-shape"
    (call,) = found["calls"]
    assert (call["outcome"], call["emptiness"]) == ("ran", "declared-absent")
    assert call["vouched_by"] == "tool:get_array_inventory"
    assert len(call["coverage"]["not_checked"]) == 4
    assert call["expectation"] == {"basis": "direct", "expect": "high"}
    assert found["routing"]["delivered"] == "yes"
    assert _signals(found) == []
    assert found["answer"]["pointers"][0]["event"] == 192


@needs_flagship
def test_flagship_with_declared_rows() -> None:
    found = _explain(
        FLAGSHIP, declarations=Declarations(rows_at={"powerstore_get_volumes": "volumes"})
    )
    (earlier,) = found["in_view"]
    assert (earlier["emptiness"], earlier["rows"]) == ("undeclared-empty", 0)
    assert earlier["vouched_by"] == "app"
    assert [s["id"] for s in found["signals"]] == ["undeclared-empty-in-view"]


@pytest.mark.parametrize(
    "name", ["earlier-empty-in-view.jsonl", "earlier-empty-in-view.recording.json"]
)
def test_earlier_empty_in_view(name: str, recordings: Path) -> None:
    found = _explain(recordings / name)
    assert found["run"]["id"] == "run-1796079185273-2"
    assert found["run"]["other_runs"] == ["run-1796079185196-1"]
    assert found["recording"]["foreign"] == 48
    answering = found["answering"]
    assert (answering["iteration"], answering["llm_start"], answering["compose"]) == (2, 93, 86)
    assert answering["stage"] == "sf-messages/compose#32"
    assert [(w["event"], w["call_id"], w["own_call"]) for w in found["witnesses"]] == [
        (81, "t1", False),
        (85, "t2", True),
    ]
    (earlier,) = found["in_view"]
    assert (earlier["event"], earlier["tool"]) == (81, "list_shelves")
    assert (earlier["distance"], earlier["at_least"]) == (1, False)
    assert earlier["emptiness_detail"] == "undeclared-shape"
    (call,) = found["calls"]
    assert (call["call_id"], call["emptiness"], call["rows"]) == ("t2", "undeclared-empty", 0)
    assert call["vouched_by"] == "library"
    assert _signals(found) == [("undeclared-empty-used", "t2")]
    assert found["question"]["pointers"][0]["path"] == "/payload/userPrompt"
    assert found["ids"] == {
        "served": ["t1", "t2"],
        "offered": ["t2", "t1"],
        "undeclared": ["t1", "t2"],
        "nameable": ["t1", "t2"],
        "unknown": [],
        "standings": {},
    }


def test_earlier_empty_in_view_with_declared_rows(recordings: Path) -> None:
    found = _explain(
        recordings / "earlier-empty-in-view.jsonl",
        declarations=Declarations(rows_at={"list_shelves": "shelves"}),
    )
    assert _signals(found) == [
        ("undeclared-empty-used", "t2"),
        ("undeclared-empty-in-view", "t1"),
    ]
    assert found["in_view"][0]["vouched_by"] == "app"
    assert found["not_measurable"] == []


def test_log_and_recording_give_the_same_explanation(recordings: Path) -> None:
    log = _explain(recordings / "earlier-empty-in-view.jsonl")
    recording = _explain(recordings / "earlier-empty-in-view.recording.json")
    for part in ("question", "answer", "answering", "witnesses", "calls", "signals", "ids"):
        assert _without_lines(log[part]) == _without_lines(recording[part])


def _without_lines(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_lines(item) for name, item in value.items() if name != "line"}
    if isinstance(value, list):
        return [_without_lines(item) for item in value]
    return value


def test_first_of_two_runs_does_not_use_the_snapshot_of_the_second(recordings: Path) -> None:
    found = _explain(recordings / "earlier-empty-in-view.recording.json", run="run-1796079185196-1")
    assert found["question"]["text"] == "which shelves does the Harbour branch have?"
    assert [call["call_id"] for call in found["calls"]] == ["t1"]
    assert found["in_view"] == []


def test_pause_and_resume(recordings: Path) -> None:
    found = _explain(recordings / "pause-and-resume.jsonl")
    assert found["run"]["id"] == "run-1796079186378-8"
    assert (found["run"]["resumed"], found["run"]["finished"]) == (True, True)
    assert found["answer"]["text"] == "The fine is waived."
    assert found["question"]["text"] == "waive the fine of card 4417"
    assert found["question"]["before_pause"] is True
    (call,) = found["calls"]
    assert (call["call_id"], call["tool"], call["outcome"]) == ("t1", "ask_librarian", "ran")
    assert call["before_pause"] is True


def test_leg_that_paused(recordings: Path) -> None:
    found = _explain(recordings / "pause-and-resume.jsonl", run="run-1796079186362-7")
    assert (found["run"]["paused"], found["run"]["finished"]) == (True, False)
    assert found["answer"] == {"status": "not-recorded", "reason": "unfinished", "pointers": []}


def test_no_answer_is_unfinished_and_never_clean(recordings: Path) -> None:
    found = _explain(recordings / "no-answer.jsonl")
    assert found["run"]["finished"] is False
    assert found["answer"]["status"] == "not-recorded"
    assert found["answering"]["llm_start"] == 69
    assert found["signals"][0]["values"]["unfinished"] is True
    assert "when it answered" not in found["signals"][0]["text"]


def test_failed_and_unknown(recordings: Path) -> None:
    found = _explain(recordings / "failed-and-unknown.jsonl")
    assert _signals(found) == [
        ("unknown-tool-called", "t2"),
        ("failed-call-before-answer", "t1"),
        ("failed-call-before-answer", "t2"),
    ]
    assert found["counts"] == {
        "calls": 2,
        "failed": 2,
        "refused": 0,
        "declined": 0,
        "not_dispatched": 0,
        "withheld": 0,
        "unknown": 0,
    }


def test_capped_result(recordings: Path) -> None:
    found = _explain(recordings / "capped-result.jsonl")
    (call,) = found["calls"]
    assert call["cut"]["true_chars"] == 241781
    assert call["cut"]["cap"] == 600
    assert _signals(found) == [("cut-result-used", "t1")]


def test_all_explains_each_configured_run(recordings: Path) -> None:
    reports = explain_all(str(recordings / "pause-and-resume.jsonl"))
    ids = [report.to_dict()["run"]["id"] for report in reports]  # type: ignore[index]
    assert ids == ["run-1796079186362-7", "run-1796079186378-8"]


def test_run_that_owns_nothing_claims_nothing(recordings: Path) -> None:
    report = explain(str(recordings / "twin-tools.jsonl"), run="nobody")
    found = report.to_dict()
    assert found["run"]["status"] == "not-recorded"  # type: ignore[index]
    assert [fact.rule for fact in report.facts] == ["run"]
    assert (found["signals"], found["calls"], found["checks"]) == ([], [], [])


def test_recordings_hold_nothing_unread() -> None:
    for path in sorted((ROOT / "recordings").glob("*.json*")):
        assert _explain(path)["recording"]["unread"] == 0, path.name
