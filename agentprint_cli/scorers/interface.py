"""What a scorer is: a name and a function from embedded texts to a score for each tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors: TypeAlias = npt.NDArray[np.float64]
    """Rows of unit length (a zero vector stays zero), shape (texts, dimensions)."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """One way to score. ``score`` gets all vectors, the row of the context and the rows of the
    menu's texts, and returns one score per tool, higher for a better fit."""

    name: str
    score: Callable[[Vectors, int, Sequence[int]], list[float]]
    noise: float
    """How far a margin moves when nothing that matters has changed: the same choice recorded
    again, with other small words of the model or on another processor. `bench.noise` measures
    it."""


def unit_rows(vectors: npt.NDArray[np.float32]) -> Vectors:
    """``vectors`` in double precision, each row divided by its length."""
    import numpy as np

    doubles = vectors.astype(np.float64)
    lengths = np.sqrt((doubles * doubles).sum(axis=1, keepdims=True))
    units: Vectors = np.divide(doubles, lengths, out=np.zeros_like(doubles), where=lengths > 0)
    return units
