"""The shares of `hybrid` for many questions at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.choices.scorers import hybrid
from agentprint_cli.choices.scorers.interface import Question, Vectors, cosines, unit_rows
from agentprint_cli.rules.letter_runs import Menu, letter_runs
from tests.margins.counting import make


def _question(words: str, texts: tuple[str, ...]) -> Question:
    return Question(
        names=tuple(f"tool{number}" for number in range(len(texts))),
        texts=texts,
        context="user: " + words,
        situation="user: " + words,
        words=words,
        chosen=("tool0",),
    )


def _vectors(questions: list[Question]) -> Vectors:
    texts = list(dict.fromkeys(text for q in questions for text in (q.context, *q.texts)))
    rows = np.array(make().embed(texts), dtype=np.float32)
    return Vectors(unit_rows(rows), {text: number for number, text in enumerate(texts)})


_menus = st.lists(
    st.sampled_from(["search loans", "search loans: of a member", "desk", "", "日"]),
    min_size=1,
    max_size=4,
).map(tuple)


@given(
    st.lists(st.tuples(st.sampled_from(["loans", "the desk", ""]), _menus), min_size=1, max_size=6)
)
def test_questions_together_give_the_plain_rules_numbers_to_the_bit(
    asked: list[tuple[str, tuple[str, ...]]],
) -> None:
    questions = [_question(words, menu) for words, menu in asked]
    vectors = _vectors(questions)
    expected = []
    for question in questions:
        lexical = Menu([letter_runs(text) for text in question.texts]).overlaps(
            letter_runs(question.words)
        )
        near = cosines(vectors, question.context, question.texts)
        expected.append(
            hybrid.normalised([11.75 * c + 0.45 * o for c, o in zip(near, lexical, strict=True)])
        )
    assert list(hybrid.log_shares(questions, vectors)) == expected


def test_shares_add_up_to_one() -> None:
    question = _question("loans", ("search loans", "desk", "loan"))
    (shares,) = hybrid.log_shares([question], _vectors([question]))
    assert math.fsum(map(math.exp, shares)) == pytest.approx(1)


def test_a_menu_that_comes_again_is_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Counted(Menu):
        def __init__(self, tools: list[frozenset[str]]) -> None:
            made.append(tools)
            super().__init__(tools)

    monkeypatch.setattr(hybrid, "Menu", Counted)
    questions = [_question(f"loan {number}", ("loans", "desk")) for number in range(20)]
    questions.append(_question("loan", ("desk", "loans")))
    list(hybrid.log_shares(questions, _vectors(questions)))
    assert len(made) == 2
