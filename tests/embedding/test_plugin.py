"""Embedders of the user's own, good ones and bad ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agentprint_cli.base.errors import EXIT_NOT_MEASURED, EXIT_USAGE, EmbedderFailed, UsageError
from agentprint_cli.embedding import make_embedder

Module = Callable[[str, str], None]

COUNTING = """
class Counting:
    id = "counting"
    def embed(self, texts):
        assert type(texts) is list
        vectors = []
        for text in texts:
            vector = [0] * 32
            units = text.encode("utf-16-le", "surrogatepass")
            for low, high in zip(units[::2], units[1::2]):
                vector[(low + 256 * high) % 32] += 1
            vectors.append(vector)
        return vectors
"""


@pytest.fixture(autouse=True)
def no_modules_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that a test imports are forgotten after it."""
    for name in ("mine", "pack", "pack.inner"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)


def test_a_plugin(module: Module) -> None:
    module("pack.inner", COUNTING)
    embedder = make_embedder("pack.inner:Counting")
    assert embedder.id == "counting"
    assert embedder.fingerprint == "counting:weights-unknown"
    assert embedder.cache_key is None
    assert embedder.input_limit is None
    assert embedder.dimensions is None
    made = embedder.embed(["ab", "a\ud83d", ""])
    assert made.vectors.dtype == np.float32
    assert made.vectors.shape == (3, 32)
    assert made.vectors.sum(axis=1).tolist() == [2, 2, 0]
    assert made.cut is None
    assert embedder.dimensions == 32


def test_no_texts(module: Module) -> None:
    module("mine", "class E:\n id='e'\n def embed(self, texts): raise AssertionError")
    assert make_embedder("mine:E").embed([]).vectors.shape == (0, 0)


def test_what_a_plugin_may_say_of_itself(module: Module) -> None:
    module(
        "mine",
        "class E:\n id='e'\n fingerprint='sha256:1'\n dimensions=2\n"
        " def embed(self, texts): return ([len(text), 1] for text in texts)\n"
        "class holder:\n make = E",
    )
    embedder = make_embedder("mine:holder.make")
    assert embedder.fingerprint == "sha256:1"
    assert embedder.dimensions == 2
    assert embedder.cache_key == "plugin mine:holder.make e sha256:1"
    assert embedder.embed(["abc"]).vectors.tolist() == [[3, 1]]


def test_the_working_directory_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(COUNTING)
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    with pytest.raises(UsageError, match=r"which Python does not find.*PYTHONPATH"):
        make_embedder("mine:Counting")
    assert sys.path == before


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("mine:absent", COUNTING, "the module 'mine' has no 'absent'"),
        ("mine:Counting.absent", COUNTING, "has no 'Counting.absent'"),
        ("mine.more:make", COUNTING, "names the module 'mine.more', which Python does not find"),
        ("mine:number", "number = 1", "cannot be called"),
    ],
)
def test_names_that_lead_nowhere(module: Module, name: str, source: str, said: str) -> None:
    module("mine", source)
    with pytest.raises(UsageError) as caught:
        make_embedder(name)
    assert said in str(caught.value)
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_package", "importing 'mine' raised ModuleNotFoundError: No module named"),
        ("1/0", "importing 'mine' raised ZeroDivisionError: division by zero"),
        ("make = (", "importing 'mine' raised SyntaxError"),
        (
            "def make(): raise OSError('no\\n model')",
            "calling 'mine:make' raised OSError: no model",
        ),
        ("def make(needed): pass", "calling 'mine:make' raised TypeError"),
        ("def make(): pass", "what 'mine:make' returns is no embedder: it has no 'id: str'"),
        ("class make: id = 1", "its 'id' is no text"),
        ("class make: id = ' '", "its 'id' is no text"),
        ("class make: id = 'e'", "it has no method 'embed(texts)'"),
        ("class make: id = 'e'; embed = 1", "it has no method 'embed(texts)'"),
        ("class make:\n id = 'e'; fingerprint = 1\n def embed(self, t): ...", "its 'fingerprint'"),
        ("class make:\n id = 'e'; dimensions = 0\n def embed(self, t): ...", "its 'dimensions'"),
        ("class make:\n id = 'e'; dimensions = '3'\n def embed(self, t): ...", "its 'dimensions'"),
    ],
)
def test_plugins_that_do_not_load(module: Module, source: str, said: str) -> None:
    module("mine", source)
    with pytest.raises(EmbedderFailed) as caught:
        make_embedder("mine:make")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == EXIT_NOT_MEASURED


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "the embedder 'mine:make' raised TypeError: 'NoneType' object is not iter"),
        ("raise KeyError('x')", "the embedder 'mine:make' raised KeyError: 'x'"),
        ("return [[1, 2]]", "must give one vector per text: 2 expected, got 1"),
        ("return [[1, 2], [1]]", "form no matrix"),
        ("return [[1, 2], [1, float('nan')]]", "not finite in the vector of text 2 of 2"),
        ("return [['1'], ['2']]", "where numbers are expected"),
        ("return [[1], [2]]", "vectors of 1 dimensions, 2 expected"),
        ("return 'ab'", "2 expected, got something else"),
        ("return {'one': [1, 2], 'two': [3, 4]}", "2 expected, got something else"),
    ],
)
def test_plugins_that_make_no_vectors(module: Module, body: str, said: str) -> None:
    module("mine", f"class make:\n id = 'e'\n dimensions = 2\n def embed(self, texts): {body}")
    embedder = make_embedder("mine:make")
    with pytest.raises(EmbedderFailed) as caught:
        embedder.embed(["one", "two"])
    assert said in str(caught.value)


def test_dimensions_that_change(module: Module) -> None:
    module("mine", "class make:\n id='e'\n def embed(self, t): return [[1] * len(t)] * len(t)")
    embedder = make_embedder("mine:make")
    embedder.embed(["one", "two"])
    with pytest.raises(EmbedderFailed, match="vectors of 1 dimensions, 2 expected"):
        embedder.embed(["one"])
