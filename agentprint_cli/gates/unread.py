"""Places of a recording that could not be read."""

from __future__ import annotations

from .interface import Facts, Gate, Looked, Severity, finding

ID = "unread-lines"


def look(facts: Facts) -> Looked:
    """A finding for each place; every recording that was opened is measured."""
    looked = Looked()
    for fact in facts.of("recording-read"):
        looked.count(looked.measured_in, fact.text("recording"))
    for fact in facts.of("unread-place"):
        looked.findings.append(finding(ID, fact, fact.pointers, {}))
    return looked


GATE = Gate(ID, Severity.FAIL, look, unit="recording", needs="recordings")
