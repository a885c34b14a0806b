"""The checks on one run, in the order of weight that their signals are reported in."""

from __future__ import annotations

from . import (
    code_runs,
    cut_results,
    decided_delivered,
    empty_results,
    existence,
    failed_calls,
    offered_tools,
    unknown_standings,
)
from .interface import SignalCheck

SIGNAL_CHECKS: tuple[SignalCheck, ...] = (
    decided_delivered.CHECK,
    empty_results.USED,
    cut_results.USED,
    existence.CHECK,
    offered_tools.CHECK,
    failed_calls.CHECK,
    empty_results.IN_VIEW,
    cut_results.IN_VIEW,
    unknown_standings.CHECK,
    *code_runs.CHECKS,
)
"""Those with a ``needs`` run only where the run holds something for them to look at."""


def checks_called(*ids: str) -> tuple[SignalCheck, ...]:
    """These checks, in the order of the report."""
    return tuple(check for check in SIGNAL_CHECKS if check.id in ids)
