"""Every distinct text embedded once, whatever the number of logs that hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..base.errors import EmbedderFailed
from .cache import VectorCache
from .interface import Embedder, matrix

if TYPE_CHECKING:
    from .interface import Matrix

_TEXTS_PER_STEP = 256
"""How many texts go to the embedder, into the cache and into the progress at a time."""


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """The vectors of some texts."""

    vectors: Matrix
    """float32, shape (distinct, dimensions): one row per distinct text."""
    rows: Mapping[str, int]
    """The row of each text."""
    distinct: int
    """How many different texts there were."""
    cached: int
    """How many of them the cache held; the others were embedded, each once."""
    cut: int | None
    """How many of them are longer than the embedder reads; None when it cannot tell."""

    @property
    def embedded(self) -> int:
        """How many texts were embedded now."""
        return self.distinct - self.cached

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return int(self.vectors.shape[1])


def embed_all(
    embedder: Embedder,
    texts: Iterable[str],
    cache: VectorCache | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EmbeddingResult:
    """Embeds each distinct text of ``texts`` once, unless ``cache`` holds its vector.

    Rows are in the order in which the texts first appear. ``progress`` is called with how many of
    how many distinct texts are done: after the look-up in the cache, and after each step. What
    has been embedded is stored step by step, so that a run that is stopped loses little. Raises
    `EmbedderFailed`; what the cache has to complain about is in its ``warnings``.
    """
    distinct = list(dict.fromkeys(texts))
    key = embedder.cache_key
    table = _Table(len(distinct))
    if cache is not None and key is not None:
        found = cache.get(key, distinct, embedder.dimensions)
        if found.vectors is not None:
            table.add(found.places, found.vectors, found.cut)
    cached = table.done
    if progress is not None:
        progress(table.done, len(distinct))
    # Texts of like length together, which is how embedders are fastest. No vector depends on it.
    missing = sorted(table.missing(), key=lambda place: len(distinct[place]))
    for start in range(0, len(missing), _TEXTS_PER_STEP):
        places = missing[start : start + _TEXTS_PER_STEP]
        step = [distinct[place] for place in places]
        made = embedder.embed(step)
        table.add(places, made.vectors, made.cut or [None] * len(places))
        if cache is not None and key is not None:
            cache.put(key, step, made)
        if progress is not None:
            progress(table.done, len(distinct))
    cut = None if None in table.cut else sum(map(bool, table.cut))
    rows = {text: row for row, text in enumerate(distinct)}
    return EmbeddingResult(
        table.vectors(embedder), MappingProxyType(rows), len(distinct), cached, cut
    )


class _Table:
    """The rows as they come in."""

    def __init__(self, size: int) -> None:
        self.cut: list[bool | None] = [None] * size
        self.done = 0
        self._made = [False] * size
        self._vectors: Matrix | None = None

    def missing(self) -> list[int]:
        """The rows that have not come in."""
        return [row for row, made in enumerate(self._made) if not made]

    def add(self, rows: Sequence[int], vectors: Matrix, cut: Sequence[bool | None]) -> None:
        """Takes in the vectors of these rows."""
        import numpy as np

        if self._vectors is None:
            self._vectors = np.zeros((len(self._made), vectors.shape[1]), dtype=np.float32)
        width = self._vectors.shape[1]
        if vectors.shape != (len(rows), width):
            raise EmbedderFailed(
                f"the embedder gave {len(vectors)} vectors of {vectors.shape[1]} dimensions for "
                f"{len(rows)} texts, where those before have {width}: if the model behind its "
                "name has changed, `agentprint cache clear` removes the older ones"
            )
        self._vectors[list(rows)] = vectors
        for row, is_cut in zip(rows, cut, strict=True):
            self._made[row] = True
            self.cut[row] = is_cut
        self.done += len(rows)

    def vectors(self, embedder: Embedder) -> Matrix:
        """The whole matrix."""
        if self._vectors is None:
            return matrix([], 0, embedder.id, embedder.dimensions)
        return self._vectors
