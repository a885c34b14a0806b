"""Choices that are closer than the baseline knew them, or close to another tool.

What the baseline knew of a choice, and what has changed since, is in the fact ``compared``. A
choice with which nothing can be compared is not measured, and so never clean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..model import Fact, Reason, Status, absent
from .interface import Facts, Gate, Looked, Severity, finding, not_scored, unmeasured

DIGITS = 4
"""Both margins are rounded to as many digits before they are compared, as the baseline's are."""


def _gate(id: str, judged: Callable[[Fact], Mapping[str, object] | None]) -> Gate:
    def look(facts: Facts) -> Looked:
        looked = Looked()
        for fact in facts.of("compared"):
            recording = fact.text("recording")
            if fact.get("idle"):
                looked.count(looked.idle_in, recording)
            elif fact.get("unscored") or fact.get("uncompared") is not None:
                looked.count(looked.not_measured_in, recording)
                why = not_scored(fact) if fact.get("unscored") else _uncompared(fact)
                looked.not_measured.append(unmeasured(id, why))
            else:
                looked.count(looked.measured_in, recording)
                values = judged(fact)
                if values is not None:
                    names = {"tool": fact.get("best_chosen"), "signal": id}
                    looked.findings.append(finding(id, fact, fact.pointers, {**names, **values}))
        return looked

    return Gate(id, Severity.FAIL, look, unit="choice", needs="scores", compares=True)


def _uncompared(fact: Fact) -> Fact:
    return absent(
        "not-compared", Status.NOT_MEASURABLE, Reason.NOT_COMPARED, fact.values, fact.pointers
    )


def narrowed(fact: Fact) -> Mapping[str, object] | None:
    """Whether the margin fell below the lowest known one by more than the noise: the declared
    noise, or the spread of what the baseline saw, whichever is larger."""
    noise = max(_number(fact, "declared"), _number(fact, "spread"))
    fall = round(_number(fact, "previous_margin") - round(_number(fact, "margin"), DIGITS), DIGITS)
    return {"noise": noise, "fall": fall} if fall > noise else None


def new_rival(fact: Fact) -> Mapping[str, object] | None:
    """Whether the closest tool is none of the known rivals, for another reason than noise.

    A tool that the menu did not have before needs no more than that. One that it had must lead
    all known rivals by more than the noise: tools that are about equally close change places for
    nothing. When no known rival is on the menu any longer, the next one did not come closer.
    """
    rival, noise = fact.get("rival"), _number(fact, "declared")
    if rival in _list(fact, "known_rivals"):
        return None
    lead = fact.get("lead")
    closer = isinstance(lead, float) and lead > noise
    return {"noise": noise} if closer or rival in _list(fact, "added_tools") else None


def _number(fact: Fact, name: str) -> float:
    value = fact.get(name)
    assert isinstance(value, int | float)
    return value


def _list(fact: Fact, name: str) -> list[object]:
    value = fact.get(name)
    return value if isinstance(value, list) else []


NARROWED = _gate("margin-narrowed", narrowed)
NEW_RIVAL = _gate("new-rival", new_rival)
