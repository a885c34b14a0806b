"""How far the margins of a report are to be trusted: in every report that has margins."""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Fact, Report
from ...model.outline import Line
from . import common
from . import trust_phrases as phrases

_MEMBERS = (
    "level",
    "reasons",
    "choices",
    "agreed",
    "agreed_by_texts",
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
    helps = phrases.helps(fact, _calibrated(report)) if fact.get("level") == "weak" else []
    return {"trust": {**common.values(fact, *_MEMBERS), **({"helps": helps} if helps else {})}}


def lines(report: Report) -> Iterator[Line]:
    """The same for a person."""
    fact = _scored(report)
    if fact is None:
        return
    yield Line(phrases.agreement(fact))
    level = fact.get("level")
    yield Line(phrases.level(fact), tone="warn" if level == "weak" else None)
    if level == "weak":
        yield Line("What would help:", tone="muted")
        for each in phrases.helps(fact, _calibrated(report)):
            yield Line(each, tone="muted", indent=1)


def warning(report: Report) -> Iterator[Line]:
    """One line for a report of something else that rests on flags: only when they are weak."""
    fact = _scored(report)
    if fact is not None and fact.get("level") == "weak":
        yield Line(phrases.level(fact), tone="warn", label="warn")


def _calibrated(report: Report) -> bool:
    return report.one("threshold-made-for") is not None


def _scored(report: Report) -> Fact | None:
    fact = report.one("trust")
    return fact if fact is not None and fact.get("choices") else None
