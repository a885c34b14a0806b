"""How well margins and flags agree with labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from ...base.config import Thresholds
from ...model import Fact, Reason, Status, absent
from ...rules import statistics
from ...rules.margin import NARROW
from ..labels import Labels, Matched
from .measured import Measured

Shares = Sequence[tuple[str, Sequence[bool], Sequence[bool]]]
"""Shares to estimate: (name, which items hit, among which items)."""


def agreement(
    labels: Labels,
    matched: Matched,
    measured: Sequence[Measured],
    flags: Sequence[str],
    proposal: Fact,
    thresholds: Thresholds,
) -> Iterator[Fact]:
    """What was labelled, each problem of the labels, the AUROC of the margin, and what each flag
    says of right and of wrong choices."""
    labelled = [each for each in measured if each.right is not None]
    wrong = [not each.right for each in labelled]
    turns = [each.turn for each in labelled]
    values: dict[str, object] = {
        "path": labels.path,
        "labels": len(labels.labels),
        "empty": labels.empty,
        "repeated": matched.repeated,
        "used": len(labelled),
        "right": len(wrong) - sum(wrong),
        "wrong": sum(wrong),
        "turns": len(set(turns)),
        "resamples": statistics.RESAMPLES,
        "seed": statistics.SEED,
        "level": statistics.LEVEL,
    }
    yield absent("labels", Status.NOT_APPLICABLE, None, values)
    for problem in sorted([*labels.problems, *matched.problems], key=lambda each: each.line):
        values = {"line": problem.line, "problem": problem.kind, "why": problem.why}
        yield absent("label-problem", Status.NOT_APPLICABLE, None, values)
    doubt = [-each.margin for each in labelled]
    value = statistics.auroc(wrong, doubt)
    if value is None:
        reason = Reason.ONE_SIDED if labelled else Reason.TOO_FEW
        yield absent("auroc", Status.NOT_MEASURABLE, reason)
    else:
        estimate = ("value", value, statistics.auroc_of(wrong, doubt))
        yield _estimate("auroc", {}, turns, [estimate])
    if labelled:
        yield from _qualities(labelled, flags, proposal, thresholds)
    named = [each for each in labelled if each.right_names]
    if named:
        first = [each.fact.get("top") in (each.right_names or ()) for each in named]
        counts = {"choices": len(named), "first": sum(first)}
        share = ("value", first, [True] * len(named))
        yield _shares("ranked-first", counts, [each.turn for each in named], [share])


def _qualities(
    labelled: Sequence[Measured], flags: Sequence[str], proposal: Fact, thresholds: Thresholds
) -> Iterator[Fact]:
    """What each flag says of right and of wrong choices; of `NARROW` at the proposed threshold
    too."""
    raised: list[tuple[dict[str, object], list[bool]]] = [
        ({"flag": name}, [name in each.flags for each in labelled]) for name in flags
    ]
    could = {name: [each.may_have(name) for each in labelled] for name in flags}
    threshold = proposal.get("threshold")
    if isinstance(threshold, float):
        at_proposed = [
            NARROW in each.flags if each.own_threshold(thresholds) else each.margin < threshold
            for each in labelled
        ]
        raised.append(({"flag": NARROW, "proposed": threshold}, at_proposed))
    turns = [each.turn for each in labelled]
    for about, flagged in raised:
        measured = could[str(about["flag"])]
        wrong = [m and not each.right for m, each in zip(measured, labelled, strict=True)]
        right = [m and bool(each.right) for m, each in zip(measured, labelled, strict=True)]
        both = list(zip(flagged, wrong, strict=True))
        values = {
            **about,
            "flagged_wrong": sum(flag and bad for flag, bad in both),
            "flagged_right": sum(flag and not bad for flag, bad in both),
        }
        shares = [
            ("precision", wrong, flagged),
            ("recall", flagged, wrong),
            ("right_flagged", flagged, right),
        ]
        yield _shares("flag-quality", values, turns, shares)


def _shares(
    rule: str, values: Mapping[str, object], turns: Sequence[Hashable], shares: Shares
) -> Fact:
    """A fact with shares: (name, which items hit, among which items)."""
    estimates = [
        (name, statistics.share(hits, among), statistics.share_of(hits, among))
        for name, hits, among in shares
    ]
    return _estimate(rule, values, turns, estimates)


def _estimate(
    rule: str,
    values: Mapping[str, object],
    turns: Sequence[Hashable],
    estimates: Sequence[tuple[str, float | None, statistics.Statistic]],
) -> Fact:
    """A fact with the estimates and their intervals. A share of nothing has no value."""
    intervals = statistics.bootstrap_each(turns, [statistic for _, _, statistic in estimates])
    found: dict[str, object] = {**values}
    for (name, value, _), interval in zip(estimates, intervals, strict=True):
        if value is None:
            continue
        found[name] = (
            {"value": value, "low": interval.low, "high": interval.high}
            if isinstance(interval, statistics.Interval)
            else {"value": value, "no_interval": str(interval)}
        )
    return absent(rule, Status.NOT_APPLICABLE, None, found)
