"""What a gate is: an id, how heavy it weighs by default, and a function from facts to findings.

A gate is judged the same way whatever it looks at. It fails on new findings beyond its limit. It
is inconclusive when nothing of what it looks at could be measured: what could not run is never
clean. It passes otherwise, and what was not measured beside is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..model import Fact, Outcome, Pointer, Reason, Status, Verdict, absent, recorded

NEW = "new"
KNOWN = "known"


class Severity(StrEnum):
    """What a gate's findings do to the exit code."""

    FAIL = "fail"
    WARN = "warn"


class Facts:
    """The facts of all recordings, by rule. Each names the recording that it is of."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_rule: dict[str, list[Fact]] = {}
        for fact in facts:
            self._by_rule.setdefault(fact.rule, []).append(fact)

    def of(self, rule: str) -> tuple[Fact, ...]:
        """The facts of a rule, in order."""
        return tuple(self._by_rule.get(rule, ()))


@dataclass(slots=True)
class Looked:
    """What a gate found, and how much of what it looks at could be measured."""

    findings: list[Fact] = field(default_factory=list)
    not_measured: list[Fact] = field(default_factory=list)
    """One fact for each part that could not be measured, with the reason."""
    measured_in: dict[str, int] = field(default_factory=dict)
    """Recording -> how many of its units were measured."""
    not_measured_in: dict[str, int] = field(default_factory=dict)
    """Recording -> how many of its units were not measured, or not in full."""
    idle_in: dict[str, int] = field(default_factory=dict)
    """Recording -> how many of its units held nothing to look at."""

    def count(self, kind: dict[str, int], recording: str, number: int = 1) -> None:
        """Count units of a recording as one of the three kinds."""
        kind[recording] = kind.get(recording, 0) + number

    @property
    def measured(self) -> int:
        """How many units were measured, in all recordings."""
        return sum(self.measured_in.values())


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate. An exception in ``look`` is a bug of ours and propagates."""

    id: str
    severity: Severity
    look: Callable[[Facts], Looked]
    unit: str
    """What it counts: ``choice``, ``check`` (what one check says of one run), ``run`` or
    ``recording``."""
    needs: str
    """Which facts it reads: ``scores``, ``runs`` or ``recordings``."""
    compares: bool = False
    """Whether it compares with the margins of the baseline. Such a gate is run by default only
    when the baseline has margins, and its findings are no entries of the baseline: what is
    accepted there is the new margin."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How many new findings a gate bears."""

    written: str = "0"
    number: float = 0
    share: bool = False
    """``number`` is a share, in percent, of what was measured."""

    def allowed(self, measured: int) -> float:
        """The limit as a number of findings."""
        return self.number * measured / 100 if self.share else self.number


def finding(
    gate: str, fact: Fact, pointers: Iterable[Pointer | None], values: Mapping[str, object]
) -> Fact:
    """What ``gate`` found: the values of ``fact``, which name its recording, run, line and
    request, and ``values`` of its own."""
    return recorded("finding", pointers, {**fact.values, "gate": gate, **values})


def unmeasured(gate: str, fact: Fact) -> Fact:
    """The part of ``gate`` that ``fact`` is about was not measured, for the fact's reason."""
    assert fact.reason is not None
    return absent(
        "not-measured",
        Status.NOT_MEASURABLE,
        fact.reason,
        {**fact.values, "gate": gate},
        fact.pointers,
    )


def not_scored(choice: Fact) -> Fact:
    """The choice as a fact that says why it has no scores."""
    why = choice.get("skipped") or choice.get("not_measurable") or "no-scores"
    return absent(
        "not-scored",
        Status.NOT_MEASURABLE,
        Reason.NO_CATALOGUE if why == "no-catalogue" else Reason.NOT_SCORED,
        {**choice.values, "why": why},
        choice.pointers,
    )


def judge(
    gate: Gate, severity: Severity, limit: Limit, looked: Looked, states: Iterable[str]
) -> Verdict:
    """The verdict: ``states`` says of each finding whether it is `NEW` or `KNOWN`."""
    findings = list(zip(looked.findings, states, strict=True))
    new = sum(state == NEW for _, state in findings)
    allowed = limit.allowed(looked.measured)
    idle = sum(looked.idle_in.values())
    if new > allowed:
        outcome = Outcome.FAIL
    elif not looked.measured and (looked.not_measured_in or not idle):
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = Outcome.PASS
    failed = outcome is Outcome.FAIL
    about = absent(
        "gate",
        Status.NOT_APPLICABLE,
        None,
        {
            "id": gate.id,
            "severity": str(severity),
            "unit": gate.unit,
            "limit": limit.written,
            "allowed": allowed,
            "findings": len(findings),
            "new": new,
            "known": len(findings) - new,
            "measured": looked.measured,
            "not_measured": sum(looked.not_measured_in.values()),
            "idle": idle,
            "measured_in": looked.measured_in,
            "not_measured_in": looked.not_measured_in,
            "idle_in": looked.idle_in,
        },
    )
    told = [
        recorded(
            "finding",
            fact.pointers,
            {**fact.values, "state": state, "level": _level(severity, failed, state)},
        )
        for fact, state in findings
    ]
    return Verdict(gate.id, outcome, (about, *told, *looked.not_measured))


def _level(severity: Severity, failed: bool, state: str) -> str:
    """``error`` for what makes the command fail, ``warning`` for what would if the gate weighed
    more, ``note`` for what is known or within the limit."""
    if state == KNOWN or not failed:
        return "note"
    return "error" if severity is Severity.FAIL else "warning"
