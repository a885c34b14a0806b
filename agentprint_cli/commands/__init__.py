"""The command line: one module per command, and the only place that exits."""

from __future__ import annotations

from .app import run

__all__ = ["run"]
