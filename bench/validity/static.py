"""A static embedder to measure against: the mean of the token vectors of wordllama's weights.

Named as ``bench.validity.static:make``. No part of the product; `make validity` installs what it
needs. The weights come with the package, so nothing is fetched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class Static:
    """Mean of token vectors, 256 dimensions; zero for a text of no tokens."""

    id = "static"

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        weights = folder / "weights" / "l2_supercat_256.safetensors"
        tokens = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        self._vectors = load_file(weights)["embedding.weight"].astype("float32")
        self._tokenizer = Tokenizer.from_file(str(tokens))
        digest = hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
        self.fingerprint = f"wordllama-l2-supercat-256:sha256:{digest}"

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector per text."""
        import numpy as np

        found = np.zeros((len(texts), self._vectors.shape[1]), dtype="float32")
        for place, text in enumerate(texts):
            written = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            ids = self._tokenizer.encode(written, add_special_tokens=False).ids
            if ids:
                found[place] = self._vectors[ids].mean(axis=0)
        return found


def make() -> Static:
    """The factory."""
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("wordllama is not installed: pip install --group validity")
    return Static(Path(spec.submodule_search_locations[0]))
