from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules import js_text
from agentprint_cli.rules.choice_text import candidate_text, choice_context

from .strategies import texts


def test_the_prompt_keeps_its_start_and_the_models_text_its_end() -> None:
    assert choice_context("abcdef", "  uvwxyz\n", 4) == "user: abcd\n\nassistant: wxyz"


def test_the_prompt_is_not_trimmed() -> None:
    assert choice_context(" a ") == "user:  a "


@pytest.mark.parametrize("blank", [None, "", " \n", "\ufeff\u2028"])
def test_blank_model_text_is_left_out(blank: str | None) -> None:
    assert choice_context("a", blank) == "user: a"


def test_a_cut_may_halve_a_character() -> None:
    assert choice_context("a😀", "😀b", 2) == "user: a\ud83d\n\nassistant: \ude00b"


def test_two_thousand_units_unless_told() -> None:
    assert (
        choice_context("x" * 3000, "y" * 3000) == f"user: {'x' * 2000}\n\nassistant: {'y' * 2000}"
    )


@pytest.mark.parametrize("limit", [0, -1, True, 2.0, "5", None])
def test_a_limit_that_is_no_positive_whole_number_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match=f"such as 2000, not {limit!r}"):
        choice_context("a", None, limit)


@given(texts, texts | st.none(), st.integers(1, 30))
def test_each_part_has_at_most_the_limit(prompt: str, said: str | None, limit: int) -> None:
    context = choice_context(prompt, said, limit)
    frame = "user: \n\nassistant: " if js_text.trim(said or "") else "user: "
    assert js_text.length(context) <= len(frame) + 2 * limit
    assert context.startswith("user: " + js_text.first_units(prompt, limit)[:-1])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("get_fcns-database", "get fcns database"),
        ("a_-_b", "a b"),
        ("getHTTPResponse2Go", "get HTTPResponse2 Go"),
        ("toolÉtat", "toolÉtat"),
        ("éTat", "éTat"),
        ("__init__", "init"),
        ("\x85a", "\x85a"),
    ],
)
def test_names_become_words(name: str, text: str) -> None:
    assert candidate_text(name) == text


def test_the_description_is_trimmed_and_may_be_missing() -> None:
    assert candidate_text("a", "\u00a0 Does\nit. \ufeff") == "a: Does\nit."
    assert candidate_text("a", " \n") == candidate_text("a", None) == "a"
