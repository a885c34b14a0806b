"""What an embedder is, how one is chosen by name, and what every embedder needs.

An embedder turns texts into vectors of one length. Two laws hold for those of this room:

- a text's vector depends on the text alone, never on the texts beside it, on their order or on
  how many processors there are: the same bytes in give the same bytes out, and a vector that was
  stored equals one that is made again;
- nothing is imported, loaded or asked for before it is used: importing this module imports
  neither numpy nor any embedder.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..base.errors import EmbedderFailed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix: TypeAlias = npt.NDArray[np.float32]
    """Vectors as rows: float32, shape (texts, dimensions)."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What an embedder made of some texts, in their order."""

    vectors: Matrix
    """float32, shape (texts, dimensions); every number is finite."""
    cut: tuple[bool, ...] | None
    """For each text whether it was longer than the embedder reads, so that its end had no say;
    None when the embedder cannot tell."""


class Embedder(Protocol):
    """Texts in, vectors out."""

    @property
    def id(self) -> str:
        """What reports call it."""

    @property
    def fingerprint(self) -> str:
        """Which model it is: its name and, where they can be read, the hash of its weights."""

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None as long as it has made none and none is declared."""

    @property
    def input_limit(self) -> int | None:
        """How many tokens of a text it reads; None when it does not say."""

    @property
    def cache_key(self) -> str | None:
        """What a stored vector depends on besides its text: the fingerprint and the version of
        whatever runs the model. None when that is not known: then nothing is stored."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of ``texts``, which may be empty and may hold lone surrogates.

        Raises `EmbedderFailed`.
        """


@dataclass(frozen=True, slots=True)
class Options:
    """What the making of an embedder depends on besides its name."""

    allow_download: bool = False
    """Whether a model may be fetched from the network."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """Where keys are looked up."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of embedder: which names mean it, and how one is made."""

    form: str
    """How its names look, such as ``openai:<model>@<base-url>``."""
    matches: Callable[[str], bool]
    """Whether a name means this kind. It looks at the name only, never at what is installed."""
    make: Callable[[str, Options], Embedder]
    """The embedder of a name that matches. Raises `UsageError` or `EmbedderFailed`."""


def well_formed(text: str) -> str:
    """``text`` with surrogate pairs joined and each lone surrogate replaced by U+FFFD, so that
    it can be written as UTF-8."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def require_installed(module: str, embedder: str, install: str) -> None:
    """Raises `EmbedderFailed`, with one line that says what to ``install``, when the third-party
    ``module`` is not there. Nothing is imported."""
    if importlib.util.find_spec(module) is None:
        raise EmbedderFailed(
            f"the embedder {embedder!r} needs the package {module!r}, which is not installed: "
            f"{install}"
        )


def require(module: str, embedder: str, install: str) -> ModuleType:
    """The third-party ``module``, imported now.

    Raises `EmbedderFailed` with one line that says what to ``install`` when it is missing or
    does not load.
    """
    require_installed(module.partition(".")[0], embedder, install)
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise EmbedderFailed(
            f"the embedder {embedder!r} needs the package {module!r}, which does not load "
            f"({one_line(error)}): {install}"
        ) from error


def matrix(rows: Any, count: int, source: str, dimensions: int | None = None) -> Matrix:
    """``rows`` as a matrix of ``count`` vectors, checked.

    ``rows`` is anything that holds one vector per text: lists of numbers, an array, arrays.
    ``dimensions`` is the length that the vectors must have, None for any. Raises
    `EmbedderFailed`, which names the ``source``, for another number of vectors, for vectors of
    different or no length, and for anything in them that is not a finite number.
    """
    import numpy as np

    if count == 0:
        return np.zeros((0, dimensions or 0), dtype=np.float32)
    try:
        with np.errstate(all="ignore"):
            given = np.asarray(rows)
    except (ValueError, TypeError) as error:
        raise EmbedderFailed(
            f"{source} gave vectors that form no matrix: {one_line(error)}"
        ) from error
    if given.ndim == 0 or len(given) != count:
        got = "something else" if given.ndim == 0 else f"{len(given)}"
        raise EmbedderFailed(f"{source} must give one vector per text: {count} expected, got {got}")
    if given.ndim != 2 or given.shape[1] == 0:
        raise EmbedderFailed(
            f"{source} must give one vector of numbers per text: got an array of shape "
            f"{'x'.join(map(str, given.shape))}"
        )
    if given.dtype.kind not in "fiu":
        raise EmbedderFailed(f"{source} gave vectors of {given.dtype} where numbers are expected")
    if dimensions is not None and given.shape[1] != dimensions:
        raise EmbedderFailed(
            f"{source} gave vectors of {given.shape[1]} dimensions, {dimensions} expected"
        )
    with np.errstate(all="ignore"):
        vectors = np.ascontiguousarray(given, dtype=np.float32)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise EmbedderFailed(
            f"{source} gave a number that is not finite in the vector of text "
            f"{int(np.argmin(finite)) + 1} of {count}"
        )
    return vectors


def one_line(said: object, limit: int = 200) -> str:
    """What an error or a text says, on one line of at most ``limit`` characters. An error that
    says nothing is called by its type."""
    text = " ".join(str(said).split())
    if not text and isinstance(said, BaseException):
        text = type(said).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"
