"""Did the model put a standing on an id that no result on record was ever served under?"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Reason
from .interface import WARN, Facts, SignalCheck, grouped, not_applicable, signal

ID = "unknown-standings"


def run(facts: Facts) -> Iterator[Fact]:
    """A signal for each standing of the run whose id was never served."""
    own = [fact for fact in facts.of("standing") if fact.get("served") is not None]
    if not own:
        yield not_applicable(ID, "no standing was filed by the run")
        return
    unproven = []
    for standing in own:
        if standing.get("served") == "no":
            yield signal(
                ID,
                "unknown-standing",
                WARN,
                standing.pointers,
                {
                    "call_id": standing.get("call_id"),
                    "standing": standing.get("standing"),
                    "flagged_unknown": standing.get("flagged_unknown"),
                },
            )
        elif standing.get("served") == "unknown":
            reason = standing.get("served_reason")
            assert isinstance(reason, Reason)
            unproven.append((reason, standing, None))
    yield from grouped(ID, unproven)


CHECK = SignalCheck(ID, run, needs="standing")
