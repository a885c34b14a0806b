"""Was a result empty? Typed routes, in order; never a guess.

Source of the rules: "Was a result empty?" in the analyses' specification.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base.json_text import BrokenJson
from . import js_text

DECLARED_ABSENT = "declared-absent"
UNDECLARED_EMPTY = "undeclared-empty"
NON_EMPTY = "non-empty"
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Emptiness:
    """What is known of a result's emptiness."""

    emptiness: str
    """`DECLARED_ABSENT`, `UNDECLARED_EMPTY`, `NON_EMPTY` or `UNKNOWN`."""
    rows: int | None = None
    """How many rows were counted, where they were."""
    voucher: str | None = None
    """Who vouches: ``tool``, ``library`` or ``app``; None when nothing is known."""
    detail: str | None = None
    """Why it is unknown, such as ``undeclared-shape``."""

    @staticmethod
    def unknown(detail: str) -> Emptiness:
        """Nothing is known, for this reason."""
        return Emptiness(UNKNOWN, detail=detail)


def judge_emptiness(
    value: object, *, declared_absent: bool, may_declare_itself: bool, rows_at: str | None
) -> Emptiness:
    """Judge what the model was given.

    ``declared_absent``: the record holds the tool's declaration for this call.
    ``may_declare_itself``: the call's events are not in the record, so that the result's own
    ``af_absent`` counts. ``rows_at``: the top-level key under which the application declared the
    rows to stand. Text that starts with ``{`` or ``[`` is parsed once; strings inside never are.
    """
    if declared_absent:
        return Emptiness(DECLARED_ABSENT, voucher="tool")
    if isinstance(value, str):
        if not value.startswith(("{", "[")):
            return Emptiness.unknown("text")
        try:
            value = js_text.parse(value)
        except BrokenJson:
            return Emptiness.unknown("text")
    enveloped = _is_coverage_envelope(value)
    if enveloped:
        assert isinstance(value, dict)
        value = value["result"]
    if isinstance(value, list):
        return _counted(len(value), "library", enveloped)
    if not isinstance(value, dict):
        return Emptiness.unknown("scalar")
    if may_declare_itself and value.get("af_absent") is True:
        return Emptiness(DECLARED_ABSENT, voucher="tool")
    if rows_at is None:
        return Emptiness.unknown("undeclared-shape")
    if rows_at not in value:
        return Emptiness.unknown("rows-at-missing")
    rows = value[rows_at]
    if not isinstance(rows, list):
        return Emptiness.unknown("not-a-list")
    return _counted(len(rows), "app", enveloped)


def _is_coverage_envelope(value: object) -> bool:
    """A result with its own boundary attached: it says what was and was not checked."""
    return (
        isinstance(value, dict) and isinstance(value.get("af_coverage"), dict) and "result" in value
    )


def _counted(rows: int, voucher: str, enveloped: bool) -> Emptiness:
    if rows:
        return Emptiness(NON_EMPTY, rows, voucher)
    # Inside an envelope the tool has said what it searched: the emptiness is declared.
    if enveloped:
        return Emptiness(DECLARED_ABSENT, 0, "tool")
    return Emptiness(UNDECLARED_EMPTY, 0, voucher)
