"""Choices of real and hand-made logs, and their scores over one or many recordings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.config import Thresholds
from agentprint_cli.base.errors import UsageError
from agentprint_cli.choices.scoring import MarginOptions
from agentprint_cli.model import Pointer
from agentprint_cli.reports.margins.pipeline import margins
from agentprint_cli.view import open_view
from tests.conftest import ROOT, SHARED_DATA
from tests.logs import Log
from tests.margins.counting import Counting, make


def _margins(*paths: str | Path, **options: Any) -> dict[str, Any]:
    embedder: Callable[[], Any] | None = options.pop("embedder", _counting)
    return margins(
        [str(path) for path in paths], embedder=embedder, options=MarginOptions(**options)
    ).to_dict()


def _counting() -> Any:
    from agentprint_cli.embedding import make_embedder

    return make_embedder("tests.margins.counting:make")


def test_twin_tools(recordings: Path) -> None:
    found = _margins(recordings / "twin-tools.jsonl")
    first, second, third = found["calls"]
    assert [s["tool"] for s in first["scores"]] == [
        "search_loan_history",
        "search_loans",
        "send_overdue_notice",
        "list_shelves",
    ]
    assert [s["score"] for s in first["scores"]] == pytest.approx(
        [0.8918359604988101, 0.8855020346286642, 0.8722165371509298, 0.807143329389642], abs=1e-9
    )
    assert first["margin"] == pytest.approx(-0.006333925870145918, abs=1e-9)
    assert first["flags"] == ["narrow", "proxy-disagreement"]
    assert (first["chosen"], first["call_ids"]) == (["search_loans"], ["t1"])
    assert second["chosen"] == ["search_loan_history", "search_loans"]
    assert second["call_ids"] == ["t2", "t3"]
    assert second["flags"] == ["narrow"]
    assert third["skipped"] == "nothing-chosen"
    assert "margin" not in third
    assert found["summary"] == {
        "recordings": 1,
        "runs": 1,
        "llm_calls_with_tools": 3,
        "choices": 2,
        "scored": 2,
        "flagged": 2,
        "narrow": 2,
        "proxy_disagreement": 1,
        "skipped": 1,
        "not_measurable": 0,
    }
    assert found["embedder"]["id"] == "counting"
    assert (found["embedder"]["dimensions"], found["threshold"]) == (32, 0.05)


def test_log_and_recording_agree(recordings: Path) -> None:
    log = _margins(recordings / "twin-tools.jsonl")["calls"]
    document = _margins(recordings / "twin-tools.recording.json")["calls"]
    for one, other in zip(log, document, strict=True):
        for name in ("event", "scores", "chosen", "flags", "skipped", "context_chars"):
            assert one.get(name) == other.get(name)


def test_chosen_tool_that_was_not_offered(recordings: Path) -> None:
    first = _margins(recordings / "failed-and-unknown.jsonl")["calls"][0]
    assert first["skipped"] == "chosen-not-offered"


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="needs the shared data")
def test_flagship_has_names_without_descriptions() -> None:
    found = _margins(SHARED_DATA / "flagship" / "turn2.recorded.json")
    assert {c.get("not_measurable") for c in found["calls"]} == {"no-descriptions", None}
    assert found["summary"]["scored"] == 0
    assert found["embedder"] == {"why": "nothing-to-score"}


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="needs the shared data")
def test_numpy_and_the_plain_rule_agree_on_the_corpus() -> None:
    from agentprint_cli.rules.margin import score_margin

    report = margins(
        [str(SHARED_DATA / "corpus")], embedder=_counting, options=MarginOptions(show_context=True)
    )
    scored = [fact for fact in report.of("choice") if fact.get("scores") is not None]
    assert len(scored) > 90
    for fact in scored:
        with open_view(fact.text("recording")) as view:
            event = view.at(int(fact.text("event")))
            tools: Any = event.payload["tools"]
        plain = score_margin(tools, fact.text("context"), fact.get("chosen"), make().embed)  # type: ignore[arg-type]
        scores: Any = fact.get("scores")
        assert [s["tool"] for s in scores] == [tool for tool, _ in plain.scores]
        assert [s["score"] for s in scores] == pytest.approx(
            [score for _, score in plain.scores], abs=1e-9
        )
        assert fact.get("flags") == list(plain.flags)


def _offered(*tools: dict[str, Any], chosen: tuple[str, ...] = ("a",), **extra: Any) -> Log:
    log = Log().configured().asked("q")
    log.add(
        "stream.llm_start",
        {"iteration": 1, "toolsCount": len(tools), "tools": list(tools), **extra},
    )
    for number, name in enumerate(chosen):
        log.started(f"t{number}", name)
    log.answered("x")
    return log


A, B = {"name": "a", "description": "Does a."}, {"name": "b", "description": "Does b."}


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (_offered({"name": "a"}, {"name": "b"}), "no-descriptions"),
        (_offered({"name": "a", "description": " \ufeff"}, {"name": "b"}), "no-descriptions"),
        (_offered(A), "single-candidate"),
        (_offered(A, B, A), "duplicate-names"),
        (_offered(A, B, toolChoice={"type": "tool", "name": "a"}), "forced-choice"),
        (_offered(A, B, toolChoice={"function": {"name": "a"}}), "forced-choice"),
        (_offered(A, {"description": "nameless"}), "no-catalogue"),
        (_offered(A, B, tools=None), "no-catalogue"),
        (_offered(A, B, tools="REDACTED"), "no-catalogue"),
    ],
)
def test_not_measurable(tmp_path: Path, log: Log, reason: str) -> None:
    (found,) = _margins(log.save(tmp_path))["calls"]
    assert found["not_measurable"] == reason
    assert "margin" not in found


def test_required_choice_is_still_a_choice(tmp_path: Path) -> None:
    (found,) = _margins(_offered(A, B, toolChoice="required").save(tmp_path))["calls"]
    assert "not_measurable" not in found
    assert "margin" in found


def test_model_call_without_tools_is_no_entry(tmp_path: Path) -> None:
    assert _margins(_offered(chosen=()).save(tmp_path))["calls"] == []


def test_everything_chosen_has_no_margin(tmp_path: Path) -> None:
    (found,) = _margins(_offered(A, B, chosen=("b", "a", "b")).save(tmp_path))["calls"]
    assert (found["chosen"], found["call_ids"]) == (["b", "a"], ["t0", "t1", "t2"])
    assert found["flags"] == []
    assert "margin" not in found


def test_context_of_a_turn(tmp_path: Path) -> None:
    log = Log().configured().asked("first?")
    log.called_model(1, "a", "b")
    log.add("stream.llm_end", {"content": " thinking "})
    log.called_model(2, "a", "b")
    log.add("stream.llm_end", {"content": ""})
    log.called_model(3, "a", "b")
    log.asked("second?")
    log.called_model(1, "a", "b")
    found = _margins(log.save(tmp_path), show_context=True)["calls"]
    assert [c["context"] for c in found] == [
        "user: first?",
        "user: first?\n\nassistant: thinking",
        "user: first?\n\nassistant: thinking",
        "user: second?",
    ]
    assert [c["turn_position"] for c in found] == [0, 1, 2, 0]


def test_leg_after_a_pause_goes_on_with_its_turn(tmp_path: Path) -> None:
    log = Log("run-1").configured().asked("first?")
    log.called_model(1, "a", "b")
    log.add("stream.llm_end", {"content": "asking"})
    log.started("t1", "a")
    log.as_run("run-2").configured()
    log.ended("t1", "yes")
    log.called_model(2, "a", "b")
    log.started("t2", "b")
    log.answered("x")
    found = _margins(log.save(tmp_path), show_context=True)["calls"]
    assert found[1]["context"] == "user: first?\n\nassistant: asking"
    alone = Log("run-2").configured()
    alone.events = [e for e in log.events if e["meta"]["runId"] == "run-2"]
    (lost,) = _margins(alone.save(tmp_path, "alone.jsonl"))["calls"]
    assert lost["not_measurable"] == "no-context"


def test_interleaved_runs_keep_their_own_calls(tmp_path: Path) -> None:
    log = Log("run-1", "s").configured().asked("one?")
    log.called_model(1, "a", "b")
    log.as_run("run-2", "s").configured().asked("two?")
    log.called_model(1, "a", "b")
    log.as_run("run-1", "s").started("t1", "a")
    log.as_run("run-2", "s").started("t1", "b")
    found = _margins(log.save(tmp_path))["calls"]
    assert [(c["run"], c["chosen"]) for c in found] == [("run-1", ["a"]), ("run-2", ["b"])]


def test_each_distinct_text_is_embedded_once(tmp_path: Path) -> None:
    log = _offered(A, B)
    paths = [log.save(tmp_path, f"{number}.jsonl") for number in range(20)]
    made: list[Counting] = []

    def embedder() -> Any:
        plugin = _counting()
        made.append(plugin)
        return plugin

    found = _margins(*paths, embedder=embedder)
    assert len(made) == 1
    assert found["embedder"]["embedded"] == found["embedder"]["distinct_texts"] == 3
    assert found["summary"]["scored"] == 20


def test_no_embedder_is_made_without_a_choice_to_score(tmp_path: Path) -> None:
    def embedder() -> Any:
        raise AssertionError("not needed")

    assert _margins(_offered(A).save(tmp_path), embedder=embedder)["summary"]["scored"] == 0


def test_thresholds_of_a_tool_and_of_a_pair(recordings: Path) -> None:
    path = recordings / "twin-tools.jsonl"
    own = Thresholds(tools={"search_loans": -0.1})
    assert _margins(path, thresholds=own)["calls"][0]["flags"] == ["proxy-disagreement"]
    pair = Thresholds(tools={"search_loans": -0.1}, pairs={"search_loans|search_loan_history": 0.1})
    first = _margins(path, thresholds=pair)["calls"][0]
    assert (first["flags"], first["threshold"]) == (["narrow", "proxy-disagreement"], 0.1)


def test_unreadable_file_stops_none_of_the_others(recordings: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "good.jsonl").write_bytes((recordings / "twin-tools.jsonl").read_bytes())
    found = _margins(tmp_path, tmp_path / "none.jsonl")
    assert found["summary"]["recordings"] == 1
    assert [Path(entry["path"]).name for entry in found["unreadable"]] == [
        "bad.jsonl",
        "none.jsonl",
    ]
    assert found["passed_over"] == 1


def test_patterns(recordings: Path) -> None:
    found = _margins(f"{recordings}/twin-*.jsonl")
    assert found["summary"]["recordings"] == 1
    with pytest.raises(UsageError, match="no file matches"):
        _margins(f"{recordings}/none-*.jsonl")


def test_every_pointer_resolves(recordings: Path) -> None:
    found = _margins(recordings)
    for entry in found["calls"]:
        with open_view(entry["recording"]) as view:
            for place in entry["pointers"]:
                pointer = Pointer(place["path"], event=place["event"], type=place["type"])
                assert view.resolve(pointer)


def test_default_embedder_offline(recordings: Path) -> None:
    from agentprint_cli.embedding import make_embedder

    found = _margins(recordings / "twin-tools.jsonl", embedder=make_embedder)
    assert found["embedder"]["id"] == "minilm"
    assert "sha256:" in found["embedder"]["fingerprint"]
    assert (found["scorer"], found["unit"], "threshold" in found) == ("fleet", "log share", False)
    assert found["calls"][0]["flags"] == []  # its twin leads, but by less than a menu of four bears
    reference = _margins(recordings / "twin-tools.jsonl", embedder=make_embedder, scorer="cosine")
    assert (reference["scorer"], reference["threshold"]) == ("cosine", 0.05)
    assert reference["calls"][0]["flags"] == ["narrow", "proxy-disagreement"]


def test_module_path_of_the_plugin_is_importable() -> None:
    assert str(ROOT) in sys.path or Path(sys.path[0]).resolve() == ROOT
