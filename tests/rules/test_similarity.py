"""Cosines in float64, and the pairs that are close."""

from __future__ import annotations

import numpy as np
import pytest

from agentprint_cli.rules.similarity import closest_pairs, directions, pairs_in


def vectors(*rows: list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(rows, dtype=np.float32)


def close(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.float32]], groups: list[list[int]], least: float
) -> tuple[tuple[int, int, float], ...]:
    return closest_pairs(rows, groups, [least], 10**6).pairs


def test_a_cosine() -> None:
    # (3, 4) and (4, 3): 24 / 25. (1, 0) and (3, 4): 3 / 5; and (4, 3): 4 / 5.
    found = close(vectors([3, 4], [4, 3], [1, 0]), [[0, 1, 2]], 0.1)
    assert [pair[:2] for pair in found] == [(0, 1), (1, 2), (0, 2)]
    assert [score for *_, score in found] == pytest.approx([0.96, 0.8, 0.6], abs=1e-15)


def test_only_from_the_given_similarity_on() -> None:
    rows = vectors([3, 4], [4, 3], [1, 0])
    assert [pair[:2] for pair in close(rows, [[0, 1, 2]], 0.9)] == [(0, 1)]
    assert close(rows, [[0, 1, 2]], 0.97) == ()


def test_all_are_counted_and_the_closest_kept() -> None:
    rows = vectors([3, 4], [4, 3], [1, 0], [3, 4], [3, 4])
    found = closest_pairs(rows, [[0, 1, 2, 3, 4]], (1.0, 0.9, 0.1), 2)
    assert found.counts == (3, 6, 10)
    assert found.pairs == ((0, 3, 1.0), (0, 4, 1.0))


def test_only_pairs_that_stand_in_one_group_and_each_once() -> None:
    rows = vectors([1, 0], [1, 0], [1, 0], [1, 0])
    groups = [[0, 1], [1, 2], [1, 0]]
    assert [pair[:2] for pair in close(rows, groups, 0.5)] == [(0, 1), (1, 2)]
    assert pairs_in(groups) == 2
    assert pairs_in([[0, 1, 2, 3]]) == 6
    assert pairs_in([[0, 1, 2], [2, 3], [4]]) == 4
    assert pairs_in([]) == pairs_in([[], [7]]) == 0


def test_equal_rows_are_exactly_alike() -> None:
    odd = [0.1, 0.7, 0.3]
    assert close(vectors(odd, odd), [[0, 1]], 1.0) == ((0, 1, 1.0),)


def test_a_row_of_zeros_is_like_nothing() -> None:
    assert close(vectors([0, 0], [0, 0], [1, 0]), [[0, 1, 2]], 0.01) == ()


def test_big_and_tiny_numbers() -> None:
    rows = vectors([1e38, 1e38], [1e-38, 1e-38])
    assert np.allclose(np.linalg.norm(directions(rows), axis=1), 1)
    assert [pair[:2] for pair in close(rows, [[0, 1]], 0.999)] == [(0, 1)]


def test_more_rows_than_a_step() -> None:
    count = 1200
    angles = np.linspace(0, 1.5, count)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    found = close(rows, [list(range(count))], float(np.cos(1.5 * angles[1])))
    assert sorted(pair[:2] for pair in found) == [(n, n + 1) for n in range(count - 1)]


def test_what_is_kept_does_not_depend_on_the_steps() -> None:
    rows = vectors(*[[1.0, 0.0]] * 700, *[[3.0, 4.0]] * 500)
    found = closest_pairs(rows, [list(range(1200))], (0.5,), 5)
    assert found.counts == (1200 * 1199 // 2,)
    assert [pair[:2] for pair in found.pairs] == [(0, n) for n in range(1, 6)]
