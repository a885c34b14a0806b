"""What calibrate finds in recordings, and what it makes of labels."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.config import Thresholds, load_config
from agentprint_cli.base.errors import UsageError
from agentprint_cli.model import Report
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.calibrate.outline import outline
from agentprint_cli.reports.calibrate.phrases import NO_INTERVAL, PROBLEMS
from agentprint_cli.reports.calibrate.pipeline import write
from agentprint_cli.rules.statistics import FEWEST_GROUPS, NoInterval
from agentprint_cli.schemas import Checker, find
from tests.conftest import ROOT
from tests.logs import Log
from tests.renderers.test_golden import check as compare

from .fleet import MENU, calibrated, called, every_fifth, fleet, write_labels


def document(report: Report) -> Any:
    """The report's JSON, which is as its schema says."""
    found = json.loads(json.dumps(report.to_dict()))
    assert list(Checker.of(find(found["schema"])).check(found)) == []
    return found


def text(report: Report, style: Style | None = None) -> str:
    stream = io.StringIO()
    output = Output(report.to_dict, lambda: outline(report))
    RENDERERS["text"].write(output, stream, style or Style())
    return stream.getvalue()


@pytest.fixture
def fleet_log(tmp_path: Path) -> str:
    return fleet().save(tmp_path)


def test_the_numbers_of_a_fleet(fleet_log: str) -> None:
    found = document(calibrated(fleet_log))
    margins = found["margins"]
    assert [margins[name] for name in ("count", "turns", "flagged", "top_chosen")] == [
        40,
        40,
        8,
        32,
    ]
    assert sum(each["count"] for each in margins["histogram"]) == 40
    assert margins["min"] <= margins["quantiles"][0]["margin"]
    assert found["flags"] == [
        {"flag": "narrow", "flagged": 8, "among": 40, "share": 0.2},
        {"flag": "proxy-disagreement", "flagged": 8, "among": 40, "share": 0.2},
    ]
    [tool], [pair] = found["tools"], found["pairs"]
    assert (tool["tool"], pair["chosen"], pair["rival"]) == ("aaa", "aaa", "bbb")
    for group in (tool, pair, *found["menu_sizes"], *found["turn_positions"]):
        assert (group["choices"], group["flagged_share"], group["top_chosen_share"]) == (
            40,
            0.2,
            0.8,
        )
        assert group["flags"] == {"narrow": 8, "proxy-disagreement": 8}
        assert group["lowest"]["margin"] == margins["min"]
    assert found["menu_sizes"][0]["menu_size"] == "2-5"
    assert found["turn_positions"][0]["turn_position"] == "0"
    proposal = found["proposal"]
    assert (proposal["choices"], proposal["flagged"], proposal["reached"]) == (40, 2, 0.05)
    assert "labels" not in found


def test_the_proposed_threshold_flags_what_was_promised(fleet_log: str) -> None:
    for share in ("2.5%", "5%", "20%", "50%", "99%"):
        proposal = calibrated(fleet_log, share=share).one("proposal")
        assert proposal is not None
        threshold: Any = proposal.get("threshold")
        again = calibrated(fleet_log, thresholds=Thresholds(default=threshold))
        flag = again.of("flag")[0]
        assert flag.get("flag") == "narrow"
        assert flag.get("flagged") == proposal.get("flagged")


def test_too_few_choices_for_the_share(tmp_path: Path) -> None:
    log = fleet(19).save(tmp_path)
    found = document(calibrated(log))["proposal"]
    assert (found["status"], found["reason"], found["needed"]) == ("not-measurable", "too-few", 20)
    assert "19 choices are too few for a share of 5%: it takes at least 20" in text(calibrated(log))


def test_a_tie_at_the_bottom(tmp_path: Path) -> None:
    log = Log()
    for number in range(20):
        log.as_run(f"run-{number}").configured().asked("cab")
        called(log, 1, "aaa")
    found = document(calibrated(log.save(tmp_path)))["proposal"]
    assert (found["reason"], found["tied"]) == ("tied", 20)
    assert "20 of them share the lowest margin" in text(calibrated(tmp_path / "run.jsonl"))


def test_choices_with_a_threshold_of_their_own_have_no_say(fleet_log: str) -> None:
    own = Thresholds(pairs={"aaa|bbb": -0.9})
    found = document(calibrated(fleet_log, thresholds=own))["proposal"]
    assert (found["choices"], found["own_threshold"], found["reason"]) == (0, 40, "too-few")
    by_tool = Thresholds(tools={"aaa": -0.9})
    assert document(calibrated(fleet_log, thresholds=by_tool))["proposal"]["own_threshold"] == 40
    assert "40 more choices have a threshold of their tool" in text(
        calibrated(fleet_log, thresholds=own)
    )


def test_groups(tmp_path: Path) -> None:
    log = Log().configured().asked("aaaa")
    wide = {f"{letter * 3}": letter * 9 for letter in "abcdefgh"}
    for number in range(8):
        called(log, number, "bbb" if number == 1 else "aaa", menu=wide if number == 2 else None)
    called(log, 9, *MENU)
    log.answered("x")
    found = document(calibrated(log.save(tmp_path)))
    assert [(each["tool"], each["choices"]) for each in found["tools"]] == [("aaa", 7), ("bbb", 1)]
    assert [(each["menu_size"], each["choices"]) for each in found["menu_sizes"]] == [
        ("2-5", 7),
        ("6-10", 1),
    ]
    assert [(each["turn_position"], each["choices"]) for each in found["turn_positions"]] == [
        ("0", 1),
        ("1", 1),
        ("2", 1),
        ("3-5", 3),
        ("6+", 2),
    ]
    assert found["margins"]["everything_chosen"] == 1
    assert found["margins"]["turns"] == 1
    assert "1 more chose everything and have none" in text(calibrated(tmp_path / "run.jsonl"))


def test_more_groups_than_are_shown(tmp_path: Path) -> None:
    log = Log()
    menu = {f"tool_{number}": f"{number} " * 9 for number in range(13)}
    for number, tool in enumerate(menu):
        log.as_run(f"run-{number}").configured().asked("cab")
        called(log, 1, tool, menu=menu)
    report = calibrated(log.save(tmp_path))
    assert len(document(report)["tools"]) == 13
    assert "and 3 more; the JSON has all" in text(report)


def test_nothing_to_score(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.answered("x")
    report = calibrated(
        log.save(tmp_path), labels=write_labels(tmp_path, [{"run": "a", "right": 1}])
    )
    found = document(report)
    assert found["margins"]["count"] == 0
    assert found["proposal"]["reason"] == "too-few"
    assert found["labels"]["auroc"] == {"status": "not-measurable", "reason": "too-few"}
    assert "no choice has a margin" in text(report)


def test_a_log_and_the_recording_made_of_it(recordings: Path) -> None:
    report = calibrated(recordings / "twin-tools.jsonl", recordings / "twin-tools.recording.json")
    assert document(report)["margins"]["recorded_twice"] == 2
    assert "2 of them seem to be recorded twice" in text(report)
    assert document(calibrated(recordings / "twin-tools.jsonl"))["margins"]["recorded_twice"] == 0


def test_the_histogram_marks_the_thresholds(fleet_log: str) -> None:
    found = text(calibrated(fleet_log, share="30%", thresholds=Thresholds(default=7.0)))
    marked = [line for line in found.splitlines() if "in force: " in line or "proposed: " in line]
    assert marked[0].split()[1:4] == ["+0.8", "+0.9", "7"]
    assert marked[1].endswith("in force: 7")  # beyond the end: at the end
    assert marked[1].split()[1:3] == ["+0.9", "+1.0"]


# Labels ---------------------------------------------------------------------------------------


def test_labels_that_the_margins_agree_with(fleet_log: str, tmp_path: Path) -> None:
    labels = write_labels(tmp_path, every_fifth())
    report = calibrated(fleet_log, labels=labels)
    found = document(report)["labels"]
    assert [found[name] for name in ("used", "right", "wrong", "turns")] == [40, 32, 8, 40]
    assert found["auroc"] == {"value": 1.0, "no_interval": "constant"}
    narrow, _, proposed = found["flags"]
    assert narrow == {
        "flag": "narrow",
        "flagged_wrong": 8,
        "flagged_right": 0,
        "precision": {"value": 1.0, "no_interval": "constant"},
        "recall": {"value": 1.0, "no_interval": "constant"},
        "right_flagged": {"value": 0.0, "no_interval": "constant"},
    }
    assert (proposed["proposed"], proposed["flagged_wrong"]) == (-0.95, 2)
    assert proposed["recall"]["value"] == 0.25
    assert 0 <= proposed["recall"]["low"] < 0.25 < proposed["recall"]["high"] <= 1
    assert sum(each["wrong"] for each in document(report)["margins"]["histogram"]) == 8
    assert "▒ wrong" in text(report)
    assert "ranked_first" not in found


def test_labels_with_names(fleet_log: str, tmp_path: Path) -> None:
    labels = every_fifth(names=True)
    labels[20]["right"] = ["ccc"]
    found = document(calibrated(fleet_log, labels=write_labels(tmp_path, labels)))["labels"]
    assert (found["right"], found["wrong"]) == (31, 9)
    first = found["ranked_first"]
    assert (first["choices"], first["first"], first["value"]["value"]) == (40, 39, 39 / 40)
    assert found["auroc"]["value"] < 1
    assert found["auroc"]["low"] < found["auroc"]["high"]


@pytest.mark.parametrize("right", [True, False])
def test_labels_of_one_kind(fleet_log: str, tmp_path: Path, right: bool) -> None:
    labels = write_labels(tmp_path, [{**each, "right": right} for each in every_fifth()])
    report = calibrated(fleet_log, labels=labels)
    found = document(report)["labels"]
    assert found["auroc"] == {"status": "not-measurable", "reason": "one-sided"}
    assert ("recall" in found["flags"][0]) is not right
    assert "AUROC: the labelled choices are all right, or all wrong" in text(report)


def test_choices_of_a_turn_are_drawn_together(tmp_path: Path) -> None:
    log = Log()
    for number in range(FEWEST_GROUPS):
        log.as_run(f"run-{number}").configured().asked("b" * number + "aaa")
        for iteration in range(3):
            called(log, iteration, "aaa")
    path = log.save(tmp_path)
    labels = [
        {"stage": f"llm#run-{number}-{iteration}", "right": number > 3}
        for number in range(FEWEST_GROUPS)
        for iteration in range(3)
    ]
    found = document(calibrated(path, labels=write_labels(tmp_path, labels)))["labels"]
    assert (found["used"], found["turns"]) == (30, FEWEST_GROUPS)
    found = document(calibrated(path, labels=write_labels(tmp_path, labels[3:])))["labels"]
    assert (found["used"], found["turns"]) == (27, FEWEST_GROUPS - 1)
    assert found["auroc"]["no_interval"] == "few-groups"


def test_each_reason_of_a_problem_is_told_with_its_own_lines(
    fleet_log: str, tmp_path: Path
) -> None:
    bad = [{"run": "run-1", "right": ["zzz"]}, {"run": "run-2", "right": ["yyy"]}]
    found = text(calibrated(fleet_log, labels=write_labels(tmp_path, bad)))
    assert "line 1: names no tool of the menu ('zzz' was not offered)" in found
    assert "line 2: names no tool of the menu ('yyy' was not offered)" in found


def test_problems_of_labels_are_listed(fleet_log: str, tmp_path: Path) -> None:
    bad: list[object] = [
        {"run": "nobody", "right": True},
        "{",
        {"run": "run-1"},
        {"run": "run-2", "right": ["zzz"]},
        *({"run": f"\x1b[31m{number}", "right": True} for number in range(12)),
    ]
    report = calibrated(fleet_log, labels=write_labels(tmp_path, [*every_fifth(), *bad]))
    found = document(report)["labels"]
    assert [(each["line"], each["problem"]) for each in found["problems"][:3]] == [
        (41, "unmatched"),
        (42, "broken"),
        (44, "not-on-the-menu"),
    ]
    assert (found["used"], found["empty"], len(found["problems"])) == (40, 1, 15)
    shown = text(report)
    assert "1 line without a label yet" in shown
    assert "lines 41, 45, 46, 47, 48, 49, 50, 51, 52, 53 and 3 more: is of no choice" in shown
    assert "\x1b" not in shown


def test_every_word_has_a_sentence() -> None:
    schema = json.loads((ROOT / "agentprint_cli/schemas/data/calibration@1.json").read_text())
    labels = schema["properties"]["labels"]["properties"]
    assert labels["problems"]["items"]["properties"]["problem"]["enum"] == list(PROBLEMS)
    assert list(NO_INTERVAL) == list(NoInterval)
    assert f"fewer than {FEWEST_GROUPS} turns" in NO_INTERVAL["few-groups"]


def test_bad_requests(fleet_log: str) -> None:
    with pytest.raises(UsageError, match="a share is above 0%"):
        calibrated(fleet_log, share="5")
    with pytest.raises(UsageError, match="cannot be read"):
        calibrated(fleet_log, labels="none.csv", embedder=None)


# Writing and printing -------------------------------------------------------------------------


def test_written_with_what_it_holds_for(fleet_log: str, tmp_path: Path) -> None:
    path = str(tmp_path / "agentprint.toml")
    report = write(calibrated(fleet_log), path)
    assert document(report)["written"] == {"path": path, "threshold": -0.95, "changed": True}
    found = load_config(path)
    assert found.thresholds.default == -0.95
    made_from = found.calibration
    assert made_from is not None
    assert (made_from.embedder, made_from.scorer) == ("counting:1", "cosine")
    assert (made_from.share, made_from.choices, made_from.recordings) == ("5%", 40, 1)
    again = write(calibrated(fleet_log, thresholds=found.thresholds), path)
    assert document(again)["written"]["changed"] is False
    assert "is already what stands in" in text(again)


def test_nothing_is_written_without_a_proposal(tmp_path: Path) -> None:
    report = write(calibrated(fleet(5).save(tmp_path)), str(tmp_path / "agentprint.toml"))
    assert report.one("written") is None
    assert not (tmp_path / "agentprint.toml").exists()


def test_hostile_names_stay_on_their_line(tmp_path: Path) -> None:
    evil = "x\n::error::\x1b[31m\u202e|"
    log = Log(evil).configured().asked("cab")
    called(log, 1, evil, menu={evil: "aaa", f"{evil}!": "bbb"})
    labels = write_labels(tmp_path, [{"run": evil, "right": [evil]}])
    report = calibrated(log.save(tmp_path, "evil\n.jsonl"), labels=labels)
    document(report)
    for style in (Style(), Style(width=40)):
        shown = text(report, style)
        assert not set(shown) & {"\x1b", "\u202e"}
        assert not any(line.startswith("::") for line in shown.splitlines())


def test_the_labels_of_the_docs(tmp_path: Path, recordings: Path) -> None:
    page = (ROOT / "docs" / "calibrate.md").read_text("utf-8")
    lines = page.partition("```json\n")[2].partition("```")[0]
    labels = write_labels(tmp_path, lines.splitlines())
    found = document(calibrated(recordings / "twin-tools.jsonl", labels=labels))["labels"]
    assert (found["right"], found["wrong"], found["problems"]) == (1, 1, [])


@pytest.mark.parametrize("format", ["text", "md"])
def test_golden(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    report = calibrated("recordings", share="20%")
    output = Output(report.to_dict, lambda: outline(report))
    compare(f"calibrate.{format}", output, format, Style())
