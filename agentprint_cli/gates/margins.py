"""Choices of a tool that were close, or that another tool scored better for."""

from __future__ import annotations

from .interface import Facts, Gate, Looked, Severity, finding, not_scored, unmeasured


def _gate(id: str, flag: str) -> Gate:
    def look(facts: Facts) -> Looked:
        looked = Looked()
        for fact in facts.of("choice"):
            recording = fact.text("recording")
            flags = fact.get("flags")
            if isinstance(flags, list):
                looked.count(looked.measured_in, recording)
                if flag in flags:
                    names = {"tool": fact.get("best_chosen"), "signal": flag}
                    looked.findings.append(finding(id, fact, fact.pointers, names))
            elif fact.get("chosen"):
                looked.count(looked.not_measured_in, recording)
                looked.not_measured.append(unmeasured(id, not_scored(fact)))
        return looked

    return Gate(id, Severity.FAIL, look, unit="choice", needs="scores")


NARROW = _gate("narrow-margin", "narrow")
DISAGREEMENT = _gate("proxy-disagreement", "proxy-disagreement")
