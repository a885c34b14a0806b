"""How alike vectors are: cosines in float64, and the pairs at or above a given one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_ROWS_PER_STEP = 512


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


def close_pairs(
    vectors: npt.NDArray[np.float32], groups: Sequence[Sequence[int]], least: float
) -> Iterator[tuple[int, int, float]]:
    """The pairs of different rows that some group holds both of and whose cosine is at least
    ``least``: lower row, higher row, cosine. Each pair once, in the order of the rows.

    Equal rows have a cosine of exactly 1, unless they are zeros.
    """
    import numpy as np

    directed = directions(vectors)
    members = [np.unique(np.asarray(group, dtype=np.intp)) for group in groups]
    for start in range(0, len(directed), _ROWS_PER_STEP):
        block = directed[start : start + _ROWS_PER_STEP]
        together = np.zeros((len(block), len(directed)), dtype=bool)
        for group in members:
            inside = group[(group >= start) & (group < start + len(block))]
            together[np.ix_(inside - start, group)] = True
        cosines = np.clip(block @ directed.T, -1.0, 1.0)
        # Equal rows may miss 1 by a rounding; so may a threshold of 1, then.
        near = together & (cosines >= min(least, 1 - 1e-9))
        for row, other in np.argwhere(near):
            low, high = int(row) + start, int(other)
            if low < high:
                equal = bool(directed[low].any()) and np.array_equal(directed[low], directed[high])
                cosine = 1.0 if equal else float(cosines[row, other])
                if cosine >= least:
                    yield low, high, cosine


def pairs_in(groups: Sequence[Sequence[int]]) -> int:
    """How many different pairs of different members the groups hold."""
    import numpy as np

    sets = [np.unique(np.asarray(group, dtype=np.intp)) for group in groups]
    if len(sets) <= 1:
        return sum(len(members) * (len(members) - 1) // 2 for members in sets)
    of: dict[int, list[int]] = {}
    for number, members in enumerate(sets):
        for member in members:
            of.setdefault(int(member), []).append(number)
    beside = 0
    for numbers in of.values():
        union = np.unique(np.concatenate([sets[number] for number in numbers]))
        beside += len(union) - 1
    return beside // 2
