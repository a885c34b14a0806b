"""Each check: when it finds something, when it is clean, and when it could not run."""

from __future__ import annotations

import json
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


# Empty results --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "emptiness", "outcome"),
    [
        ([], "undeclared-empty", "signal"),
        ([1], "non-empty", "clean"),
        ("[]", "undeclared-empty", "signal"),
        ("[[]]", "non-empty", "clean"),
        ({"rows": []}, "unknown", "not-measurable"),
        ("none", "unknown", "not-measurable"),
        (0, "unknown", "not-measurable"),
        (None, "unknown", "not-measurable"),
        ({"af_absent": True}, "unknown", "not-measurable"),
        ({"af_coverage": {"checked": []}, "result": []}, "declared-absent", "clean"),
        ({"af_coverage": {"checked": []}, "result": [1]}, "non-empty", "clean"),
        ({"af_coverage": 1, "result": []}, "unknown", "not-measurable"),
    ],
)
def test_emptiness_of_a_result(
    tmp_path: Path, result: object, emptiness: str, outcome: str
) -> None:
    found = _explain(one_call(result), tmp_path)
    assert found["calls"][0]["emptiness"] == emptiness
    assert _outcome(found, "empty-results-used") == outcome


@pytest.mark.parametrize(
    ("result", "emptiness", "outcome"),
    [
        ({"rows": []}, "undeclared-empty", "signal"),
        ({"rows": [1]}, "non-empty", "clean"),
        ({"other": []}, "unknown", "not-measurable"),
        ({"rows": 7}, "unknown", "not-measurable"),
        ({"in": {"rows": []}}, "unknown", "not-measurable"),
        ({"af_coverage": {}, "result": {"rows": []}}, "declared-absent", "clean"),
    ],
)
def test_emptiness_at_a_declared_place(
    tmp_path: Path, result: object, emptiness: str, outcome: str
) -> None:
    found = _explain(
        one_call(result), tmp_path, declarations=Declarations(rows_at={"find": "rows"})
    )
    assert found["calls"][0]["emptiness"] == emptiness
    assert _outcome(found, "empty-results-used") == outcome


def test_declared_absence_is_no_signal(tmp_path: Path) -> None:
    found = _explain(one_call([], status="absent"), tmp_path)
    assert found["calls"][0]["emptiness"] == "declared-absent"
    assert found["calls"][0]["vouched_by"] == "tool:find"
    assert _outcome(found, "empty-results-used") == "clean"


def test_without_a_compose_nothing_is_witnessed(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "find")
    log.started("t1", "find")
    log.ended("t1", [])
    log.history(1, {"role": "tool", "content": "[]", "toolCallId": "t1"})
    log.called_model(2, "find")
    log.answered("a")
    found = _explain(log, tmp_path)
    assert found["witnesses"] == []
    assert "compose" not in found["answering"]
    assert _outcome(found, "empty-results-used") == "not-measurable"
    assert _outcome(found, "cut-results-used") == "not-measurable"


def test_result_that_was_gone_before_the_answer_is_not_used(tmp_path: Path) -> None:
    log = Log().configured(window="sliding").asked("q")
    log.called_model(1, "find")
    log.started("t1", "find")
    log.ended("t1", [])
    log.composed(2, ("user", None, "q"))
    log.called_model(2, "find")
    log.answered("a")
    found = _explain(log, tmp_path)
    assert found["calls"][0]["emptiness"] == "undeclared-empty"
    assert "used" not in found["calls"][0]
    assert _ids(found) == []


# Earlier results ------------------------------------------------------------------------------


def _follow_up(earlier: object, *, window: bool = False, tail: str = "") -> Log:
    """A second turn that makes no call of its own, with the first turn's result in view."""
    text = earlier if isinstance(earlier, str) else json.dumps(earlier)
    log = Log("run-1", "s-1").configured().asked("first?")
    log.composed(1, ("user", None, "first?"))
    log.called_model(1, "find")
    log.started("t1", "find")
    log.ended("t1", earlier)
    log.answered("none")
    log.as_run("run-2", "s-1")
    log.configured(**({"window": "sliding"} if window else {})).asked("second?")
    log.composed(
        1,
        ("user", None, "first?"),
        ("tool-result", "t1", text + tail),
        ("assistant", None, "none"),
        ("user", None, "second?"),
    )
    log.called_model(1, "find")
    log.answered("still none")
    return log


@pytest.mark.parametrize("window", [False, True])
def test_earlier_empty_result_in_view(tmp_path: Path, window: bool) -> None:
    found = _explain(_follow_up([], window=window), tmp_path)
    (earlier,) = found["in_view"]
    assert (earlier["call_id"], earlier["tool"]) == ("t1", "find")
    assert (earlier["distance"], earlier["at_least"]) == (1, window)
    assert earlier["pointers"][1]["path"] == "/payload/rawContent"
    assert _ids(found) == ["undeclared-empty-in-view"]
    assert _outcome(found, "empty-results-used") == "not-applicable"


def test_earlier_result_that_declared_its_absence_in_its_own_run(tmp_path: Path) -> None:
    log = _follow_up({"af_absent": True})
    found = _explain(log, tmp_path)
    assert found["in_view"][0]["emptiness"] == "unknown", "its events are in the record"
    log = _follow_up([])
    log.events.insert(
        6,
        {
            "type": "agentfootprint.tools.absent",
            "payload": {"toolName": "find", "toolCallId": "t1"},
            "meta": {"runId": "run-1", "sessionId": "s-1"},
        },
    )
    assert _explain(log, tmp_path)["in_view"][0]["emptiness"] == "declared-absent"


def test_earlier_result_whose_events_are_not_recorded_may_declare_itself(tmp_path: Path) -> None:
    log = Log("run-2", "s-1").configured().asked("second?")
    log.composed(
        1,
        ("user", None, "first?"),
        ("tool-result", "t1", '{"af_absent":true,"looked_for":"x"}'),
        ("user", None, "second?"),
    )
    log.called_model(1, "find")
    log.answered("a")
    (earlier,) = _explain(log, tmp_path)["in_view"]
    assert earlier["emptiness"] == "declared-absent"
    assert "tool" not in earlier


def test_tool_chars_ends_a_results_own_text(tmp_path: Path) -> None:
    log = Log().configured().asked("second?")
    log.history(
        1,
        {"role": "user", "content": "first?"},
        {"role": "tool", "content": "[]\n[a note]", "toolChars": 2, "toolCallId": "t0"},
        {"role": "user", "content": "second?"},
    )
    log.composed(2, ("tool-result", "t0", "[]\n[a note]"), ("user", None, "second?"))
    log.called_model(2)
    log.answered("a")
    (earlier,) = _explain(log, tmp_path)["in_view"]
    assert (earlier["emptiness"], earlier["rows"]) == ("undeclared-empty", 0)


@pytest.mark.parametrize(
    ("text", "extra", "distance"),
    [
        ("second?", {}, 2),
        ("second?", {"injectedBy": "steering"}, 1),
        ("[compacted history: 4 messages]", {}, 1),
        ("[dropped history]", {}, 1),
        ("[schema check] fix it", {}, 1),
        ("[evidence check]", {}, 1),
        ("[budget exhausted]", {}, 1),
        ("[steps unrun]", {}, 1),
        ("a [dropped history", {}, 2),
    ],
)
def test_only_what_a_person_wrote_counts_for_distance(
    tmp_path: Path, text: str, extra: dict[str, str], distance: int
) -> None:
    log = Log().configured().asked("third?")
    log.history(
        1,
        {"role": "user", "content": "first?"},
        {"role": "tool", "content": "[]", "toolCallId": "t0"},
        {"role": "user", "content": text, **extra},
        {"role": "user", "content": "third?"},
    )
    log.composed(2, ("tool-result", "t0", "[]"))
    log.called_model(2)
    log.answered("a")
    assert _explain(log, tmp_path)["in_view"][0]["distance"] == distance


def test_words_of_the_framework_after_the_question_are_not_a_persons(tmp_path: Path) -> None:
    log = _follow_up([])
    last = max(i for i, e in enumerate(log.events) if e["type"].endswith("context.slot_composed"))
    row = json.loads(json.dumps(log.events[last - 1]))
    row["payload"].update(rawContent="Your budget is spent. Sum up.", position=4)
    log.events.insert(last, row)
    assert _explain(log, tmp_path)["in_view"][0]["distance"] == 1


def test_witness_that_the_conversation_does_not_hold(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.history(1, {"role": "user", "content": "q"})
    log.composed(2, ("tool-result", "t0", "[]"), ("user", None, "q"))
    log.called_model(2)
    log.answered("a")
    found = _explain(log, tmp_path)
    assert found["in_view"] == []
    assert [(n["check"], n["reason"]) for n in found["not_measurable"]] == [
        ("empty-results-in-view", "not-in-history"),
        ("cut-results-in-view", "not-in-history"),
    ]


def test_newest_first_and_all_of_them_judged(tmp_path: Path) -> None:
    log = Log("run-2", "s").configured().asked("now?")
    rows: list[tuple[str, str | None, str]] = [("user", None, "before?")]
    rows += [("tool-result", f"t{i}", "[]") for i in range(5)]
    log.composed(1, *rows, ("user", None, "now?"))
    log.called_model(1)
    log.answered("a")
    found = _explain(log, tmp_path)
    assert [e["call_id"] for e in found["in_view"]] == ["t4", "t3", "t2", "t1", "t0"]
    assert len(found["signals"]) == 5


# Other checks ---------------------------------------------------------------------------------


def _routed(*, placed: str | None, counted: int = 1, dropped: int = 0) -> Log:
    log = Log().configured().asked("q")
    log.add("skill.turn_routed", {"by": "intent", "to": "billing", "scores": []})
    stage = "sf-system-prompt/compose#1"
    if placed is not None:
        log.add(
            "context.injected",
            {"slot": "system-prompt", "source": "skill", "sourceId": placed},
            runtimeStageId=stage,
        )
    log.add(
        "context.slot_composed",
        {
            "slot": "system-prompt",
            "iteration": 1,
            "sourceBreakdown": {"skill": {"chars": 9, "count": counted}},
            "droppedCount": dropped,
        },
        runtimeStageId=stage,
    )
    log.called_model(1)
    log.answered("a")
    return log


@pytest.mark.parametrize(
    ("log", "outcome", "delivered"),
    [
        (_routed(placed="billing"), "clean", "yes"),
        (_routed(placed="shipping"), "signal", "no"),
        (_routed(placed=None, counted=0), "signal", "no"),
        (_routed(placed=None, counted=1), "not-measurable", "not-measurable"),
        (_routed(placed="shipping", dropped=1), "not-measurable", "not-measurable"),
    ],
)
def test_decided_and_delivered(tmp_path: Path, log: Log, outcome: str, delivered: str) -> None:
    found = _explain(log, tmp_path)
    assert found["routing"]["delivered"] == delivered
    assert _outcome(found, "decided-delivered") == outcome


def test_not_delivered_needs_a_compose_for_every_model_call(tmp_path: Path) -> None:
    log = _routed(placed="shipping")
    log.events.insert(-1, json.loads(json.dumps(log.events[-2])))
    log.events[-2]["payload"]["iteration"] = 2
    found = _explain(log, tmp_path)
    assert _outcome(found, "decided-delivered") == "not-measurable"
    assert found["not_measurable"][0]["reason"] == "no-compose"


def test_skill_that_the_model_read_by_itself_is_delivered(tmp_path: Path) -> None:
    log = _routed(placed="shipping")
    answer = log.events.pop()
    log.started("t1", "read_skill", {"id": "billing"})
    log.ended("t1", "the skill's text")
    log.events.append(answer)
    assert _explain(log, tmp_path)["routing"]["delivered"] == "not-measurable"
    log.events.pop()
    log.composed(2, ("tool-result", "t1", "the skill's text"))
    log.called_model(2)
    log.events.append(answer)
    assert _explain(log, tmp_path)["routing"]["delivered"] == "yes"


def test_who_decides_on_the_applications_word(tmp_path: Path) -> None:
    found = _explain(
        _routed(placed="billing"),
        tmp_path,
        declarations=Declarations(skill_labels={"billing": "Billing"}, app_decides="our ranking"),
    )
    routing = found["routing"]
    assert (routing["label"], routing["decided_by"], routing["vouched_by"]) == (
        "Billing",
        "our ranking",
        "app",
    )


def _absent(**lists: object) -> Log:
    log = one_call({"af_absent": True})
    payload = {"toolName": "find", "toolCallId": "t1", "lookedFor": "x", **lists}
    log.events.insert(
        6, {"type": "agentfootprint.tools.absent", "payload": payload, "meta": {"runId": "run-1"}}
    )
    return log


@pytest.mark.parametrize(
    ("lists", "outcome"),
    [
        ({"notChecked": [{"what": "whether x exists", "kind": "existence"}]}, "signal"),
        ({"cannotCover": [{"what": "whether x exists", "kind": "existence"}]}, "signal"),
        ({"notChecked": [{"what": "the archive", "kind": "scope"}]}, "clean"),
        ({"notChecked": [{"what": "the archive"}]}, "not-measurable"),
        ({"checked": [{"what": "all"}]}, "clean"),
    ],
)
def test_existence(tmp_path: Path, lists: dict[str, object], outcome: str) -> None:
    found = _explain(_absent(**lists), tmp_path)
    assert _outcome(found, "existence") == outcome


def test_unknown_tool_without_a_catalogue_is_not_measurable(tmp_path: Path) -> None:
    log = one_call([1])
    for event in log.events:
        event["payload"].pop("tools", None)
    found = _explain(log, tmp_path)
    assert _outcome(found, "offered-tools") == "not-measurable"


def test_tool_called_where_none_was_offered(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1)
    log.started("t1", "find")
    log.ended("t1", [1])
    log.answered("a")
    assert "unknown-tool-called" in _ids(_explain(log, tmp_path))


def test_signals_come_in_order_of_weight(tmp_path: Path) -> None:
    log = one_call([])
    log.events.insert(
        3,
        {
            "type": "agentfootprint.stream.tool_start",
            "payload": {"toolName": "nobody", "toolCallId": "t0", "args": {}},
            "meta": {"runId": "run-1"},
        },
    )
    tones = [signal["tone"] for signal in _explain(log, tmp_path)["signals"]]
    assert tones == sorted(tones, key=["bad", "warn"].index)


# Evidence that is not complete ----------------------------------------------------------------


def test_row_that_is_unread_makes_the_checks_not_measurable(tmp_path: Path) -> None:
    log = _follow_up([])
    lines = log.lines().split(b"\n")
    place = next(
        i
        for i, e in enumerate(log.events)
        if e["payload"].get("sourceId") == "t1" and e["meta"]["runId"] == "run-2"
    )
    lines[place] = lines[place][:40]
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(lines))
    found: Any = explain(str(path)).to_dict()
    assert found["answering"]["complete"] is False
    assert _outcome(found, "empty-results-in-view") == "not-measurable"
    assert _outcome(found, "cut-results-in-view") == "not-measurable"


def test_own_row_that_is_missing_makes_the_checks_not_measurable(tmp_path: Path) -> None:
    log = one_call([])
    log.events = [e for e in log.events if e["payload"].get("sourceId") != "t1"]
    found = _explain(log, tmp_path)
    assert _ids(found) == []
    assert _outcome(found, "empty-results-used") == "not-measurable"
    assert _outcome(found, "cut-results-used") == "not-measurable"


def test_compose_without_a_stage_proves_nothing(tmp_path: Path) -> None:
    log = one_call([])
    for event in log.events:
        event["meta"].pop("runtimeStageId")
    found = _explain(log, tmp_path)
    assert found["witnesses"] == []
    assert _outcome(found, "empty-results-used") == "not-measurable"


def test_result_that_is_kept_out_is_not_measurable(tmp_path: Path) -> None:
    log = one_call("[REDACTED]")
    path = tmp_path / "r.json"
    path.write_bytes(log.document({"recorders": [{"id": "agentfootprint.redaction"}]}))
    found: Any = explain(str(path)).to_dict()
    for check in ("empty-results-used", "cut-results-used"):
        assert _outcome(found, check) == "not-measurable"
    assert {n["reason"] for n in found["not_measurable"]} == {"kept-out"}


def test_call_that_the_run_paused_for_is_no_signal(recordings: Path) -> None:
    found: Any = explain(
        str(recordings / "pause-and-resume.jsonl"), run="run-1796079186362-7"
    ).to_dict()
    assert found["calls"][0]["outcome"] == "unknown"
    assert found["calls"][0]["waiting"] is True
    assert _ids(found) == []


def test_error_that_ended_an_unfinished_run_is_said(recordings: Path) -> None:
    found: Any = explain(str(recordings / "no-answer.jsonl")).to_dict()
    assert found["run"]["error"].startswith("The AI call failed")
