"""Sizes, shares, cuts, narrower requests, evictions and replayed caps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.readings.results import changes
from agentprint_cli.reports.results.pipeline import results as results_report
from agentprint_cli.view import open_view
from tests.analyzers.log_builder import Log, assert_resolves


def _results(path: str, **options: Any) -> dict[str, Any]:
    (report,) = results_report(path, **options)
    with open_view(path) as view:
        assert_resolves(view, report)
    return report.to_dict()


def _one(path: str, call: str = "c1", **options: Any) -> dict[str, Any]:
    found = _results(path, **options)["results"]
    return next(result for result in found if result["call_id"] == call)


def _marker(
    tool: str = "find", true: int = 900, cap: int = 200, head: str = "abc"
) -> dict[str, Any]:
    reason = (
        f"{tool} returned {true} chars, over the {cap}-char cap. Narrow the request and call again."
    )
    return {"truncated": True, "reason": reason, "head": head}


def test_the_shipped_recording_was_cut(recordings: Path) -> None:
    for name in ("capped-result.jsonl", "capped-result.recording.json"):
        document = _results(str(recordings / name), caps=[100, 5000])
        (result,) = document["results"]
        assert result["cut"] == {
            "shown_chars": 370, "true_chars": 241781, "share_seen": 0.0015, "cap": 600
        }  # fmt: skip
        assert (result["call_id"], result["tool"], result["chars"]) == (
            "t1",
            "export_catalogue",
            600,
        )
        assert result["share_of_context"] == round(600 / 728, 4)
        assert result["asked_again"] == {"asked": False}
        replayed = [(w["cap"], w["would_cut"], w["status"]) for w in result["what_if"]]
        assert replayed == [(100, True, "not-measurable"), (5000, True, "not-measurable")]
        assert [total["replayed"] for total in document["what_if"]] == [0, 0]


def test_sizes_are_those_of_what_the_model_got(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1)
    log.call("c1", result="x" * 50, modelResult="né😀")
    log.call("c2", result={"a": [1, "é"]})
    log.call("c3", result="settled", notDispatched=True)
    log.start("c4")
    log.answer()
    found = {r["call_id"]: r["chars"] for r in _results(log.save(tmp_path))["results"]}
    assert found == {"c1": 4, "c2": len('{"a":[1,"é"]}')}


def test_shares_are_of_each_later_context(tmp_path: Path) -> None:
    log = Log().begin()
    log.compose(1, ("base", None, "s" * 30), slot="system-prompt")
    log.model(1)
    log.call("c1", result="r" * 60)
    for iteration in (2, 3):
        log.compose(iteration, ("base", None, "s" * 30), slot="system-prompt")
        log.compose(iteration, ("registry", "find", "t" * 9), slot="tools")
        log.compose(
            iteration, ("user", None, "q"), ("tool-result", "c1", "r" * 60 * (iteration - 1))
        )
        log.add("stream.llm_start", {"iteration": iteration})
    log.answer()
    document = _results(log.save(tmp_path))
    (result,) = document["results"]
    assert [(s["iteration"], s["chars"], s["share"]) for s in result["shares"]] == [
        (2, 60, 0.6),
        (3, 120, 0.75),
    ]
    assert result["share_of_context"] == 0.75
    first, second, _ = document["contexts"]
    assert (first["chars"], first["missing_slots"]) == (31, ["tools"])
    assert second["slots"] == {"system-prompt": 30, "tools": 9, "messages": 61}
    assert second["parts"][-1] == {
        "slot": "messages", "source": "tool-result", "tool": "find", "chars": 60, "count": 1
    }  # fmt: skip


def test_what_no_row_accounts_for_belongs_to_no_tool(tmp_path: Path) -> None:
    log = Log().begin()
    log.call("c1")
    stated = {"user": {"chars": 1, "count": 1}, "tool-result": {"chars": 100, "count": 3}}
    log.compose(1, ("user", None, "q"), ("tool-result", "c1", "r" * 40), sourceBreakdown=stated)
    log.add("stream.llm_start", {"iteration": 1})
    log.answer()
    (context,) = _results(log.save(tmp_path))["contexts"]
    assert context["parts"][1:] == [
        {"slot": "messages", "source": "tool-result", "tool": "find", "chars": 40, "count": 1},
        {"slot": "messages", "source": "tool-result", "chars": 60, "count": 2},
    ]


def test_sizes_below_nothing_are_no_sizes(tmp_path: Path) -> None:
    log = Log().begin()
    stated = {"user": {"chars": -5, "count": 1}, "tool-result": {"chars": 9, "count": 1}}
    rows = (("tool-result", "c1", "r"), ("tool-result", "c2", "r"))
    log.compose(1, ("user", None, "q"), *rows, sourceBreakdown=stated)
    log.add("stream.llm_start", {"iteration": 1})
    log.answer()
    (context,) = _results(log.save(tmp_path))["contexts"]
    assert context["status"] == "not-measurable"
    assert all(part["chars"] >= 0 and part.get("count", 0) >= 0 for part in context["parts"])


def test_a_context_without_sizes_is_not_measurable(tmp_path: Path) -> None:
    log = Log().begin()
    log.call("c1")
    log.compose(1, ("tool-result", "c1", "r"), sourceBreakdown={"tool-result": {"count": 1}})
    log.add("stream.llm_start", {"iteration": 1})
    log.add("stream.llm_start", {"iteration": 2})
    log.answer()
    unsized, uncomposed = _results(log.save(tmp_path))["contexts"]
    assert (unsized["status"], unsized["reason"]) == ("not-measurable", "incomplete")
    assert (uncomposed["status"], uncomposed["reason"]) == ("not-recorded", "no-compose")


# Asked again ------------------------------------------------------------------------------------


def _asked(tmp_path: Path, before: dict[str, Any], *after: dict[str, Any]) -> dict[str, Any]:
    log = Log().begin()
    log.model(1)
    log.call("c1", args=before, result=_marker())
    log.model(2)
    for number, args in enumerate(after, 2):
        log.call(f"c{number}", args=args)
    log.answer()
    again = _one(log.save(tmp_path))["asked_again"]
    assert isinstance(again, dict)
    return again


def test_an_added_argument_is_narrower(tmp_path: Path) -> None:
    assert _asked(tmp_path, {"q": "x"}, {"q": "x", "limit": 25}) == {
        "asked": True,
        "call_id": "c2",
        "changed": [{"path": "/limit", "what": "added", "after": 25}],
        "narrower": True,
    }


@pytest.mark.parametrize(
    ("before", "after", "what", "narrower"),
    [
        ({"n": 10}, {"n": 5}, "smaller", True),
        ({"n": 5}, {"n": 10}, "larger", False),
        ({"ids": [1, 2]}, {"ids": [1]}, "shorter", True),
        ({"q": "a"}, {"q": "a b"}, "longer", False),
        ({"q": "a"}, {"q": "b"}, "changed", False),
        ({"q": "a", "n": 1}, {"q": "a"}, "removed", False),
        ({"n": 1}, {"n": True}, "changed", False),
    ],
)
def test_what_changed(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], what: str, narrower: bool
) -> None:
    again = _asked(tmp_path, before, after)
    assert [change["what"] for change in again["changed"]] == [what]
    assert again["narrower"] is narrower


def test_the_same_request_again_changed_nothing(tmp_path: Path) -> None:
    again = _asked(tmp_path, {"q": "x", "_findings": {"basis": "direct"}}, {"q": "x"})
    assert (again["changed"], again["narrower"]) == ([], False)


def test_of_one_step_the_call_that_differs_least_counts(tmp_path: Path) -> None:
    again = _asked(tmp_path, {"q": "x"}, {"q": "y", "n": 1}, {"q": "x", "n": 1})
    assert again["call_id"] == "c3"


def test_a_call_of_the_same_step_is_no_second_request(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1)
    log.start("c1", args={"q": "x"})
    log.start("c2", args={"q": "x", "n": 1})
    log.add("stream.tool_end", {"toolCallId": "c1", "result": _marker()})
    log.add("stream.tool_end", {"toolCallId": "c2", "result": "r"})
    log.answer()
    assert _one(log.save(tmp_path))["asked_again"] == {"asked": False}


def test_deep_arguments_are_compared_without_end() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = {"a": deep}
    (change,) = changes({"x": deep}, {"x": {"a": {"a": 1}}})
    assert change.what == "changed"


def test_refused_for_size_and_repeated(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1)
    refused = {"toolCallId": "c1", "sizeChars": 5000, "maxChars": 100, "narrowBy": ["limit"]}
    log.add("tools.result_refused", refused)
    log.call("c1", result="Result too large", status="invalid")
    log.model(2)
    log.add("tools.repeated_call", {"toolCallId": "c2", "occurrences": 2})
    log.call("c2", args={"limit": 5})
    log.answer()
    path = log.save(tmp_path)
    first, second = _results(path, caps=[100])["results"]
    assert first["refused_for_size"] == {
        "size_chars": 5000,
        "max_chars": 100,
        "narrow_by": ["limit"],
    }
    assert first["asked_again"]["narrower"] is True
    assert first["what_if"][0] == {
        "cap": 100, "would_cut": True, "status": "not-measurable", "reason": "cut"
    }  # fmt: skip
    assert second["repeated"] == {"occurrences": 2}
    assert "asked_again" not in second


# Left the context -------------------------------------------------------------------------------


def _evicted(**over: Any) -> Log:
    log = Log().begin()
    log.model(1)
    log.call("c1")
    log.model(2, ("c1", "one"))
    log.add("context.evicted", {"slot": "messages", "contentHash": "1:one", "reason": "budget"})
    log.compose(3, ("user", None, "q"), **over)
    log.add("stream.llm_start", {"iteration": 3})
    log.answer()
    return log


def test_evicted_before_the_answer(tmp_path: Path) -> None:
    path = _evicted().save(tmp_path)
    left = _one(path)["left_context"]
    assert left == {
        "left": "yes",
        "last_in": 10,
        "evicted_by": 11,
        "reason": "budget",
        "absent_from_answering_context": True,
    }


def test_an_incomplete_compose_proves_no_absence(tmp_path: Path) -> None:
    more = {"user": {"chars": 1, "count": 1}, "tool-result": {"chars": 3, "count": 1}}
    log = _evicted(sourceBreakdown=more)
    assert _one(log.save(tmp_path, "a.jsonl"))["left_context"]["evicted_by"] == 11
    log.events[11]["payload"]["contentHash"] = "another"
    left = _one(log.save(tmp_path, "b.jsonl"))["left_context"]
    assert left == {"left": "not-measurable"}


def test_a_result_that_is_still_there_did_not_leave(tmp_path: Path) -> None:
    log = _evicted()
    log.events.pop()
    log.model(4, ("c1", "one"))
    log.answer()
    assert "left_context" not in _one(log.save(tmp_path))


def test_earlier_results_are_listed_as_such(tmp_path: Path) -> None:
    log = Log("run-1", "s").begin()
    log.call("c1", "list")
    log.answer()
    log.as_run("run-2", "s").begin()
    log.model(1, ("c1", "[]"), ("c9", "x" * 300))
    log.answer()
    first, second = _results(log.save(tmp_path), caps=[200])["results"]
    assert (first["own_call"], first["tool"], first["chars"]) == (False, "list", 2)
    assert "tool" not in second
    assert second["what_if"][0]["would_cut"] is True


# What if ----------------------------------------------------------------------------------------


def test_a_cap_is_replayed(tmp_path: Path) -> None:
    log = Log().begin()
    log.model(1)
    log.call("c1", result="x" * 500)
    log.call("c2", result="x" * 150)
    log.model(2, ("c2", "x" * 150))
    log.answer()
    document = _results(log.save(tmp_path), caps=[200, 120])
    first, second = document["results"]
    cut = first["what_if"][0]
    assert (cut["would_cut"], cut["cap"]) == (True, 200)
    assert cut["head"] == "x" * cut["head_chars"]
    assert cut["chars_saved"] >= 300
    assert second["what_if"][0] == {"cap": 200, "would_cut": False}
    wide, tight = document["what_if"]
    assert wide["would_cut"] == 1
    assert wide["chars_saved_in_answering_context"] == 0
    assert tight["would_cut"] == 2
    assert tight["chars_saved_in_answering_context"] == second["what_if"][1]["chars_saved"] > 0


@pytest.mark.parametrize("cap", [0, -1])
def test_a_bad_cap_is_refused(recordings: Path, cap: int) -> None:
    with pytest.raises(ValueError, match=str(cap)):
        results_report(str(recordings / "capped-result.jsonl"), caps=[cap])


def test_what_is_kept_out_has_no_size(tmp_path: Path) -> None:
    log = Log().begin()
    log.call("c1", result="[REDACTED]")
    log.answer()
    policy = [{"id": "agentfootprint.redaction"}]
    path = log.save_document(tmp_path, {}, recorders=policy)
    result = _one(path, caps=[10])
    assert "chars" not in result
    assert result["text_kept_out"] is True
    assert result["what_if"][0]["reason"] == "kept-out"
