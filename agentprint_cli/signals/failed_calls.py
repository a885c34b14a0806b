"""Did a call fail, or never end, before the answer was given?"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Reason
from .interface import WARN, Facts, SignalCheck, not_applicable, signal, unmeasured

ID = "failed-calls"


def run(facts: Facts) -> Iterator[Fact]:
    """A signal for each call whose outcome is failed or unknown."""
    calls = facts.of("call")
    nameless = facts.of("nameless-call")
    if not calls and not nameless:
        yield not_applicable(ID, "the run made no call")
        return
    for call in calls:
        outcome = call.get("outcome")
        # A call that the run paused for is known to wait; nothing went wrong with it.
        # Nor does one of a later turn stand before the answer.
        if call.get("waiting") or call.get("after_answer"):
            continue
        if outcome in ("failed", "unknown"):
            yield signal(
                ID,
                f"{outcome}-call-before-answer",
                WARN,
                call.pointers,
                {
                    "call_id": call.get("call_id"),
                    "tool": call.get("tool"),
                    "unfinished": facts.unfinished(),
                },
            )
    if nameless:
        yield unmeasured(ID, Reason.NO_ID, [p for fact in nameless for p in fact.pointers])


CHECK = SignalCheck(ID, run)
