"""Shared by the tests of the embedding room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentprint_cli.embedding.minilm import MiniLm


@pytest.fixture(scope="session")
def minilm() -> MiniLm:
    """The default embedder, loaded once."""
    return MiniLm()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Makes a module of the given name and source that Python finds."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, source: str) -> None:
        path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)

    return write
