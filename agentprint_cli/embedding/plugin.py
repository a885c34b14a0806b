"""An embedder of the user's own: ``package.module:factory``.

``factory()`` returns an object with ``id: str`` and ``embed(texts: list[str])``, which returns one
vector per text. It may also have ``fingerprint: str`` and ``dimensions: int``. Vectors are stored
for another time only when it has a fingerprint, since code without one may change unnoticed. Such
code must make a text's vector from that text alone.

The module is looked up where Python looks for modules; nothing is added to that, in particular
not the working directory. The name must come from the person who runs the program (command line
or environment), never from a recording: importing a module runs it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from ..base.errors import EmbedderFailed, UsageError
from .interface import Embedded, Embedder, Kind, Options, matrix, one_line

FORM = "<package.module>:<factory>"

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_NAME = re.compile(rf"(?P<module>{_DOTTED}):(?P<factory>{_DOTTED})")


class Plugin:
    """The user's object, checked at each step."""

    input_limit: int | None = None

    def __init__(self, name: str, given: Any = None) -> None:
        """Imports the module and calls the factory, unless the object is ``given``.

        Raises `UsageError` when the name leads to no factory, and `EmbedderFailed` when the
        user's code raises or makes something that is no embedder.
        """
        self._name = name
        self._object = _made(name) if given is None else given
        own_id = self._text("id")
        if own_id is None:
            raise self._wrong("it has no 'id: str'")
        self.id: str = own_id
        if not callable(getattr(self._object, "embed", None)):
            raise self._wrong("it has no method 'embed(texts)'")
        fingerprint = self._text("fingerprint")
        self.fingerprint = fingerprint or f"{self.id}:weights-unknown"
        self.cache_key = None if fingerprint is None else f"plugin {name} {self.id} {fingerprint}"
        self.dimensions = self._dimensions()

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors that the user's code returns, as float32, shape (texts, dimensions)."""
        if not texts:
            return Embedded(matrix([], 0, self._name, self.dimensions), None)
        try:
            rows = self._object.embed(list(texts))
            if not hasattr(rows, "__len__"):
                rows = list(rows)
        except Exception as error:
            raise EmbedderFailed(
                f"the embedder {self._name!r} raised {type(error).__name__}: {one_line(error)}"
            ) from error
        vectors = matrix(rows, len(texts), f"the embedder {self._name!r}", self.dimensions)
        self.dimensions = int(vectors.shape[1])
        return Embedded(vectors, None)

    def _text(self, attribute: str) -> str | None:
        """An attribute that must be a text that is not empty; None when it is missing."""
        value = getattr(self._object, attribute, None)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise self._wrong(f"its {attribute!r} is no text")
        return value

    def _dimensions(self) -> int | None:
        value = getattr(self._object, "dimensions", None)
        if value is not None and (type(value) is not int or value < 1):
            raise self._wrong("its 'dimensions' is no positive whole number")
        return value

    def _wrong(self, what: str) -> EmbedderFailed:
        return EmbedderFailed(f"what {self._name!r} returns is no embedder: {what}")


def _made(name: str) -> Any:
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(f"the embedder {name!r} is not of the form {FORM}")
    module_name = match["module"]
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{module_name}.".startswith(f"{missing}."):
            raise UsageError(
                f"the embedder {name!r} names the module {module_name!r}, which Python does not "
                "find: install it, or put its folder into PYTHONPATH"
            ) from error
        raise EmbedderFailed(
            f"importing {module_name!r} raised {type(error).__name__}: {one_line(error)}"
        ) from error
    try:
        factory = attrgetter(match["factory"])(module)
    except AttributeError as error:
        raise UsageError(f"the module {module_name!r} has no {match['factory']!r}") from error
    if not callable(factory):
        raise UsageError(
            f"{name!r} cannot be called: it must be a function that returns the embedder"
        )
    try:
        return factory()
    except Exception as error:
        raise EmbedderFailed(
            f"calling {name!r} raised {type(error).__name__}: {one_line(error)}"
        ) from error


def _make(name: str, options: Options) -> Embedder:
    return Plugin(name)


KIND = Kind(
    form=FORM,
    matches=lambda name: _NAME.fullmatch(name) is not None,
    make=_make,
)
