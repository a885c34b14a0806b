"""What every embedder needs: readable texts, checked matrices, clear words."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.base.errors import EXIT_NOT_MEASURED, EmbedderFailed
from agentprint_cli.embedding.interface import matrix, one_line, require, well_formed

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain é 検 🙂", "plain é 検 🙂"),
        ("\ud83d", "\ufffd"),
        ("a\ude00b", "a\ufffdb"),
        ("\ud83d\ude42", "🙂"),
        ("\ud83d\ud83d\ude42\ude42", "\ufffd🙂\ufffd"),
    ],
)
def test_well_formed(text: str, expected: str) -> None:
    assert well_formed(text) == expected


@given(ANY_TEXT)
def test_well_formed_can_be_written_and_changes_nothing_else(text: str) -> None:
    made = well_formed(text)
    made.encode("utf-8")
    assert well_formed(made) == made
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert made == text


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], [3, 4]],
        [(1.0, 2.0), (3.0, 4.0)],
        [np.array([1.0, 2.0]), np.array([3.0, 4.0])],
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        np.array([[1, 2], [3, 4]], dtype=np.float16).T.copy().T,
    ],
)
def test_a_matrix_of_anything_that_holds_numbers(rows: object) -> None:
    vectors = matrix(rows, 2, "it")
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert vectors.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0]], "it must give one vector per text: 2 expected, got 1"),
        ([[1.0], [2.0], [3.0]], "2 expected, got 3"),
        (None, "2 expected, got something else"),
        (7.0, "2 expected, got something else"),
        ("ab", "2 expected, got something else"),
        ([1.0, 2.0], "one vector of numbers per text: got an array of shape 2"),
        ([[[1.0]], [[2.0]]], "got an array of shape 2x1x1"),
        ([[], []], "got an array of shape 2x0"),
        ([[1.0, 2.0], [3.0]], "form no matrix"),
        ([["1.0"], ["2.0"]], "where numbers are expected"),
        ([[True], [False]], "gave vectors of bool where numbers"),
        ([[None], [1.0]], "gave vectors of object where numbers"),
        ([[1j], [2j]], "where numbers are expected"),
        ([[1.0], [float("nan")]], "not finite in the vector of text 2 of 2"),
        ([[float("inf")], [1.0]], "not finite in the vector of text 1 of 2"),
        ([[1.0], [1e300]], "not finite in the vector of text 2 of 2"),
    ],
)
def test_a_matrix_that_is_none(rows: object, message: str) -> None:
    with pytest.raises(EmbedderFailed) as caught:
        matrix(rows, 2, "it")
    assert message in str(caught.value)
    assert caught.value.exit_code == EXIT_NOT_MEASURED


def test_a_matrix_of_other_dimensions() -> None:
    with pytest.raises(EmbedderFailed, match="vectors of 2 dimensions, 3 expected"):
        matrix([[1, 2]], 1, "it", 3)


def test_a_matrix_of_no_texts() -> None:
    assert matrix([], 0, "it").shape == (0, 0)
    assert matrix([], 0, "it", 5).shape == (0, 5)


def test_one_line() -> None:
    assert one_line(ValueError("a\n  b")) == "a b"
    assert one_line(ValueError()) == "ValueError"
    assert one_line("x" * 300) == "x" * 199 + "…"


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EmbedderFailed) as caught:
        require("tokenizers", "minilm", "pip install tokenizers")
    assert str(caught.value) == (
        "the embedder 'minilm' needs the package 'tokenizers', which is not installed: "
        "pip install tokenizers"
    )
