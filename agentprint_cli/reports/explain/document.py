"""``agentprint/explain@1``: the explanation of one run as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from ...base.json_text import compact
from ...model import Fact, Report, Status
from ..shared import common, lines

SCHEMA = "agentprint/explain@1"


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    members: dict[str, object] = {
        **common.head(report),
        "recording": common.recording(report.recordings[0]),
        "run": lines.run_document(report, "stopped_early", "error", "sessions"),
    }
    for rule in ("question", "answer"):
        fact = report.one(rule)
        if fact is not None:
            members[rule] = {
                **common.status(fact),
                **common.text(fact),
                **common.values(fact, "before_pause"),
                "pointers": common.pointers(fact.pointers),
            }
    members["answering"] = _answering(report)
    routing = report.one("routing")
    if routing is not None:
        members["routing"] = _routing(routing)
    members["witnesses"] = [
        {
            **common.values(fact, "event", "call_id", "own_call", "kept_out"),
            "pointers": common.pointers(fact.pointers),
        }
        for fact in report.of("witness")
    ]
    members["in_view"] = [_in_view(f) for f in placed(report, "in-view")]
    members["before_pause"] = [_in_view(f) for f in placed(report, "before-pause")]
    members["calls"] = [_call(fact) for fact in report.of("call")]
    members["unchecked"] = [
        {
            **common.values(fact, "call_id", "tool", "list", "what", "why", "short", "kind"),
            "vouched_by": fact.voucher,
            "pointers": common.pointers(fact.pointers),
        }
        for fact in report.of("unchecked")
    ]
    members["ids"] = _ids(report)
    members["signals"] = [lines.signal_document(fact) for fact in report.of("signal")]
    members["not_measurable"] = [
        lines.unmeasured_document(fact) for fact in report.of("not-measurable")
    ]
    members["checks"] = [
        {"id": verdict.check, "outcome": outcome(verdict.check, report)}
        for verdict in report.verdicts
    ]
    members["counts"] = counts(report)
    return members


def all_runs_head(report: Report) -> str:
    """How ``agentprint/explain-all@1`` begins: the documents of several runs of one recording,
    which follow one by one and are closed by ``]}``."""
    tool = compact(common.head(report)["tool"])
    return f'{{"schema": "agentprint/explain-all@1", "tool": {tool}, "reports": ['


def outcome(check: str, report: Report) -> str:
    """``signal``, ``not-measurable``, ``not-applicable`` or ``clean``; a check of which a part
    could not run is not clean."""
    for rule in ("signal", "not-measurable", "not-applicable"):
        if any(fact.get("check") == check for fact in report.of(rule)):
            return rule
    return "clean"


def counts(report: Report) -> dict[str, object]:
    """How many calls, by outcome."""
    calls = report.of("call")

    def of(name: str) -> int:
        return sum(fact.get("outcome") == name for fact in calls)

    return {
        "calls": len(calls),
        "failed": of("failed"),
        "refused": of("refused"),
        "declined": of("declined"),
        "not_dispatched": of("not-dispatched"),
        "withheld": sum(fact.get("withheld_by") is not None for fact in calls),
        "unknown": of("unknown"),
    }


def one(report: Report, rule: str) -> Fact:
    """The fact of a rule that every explanation has."""
    fact = report.one(rule)
    assert fact is not None
    return fact


def placed(report: Report, rule: str) -> Iterator[Fact]:
    """The facts of a rule that are recorded."""
    return (fact for fact in report.of(rule) if fact.status is Status.RECORDED)


def _answering(report: Report) -> dict[str, object]:
    fact = report.one("answering")
    if fact is None:
        return {}
    return {
        **({} if fact.status is Status.RECORDED else common.status(fact)),
        **common.values(fact, "iteration", "llm_start", "compose", "stage", "complete"),
        "pointers": common.pointers(fact.pointers),
    }


def _routing(fact: Fact) -> dict[str, object]:
    names = [
        "by",
        "from",
        "to",
        "label",
        "scorer",
        "scores",
        "runner_up",
        "decisive",
        "decided_by",
        "delivered",
        "delivery_reason",
    ]
    return {
        **common.status(fact),
        **{name: _plain(value) for name, value in common.values(fact, *names).items()},
        **({"vouched_by": fact.voucher} if fact.status is Status.RECORDED else {}),
        "pointers": common.pointers(fact.pointers),
    }


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value


def _in_view(fact: Fact) -> dict[str, object]:
    return {
        **common.values(
            fact,
            "event",
            "call_id",
            "tool",
            "distance",
            "at_least",
            "emptiness",
            "emptiness_detail",
            "rows",
            "vouched_by",
            "cut",
        ),
        "pointers": common.pointers(fact.pointers),
    }


def _call(fact: Fact) -> dict[str, object]:
    return {
        **common.values(
            fact,
            "call_id",
            "tool",
            "outcome",
            "by",
            "withheld_by",
            "status",
            "used",
            "before_pause",
            "waiting",
            "emptiness",
            "emptiness_detail",
            "rows",
            "vouched_by",
            "cut",
            "coverage",
            "expectation",
        ),
        "pointers": common.pointers(fact.pointers),
    }


def _ids(report: Report) -> dict[str, object]:
    fact = report.one("ids")
    if fact is None:
        return {}
    if fact.status is not Status.RECORDED:
        return common.status(fact)
    return {
        **common.values(
            fact, "served", "offered", "undeclared", "nameable", "unknown", "standings"
        ),
        **_written(report),
    }


def _written(report: Report) -> dict[str, object]:
    """What the model wrote in tool arguments, told apart from what the framework filed."""
    facts = report.of("written-standing")
    names = ("call_id", "standing", "by_call", "filed")
    written = [
        {**common.values(fact, *names), "pointers": common.pointers(fact.pointers)}
        for fact in facts
    ]
    return {"written": written} if written else {}
