"""Each distinct text is embedded once, and a cached vector is a fresh one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.base.errors import EmbedderFailed
from agentprint_cli.embedding import Embedded, VectorCache, embed_all, once
from agentprint_cli.embedding.minilm import MiniLm

from .test_interface import ANY_TEXT
from .texts import TOOL_TEXTS


class Counting:
    """An embedder that keeps what it was asked for."""

    id = "counting"
    fingerprint = "counting:1"
    input_limit = 5

    def __init__(self, width: int = 3, key: str | None = "counting:1") -> None:
        self.asked: list[str] = []
        self.width = width
        self.cache_key = key
        self.dimensions: int | None = None

    def embed(self, texts: Sequence[str]) -> Embedded:
        self.asked.extend(texts)
        rows = [[float(len(text) + n) for n in range(self.width)] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), self.width)
        return Embedded(vectors, tuple(len(text) > 5 for text in texts))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.sqlite"


@given(st.lists(ANY_TEXT | st.sampled_from(["a", "b", "longer than five"]), max_size=30))
def test_embedded_texts_are_the_distinct_texts(texts: list[str]) -> None:
    embedder = Counting()
    result = embed_all(embedder, iter(texts))
    assert sorted(embedder.asked) == sorted(set(texts))
    assert result.distinct == result.embedded == len(set(texts))
    assert result.cached == 0
    assert result.cut == sum(len(text) > 5 for text in set(texts))
    assert list(result.rows) == list(dict.fromkeys(texts))
    for text in texts:
        assert result.vectors[result.rows[text]].tolist() == [len(text) + n for n in range(3)]


def test_no_texts() -> None:
    embedder = Counting()
    result = embed_all(embedder, [])
    assert result.vectors.shape == (0, 0)
    assert (result.distinct, result.cached, result.embedded, result.cut) == (0, 0, 0, 0)
    assert embedder.asked == []


def test_what_the_cache_holds_is_not_embedded_again(path: Path) -> None:
    first, second = Counting(), Counting()
    with VectorCache(path) as cache:
        embed_all(first, ["a", "much longer", "a"], cache)
        seen: list[tuple[int, int]] = []
        result = embed_all(second, ["b", "much longer", "a"], cache, lambda *n: seen.append(n))
        assert cache.warnings == []
    assert second.asked == ["b"]
    assert (result.distinct, result.cached, result.embedded, result.cut) == (3, 2, 1, 1)
    assert seen == [(2, 3), (3, 3)]
    plain = embed_all(Counting(), ["b", "much longer", "a"])
    assert result.vectors.tobytes() == plain.vectors.tobytes()
    assert result.rows == plain.rows


def test_nothing_is_stored_without_a_key(path: Path) -> None:
    with VectorCache(path) as cache:
        embed_all(Counting(key=None), ["a"], cache)
        assert cache.info().vectors == 0


def test_embedders_do_not_share_vectors(path: Path) -> None:
    with VectorCache(path) as cache:
        embed_all(Counting(key="one"), ["a"], cache)
        assert embed_all(Counting(key="two", width=4), ["a"], cache).cached == 0


def test_a_cache_of_no_use_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with VectorCache(tmp_path / "file" / "vectors.sqlite") as cache:
        result = embed_all(Counting(), ["a", "b"], cache)
        assert len(cache.warnings) == 1
    assert result.vectors.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_a_model_that_changed_behind_its_name(path: Path) -> None:
    with VectorCache(path) as cache:
        embed_all(Counting(), ["a"], cache)
        with pytest.raises(EmbedderFailed, match="`agentprint cache clear` removes the older"):
            embed_all(Counting(width=4), ["a", "b"], cache)


def test_what_was_made_before_a_failure_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(once, "_TEXTS_PER_STEP", 2)

    class Failing(Counting):
        def embed(self, texts: Sequence[str]) -> Embedded:
            if "ccc" in texts:
                raise EmbedderFailed("gone")
            return super().embed(texts)

    with VectorCache(path) as cache:
        with pytest.raises(EmbedderFailed, match="gone"):
            embed_all(Failing(), ["ccc", "bb", "a"], cache)
        assert embed_all(Counting(), ["ccc", "bb", "a"], cache).cached == 2


def test_one_text_without_a_word_on_cuts_makes_the_count_unknown() -> None:
    class Silent(Counting):
        def embed(self, texts: Sequence[str]) -> Embedded:
            return Embedded(super().embed(texts).vectors, None)

    assert embed_all(Silent(), ["a"]).cut is None


def test_the_default_embedder_fresh_and_cached(
    minilm: MiniLm, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*TOOL_TEXTS[::3], TOOL_TEXTS[-4], "\ud83d alone"]
    monkeypatch.setattr(once, "_TEXTS_PER_STEP", 7)
    with VectorCache(path) as cache:
        cold = embed_all(minilm, texts[::2], cache)
        mixed = embed_all(minilm, texts, cache)
        warm = embed_all(minilm, texts, cache)
        assert cache.warnings == []
    fresh = minilm.embed(texts)
    assert (cold.cached, mixed.cached, warm.cached) == (0, cold.distinct, len(texts))
    assert mixed.vectors.tobytes() == warm.vectors.tobytes() == fresh.vectors.tobytes()
    assert mixed.cut == warm.cut == sum(fresh.cut or ()) > 0
