"""Shared fixtures and paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

from agentprint_cli.view import View, open_view

# CI tries the same examples at every run, so that it fails for a change and not by chance; a
# developer's runs try new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"
"""Logs to check against that are not part of the project; tests that need them skip without."""

OpenBytes = Callable[..., View]


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of shipped recordings."""
    return ROOT / "recordings"


@pytest.fixture
def open_bytes(tmp_path: Path) -> Iterator[OpenBytes]:
    """Opens bytes as a recording: ``open_bytes(data, name="x.bin")``; closed after the test."""
    with ExitStack() as stack:

        def open_it(data: bytes, name: str = "x.bin") -> View:
            path = tmp_path / name
            path.write_bytes(data)
            return stack.enter_context(open_view(str(path)))

        yield open_it
