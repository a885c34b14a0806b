"""Gates that look at the signals of every run."""

from __future__ import annotations

from ..model import Fact
from .interface import Facts, Gate, Looked, Severity, finding, unmeasured


def by_signal(
    id: str,
    *,
    signals: tuple[str, ...],
    checks: tuple[str, ...],
    severity: Severity = Severity.WARN,
) -> Gate:
    """A gate that finds these signals.

    ``checks`` are the checks that yield them. What a check says of a run is one unit: found or
    clean is measured; a check that could not run in full and found nothing is not; one that had
    nothing to look at is idle.
    """

    def look(facts: Facts) -> Looked:
        looked = Looked()
        found: set[tuple[object, ...]] = set()
        for fact in facts.of("signal"):
            if fact.get("id") in signals:
                found.add(_unit(fact))
                names = {"signal": fact.get("id")}
                looked.findings.append(finding(id, fact, fact.pointers, names))
        open_parts = set()
        for fact in facts.of("not-measurable"):
            if fact.get("check") in checks:
                open_parts.add(_unit(fact))
                looked.not_measured.append(unmeasured(id, fact))
        for fact in facts.of("judged"):
            if fact.get("check") not in checks:
                continue
            unit, recording = _unit(fact), fact.text("recording")
            if unit in open_parts:
                looked.count(looked.not_measured_in, recording)
            if unit in found or (unit not in open_parts and not fact.get("idle")):
                looked.count(looked.measured_in, recording)
            elif unit not in open_parts:
                looked.count(looked.idle_in, recording)
        for fact in facts.of("run-without-events"):
            looked.count(looked.not_measured_in, fact.text("recording"))
            looked.not_measured.append(unmeasured(id, fact))
        return looked

    return Gate(id, severity, look, unit="check", needs="runs")


def _unit(fact: Fact) -> tuple[object, ...]:
    return fact.get("recording"), fact.get("run"), fact.get("check")
