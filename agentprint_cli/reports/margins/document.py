"""``agentprint/margins@1``: the choice margins of any number of recordings."""

from __future__ import annotations

from dataclasses import dataclass

from ...model import Fact, Report
from ..shared import common, made_for, trust

SCHEMA = "agentprint/margins@1"
_SUMMARY = (
    "recordings",
    "runs",
    "llm_calls_with_tools",
    "choices",
    "scored",
    "flagged",
    "narrow",
    "proxy_disagreement",
    "skipped",
    "not_measurable",
)
_CALL = (
    "recording",
    "run",
    "session",
    "stage",
    "event",
    "iteration",
    "turn_position",
    "in_run",
    "offered",
    "chosen",
    "call_ids",
    "context_chars",
    "context",
    "margin",
    "threshold",
    "top",
    "rival",
    "scores",
    "flags",
    "neighbours",
    "skipped",
    "not_measurable",
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which calls to list. The summary always counts all."""

    flagged: bool = False
    tool: str | None = None
    """Only calls where this tool was chosen or was the rival."""
    top: int | None = None
    sort: str = "time"
    """``time`` (recorded order), ``margin`` (narrowest first) or ``tool``."""


def selected(report: Report, selection: Selection) -> tuple[Fact, ...]:
    """The calls that ``selection`` lets through, in its order."""
    calls = list(report.of("choice"))
    if selection.flagged:
        calls = [fact for fact in calls if fact.get("flags") or announced_another(fact)]
    if selection.tool is not None:
        calls = [
            fact for fact in calls if selection.tool in (*chosen_names(fact), fact.get("rival"))
        ]
    if selection.sort == "margin":
        calls.sort(key=_margin_or_last)
    elif selection.sort == "tool":
        calls.sort(key=lambda fact: (best_chosen(fact), _margin_or_last(fact)))
    return tuple(calls[: selection.top] if selection.top is not None else calls)


def _margin_or_last(fact: Fact) -> float:
    margin = fact.get("margin")
    return margin if isinstance(margin, float) else float("inf")


def chosen_names(fact: Fact) -> list[str]:
    """The names of the tools that were called."""
    chosen = fact.get("chosen")
    return chosen if isinstance(chosen, list) else []


def announced_another(fact: Fact) -> bool:
    """Whether what the model wrote with its calls announced another tool."""
    said = fact.get("intent")
    return isinstance(said, dict) and bool(said["flags"])


def best_chosen(fact: Fact) -> str:
    """The best-scored of the chosen tools; all of them where there are no scores."""
    return fact.text("best_chosen") or ", ".join(chosen_names(fact))


def document(report: Report, selection: Selection | None = None) -> dict[str, object]:
    """The JSON contract's form."""
    embedder = one(report, "embedder")
    summary = one(report, "summary")
    members: dict[str, object] = {
        **common.head(report),
        "embedder": common.values(
            embedder,
            "id",
            "dimensions",
            "fingerprint",
            "input_limit",
            "distinct_texts",
            "embedded",
            "cut_texts",
            "why",
        ),
        **common.values(embedder, "scorer", "threshold"),
        "summary": {name: summary.get(name) for name in _SUMMARY},
        "recordings": [common.recording(read) for read in report.recordings],
        "unreadable": [common.values(fact, "path", "why") for fact in report.of("unreadable")],
        "passed_over": len(report.of("passed-over")),
        "calls": [call(fact) for fact in selected(report, selection or Selection())],
    }
    about = ("threshold_rule", "unit", "others", "tool_thresholds", "pair_thresholds")
    members.update(common.values(embedder, *about))
    if (said := report.one("intents")) is not None:
        members["intents"] = common.values(said, "texts", "says_one_calls_another")
    return {**members, **trust.members(report), **made_for.members(report)}


def call(fact: Fact) -> dict[str, object]:
    """One call, as the contract has it."""
    members = common.values(fact, *_CALL)
    if fact.get("skipped") is None and fact.get("not_measurable") is None:
        members.setdefault("flags", [])
    said = fact.get("intent")
    if isinstance(said, dict):
        members["intent"] = {
            **{name: value for name, value in said.items() if value is not None},
            "pointer": common.pointer(said["pointer"]),
        }
    return {**members, "pointers": common.pointers(fact.pointers)}


def pairs(report: Report) -> list[dict[str, object]]:
    """Which tools compete: each pair of a chosen tool and its closest rival, most often first,
    with its flagged calls and its narrowest one."""
    grouped: dict[tuple[str, str], list[Fact]] = {}
    for fact in report.of("choice"):
        if fact.get("rival") is not None and fact.get("margin") is not None:
            grouped.setdefault((best_chosen(fact), fact.text("rival")), []).append(fact)
    rows = []
    for (chosen, rival), facts in grouped.items():
        narrowest = min(facts, key=_margin_or_last)
        rows.append(
            {
                "chosen": chosen,
                "rival": rival,
                "calls": len(facts),
                "flagged": sum(bool(fact.get("flags")) for fact in facts),
                "narrowest": {
                    **common.values(narrowest, "margin", "recording", "run", "event"),
                    "pointers": common.pointers(narrowest.pointers),
                },
            }
        )
    return sorted(
        rows,
        key=lambda row: (-int(str(row["calls"])), str(row["chosen"]), str(row["rival"])),
    )


def one(report: Report, rule: str) -> Fact:
    """The only fact of a rule that every report of margins has."""
    fact = report.one(rule)
    assert fact is not None
    return fact
