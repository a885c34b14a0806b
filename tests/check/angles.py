"""An embedder whose cosines a test writes down: "at 0.8" in a text is its cosine to plain texts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from agentprint_cli.embedding import Embedder, make_embedder

NAME = "tests.check.angles:make"
_AT = re.compile(r"\bat (-?\d\.\d+)")


class Angles:
    """Texts are directions in a plane; one that names no cosine is the first axis."""

    id = "angles"
    dimensions = 2

    def __init__(self, version: int = 1) -> None:
        self.fingerprint = f"angles:{version}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text."""
        return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    found = _AT.findall(text)
    cosine = float(found[-1]) if found else 1.0
    return [cosine, math.sqrt(1 - cosine * cosine)]


def make() -> Angles:
    """The factory."""
    return Angles()


def make_other() -> Angles:
    """Another model with the same vectors."""
    return Angles(2)


def embedder() -> Embedder:
    """The embedder itself."""
    return make_embedder(NAME)


def other_embedder() -> Embedder:
    """The other one itself."""
    return make_embedder("tests.check.angles:make_other")


def menu(**cosines: float) -> dict[str, str]:
    """A menu of tools with these cosines to a plain context."""
    return {name: f"Does it, at {cosine:.4f}." for name, cosine in cosines.items()}
