"""Facts in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import Outcome, Reason, Verdict
from ...signals.interface import Facts, SignalCheck, unmeasured


def run_checks(facts: Facts, checks: Sequence[SignalCheck]) -> Iterator[Verdict]:
    """Run the checks that have something to look at; each verdict holds what its check found."""
    lost = len(facts.of("unread-inside"))
    for check in checks:
        if check.needs is not None and not facts.of(check.needs):
            continue
        found = tuple(check.run(facts))
        if lost:
            # What could not be read may have been just what the check looks for.
            found = (
                *(fact for fact in found if fact.rule != "not-applicable"),
                unmeasured(check.id, Reason.UNREADABLE, values={"places": lost}),
            )
        rules = {fact.rule for fact in found}
        if "signal" in rules:
            outcome = Outcome.FAIL
        elif "not-measurable" in rules:
            outcome = Outcome.INCONCLUSIVE
        else:
            outcome = Outcome.PASS
        yield Verdict(check.id, outcome, found)
