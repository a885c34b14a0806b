"""Embedders, chosen by name, and the store of the vectors that they made.

The order of `KINDS` is the order in which a name is compared with their forms; what happens to
be installed has no say. Importing this package imports neither numpy nor any embedder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..base.errors import UsageError
from . import minilm, openai_api, plugin, st_models
from .cache import CacheInfo, VectorCache, default_cache_path
from .interface import Embedded, Embedder, Kind, Options
from .once import EmbeddingResult, embed_all

__all__ = [
    "DEFAULT",
    "KINDS",
    "CacheInfo",
    "Embedded",
    "Embedder",
    "EmbeddingResult",
    "Kind",
    "Options",
    "VectorCache",
    "default_cache_path",
    "embed_all",
    "make_embedder",
    "wrap_embedder",
]

KINDS: tuple[Kind, ...] = (minilm.KIND, st_models.KIND, openai_api.KIND, plugin.KIND)
DEFAULT = minilm.NAME


def make_embedder(
    name: str = DEFAULT,
    *,
    allow_download: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Embedder:
    """The embedder that ``name`` means, loaded and ready.

    ``allow_download`` lets a model be fetched from the network; ``environ`` is where keys are
    looked up, the process's environment unless given. Raises `UsageError` for a name of no known
    form, and `EmbedderFailed` when the embedder cannot be loaded here.
    """
    options = Options(allow_download, os.environ if environ is None else environ)
    for kind in KINDS:
        if kind.matches(name):
            return kind.make(name, options)
    forms = ", ".join(kind.form for kind in KINDS)
    raise UsageError(f"there is no embedder {name!r}: write one of {forms}")


def wrap_embedder(given: Any) -> Embedder:
    """The embedder that an object of the user's own is: it has ``id`` and ``embed(texts)``.
    Raises `EmbedderFailed` when it is none."""
    return plugin.Plugin("the embedder given", given)
