"""Shared fixtures and paths."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of shipped recordings."""
    return ROOT / "recordings"
