"""The questions that are asked of a run, in the order of the report."""

from __future__ import annotations

from . import ids, results, routing, turn
from .interface import Analyzer

EXPLAIN: tuple[Analyzer, ...] = (
    turn.ANALYZER,
    routing.ANALYZER,
    results.ANALYZER,
    ids.ANALYZER,
)
