"""Runs that end before an answer.

A run that paused to ask a person ended as it should; the leg that goes on is a run of its own.
"""

from __future__ import annotations

from .interface import Facts, Gate, Looked, Severity, finding, unmeasured

ID = "unfinished-run"


def look(facts: Facts) -> Looked:
    """A finding for each run without a recorded answer that did not pause."""
    looked = Looked()
    for fact in facts.of("run-checked"):
        looked.count(looked.measured_in, fact.text("recording"))
        if not fact.get("finished") and not fact.get("paused"):
            looked.findings.append(finding(ID, fact, fact.pointers, {}))
    for fact in facts.of("run-without-events"):
        looked.count(looked.not_measured_in, fact.text("recording"))
        looked.not_measured.append(unmeasured(ID, fact))
    return looked


GATE = Gate(ID, Severity.WARN, look, unit="run", needs="runs")
