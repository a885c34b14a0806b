"""Did the skill that the router decided on reach the model?"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Reason, Status
from .interface import BAD, Facts, SignalCheck, not_applicable, signal, unmeasured

ID = "decided-delivered"


def run(facts: Facts) -> Iterator[Fact]:
    """A signal only on proof: all system-prompt composes are recorded and complete."""
    routing = facts.one("routing")
    delivered = routing.get("delivered")
    if routing.status is not Status.RECORDED:
        yield not_applicable(ID, "no routing decision is recorded")
    elif delivered is None:
        yield not_applicable(ID, "the routing decided on no skill")
    elif delivered == "no":
        yield signal(
            ID,
            "decided-not-delivered",
            BAD,
            routing.pointers,
            {name: routing.get(name) for name in ("by", "to", "label")},
        )
    elif delivered != "yes":
        reason = routing.get("delivery_reason")
        assert isinstance(reason, Reason)
        yield unmeasured(ID, reason, routing.pointers, {"to": routing.get("to")})


CHECK = SignalCheck(ID, run)
