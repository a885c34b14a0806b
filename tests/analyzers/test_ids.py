"""Every rule of the offer, on logs made for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.reports.explain.pipeline import explain as explain_report
from agentprint_cli.reports.ids.pipeline import ids as ids_report
from agentprint_cli.view import open_view
from tests.analyzers.log_builder import Log, assert_resolves


def _ids(path: str, **options: Any) -> dict[str, Any]:
    reports = ids_report(path, **options)
    with open_view(path) as view:
        for report in reports:
            assert_resolves(view, report)
    return reports[0].to_dict()


def _two_results(*said: tuple[str, str]) -> Log:
    """Results c1 and c2, then these standings, then the answering call, which is served both."""
    log = Log().begin()
    log.model(1)
    log.call("c1")
    log.model(2, ("c1", "one"))
    for call, word in said:
        log.standing(call, word)
    log.call("c2")
    log.model(3, ("c1", "one"), ("c2", "two"))
    log.answer()
    return log


@pytest.mark.parametrize(
    ("said", "offered", "undeclared"),
    [
        ([], ["c2", "c1"], ["c1", "c2"]),
        ([("c1", "fact")], ["c2", "c1"], ["c2"]),
        ([("c1", "open")], ["c2", "c1"], ["c2"]),
        ([("c1", "noise")], ["c2"], ["c2"]),
        ([("c1", "ruled-out")], ["c2"], ["c2"]),
        ([("c1", "noise"), ("c1", "fact")], ["c2", "c1"], ["c2"]),
        ([("c1", "fact"), ("c1", "ruled-out")], ["c2"], ["c2"]),
    ],
    ids=["none", "fact", "open", "noise", "ruled-out", "back by a fact", "retired later"],
)
def test_standings_retire_and_bring_back(
    tmp_path: Path, said: list[tuple[str, str]], offered: list[str], undeclared: list[str]
) -> None:
    call = _ids(_two_results(*said).save(tmp_path))["calls"][0]
    assert call["served"] == ["c1", "c2"]
    assert call["offered"] == offered
    assert call["nameable"] == offered[::-1]
    assert call["undeclared"] == undeclared
    assert call["unknown"] == []


def test_each_id_points_to_its_row_and_its_standing(tmp_path: Path) -> None:
    log = _two_results(("c1", "noise"), ("c1", "fact"))
    path = log.save(tmp_path)
    call = _ids(path)["calls"][0]
    with open_view(path) as view:
        for row in call["served_rows"]:
            (place,) = row["pointers"]
            assert view.at(place["event"]).payload["sourceId"] == row["call_id"]
        (row,) = call["standing_rows"]
        (place,) = row["pointers"]
        assert view.at(place["event"]).payload["standing"] == "fact"
    assert row == {**row, "call_id": "c1", "standing": "fact"}


def test_a_standing_counts_from_the_next_model_call(tmp_path: Path) -> None:
    log = _two_results(("c1", "noise"))
    log.standing("c2", "noise", on="answer")  # declared on this very answer
    first, second, third = _ids(log.save(tmp_path), each=True)["calls"]
    assert (first["served"], first["standings"]) == ([], {})
    assert (second["offered"], second["standings"]) == (["c1"], {})
    assert (third["offered"], third["standings"]) == (["c2"], {"c1": "noise"})


def test_answer_turn_standings_count_in_later_turns(tmp_path: Path) -> None:
    log = Log("run-1", "s").begin()
    log.model(1)
    log.call("c1")
    log.model(2, ("c1", "one"))
    log.standing("c1", "ruled-out", on="answer")
    log.answer()
    log.as_run("run-2", "s").begin("and now?")
    log.model(1, ("c1", "one"))
    log.answer()
    document = _ids(log.save(tmp_path))
    assert document["run"]["id"] == "run-2"
    assert document["calls"][0]["offered"] == []
    assert document["calls"][0]["standings"] == {"c1": "ruled-out"}
    assert document["declared"][0]["own_run"] is False


def test_standings_of_strangers_do_not_count(tmp_path: Path) -> None:
    log = Log("other", "elsewhere").begin()
    log.standing("c1", "noise")
    log.answer()
    log.as_run("run-2", "s").begin()
    log.model(1, ("c1", "one"))
    log.answer()
    assert _ids(log.save(tmp_path))["calls"][0]["offered"] == ["c1"]


def test_an_ordinal_is_an_unknown_id(tmp_path: Path) -> None:
    document = _ids(_two_results(("0", "fact"), ("c1", "fact")).save(tmp_path))
    call = document["calls"][0]
    assert call["unknown"] == ["0"]
    assert call["standings"] == {"0": "fact", "c1": "fact"}
    (signal,) = document["signals"]
    assert (signal["id"], signal["values"]["call_id"]) == ("unknown-standing", "0")
    assert signal["text"] == (
        "the standing “fact” was put on “0”, and no compose on record served a result under that id"
    )


def test_unknown_needs_the_composes_to_be_complete(tmp_path: Path) -> None:
    log = Log().begin()
    log.add("stream.llm_start", {"iteration": 1})  # no compose on record
    log.standing("c9", "fact")
    log.model(2)
    log.answer()
    document = _ids(log.save(tmp_path))
    assert document["signals"] == []
    (unmeasured,) = document["not_measurable"]
    assert (unmeasured["check"], unmeasured["reason"]) == ("unknown-standings", "no-compose")


def test_the_framework_may_flag_an_unknown_id_itself(tmp_path: Path) -> None:
    log = Log().begin()
    log.add("stream.llm_start", {"iteration": 1})
    log.standing("c9", "fact", unknownId=True)
    log.model(2)
    log.answer()
    assert [s["id"] for s in _ids(log.save(tmp_path))["signals"]] == ["unknown-standing"]


def test_a_result_that_left_the_context_was_served_all_the_same(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1)
    log.call("c1")
    log.model(2, ("c1", "one"))
    log.standing("c1", "fact")
    log.model(3)
    log.answer()
    document = _ids(log.save(tmp_path))
    call = document["calls"][0]
    assert (call["served"], call["unknown"]) == ([], [])
    assert call["no_longer_served"] == ["c1"]
    assert document["signals"] == []


@pytest.mark.parametrize("where", ["event", "history"])
def test_a_settled_call_is_no_result(tmp_path: Path, where: str) -> None:
    log = Log().begin()
    log.model(1)
    log.call("c1")
    if where == "event":
        log.call("c2", result="[not run]", notDispatched=True)
    messages = [
        {"role": "user", "content": "q"},
        {"role": "tool", "content": "one", "toolCallId": "c1"},
        {"role": "tool", "content": "[not run]", "toolCallId": "c2"},
    ]
    if where == "history":
        messages[-1]["notDispatched"] = True  # type: ignore[assignment]
    log.add("agent.iteration_end", {"iterIndex": 1, "history": messages})
    log.model(2, ("c1", "one"), ("c2", "[not run]"))
    log.answer()
    assert _ids(log.save(tmp_path))["calls"][0]["served"] == ["c1"]


def test_rows_count_in_the_order_of_their_positions_and_once(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1, ("c1", "one"), ("c2", "two"), ("c1", "one again"))
    rows = [event for event in log.events if event["type"].endswith("injected")]
    rows[1]["payload"]["position"], rows[2]["payload"]["position"] = 2, 1
    log.answer()
    assert _ids(log.save(tmp_path))["calls"][0]["served"] == ["c2", "c1"]


def test_an_iteration_of_an_earlier_turn_lends_no_compose(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1, ("c1", "one"))
    log.answer()
    log.add("agent.turn_start", {"turnIndex": 1, "userPrompt": "q"})
    log.add("stream.llm_start", {"iteration": 1})
    log.model(2, ("c1", "one"))
    log.answer()
    calls = _ids(log.save(tmp_path), each=True)["calls"]
    assert (calls[1]["status"], calls[1]["reason"]) == ("not-recorded", "no-compose")
    assert calls[2]["served"] == ["c1"]


def test_without_a_model_call_nothing_is_claimed(tmp_path: Path) -> None:
    log = Log().begin()
    log.answer()
    (call,) = _ids(log.save(tmp_path))["calls"]
    assert call == {"status": "not-recorded", "reason": "no-event", "pointers": []}


def test_what_the_model_wrote_is_told_apart(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1)
    log.call("c1")
    log.model(2, ("c1", "one"))
    said = [
        {"toolCallId": "c1", "standing": "noise"},
        {"toolCallId": "c1", "standing": "invented"},
        "not an entry",
        {"toolCallId": "c7", "standing": "ruled-out"},
    ]
    log.standing("c1", "noise")
    log.call("c2", args={"q": "x", "_findings": {"basis": "direct", "previous": said}})
    log.model(3, ("c1", "one"), ("c2", "two"))
    log.answer()
    path = log.save(tmp_path)
    document = _ids(path)
    told = [(w["call_id"], w["standing"], w["by_call"], w["filed"]) for w in document["written"]]
    assert told == [
        ("c1", "noise", "c2", "yes"),
        ("c1", "invented", "c2", "no"),
        ("c7", "ruled-out", "c2", "no"),
    ]
    assert document["calls"][0]["standings"] == {"c1": "noise"}, "only what was filed counts"
    with open_view(path) as view:
        for entry, written in zip((said[0], said[1], said[3]), document["written"], strict=True):
            place = written["pointers"][0]
            assert place["path"].endswith("/standing")
            assert json.loads(view.raw(place["event"]))["payload"]["toolCallId"] == "c2"
            assert isinstance(entry, dict)
    explained = explain_report(path).to_dict()["ids"]
    assert isinstance(explained, dict)
    assert [w["filed"] for w in explained["written"]] == ["yes", "no", "no"]


def test_arguments_in_the_conversation_are_read_where_no_start_holds_them(tmp_path: Path) -> None:
    log = _two_results(("c1", "fact"))
    previous = [{"toolCallId": "c1", "standing": "open"}]
    calls = [
        "no object",
        {"id": "c2", "name": "find", "args": {"_findings": {"previous": previous}}},
    ]
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "toolCalls": calls},
        {"role": "tool", "content": "two", "toolCallId": "c2"},
    ]
    document = _ids(log.save_document(tmp_path, {"history": history}))
    (written,) = document["written"]
    assert (written["call_id"], written["standing"], written["filed"]) == ("c1", "open", "no")
    assert written["pointers"][0]["path"] == (
        "/snapshot/sharedState/history/1/toolCalls/1/args/_findings/previous/0/standing"
    )


# The ledger of a snapshot -----------------------------------------------------------------------


def _row(
    call: str, word: str, iteration: int | None = None, on: object = "answer"
) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": "standing", "toolCallId": call, "standing": word}
    if iteration is not None:
        row |= {"iteration": iteration, "declaredOn": on}
    return row


def _served_at_3(*rows: dict[str, Any]) -> tuple[Log, dict[str, Any]]:
    return _two_results(), {"findingsLedger": [{"kind": "basis", "toolCallId": "c1"}, *rows]}


def test_a_ledger_counts_where_no_event_is_on_record(tmp_path: Path) -> None:
    log, state = _served_at_3(_row("c1", "noise"), _row("c1", "fact"), _row("c2", "ruled-out"))
    call = _ids(log.save_document(tmp_path, state))["calls"][0]
    assert call["standings"] == {"c1": "fact", "c2": "ruled-out"}
    assert call["offered"] == ["c1"]
    assert call["standing_rows"][0]["pointers"] == [
        {"path": "/snapshot/sharedState/findingsLedger/2/standing"}
    ]


def test_the_ledgers_own_answer_does_not_count(tmp_path: Path) -> None:
    log, state = _served_at_3(
        _row("c9", "noise", 5, "answer"),  # an earlier turn's answer
        _row("c1", "open", 2, {"toolCallId": "c2"}),
        _row("c1", "fact", 3, "answer"),
    )
    document = _ids(log.save_document(tmp_path, state), each=True)
    assert document["calls"][1]["standings"] == {"c9": "noise"}
    assert document["calls"][2]["standings"] == {"c9": "noise", "c1": "open"}


def test_events_and_ledger_tell_one_story(tmp_path: Path) -> None:
    log = _two_results(("c1", "noise"))
    state = {"findingsLedger": [_row("c2", "ruled-out", 9, "answer"), _row("c1", "noise", 2, {})]}
    document = _ids(log.save_document(tmp_path, state))
    assert document["calls"][0]["standings"] == {"c2": "ruled-out", "c1": "noise"}
    assert [d["said_by"] for d in document["declared"]] == ["ledger", "event"]


def test_the_end_state_reads_the_conversation(tmp_path: Path) -> None:
    log = _two_results()
    log.standing("c2", "noise", on="answer")
    history = [
        {"role": "tool", "content": "one", "toolCallId": "c1"},
        {"role": "tool", "content": "two", "toolCallId": "c2"},
        {"role": "tool", "content": "-", "toolCallId": "c3", "notDispatched": True},
    ]
    document = _ids(log.save_document(tmp_path, {"history": history}), end_state=True)
    answering, end = document["calls"]
    assert answering["standings"] == {}
    assert (end["served"], end["offered"], end["end_state"]) == (["c1", "c2"], ["c1"], True)
    assert end["served_rows"][1]["pointers"] == [{"path": "/snapshot/sharedState/history/1"}]


def test_what_the_record_keeps_out_is_no_id(tmp_path: Path) -> None:
    log = _two_results(("REDACTED", "fact"))
    rows = [event for event in log.events if event["payload"].get("sourceId") == "c1"]
    rows[-1]["payload"]["sourceId"] = "REDACTED"
    policy = [{"id": "agentfootprint.redaction"}]
    document = _ids(log.save_document(tmp_path, {}, recorders=policy))
    assert document["calls"][0]["served"] == ["c2"]
    assert document["declared"] == []


# The same in `explain` --------------------------------------------------------------------------


def test_explain_reports_unknown_standings_and_nothing_new_without_any(tmp_path: Path) -> None:
    without = explain_report(_two_results().save(tmp_path, "a.jsonl")).to_dict()
    with_one = explain_report(_two_results(("0", "fact")).save(tmp_path, "b.jsonl")).to_dict()
    checks = [[c["id"] for c in d["checks"]] for d in (without, with_one)]  # type: ignore[attr-defined]
    assert checks[1] == [*checks[0], "unknown-standings"]
    assert "unknown-standings" not in checks[0]
    signals = with_one["signals"]
    assert isinstance(signals, list)
    assert [s["id"] for s in signals] == ["unknown-standing"]
