"""The checks on one run, in the order of weight that their signals are reported in."""

from __future__ import annotations

from . import (
    cut_results,
    decided_delivered,
    empty_results,
    existence,
    failed_calls,
    offered_tools,
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
)
