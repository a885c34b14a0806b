"""Was an empty result, which did not say what was searched, in front of the model?

Only emptiness that the record shows counts: a counted list, or rows at a place that the
application declared. A declared absence is no signal: it says what it searched.
"""

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

USED_ID = "empty-results-used"
IN_VIEW_ID = "empty-results-in-view"

_REASONS = {
    "text": Reason.PLAIN_TEXT,
    "scalar": Reason.PLAIN_TEXT,
    "cut": Reason.CUT,
    "kept-out": Reason.KEPT_OUT,
    "ambiguous-id": Reason.AMBIGUOUS_ID,
    "no-result": Reason.NO_FIELD,
}


def used(facts: Facts) -> Iterator[Fact]:
    """Empty results of the run's own calls that the answer was given on."""
    ran = [fact for fact in facts.of("call") if fact.get("outcome") == "ran"]
    if not ran and not facts.of("before-pause"):
        yield not_applicable(USED_ID, "no call of the run returned a result")
    elif not answer_seen(facts):
        yield unmeasured(USED_ID, Reason.NO_COMPOSE, [p for f in ran for p in f.pointers[:1]])
    else:
        yield from missing_rows(USED_ID, facts)
        results = [fact for fact in facts.used() if fact.get("outcome") in ("ran", None)]
        yield from _judge(USED_ID, "undeclared-empty-used", BAD, results, facts.unfinished())


def in_view(facts: Facts) -> Iterator[Fact]:
    """Empty results of earlier turns that were still in view."""
    yield from judge_in_view(
        IN_VIEW_ID,
        facts,
        lambda placed: _judge(IN_VIEW_ID, "undeclared-empty-in-view", WARN, placed),
    )


def _judge(
    check: str, id: str, tone: str, results: Iterable[Fact], unfinished: bool | None = None
) -> Iterator[Fact]:
    unknown = []
    for fact in results:
        emptiness = fact.get("emptiness")
        if emptiness == "undeclared-empty":
            names = ("call_id", "tool", "rows", "vouched_by", "distance", "at_least")
            yield signal(
                check,
                id,
                tone,
                fact.pointers,
                {"unfinished": unfinished, **{name: fact.get(name) for name in names}},
            )
        elif emptiness == "unknown":
            detail = fact.text("emptiness_detail")
            reason = _REASONS.get(detail, Reason.NOT_DECLARED)
            unknown.append((reason, fact, detail if reason is Reason.NOT_DECLARED else None))
    yield from grouped(check, unknown)


USED = SignalCheck(USED_ID, used)
IN_VIEW = SignalCheck(IN_VIEW_ID, in_view)
