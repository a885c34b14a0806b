"""Any model that sentence-transformers can load: ``sentence-transformers:<name or path>``.

The network stays off unless a download is allowed. Texts go through the model one at a time and
on one thread, since PyTorch's last digits change with the batch and with the number of threads.
The only importer of sentence_transformers, and only when such a model is asked for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from ..base.errors import EmbedderFailed, UsageError
from .interface import Embedded, Embedder, Kind, Options, matrix, one_line, require, well_formed

PREFIX = "sentence-transformers:"
FORM = f"{PREFIX}<name or path>"
INSTALL = "pip install 'agentprint[sentence-transformers]'"
# Read when the libraries are imported; `local_files_only` says the same when a model is loaded.
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
_TEXT_ONLY = {"text", "message"}


class SentenceTransformersModel:
    """A model that sentence-transformers loaded, on the processor."""

    def __init__(self, name: str, *, allow_download: bool = False) -> None:
        """Loads the model ``name``: a folder, or the name of a model that lies in the local
        cache of Hugging Face, or with ``allow_download`` of one that is fetched there.

        Raises `EmbedderFailed` when the packages or the model are missing, or when the model
        reads more than texts: such a model would fetch what a text names.
        """
        self.id = f"{PREFIX}{name}"
        with _environment({} if allow_download else _OFFLINE):
            library = require("sentence_transformers", self.id, INSTALL)
            self._torch: Any = require("torch", self.id, INSTALL)
            self._model: Any = _load(library, name, self.id, allow_download)
        if any(modality not in _TEXT_ONLY for modality in self._model.modalities):
            raise EmbedderFailed(
                f"the embedder {self.id!r} reads more than texts: it would open the files and "
                "addresses that a recorded text names; choose a model for texts"
            )
        self.fingerprint = f"{self.id}:sha256:{_hash(self._model, self._torch)}"

    @property
    def dimensions(self) -> int | None:
        """The length of the vectors, as the model states it."""
        stated = self._model.get_embedding_dimension()
        return None if stated is None else int(stated)

    @property
    def input_limit(self) -> int | None:
        """How many tokens the model reads; None when it does not say."""
        stated = self._model.max_seq_length
        return None if stated is None else int(stated)

    @property
    def cache_key(self) -> str:
        """The fingerprint and the versions of the libraries that run it."""
        libraries = ("sentence-transformers", "transformers", "torch")
        return " ".join([self.fingerprint, *(f"{name} {version(name)}" for name in libraries)])

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of ``texts`` as the model makes them: float32, shape (texts, dimensions)."""
        readable = [well_formed(text) for text in texts]
        threads = self._torch.get_num_threads()
        self._torch.set_num_threads(1)
        try:
            rows = self._model.encode(
                readable, batch_size=1, show_progress_bar=False, convert_to_numpy=True
            )
            cut = self._cut(readable)
        except Exception as error:
            raise EmbedderFailed(f"the embedder {self.id!r} failed: {one_line(error)}") from error
        finally:
            self._torch.set_num_threads(threads)
        made = matrix(rows, len(texts), f"the embedder {self.id!r}", self.dimensions)
        return Embedded(made, cut)

    def _cut(self, texts: Sequence[str]) -> tuple[bool, ...] | None:
        limit = self.input_limit
        tokenizer = getattr(self._model, "tokenizer", None)
        if limit is None or not callable(tokenizer):
            return None
        return tuple(
            len(tokenizer(text, truncation=False, verbose=False)["input_ids"]) > limit
            for text in texts
        )


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """The process's environment with ``values``, put back at the end."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _load(library: Any, name: str, embedder: str, allow_download: bool) -> Any:
    bars = require("transformers.utils.logging", embedder, INSTALL)
    path = os.path.expanduser(name)
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        return library.SentenceTransformer(
            os.path.expanduser(name),
            device="cpu",
            local_files_only=not allow_download,
            trust_remote_code=False,
        )
    except Exception as error:
        absent = isinstance(error, OSError) and not os.path.isabs(path) and not os.path.exists(path)
        if absent and not allow_download:
            reason = (
                "it is not on this machine, and the network is off: --allow-download fetches it"
            )
        else:
            reason = one_line(error)
        raise EmbedderFailed(f"the embedder {embedder!r} cannot be loaded: {reason}") from error
    finally:
        if shown:
            bars.enable_progress_bar()


def _hash(model: Any, torch: Any) -> str:
    """The sha256 of what was loaded: every weight with its name, type and shape, the modules'
    settings, and the tokenizer. The same whatever file format the weights came in."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        array = tensor.detach().cpu().contiguous()
        digest.update(f"{name} {array.dtype} {tuple(array.shape)}\n".encode())
        digest.update(array.flatten().view(torch.uint8).numpy().data)
    digest.update(str(model).encode())
    digest.update(str(model.max_seq_length).encode())
    backend = getattr(getattr(model, "tokenizer", None), "backend_tokenizer", None)
    if backend is not None:
        digest.update(backend.to_str().encode())
    return digest.hexdigest()


def _make(name: str, options: Options) -> Embedder:
    model = name.removeprefix(PREFIX)
    if not model.strip():
        raise UsageError(f"the embedder {name!r} names no model: write {FORM}")
    return SentenceTransformersModel(model, allow_download=options.allow_download)


KIND = Kind(
    form=FORM,
    matches=lambda name: name.startswith(PREFIX),
    make=_make,
)
