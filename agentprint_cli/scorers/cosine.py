"""The reference scorer: the cosine between the context and each tool's text.

Source of the rule: "Choice margins" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .interface import Scorer

if TYPE_CHECKING:
    from .interface import Vectors


def score(vectors: Vectors, context: int, menu: Sequence[int]) -> list[float]:
    """Cosines in double precision. Each row is summed by itself in the same order, so that equal
    texts get equal scores, which a matrix product does not promise."""
    found: list[float] = (vectors[list(menu)] * vectors[context]).sum(axis=1).tolist()
    return found


SCORER = Scorer("cosine", score, noise=0.03)
