"""How far the margins of a report are to be trusted: in every report that has margins."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Report
from ..outline import Line
from ..phrases import trust as phrases
from . import common

_MEMBERS = (
    "level",
    "reasons",
    "choices",
    "agreed",
    "single",
    "single_agreed",
    "in_run",
    "in_run_agreed",
    "compared",
    "pairs",
)


def members(report: Report) -> dict[str, object]:
    """The member ``trust``; none when nothing has a margin."""
    fact = _scored(report)
    if fact is None:
        return {}
    helps = phrases.helps(fact) if fact.get("level") != "fair" else []
    return {"trust": {**common.values(fact, *_MEMBERS), **({"helps": helps} if helps else {})}}


def lines(report: Report) -> Iterator[Line]:
    """The same for a person."""
    fact = _scored(report)
    if fact is None:
        return
    yield Line(phrases.agreement(fact))
    level = fact.get("level")
    yield Line(phrases.level(fact), tone="warn" if level == "weak" else None)
    if level != "fair":
        yield Line("What would help:", tone="muted")
        for each in phrases.helps(fact):
            yield Line(each, tone="muted", indent=1)


def _scored(report: Report) -> Fact | None:
    fact = report.one("trust")
    return fact if fact is not None and fact.get("choices") else None
