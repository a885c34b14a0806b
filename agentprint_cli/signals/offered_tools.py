"""Did the model call a tool that was not on the menu of that very model call?"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Reason
from .interface import BAD, Facts, SignalCheck, grouped, not_applicable, signal

ID = "offered-tools"


def run(facts: Facts) -> Iterator[Fact]:
    """A signal for each call of a tool that its model call was not offered."""
    calls = [fact for fact in facts.of("call") if fact.get("offered") is not None]
    if not calls:
        yield not_applicable(ID, "the run started no call")
        return
    unknown = []
    for call in calls:
        offered = call.get("offered")
        if offered == "no":
            menu = call.pointer_of("offered")
            yield signal(
                ID,
                "unknown-tool-called",
                BAD,
                [p for p in (call.pointer_of("tool"), menu) if p is not None],
                {"call_id": call.get("call_id"), "tool": call.get("tool")},
            )
        elif offered != "yes":
            reason = call.get("offered_reason")
            assert isinstance(reason, Reason)
            unknown.append((reason, call, None))
    yield from grouped(ID, unknown)


CHECK = SignalCheck(ID, run)
