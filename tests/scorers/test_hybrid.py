"""Meaning and words together: right values by hand, and what the thresholds say."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.choices.scorers import cosine, hybrid
from agentprint_cli.choices.scorers.interface import Scores
from agentprint_cli.rules.letter_runs import Menu, letter_runs

from .plane import question, vectors

PLANE = vectors({"ask": 0, "a": 60, "b": 90, "c": 180})


def test_cosine_is_the_cosine() -> None:
    (found,) = cosine.score([question("ask", "a")], PLANE).scores
    assert found.values == pytest.approx([0.5, 0, -1], abs=1e-7)
    assert (found.neighbours, found.alone) == (None, None)


def test_shares_are_in_proportion_to_the_exponential_of_the_evidence() -> None:
    (found,) = hybrid.score([question("ask", "a")], PLANE).scores
    whole = math.exp(11.75 * 0.5) + 1 + math.exp(-11.75)
    assert found.values == pytest.approx(
        [math.log(math.exp(11.75 * part) / whole) for part in (0.5, 0, -1)], abs=1e-5
    )
    assert math.fsum(map(math.exp, found.values)) == pytest.approx(1)


def test_shared_words_count_beside_the_cosine() -> None:
    names = ("find loans", "send notices")
    flat = vectors({"ask": 0, "find loans": 90, "send notices": 90})
    words = "which loans are late?"
    (found,) = hybrid.score([question("ask", names=names, words=words)], flat).scores
    lexical = Menu([letter_runs(name) for name in names]).overlaps(letter_runs(words))
    assert lexical[0] > 0 == lexical[1]
    assert found.values[0] - found.values[1] == pytest.approx(0.45 * lexical[0])


def test_roles_are_no_words_of_the_context() -> None:
    flat = vectors({"user: x": 0, "user list": 90, "tidy up": 90})
    asked = question("user: x", names=("user list", "tidy up"), words="x")
    (found,) = hybrid.score([asked], flat).scores
    assert found.values[0] == found.values[1]


@pytest.mark.parametrize(("tools", "expected"), [(2, -0.1), (3, -0.61986), (21, -2.34680)])
def test_the_threshold_falls_with_the_size_of_the_menu(tools: int, expected: float) -> None:
    assert hybrid.by_menu(tools) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("in_run", "neighbours", "times"),
    [(False, None, 1), (False, 0, 1), (True, None, 1.5), (True, 0, 1.5), (True, 3, 1)],
)
def test_the_threshold_within_a_turn_depends_on_whether_others_have_a_say(
    in_run: bool, neighbours: int | None, times: float
) -> None:
    asked = question("ask", "a", in_run=in_run)
    found = hybrid.threshold(asked, Scores([0.0] * 3, neighbours))
    assert found == pytest.approx(times * (-0.1 - 0.75 * math.log(2)))


def test_an_announcement_must_fit_another_tool_twice_as_clearly() -> None:
    asked = question("ask", "a", in_run=True)
    found = hybrid.intent_threshold(asked, Scores([0.0] * 3))
    assert found == pytest.approx(2 * (-0.1 - 0.75 * math.log(2)))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_shares_add_up_to_one_and_keep_the_order(evidence: list[float]) -> None:
    shares = hybrid.normalised(evidence)
    assert math.fsum(map(math.exp, shares)) == pytest.approx(1)
    assert all(share <= 0 for share in shares)
    pairs = sorted(zip(evidence, shares, strict=True))
    assert all(one[1] <= other[1] for one, other in itertools.pairwise(pairs))
