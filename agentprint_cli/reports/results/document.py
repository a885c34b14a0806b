"""``agentprint/results@1``: the tool results of a run and who filled its contexts, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...model import Fact, Report, Status
from ..shared import common, lines

SCHEMA = "agentprint/results@1"
ALL_SCHEMA = "agentprint/results-all@1"


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    replayed = replays(report)
    return {
        **common.head(report),
        "recording": common.recording(report.recordings[0]),
        "run": lines.run_document(report),
        "results": [
            {
                **common.values(
                    fact,
                    "call_id",
                    "tool",
                    "own_call",
                    "event",
                    "outcome",
                    "withheld_by",
                    "chars",
                    "text_kept_out",
                    "share_of_context",
                    "chars_in_context",
                    "shares",
                    "cut",
                    "refused_for_size",
                    "repeated",
                    "asked_again",
                    "left_context",
                ),
                **_what_if(replayed.get(fact.get("call_id"), ())),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("result")
        ],
        "contexts": [_context(fact) for fact in report.of("context")],
        "what_if": [{"cap": cap, **totals(report, cap)} for cap in caps(report)],
    }


def _context(fact: Fact) -> dict[str, object]:
    event = fact.get("llm_start")
    return {
        "event": event,
        **({} if fact.status is Status.RECORDED else common.status(fact)),
        **common.values(fact, "iteration", "answering", "chars", "slots", "missing_slots", "parts"),
        "pointers": common.pointers(fact.pointers),
    }


def replays(report: Report) -> Mapping[object, list[Fact]]:
    """The replayed caps by the call whose result they are about."""
    found: dict[object, list[Fact]] = {}
    for fact in report.of("what-if"):
        found.setdefault(fact.get("call_id"), []).append(fact)
    return found


def _what_if(facts: Sequence[Fact]) -> dict[str, object]:
    if not facts:
        return {}
    return {
        "what_if": [
            {
                **common.values(fact, "cap", "would_cut", "head_chars", "chars_saved"),
                **common.text(fact, "head"),
                **({} if fact.status is Status.RECORDED else common.status(fact)),
            }
            for fact in facts
        ]
    }


def caps(report: Report) -> list[int]:
    """The caps that were replayed, in the order that they were asked for."""
    found = dict.fromkeys(fact.get("cap") for fact in report.of("what-if"))
    return [cap for cap in found if isinstance(cap, int)]


def totals(report: Report, cap: int) -> dict[str, object]:
    """What one cap would have done to the run."""
    facts = [fact for fact in report.of("what-if") if fact.get("cap") == cap]
    cut = [fact for fact in facts if fact.status is Status.RECORDED and fact.get("would_cut")]
    return {
        "replayed": sum(fact.status is Status.RECORDED for fact in facts),
        "would_cut": len(cut),
        "not_replayed": sum(fact.status is not Status.RECORDED for fact in facts),
        "chars_saved": _sum(cut),
        "chars_saved_in_answering_context": _sum(
            fact for fact in cut if fact.get("in_answering_context")
        ),
    }


def _sum(facts: Iterator[Fact] | Sequence[Fact]) -> int:
    saved = (fact.get("chars_saved") for fact in facts)
    return sum(size for size in saved if isinstance(size, int))
