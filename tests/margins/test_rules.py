"""The pure rules of a choice margin."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules.choice_text import candidate_text, choice_context
from agentprint_cli.rules.js_text import first_units, last_units, length, trim
from agentprint_cli.rules.margin import cosine, rank, score_margin
from tests.conftest import ROOT
from tests.margins.counting import make

VECTORS = ROOT / "tests" / "vectors"


def _vectors(name: str) -> list[Any]:
    found = json.loads((VECTORS / f"{name}.json").read_text())
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("vector", _vectors("choice_context"))
def test_context_agrees_with_the_framework(vector: dict[str, Any]) -> None:
    found = choice_context(
        vector["userPrompt"], vector.get("latestAssistantText"), vector.get("maxSlotChars", 2000)
    )
    assert found == vector["out"]


@pytest.mark.parametrize("vector", _vectors("candidate_text"))
def test_candidate_agrees_with_the_framework(vector: dict[str, Any]) -> None:
    assert candidate_text(vector["name"], vector.get("description")) == vector["out"]


def test_context_takes_the_first_of_the_prompt_and_the_last_of_the_answer() -> None:
    found = choice_context("ab" * 2000, " " + "cd" * 2000 + "\n")
    assert found == "user: " + "ab" * 1000 + "\n\nassistant: " + "cd" * 1000


def test_lengths_are_utf16_units_and_a_cut_may_halve_a_character() -> None:
    assert length("😀a") == 3
    assert first_units("😀a", 1) == "\ud83d"
    assert last_units("a😀", 1) == "\ude00"
    assert choice_context("😀", max_slot_chars=1) == "user: \ud83d"


def test_trim_is_javascripts() -> None:
    assert trim("\ufeff\u00a0 \u2028a\u3000") == "a"
    assert trim("\x1c\x85a\x1f") == "\x1c\x85a\x1f"


@given(st.text(st.characters(), max_size=30), st.integers(0, 40))
def test_first_and_last_units_are_of_the_text(text: str, count: int) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    assert first_units(text, count).encode("utf-16-le", "surrogatepass") == units[: 2 * count]
    tail = units[len(units) - min(2 * count, len(units)) :]
    assert last_units(text, count).encode("utf-16-le", "surrogatepass") == tail


def test_cosine() -> None:
    assert cosine([1, 0], [1, 1]) == pytest.approx(2**-0.5, abs=1e-15)
    assert cosine([0, 0], [1, 1]) == 0


def test_margin_is_best_chosen_less_best_not_chosen() -> None:
    found = rank(["a", "b", "c", "d"], [0.5, 0.9, 0.7, 0.6], ["c", "a"])
    assert found.scores == (("b", 0.9), ("c", 0.7), ("d", 0.6), ("a", 0.5))
    assert (found.chosen, found.rival, found.top) == ("c", "b", "b")
    assert found.margin == pytest.approx(-0.2)
    assert found.flags == ("narrow", "proxy-disagreement")


def test_disagreement_is_flagged_whatever_the_threshold() -> None:
    assert rank(["a", "b"], [0.1, 0.2], ["a"], threshold=-1).flags == ("proxy-disagreement",)


def test_narrow_is_strictly_below_the_threshold() -> None:
    assert rank(["a", "b"], [0.75, 0.5], ["a"], threshold=0.25).flags == ()
    assert rank(["a", "b"], [0.75, 0.5], ["a"], threshold=0.26).flags == ("narrow",)


def test_no_margin_when_everything_was_chosen() -> None:
    found = rank(["a", "b"], [0.1, 0.2], ["a", "b"])
    assert (found.margin, found.rival, found.flags) == (None, None, ())


def test_ties_stay_in_menu_order() -> None:
    found = rank(["a", "b", "c"], [0.5, 0.5, 0.5], ["b"])
    assert [tool for tool, _ in found.scores] == ["a", "b", "c"]
    assert (found.top, found.rival, found.margin) == ("a", "a", 0.0)


@pytest.mark.parametrize("chosen", [[], ["z"]])
def test_a_choice_must_be_of_the_menu(chosen: list[str]) -> None:
    with pytest.raises(ValueError, match="of the menu"):
        rank(["a"], [1.0], chosen)


def test_score_margin_embeds_each_text_once() -> None:
    embedder = make()
    menu = [{"name": "a", "description": "x"}, {"name": "b", "description": "y"}]
    found = score_margin([*menu, {"name": "c"}], "user: x", ["a"], embedder.embed)
    assert embedder.asked == ["user: x", "a: x", "b: y", "c"]
    assert found.chosen == "a"
