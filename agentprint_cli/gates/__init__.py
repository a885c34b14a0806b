"""The gates of ``agentprint check``, in the order of the report."""

from __future__ import annotations

from . import compared, margins, unfinished, unread
from .by_signal import by_signal
from .interface import Gate

CHECKS: tuple[Gate, ...] = (
    margins.NARROW,
    margins.DISAGREEMENT,
    compared.NARROWED,
    compared.NEW_RIVAL,
    by_signal(
        "undeclared-empty",
        signals=("undeclared-empty-used", "undeclared-empty-in-view"),
        checks=("empty-results-used", "empty-results-in-view"),
    ),
    by_signal(
        "failed-call-before-answer",
        signals=("failed-call-before-answer", "unknown-call-before-answer"),
        checks=("failed-calls",),
    ),
    by_signal("unknown-tool", signals=("unknown-tool-called",), checks=("offered-tools",)),
    by_signal("cut-result-used", signals=("cut-result-used",), checks=("cut-results-used",)),
    by_signal("existence-not-checked", signals=("existence-not-checked",), checks=("existence",)),
    by_signal(
        "decided-not-delivered", signals=("decided-not-delivered",), checks=("decided-delivered",)
    ),
    by_signal("unknown-standing", signals=("unknown-standing",), checks=("unknown-standings",)),
    by_signal("unattested-code", signals=("unattested-code",), checks=("attested-code",)),
    by_signal("unclosed-session", signals=("unclosed-session",), checks=("closed-sessions",)),
    unfinished.GATE,
    unread.GATE,
)
