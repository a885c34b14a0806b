"""What reports say of how far their flags are to be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.choices.scoring import MarginOptions
from agentprint_cli.embedding import make_embedder
from agentprint_cli.model import Fact, Report, Status, absent
from agentprint_cli.reports.margins.pipeline import margins
from agentprint_cli.reports.shared import trust as document
from agentprint_cli.reports.shared import trust_phrases as phrases
from agentprint_cli.rules import trust as rule
from tests.logs import Log

WEAK = "A flag is then a place to look at, not a finding."
LOW = "the best-scored tool was chosen in less than 60% of the choices"
TEXTS = (
    "by the menu's texts alone, the best-scored tool was chosen in less than half of the choices, "
    "so that something else decides, and an unusual choice need not be a wrong one"
)
DEEP = (
    "more than half of the choices were made after the model had written text in the turn, "
    "and no other "
    "conversation had a say in them"
)


def _fact(**values: object) -> Fact:
    known: Mapping[str, object] = {
        "level": "fair",
        "reasons": [],
        "choices": 40,
        "agreed": 30,
        "agreed_by_texts": 28,
        "single": 25,
        "single_agreed": 20,
        "in_run": 15,
        "in_run_agreed": 10,
        "compared": 0,
        "asks_others": False,
        "pairs": [],
    }
    return absent("trust", Status.NOT_APPLICABLE, None, {**known, **values})


def _report(fact: Fact) -> Report:
    return Report("x", "0", (), (fact,), lambda report: {})


@pytest.mark.parametrize(
    ("level", "reasons", "asks", "sentence"),
    [
        ("fair", [], False, "Flags are fair evidence here, as on the labelled requests that agree "
         "as often."),
        ("unknown", ["few-choices"], True, "How far flags are to be trusted here is not known: "
         "fewer than 20 choices have a margin. More recordings of the same agent, read together, "
         "would tell."),
        ("weak", ["low-agreement"], False, f"Flags are weak here: {LOW}. {WEAK}"),
        ("weak", ["texts-disagree"], True, f"Flags are weak here: {TEXTS}. {WEAK}"),
        ("weak", ["deep-in-run"], True, f"Flags are weak here: {DEEP}. {WEAK}"),
        ("weak", ["deep-in-run"], False, f"Flags are weak here: {DEEP}, since this scorer asks "
         f"none. {WEAK}"),
        ("weak", ["low-agreement", "deep-in-run"], True, f"Flags are weak here: {LOW}; {DEEP}. "
         f"{WEAK}"),
    ],
)  # fmt: skip
def test_level(level: str, reasons: list[str], asks: bool, sentence: str) -> None:
    assert phrases.level(_fact(level=level, reasons=reasons, asks_others=asks)) == sentence


def test_sentences_say_the_rules_numbers() -> None:
    assert (rule.FEW, rule.LOW_AGREEMENT, rule.LOW_BY_TEXTS, rule.MOSTLY) == (20, 0.6, 0.5, 0.5)


def test_agreement() -> None:
    start = "The best-scored tool was chosen in 30 of 40 choices"
    places = "(before any text of the model in the turn 20 of 25, after such text 10 of 15)"
    assert phrases.agreement(_fact()) == f"{start} {places}."
    assert phrases.agreement(_fact(compared=25)) == (
        f"{start} {places}; other conversations had a say in 25 of these; by the menu's texts "
        "alone it would be 28."
    )


def test_agreement_of_one_choice() -> None:
    one = _fact(choices=1, agreed=0, single=1, single_agreed=0, in_run=0, in_run_agreed=0)
    assert phrases.agreement(one) == (
        "The best-scored tool was chosen in 0 of 1 choice "
        "(before any text of the model in the turn 0 of 1)."
    )


ALWAYS = [
    "a threshold fitted to your recordings (agentprint calibrate)",
    "a baseline, so that each request is compared with itself (agentprint check)",
]


@pytest.mark.parametrize(
    ("asks", "compared", "first"),
    [
        (False, 0, ["a scorer that asks other recordings of the same agent (--scorer fleet)"]),
        (True, 0, ["more recordings of the same agent, read together with these"]),
        (True, 5, []),
    ],
)
def test_help_is_what_can_help_with_this_scorer(
    asks: bool, compared: int, first: list[str]
) -> None:
    assert phrases.helps(_fact(asks_others=asks, compared=compared)) == [*first, *ALWAYS]


def test_a_threshold_that_was_fitted_is_not_asked_for_again() -> None:
    assert phrases.helps(_fact(asks_others=True, compared=5), calibrated=True) == ALWAYS[1:]


def test_pairs_are_named() -> None:
    pairs = [{"chosen": "a", "top": "b", "calls": 3}, {"chosen": "c", "top": "d", "calls": 1}]
    assert phrases.helps(_fact(pairs=pairs, compared=1, asks_others=True))[0] == (
        "descriptions that tell these apart, where a tool scored better than the chosen one: "
        "“b” over “a” (3), “d” over “c” (1)"
    )


def test_what_helps_is_told_of_weak_flags_only() -> None:
    weak = _report(_fact(level="weak", reasons=["low-agreement"]))
    assert [line.text for line in document.lines(weak)][2] == "What would help:"
    assert len(list(document.warning(weak))) == 1
    assert "helps" in _trust_of(document.members(weak))
    fair = _report(_fact())
    assert len(list(document.lines(fair))) == 2
    assert list(document.warning(fair)) == []
    assert "helps" not in _trust_of(document.members(fair))


def _trust_of(members: dict[str, object]) -> dict[str, object]:
    found = members["trust"]
    assert isinstance(found, dict)
    return found


def test_nothing_is_said_when_nothing_has_a_margin() -> None:
    report = _report(_fact(choices=0))
    assert document.members(report) == {}
    assert list(document.lines(report)) == list(document.warning(report)) == []


def _deep(calls: int) -> Log:
    log = Log().configured().asked("who?")
    for number in range(calls):
        log.called_model(number + 1, "get_user", "list_loans")
        log.add("stream.llm_end", {"content": "get_user"})
        log.started(f"t{number}", "get_user")
    return log


def _margins(path: str, scorer: str) -> dict[str, Any]:
    report = margins(
        [path],
        embedder=lambda: make_embedder("tests.margins.counting:make"),
        options=MarginOptions(scorer=scorer),
    )
    found = report.to_dict()["trust"]
    assert isinstance(found, dict)
    return {**found, "said": [line.text for line in document.lines(report)]}


@pytest.mark.parametrize("scorer", ["cosine", "hybrid", "fleet"])
def test_a_report_says_what_is_true_of_its_scorer(tmp_path: Path, scorer: str) -> None:
    found = _margins(_deep(30).save(tmp_path), scorer)
    assert (found["choices"], found["in_run"], found["compared"]) == (30, 29, 0)
    assert "deep-in-run" in found["reasons"]
    asks = scorer == "fleet"
    assert found["said"][1].endswith(
        f"{DEEP}. {WEAK}" if asks else f"{DEEP}, since this scorer asks none. {WEAK}"
    )
    assert ("--scorer fleet" in " ".join(found["helps"])) is not asks
    assert ("more recordings" in " ".join(found["helps"])) is asks
