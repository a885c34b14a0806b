"""Was a result that had been cut short in front of the model?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..model import Fact, Reason
from .interface import (
    BAD,
    WARN,
    Facts,
    SignalCheck,
    answer_seen,
    grouped,
    judge_in_view,
    missing_rows,
    not_applicable,
    signal,
    unmeasured,
)

USED_ID = "cut-results-used"
IN_VIEW_ID = "cut-results-in-view"


def used(facts: Facts) -> Iterator[Fact]:
    """Cut results of the run's own calls that the answer was given on."""
    with_result = [fact for fact in facts.of("call") if fact.get("has_result")]
    if not with_result and not facts.of("before-pause"):
        yield not_applicable(USED_ID, "no call of the run returned a result")
    elif not answer_seen(facts):
        yield unmeasured(
            USED_ID, Reason.NO_COMPOSE, [p for f in with_result for p in f.pointers[:1]]
        )
    else:
        yield from missing_rows(USED_ID, facts)
        yield from _judge(USED_ID, "cut-result-used", BAD, facts.used(), facts.unfinished())


def in_view(facts: Facts) -> Iterator[Fact]:
    """Cut results of earlier turns that were still in view."""
    yield from judge_in_view(
        IN_VIEW_ID, facts, lambda placed: _judge(IN_VIEW_ID, "cut-result-in-view", WARN, placed)
    )


def _judge(
    check: str, id: str, tone: str, results: Iterable[Fact], unfinished: bool | None = None
) -> Iterator[Fact]:
    unseen = []
    for fact in results:
        if fact.get("cut") is not None:
            yield signal(
                check,
                id,
                tone,
                fact.pointers[-1:],
                {
                    "unfinished": unfinished,
                    **{
                        name: fact.get(name)
                        for name in ("call_id", "tool", "cut", "distance", "at_least")
                    },
                },
            )
        elif fact.get("emptiness_detail") == "kept-out":
            unseen.append((Reason.KEPT_OUT, fact, None))
    yield from grouped(check, unseen)


USED = SignalCheck(USED_ID, used)
IN_VIEW = SignalCheck(IN_VIEW_ID, in_view)
