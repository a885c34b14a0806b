"""Did a tool say that it had not checked whether the thing exists at all?

A tool that finds nothing can name, among what it did not check, the existence of what was asked
for (``kind`` = ``existence``). An answer of "there is none" given on that is not what was found.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Reason
from .interface import BAD, Facts, SignalCheck, grouped, not_applicable, signal

ID = "existence"


def run(facts: Facts) -> Iterator[Fact]:
    """A signal for each call that ran and declared existence as unchecked.

    A declaration whose unchecked items carry no kind does not say whether existence is among
    them: not measurable.
    """
    declared = [
        fact
        for fact in facts.of("call")
        if fact.get("coverage") is not None
        and fact.get("outcome") == "ran"
        and fact.get("withheld_by") is None
    ]
    if not declared:
        yield not_applicable(ID, "no tool declared what it did not check")
        return
    unsaid = []
    for call in declared:
        items = [
            item for item in facts.of("unchecked") if item.get("call_id") == call.get("call_id")
        ]
        existence = [item for item in items if item.get("kind") == "existence"]
        for item in existence:
            yield signal(
                ID,
                "existence-not-checked",
                BAD,
                item.pointers,
                {
                    "call_id": call.get("call_id"),
                    "tool": call.get("tool"),
                    "what": item.get("short") or item.get("what"),
                },
            )
        if not existence and any(item.get("kind") is None for item in items):
            unsaid.append((Reason.NOT_DECLARED, call, "kind"))
    yield from grouped(ID, unsaid)


CHECK = SignalCheck(ID, run)
