"""How alike vectors are: cosines in float64, and the closest pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_ROWS_PER_STEP = 512


@dataclass(frozen=True, slots=True)
class Closest:
    """The pairs of rows from some cosine on."""

    counts: tuple[int, ...]
    """How many pairs reach each of the levels that were asked for."""
    pairs: tuple[tuple[int, int, float], ...]
    """Lower row, higher row, cosine; the closest first, those of equal cosine by their rows."""


def directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The rows of ``vectors`` in float64, each of length 1; a row of zeros stays one, so that its
    cosine with anything is 0."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float64)
    # Divided by the largest number first: the squares of big or tiny numbers leave float64.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    directed: npt.NDArray[np.float64] = rows / np.where(lengths > 0, lengths, 1.0)
    return directed


def closest_pairs(
    vectors: npt.NDArray[np.float32],
    groups: Sequence[Sequence[int]],
    levels: Sequence[float],
    most: int,
) -> Closest:
    """The pairs of different rows that some group holds both of and whose cosine reaches the
    lowest of ``levels``; all are counted, the ``most`` closest are kept.

    Equal rows have a cosine of exactly 1, unless they are zeros.
    """
    import numpy as np

    directed = directions(vectors)
    members = [np.unique(np.asarray(group, dtype=np.intp)) for group in groups]
    # Rows with the same number are equal.
    same = np.unique(directed, axis=0, return_inverse=True)[1].reshape(-1)
    zeros = np.logical_not(np.any(directed, axis=1, keepdims=True))[:, 0]
    counts = [0] * len(levels)
    kept: list[npt.NDArray[Any]] = [np.empty(0), np.empty(0, np.intp), np.empty(0, np.intp)]
    for start in range(0, len(directed), _ROWS_PER_STEP):
        end = min(start + _ROWS_PER_STEP, len(directed))
        cosines = np.clip(directed[start:end] @ directed.T, -1.0, 1.0)
        cosines[same[start:end, None] == same[None, :]] = 1.0
        cosines[zeros[start:end]] = 0.0
        counted = np.zeros(cosines.shape, dtype=bool)
        for group in members:
            inside = group[(group >= start) & (group < end)]
            counted[np.ix_(inside - start, group)] = True
        counted &= np.arange(len(directed))[None, :] > np.arange(start, end)[:, None]
        counted &= cosines >= min(levels)
        found = cosines[counted]
        counts = [
            count + int((found >= level).sum()) for count, level in zip(counts, levels, strict=True)
        ]
        rows, others = np.nonzero(counted)
        kept = _first(
            [
                np.concatenate(parts)
                for parts in zip(kept, (found, rows + start, others), strict=True)
            ],
            most,
        )
    order = np.lexsort((kept[2], kept[1], -kept[0]))
    return Closest(tuple(counts), tuple(_plain(part[order] for part in kept)))


def _first(parts: list[npt.NDArray[Any]], most: int) -> list[npt.NDArray[Any]]:
    """The ``most`` pairs with the highest cosines; of equal ones those that come first."""
    import numpy as np

    cosines = parts[0]
    if len(cosines) <= most:
        return parts
    last = np.partition(cosines, len(cosines) - most)[len(cosines) - most]
    above = cosines > last
    level = np.flatnonzero(cosines == last)[: most - int(above.sum())]
    above[level] = True
    return [part[above] for part in parts]


def _plain(parts: Iterator[npt.NDArray[Any]]) -> Iterator[tuple[int, int, float]]:
    cosines, lows, highs = (part.tolist() for part in parts)
    return zip(lows, highs, cosines, strict=True)


def pairs_in(groups: Sequence[Sequence[int]]) -> int:
    """How many different pairs of different members the groups hold."""
    sets = [frozenset(group) for group in groups]
    if len(sets) <= 1:
        return sum(len(members) * (len(members) - 1) // 2 for members in sets)
    of: dict[int, list[frozenset[int]]] = {}
    for members in sets:
        for member in members:
            of.setdefault(member, []).append(members)
    return sum(len(frozenset().union(*beside)) - 1 for beside in of.values()) // 2
