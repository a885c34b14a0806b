"""Cosines in float64, and the pairs that are close."""

from __future__ import annotations

import numpy as np
import pytest

from agentprint_cli.rules.similarity import close_pairs, directions, pairs_in


def vectors(*rows: list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(rows, dtype=np.float32)


def test_a_cosine() -> None:
    # (3, 4) and (4, 3): 24 / 25. (1, 0) and (3, 4): 3 / 5.
    found = list(close_pairs(vectors([3, 4], [4, 3], [1, 0]), [[0, 1, 2]], 0.1))
    assert [(low, high) for low, high, _ in found] == [(0, 1), (0, 2), (1, 2)]
    assert [score for *_, score in found] == pytest.approx([0.96, 0.6, 0.8], abs=1e-15)


def test_only_from_the_given_similarity_on() -> None:
    rows = vectors([3, 4], [4, 3], [1, 0])
    assert [pair[:2] for pair in close_pairs(rows, [[0, 1, 2]], 0.9)] == [(0, 1)]
    assert list(close_pairs(rows, [[0, 1, 2]], 0.97)) == []


def test_only_pairs_that_stand_in_one_group_and_each_once() -> None:
    rows = vectors([1, 0], [1, 0], [1, 0], [1, 0])
    found = [pair[:2] for pair in close_pairs(rows, [[0, 1], [1, 2], [1, 0]], 0.5)]
    assert found == [(0, 1), (1, 2)]
    assert pairs_in([[0, 1], [1, 2], [1, 0]]) == 2
    assert pairs_in([[0, 1, 2, 3]]) == 6
    assert pairs_in([[0, 1, 2], [2, 3], [4]]) == 4
    assert pairs_in([]) == pairs_in([[], [7]]) == 0


def test_equal_rows_are_exactly_alike() -> None:
    odd = [0.1, 0.7, 0.3]
    assert list(close_pairs(vectors(odd, odd), [[0, 1]], 1.0)) == [(0, 1, 1.0)]


def test_a_row_of_zeros_is_like_nothing() -> None:
    assert list(close_pairs(vectors([0, 0], [0, 0], [1, 0]), [[0, 1, 2]], 0.01)) == []


def test_big_and_tiny_numbers() -> None:
    rows = vectors([1e38, 1e38], [1e-38, 1e-38])
    assert np.allclose(np.linalg.norm(directions(rows), axis=1), 1)
    assert [pair[:2] for pair in close_pairs(rows, [[0, 1]], 0.999)] == [(0, 1)]


def test_more_rows_than_a_step() -> None:
    count = 1200
    angles = np.linspace(0, 1.5, count)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    step = angles[1]
    found = list(close_pairs(rows, [range(count)], float(np.cos(1.5 * step))))
    assert [pair[:2] for pair in found] == [(n, n + 1) for n in range(count - 1)]
