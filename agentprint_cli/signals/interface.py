"""What a signal check is: a name and a function from the facts of one run to more facts.

A check ends in signals, in parts that could not be measured, in "not applicable", or in nothing,
which means clean. What could not run is never clean. A signal reports a fact of the record under
a fixed rule; it names no cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model import Fact, Pointer, Reason, Status, absent, recorded

BAD = "bad"
WARN = "warn"


class Facts:
    """The facts of one run, by rule."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = tuple(facts)

    def of(self, rule: str) -> tuple[Fact, ...]:
        """The facts of a rule, in order."""
        return tuple(fact for fact in self._facts if fact.rule == rule)

    def one(self, rule: str) -> Fact:
        """The only fact of a rule. Raises `LookupError` when it was not asked for."""
        for fact in self._facts:
            if fact.rule == rule:
                return fact
        raise LookupError(rule)

    def unfinished(self) -> bool | None:
        """True when no answer is recorded; None when there is one (a value that is left out)."""
        return None if self.one("run").get("finished") else True

    def used(self) -> Iterator[Fact]:
        """The results that the answer was given on: the run's own calls whose results are
        proven to have been in front of the model, and those of the same turn from before a
        pause. A result withheld from the model is none of them."""
        for fact in self.of("call"):
            if fact.get("used") and fact.get("withheld_by") is None:
                yield fact
        for fact in self.of("before-pause"):
            if fact.status is Status.RECORDED:
                yield fact


@dataclass(frozen=True, slots=True)
class SignalCheck:
    """One check. An exception in ``run`` is a bug of ours and propagates."""

    id: str
    run: Callable[[Facts], Iterator[Fact]]
    needs: str | None = None
    """A rule: where the run holds no fact of it, there is nothing to ask and nothing to report,
    not even that the check did not apply."""


def signal(
    check: str,
    id: str,
    tone: str,
    pointers: Sequence[Pointer],
    values: Mapping[str, object] | None = None,
) -> Fact:
    """What ``check`` found: ``id`` names it, ``tone`` is its weight (`BAD` or `WARN`)."""
    return recorded("signal", pointers, {"id": id, "check": check, "tone": tone, **(values or {})})


def unmeasured(
    check: str,
    reason: Reason,
    pointers: Iterable[Pointer] = (),
    values: Mapping[str, object] | None = None,
) -> Fact:
    """A check, or the part of it that ``pointers`` name, could not run."""
    return absent(
        "not-measurable",
        Status.NOT_MEASURABLE,
        reason,
        {"check": check, **(values or {})},
        pointers,
    )


def not_applicable(check: str, reason: str) -> Fact:
    """The run holds nothing for ``check`` to look at."""
    return absent("not-applicable", Status.NOT_APPLICABLE, None, {"check": check, "why": reason})


def grouped(check: str, parts: Iterable[tuple[Reason, Fact, str | None]]) -> Iterator[Fact]:
    """One unmeasured fact for each reason, over the facts that it holds for, with the calls and
    tools that they are about. The third item is a detail, such as the key that was missing."""
    by_reason: dict[tuple[Reason, str | None], list[Fact]] = {}
    for reason, fact, detail in parts:
        by_reason.setdefault((reason, detail), []).append(fact)
    for (reason, detail), facts in by_reason.items():
        yield unmeasured(
            check,
            reason,
            [pointer for fact in facts for pointer in fact.pointers[-1:]],
            {
                "calls": [fact.text("call_id") for fact in facts],
                "tools": list(dict.fromkeys(f.text("tool") for f in facts if f.get("tool"))),
                "named": [_named(fact) for fact in facts],
                "detail": detail,
            },
        )


def _named(fact: Fact) -> str:
    """A call as "tool (id)", as far as both are known."""
    call = fact.text("call_id") or "id kept out"
    return f"{fact.text('tool')} ({call})" if fact.get("tool") is not None else call


def answer_seen(facts: Facts) -> bool:
    """Whether it is recorded what was in front of the model for its answer."""
    answering = facts.one("answering")
    return answering.status is Status.RECORDED and answering.get("compose") is not None


def missing_rows(check: str, facts: Facts) -> Iterator[Fact]:
    """The part of ``check`` that could not run because rows of the answering compose are not in
    the record: what they placed in front of the model is not known."""
    answering = facts.one("answering")
    if answer_seen(facts) and not answering.get("complete"):
        yield unmeasured(check, Reason.INCOMPLETE, answering.pointers[1:2])


def judge_in_view(
    check: str, facts: Facts, judge: Callable[[Sequence[Fact]], Iterator[Fact]]
) -> Iterator[Fact]:
    """Run ``judge`` over the earlier results in view, and say what of them could not be placed."""
    if not answer_seen(facts):
        yield unmeasured(check, Reason.NO_COMPOSE, facts.one("answering").pointers)
        return
    yield from missing_rows(check, facts)
    earlier = facts.of("in-view")
    if not earlier:
        yield not_applicable(check, "no earlier result was in view")
        return
    yield from judge([fact for fact in earlier if fact.status is Status.RECORDED])
    yield from grouped(
        check, ((fact.reason, fact, None) for fact in earlier if fact.reason is not None)
    )
