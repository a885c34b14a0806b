"""The gates that compare with the baseline's margins: what they find, and when they say nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.errors import EmbedderFailed
from agentprint_cli.gates.interface import Severity
from agentprint_cli.reports.check.pipeline import CheckOptions, check
from agentprint_cli.schemas import Checker
from tests.logs import Log

from . import angles
from .angles import menu
from .logs import asked

GATES = ("margin-narrowed", "new-rival")
NAMED = dict.fromkeys(GATES, Severity.FAIL)


class Bench:
    """Recordings in a folder, checked against a baseline beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "runs"
        self.folder.mkdir()
        self.file = folder / "baseline.json"

    def record(self, *logs: Log) -> None:
        """The folder holds these recordings and no others."""
        for old in self.folder.iterdir():
            old.unlink()
        for number, log in enumerate(logs):
            log.save(self.folder, f"{number}.jsonl")

    def check(self, *, update: bool = False, **options: Any) -> dict[str, Any]:
        embedder = options.pop("embedder", angles.embedder)
        chosen = CheckOptions(
            baseline=options.pop("baseline", str(self.file)),
            update_baseline=update,
            severities=options.pop("severities", NAMED),
            **options,
        )
        document = check([str(self.folder)], embedder=embedder, options=chosen).to_dict()
        assert list(Checker.of("check@1").check(document)) == []
        return document

    def known(self, *logs: Log) -> None:
        """The baseline is that of these recordings."""
        self.record(*logs)
        assert self.check(update=True)["exit_code"] == 0

    def entries(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = json.loads(self.file.read_text())["margins"]["choices"]
        return entries

    def compare(self, before: dict[str, str], now: dict[str, str], **options: Any) -> list[Any]:
        """The findings when the same choice of ``a`` is recorded again with another menu."""
        self.known(asked("which?", (before, ["a"])))
        self.record(asked("which?", (now, ["a"])))
        document = self.check(**options)
        assert gate(document, "new-rival")["measured"] == 1
        assert document["exit_code"] == (1 if document["findings"] else 0)
        found: list[Any] = document["findings"]
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def gate(document: dict[str, Any], id: str) -> dict[str, Any]:
    return next(gate for gate in document["gates"] if gate["id"] == id)


def counts(document: dict[str, Any]) -> set[tuple[int, int, int]]:
    """(measured, not measured, idle) of both gates."""
    return {(g["measured"], g["not_measured"], g["idle"]) for g in document["gates"]}


# What is found --------------------------------------------------------------------------------


def test_a_choice_recorded_again_is_clean(bench: Bench) -> None:
    tools = menu(a=0.9, b=0.7, c=0.2)
    bench.known(asked("which?", (tools, ["a"]), (tools, ["b", "c"])))
    again = asked("which?", (tools, ["a"]), (tools, ["c", "b"]), run="another")
    for number, event in enumerate(again.events):
        event["meta"].update(wallClockMs=99_000 + number, runtimeStageId=f"other#{number}")
    other = asked("before", (tools, []), run="first")
    other.events += again.events
    bench.record(other)
    document = bench.check(noise=0.0)
    assert (document["exit_code"], document["findings"]) == (0, [])
    assert counts(document) == {(2, 0, 0)}
    assert document["baseline"]["margins"]["not_seen"] == 0


def test_a_margin_that_fell(bench: Bench) -> None:
    [finding] = bench.compare(menu(a=0.9, b=0.7), menu(a=0.9, b=0.75))
    assert finding["message"] == (
        "the margin of a fell from +0.200 (over b) to +0.150 (over b), by more than the noise of "
        "0.03"
    )
    assert {name: finding[name] for name in ("gate", "tool", "rival", "level", "path")} == {
        "gate": "margin-narrowed",
        "tool": "a",
        "rival": "b",
        "level": "error",
        "path": "/payload/tools",
    }
    assert finding["margin"] == pytest.approx(0.15)
    assert (finding["previous_margin"], finding["previous_rival"]) == (0.2, "b")
    assert (finding["noise"], finding["menu_changed"]) == (0.03, False)
    assert "added_tools" not in finding
    assert finding["pointers"][0]["event"] == finding["event"] == 2


@pytest.mark.parametrize(
    ("now", "noise", "found"),
    [
        (0.73, None, False),  # exactly the noise
        (0.7301, None, True),
        (0.7001, 0.0, True),
        (0.70004, 0.0, False),  # less than what the file keeps
        (0.75, 0.1, False),
        (0.5, None, False),  # wider than before
    ],
)
def test_what_is_noise(bench: Bench, now: float, noise: float | None, found: bool) -> None:
    findings = bench.compare(menu(a=0.9, b=0.7), {**menu(a=0.9), "b": f"at {now}"}, noise=noise)
    assert [finding["gate"] for finding in findings] == ["margin-narrowed"] * found


@pytest.mark.parametrize(("now", "found"), [(0.79, False), (0.81, True)])
def test_what_the_baseline_saw_differ_is_noise_too(bench: Bench, now: float, found: bool) -> None:
    """Margins of 0.2 and 0.3 for the same choice: below 0.1 it has narrowed."""
    bench.known(
        asked("which?", (menu(a=0.9, b=0.6), ["a"])), asked("which?", (menu(a=0.9, b=0.7), ["a"]))
    )
    [entry] = bench.entries()
    assert (entry["lowest"], entry["highest"], entry["choices"]) == (0.2, 0.3, 2)
    bench.record(asked("which?", (menu(a=0.9, b=now), ["a"])))
    findings = bench.check()["findings"]
    assert [(f["gate"], f["noise"]) for f in findings] == [("margin-narrowed", 0.1)] * found


def test_a_new_twin_is_named(bench: Bench) -> None:
    narrowed, rival = bench.compare(menu(a=0.9, b=0.7), menu(a=0.9, twin=0.89, b=0.7))
    assert (narrowed["gate"], rival["gate"]) == GATES
    for finding in (narrowed, rival):
        assert (finding["rival"], finding["previous_rival"]) == ("twin", "b")
        assert (finding["menu_changed"], finding["added_tools"]) == (True, ["twin"])
        assert finding["message"].endswith("; the menu has a tool that it did not have: “twin”")
    assert rival["message"].startswith(
        "twin is now the closest rival of a, with a margin of +0.010; in the baseline it was b, "
        "with +0.200"
    )


def test_a_new_tool_that_is_closest_is_a_new_rival_however_far_it_is(bench: Bench) -> None:
    [finding] = bench.compare(menu(a=0.9, b=0.3), menu(a=0.9, b=0.3, c=0.301))
    assert (finding["gate"], finding["rival"]) == ("new-rival", "c")


def test_a_new_tool_that_is_not_closest_is_nothing(bench: Bench) -> None:
    assert bench.compare(menu(a=0.9, b=0.3), menu(a=0.9, b=0.3, c=0.299)) == []


@pytest.mark.parametrize(("now", "found"), [(0.32, False), (0.34, True)])
def test_tools_that_are_equally_close_may_change_places(
    bench: Bench, now: float, found: bool
) -> None:
    findings = bench.compare(menu(a=0.9, b=0.3, c=0.29), menu(a=0.9, b=0.3, c=now), noise=0.03)
    gates = [finding["gate"] for finding in findings]
    assert gates == ["margin-narrowed", "new-rival"] * found


def test_every_rival_that_was_seen_is_known(bench: Bench) -> None:
    bench.known(
        asked("which?", (menu(a=0.9, b=0.5, c=0.4), ["a"])),
        asked("which?", (menu(a=0.9, b=0.4, c=0.45), ["a"])),
    )
    [entry] = bench.entries()
    assert entry["rivals"] == ["b", "c"]
    bench.record(asked("which?", (menu(a=0.9, b=0.1, c=0.45), ["a"])))
    assert bench.check()["findings"] == []


def test_a_rival_that_left_the_menu_makes_none(bench: Bench) -> None:
    assert bench.compare(menu(a=0.9, b=0.7, c=0.2), menu(a=0.9, c=0.2)) == []


def test_a_renamed_rival_is_a_new_one(bench: Bench) -> None:
    [finding] = bench.compare(menu(a=0.9, b=0.7), menu(a=0.9, b2=0.7))
    assert finding["gate"] == "new-rival"
    assert (finding["added_tools"], finding["removed_tools"]) == (["b2"], ["b"])
    assert finding["message"].endswith(
        "; the menu has a tool that it did not have: “b2”; the menu lacks a tool that it had: “b”"
    )


def test_a_menu_is_compared_with_itself(bench: Bench) -> None:
    """Two agents ask the same and are offered different tools: each has its own margin."""
    few, many = menu(a=0.9, b=0.3), menu(a=0.9, c=0.88, d=0.1, e=0.1)
    bench.known(asked("which?", (few, ["a"])), asked("which?", (many, ["a"])))
    assert len(bench.entries()) == 2
    bench.record(asked("which?", (menu(a=0.9, b=0.4), ["a"])), asked("which?", (many, ["a"])))
    [finding] = bench.check()["findings"]
    assert (finding["previous_margin"], finding["menu_changed"]) == (0.6, False)
    bench.record(asked("which?", ({**many, **menu(f=0.1)}, ["a"])))  # that of many, not of few
    assert bench.check()["findings"] == []


def test_a_long_list_of_tools_is_cut_for_a_person(bench: Bench) -> None:
    new = {f"t{number}": 0.8 for number in range(9)}
    rival = bench.compare(menu(a=0.9, b=0.7), menu(a=0.9, b=0.7, **new))[1]
    assert (
        "; the menu has tools that it did not have: “t0”, “t1”, “t2” and 6 more" in rival["message"]
    )
    assert len(rival["added_tools"]) == 9


# What cannot be compared ----------------------------------------------------------------------

TOOLS = menu(a=0.9, b=0.7)


def not_compared(document: dict[str, Any]) -> str:
    """The one reason of both gates, which are inconclusive."""
    assert {gate["outcome"] for gate in document["gates"]} == {"inconclusive"}
    assert document["exit_code"] == 4
    [why] = {part["uncompared"] for part in document["not_measured"]}
    assert {part["reason"] for part in document["not_measured"]} == {"not-compared"}
    return str(why)


def test_without_a_baseline(bench: Bench) -> None:
    bench.record(asked("which?", (TOOLS, ["a"])))
    document = bench.check(baseline=None)
    assert not_compared(document) == "no-baseline"
    assert "--update-baseline writes one" in document["not_measured"][0]["message"]


def test_a_baseline_of_old(bench: Bench) -> None:
    bench.file.write_text('{"schema": "agentprint/baseline@1", "findings": []}')
    bench.record(asked("which?", (TOOLS, ["a"])))
    assert not_compared(bench.check()) == "no-margins"
    document = bench.check(severities=None)
    assert not {gate["id"] for gate in document["gates"]} & set(GATES)
    assert "margins" not in document["baseline"]


def test_another_embedder(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    other = angles.other_embedder
    document = bench.check(embedder=other, severities=NAMED)
    assert not_compared(document) == "other-embedder"
    assert document["not_measured"][0]["message"] == (
        "the baseline's margins were made by the embedder angles:1, those of now by angles:2: "
        "they cannot be compared; --update-baseline writes them anew"
    )
    document = bench.check(embedder=other, update=True)
    assert (document["exit_code"], counts(document)) == (0, {(0, 0, 1)})
    margins = document["baseline"]["margins"]
    assert margins["embedder"] == "angles:2"
    assert (margins["added"], margins["changed"], margins["removed"]) == (0, 0, 0)
    assert bench.check(embedder=other)["exit_code"] == 0


def test_another_scorer(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.file.write_text(bench.file.read_text().replace('"cosine"', '"other"'))
    assert not_compared(bench.check()) == "other-scorer"


def test_a_new_request(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record(asked("what else?", (TOOLS, ["a"])))
    assert not_compared(bench.check()) == "not-in-baseline"
    bench.record(asked("which?", (TOOLS, ["a"])), asked("what else?", (TOOLS, ["a"])))
    document = bench.check()
    assert (document["exit_code"], counts(document)) == (0, {(1, 1, 0)})


def test_another_choice(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record(asked("which?", (TOOLS, ["b"])))
    document = bench.check()
    assert not_compared(document) == "other-choice"
    assert "the baseline knows another choice: a, and not b" in str(document["not_measured"])
    bench.record(asked("which?", (TOOLS, []), (TOOLS, ["a"])))
    assert not_compared(bench.check()) == "not-in-baseline"


def test_all_tools_where_the_baseline_knows_another_choice(bench: Bench) -> None:
    """It has no margin to compare, and what was known of the request was not compared either."""
    everything = asked("which?", (TOOLS, sorted(TOOLS)))
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record(everything)
    assert not_compared(bench.check()) == "other-choice"
    bench.known(everything)
    bench.record(everything)
    document = bench.check()
    assert (document["exit_code"], counts(document)) == (0, {(0, 0, 1)})


def test_all_that_is_left_of_the_menu_was_chosen_as_before(bench: Bench) -> None:
    bench.known(asked("which?", (menu(a=0.9, b=0.8, c=0.1), ["a", "b"])))
    bench.record(asked("which?", (menu(a=0.9, b=0.8), ["a", "b"])))
    document = bench.check()
    assert (document["exit_code"], counts(document)) == (0, {(0, 0, 1)})


def test_a_request_that_is_not_on_record(bench: Bench) -> None:
    log = asked(None, (TOOLS, []), (TOOLS, ["a"]))
    number = next(n for n, e in enumerate(log.events) if e["type"].endswith("llm_start"))
    log.events.insert(  # a model's text, so that there is a context
        number + 1,
        {
            "type": "agentfootprint.stream.llm_end",
            "payload": {"content": "Let me see."},
            "meta": {"runId": "run-1"},
        },
    )
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record(log)
    assert not_compared(bench.check()) == "no-request"


def test_scores_that_failed(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    before = bench.file.read_bytes()

    def fail() -> Any:
        raise EmbedderFailed("no such model")

    for update in (False, True):
        document = bench.check(embedder=fail, update=update)
        assert document["exit_code"] == 4
        assert {part["why"] for part in document["not_measured"]} == {"no-scores"}
    assert bench.file.read_bytes() == before


def test_nothing_read_is_inconclusive(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record()
    assert bench.check()["exit_code"] == 4


def test_when_all_tools_were_chosen_there_is_no_margin(bench: Bench) -> None:
    log = asked("which?", (TOOLS, ["a", "b"]))
    bench.known(log)
    assert bench.entries() == []
    document = bench.check()
    assert (document["exit_code"], counts(document)) == (0, {(0, 0, 1)})


# Which gates run ------------------------------------------------------------------------------


def test_by_default_they_run_when_the_baseline_has_margins(bench: Bench) -> None:
    bench.record(asked("which?", (TOOLS, ["a"])))

    def ran(document: dict[str, Any]) -> list[str]:
        return [g["severity"] for g in document["gates"] if g["id"] in GATES]

    assert ran(bench.check(baseline=None, severities=None)) == []
    assert ran(bench.check(update=True, severities=None)) == []
    assert ran(bench.check(severities=None)) == ["fail", "fail"]
    assert ran(bench.check(update=True, severities=None)) == ["fail", "fail"]


# Updates --------------------------------------------------------------------------------------


def test_the_first_update_has_nothing_to_compare_with(bench: Bench) -> None:
    bench.record(asked("which?", (TOOLS, ["a"])))
    document = bench.check(update=True)
    assert (document["exit_code"], counts(document)) == (0, {(0, 0, 1)})
    assert document["baseline"]["margins"]["added"] == 1


def test_an_update_accepts_what_it_finds(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record(asked("which?", (menu(a=0.9, b=0.7, twin=0.89), ["a"])))
    assert bench.check()["exit_code"] == 1
    document = bench.check(update=True)
    assert document["exit_code"] == 0
    assert [(f["gate"], f["state"], f["level"]) for f in document["findings"]] == [
        (id, "known", "note") for id in GATES
    ]
    margins = document["baseline"]["margins"]
    assert (margins["entries"], margins["added"], margins["removed"]) == (1, 1, 1)
    assert json.loads(bench.file.read_text())["findings"] == []
    assert bench.check()["findings"] == []


def test_an_update_counts_what_changed(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])), asked("what?", (TOOLS, ["b"])))
    bench.record(asked("which?", (menu(a=0.9, b=0.71), ["a"])), asked("who?", (TOOLS, ["a"])))
    margins = bench.check(update=True)["baseline"]["margins"]
    assert (margins["entries"], margins["added"], margins["changed"], margins["removed"]) == (
        2,
        1,
        1,
        1,
    )


@pytest.mark.parametrize("trouble", ["unreadable", "unread", "unscored", "no request"])
def test_what_may_only_not_have_been_measured_stays(bench: Bench, trouble: str) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])), asked("what?", (TOOLS, ["b"])))
    bench.record(asked("what?", (TOOLS, ["b"])))
    document = bench.check()
    assert document["baseline"]["margins"]["not_seen"] == 1
    extra = bench.folder / "extra.jsonl"
    if trouble == "unreadable":
        extra.write_text("nothing\n")
    elif trouble == "unread":
        extra.write_bytes(asked("hello").lines() + b"{broken\n")
    elif trouble == "unscored":
        asked("which?", (menu(a=0.9), ["a"])).save(bench.folder, "extra.jsonl")
    else:
        asked(None, (TOOLS, ["a"])).save(bench.folder, "extra.jsonl")
    bench.check(update=True)
    assert len(bench.entries()) == 2
    extra.unlink()
    assert bench.check(update=True)["baseline"]["margins"]["removed"] == 1
    assert len(bench.entries()) == 1


def test_an_unscored_choice_of_another_request_keeps_nothing(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    bench.record(asked("what?", (TOOLS, ["b"])), asked("who?", (menu(a=0.9), ["a"])))
    assert bench.check(update=True)["baseline"]["margins"]["removed"] == 1


def test_margins_stay_when_no_gate_needs_scores(bench: Bench) -> None:
    bench.known(asked("which?", (TOOLS, ["a"])))
    before = bench.file.read_bytes()
    bench.check(update=True, severities={"unread-lines": Severity.FAIL})
    assert bench.file.read_bytes() == before
