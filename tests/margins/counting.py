"""An embedder of a user's own: it counts UTF-16 units, so that right numbers are known."""

from __future__ import annotations

from collections.abc import Sequence


class Counting:
    """``vec[unit % 32] += 1`` over the UTF-16 units of a text."""

    id = "counting"
    dimensions = 32
    fingerprint = "counting:1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text."""
        self.asked.extend(texts)
        return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    vector = [0.0] * 32
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        vector[(low | high << 8) % 32] += 1
    return vector


def make() -> Counting:
    """The factory: ``tests.margins.counting:make``."""
    return Counting()
