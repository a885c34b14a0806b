"""What a calibrated threshold was made for, and the warning when it is used for something else."""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Report
from ...model.outline import Line
from . import common, phrases


def warnings(report: Report) -> list[str]:
    """What to warn of, a sentence each; the names in them are as they were configured."""
    return [
        phrases.made_for_another(fact)
        for fact in report.of("threshold-made-for")
        if fact.get("differs")
    ]


def members(report: Report) -> dict[str, object]:
    """The members of a JSON document: what the threshold was made for, where that is known, and
    the warnings, where there are any."""
    found: dict[str, object] = {}
    for fact in report.of("threshold-made-for"):
        found["threshold_made_for"] = common.values(
            fact, "embedder", "scorer", "share", "choices", "recordings"
        )
    if said := warnings(report):
        found["warnings"] = said
    return found


def lines(report: Report) -> Iterator[Line]:
    """The warnings for a person."""
    for said in warnings(report):
        yield Line(said, tone="warn", label="warn")
