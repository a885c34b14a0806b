"""The questions that are asked of a run, in the order of the report."""

from __future__ import annotations

from . import code, ids, results, routing, sizes, turn
from .interface import Analyzer

EXPLAIN: tuple[Analyzer, ...] = (
    turn.ANALYZER,
    routing.ANALYZER,
    results.ANALYZER,
    ids.ANALYZER,
    code.ANALYZER,
)
IDS: tuple[Analyzer, ...] = (turn.ANALYZER, ids.DETAIL)
RESULTS: tuple[Analyzer, ...] = (turn.ANALYZER, sizes.ANALYZER)
CODE: tuple[Analyzer, ...] = (code.ANALYZER,)
