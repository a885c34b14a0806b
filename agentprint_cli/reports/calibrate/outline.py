"""A calibration for a person: a histogram, tables of groups, the threshold, the labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ...model import Fact, Report
from ...model.outline import Line, Outline, Section, Table
from ..margins import outline as margins_outline
from ..shared import bars, phrases
from ..shared.lines import percent, s
from .document import GROUPS
from .phrases import NO_INTERVAL, PROBLEMS

LISTED = 10
"""How many rows of a table, and problems of labels, a person is shown."""
_TITLES = {
    "tool": "By chosen tool",
    "pair": "By chosen tool and rival",
    "menu_size": "By number of tools offered",
    "turn_position": "By model calls before in the same turn",
}
_COLUMNS = {
    "tool": ("tool",),
    "pair": ("chosen", "rival"),
    "menu_size": ("offered",),
    "turn_position": ("before",),
}
_QUARTILES = ((0.25, "a quarter below"), (0.5, "half below"), (0.75, "three quarters below"))
_RIGHT, _WRONG, _OPEN = "█", "▒", "·"


def outline(report: Report) -> Outline:
    """The calibration for a person."""
    about = {section.title: section for section in margins_outline.outline(report).sections}
    rest = [
        about[title] for title in ("Not scored", "Files", margins_outline.TRUST) if title in about
    ]
    sections = [
        about[""],
        Section("Margins", tuple(_margins(report))),
        Section("Flags", tuple(_flags(report))),
        *(Section(_TITLES[kind], tuple(_group_table(report, kind))) for kind in GROUPS),
        Section("Threshold", tuple(_threshold(report))),
        Section("Labels", tuple(_labels(report))),
        *rest,
    ]
    kept = tuple(section for section in sections if section.blocks)
    return Outline("agentprint calibrate", kept, Line(margins_outline.CLAIM, tone="muted"))


def _one(report: Report, rule: str) -> Fact:
    fact = report.one(rule)
    assert fact is not None
    return fact


def _int(fact: Fact, name: str) -> int:
    value = fact.get(name)
    assert isinstance(value, int)
    return value


def _rows(fact: Fact, name: str) -> list[dict[str, float]]:
    value = fact.get(name)
    return value if isinstance(value, list) else []


def _signed(value: object) -> str:
    return f"{value:+.3f}" if isinstance(value, float) else "—"


# The margins ----------------------------------------------------------------------------------


def _margins(report: Report) -> Iterator[Line | Table]:
    about, read = _one(report, "distribution"), len(report.recordings)
    count = _int(about, "count")
    if not count:
        yield Line("no choice has a margin", tone="muted")
        return
    turns = _int(about, "turns")
    yield Line(
        f"{count:,} choice{s(count)} with a margin, in {turns:,} turn{s(turns)} of {read:,} "
        f"recording{s(read)}"
    )
    if everything := _int(about, "everything_chosen"):
        yield Line(f"{everything:,} more chose everything and have none", tone="muted")
    if twice := _int(about, "recorded_twice"):
        yield Line(
            f"{twice:,} of them seem{'s' if twice == 1 else ''} to be recorded twice (same run, "
            "event and calls in another recording); each is counted",
            tone="warn",
        )
    at = {row["at"]: row["margin"] for row in _rows(about, "quantiles")}
    quartiles = ", ".join(f"{words} {_signed(at.get(place))}" for place, words in _QUARTILES)
    ends = _signed(about.get("min")), _signed(about.get("max"))
    yield Line(f"lowest {ends[0]}, {quartiles}, highest {ends[1]}")
    yield _histogram(report, _rows(about, "histogram"))
    if report.one("labels") is not None:
        yield Line(f"{_RIGHT} right, {_WRONG} wrong, {_OPEN} not labelled", tone="muted")


def _histogram(report: Report, bins: Sequence[Mapping[str, float]]) -> Table:
    labelled = report.one("labels") is not None
    scale = max(int(each["count"]) for each in bins)
    digits = max(_decimals(edge) for each in bins for edge in (each["from"], each["to"]))
    rows = []
    for number, each in enumerate(bins):
        count, right, wrong = (int(each[name]) for name in ("count", "right", "wrong"))
        parts = [(_RIGHT, right), (_WRONG, wrong), (_OPEN, count - right - wrong)]
        bar = bars.stacked(parts if labelled else [(_RIGHT, count)], scale)
        marks = [
            words
            for threshold, words in _thresholds(report)
            if (each["from"] <= threshold or number == 0)
            and (threshold < each["to"] or number == len(bins) - 1)
        ]
        rows.append(
            (
                f"{each['from']:+.{digits}f}",
                f"{each['to']:+.{digits}f}",
                f"{count:,}",
                bar,
                ", ".join(marks),
            )
        )
    return Table(("from", "to", "choices", "", ""), tuple(rows), numeric=frozenset({0, 1, 2}))


def _thresholds(report: Report) -> Iterator[tuple[float, str]]:
    """The thresholds that a histogram marks; one beyond its ends is marked at the end."""
    for rule, words in (("embedder", "in force"), ("proposal", "proposed")):
        threshold = _one(report, rule).get("threshold")
        if isinstance(threshold, float):
            yield threshold, f"{words}: {threshold:g}"


def _decimals(edge: float) -> int:
    """How many decimals the edge is written with."""
    exponent = Decimal(repr(edge)).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) and edge != int(edge) else 0


# Flags and groups -----------------------------------------------------------------------------


def _flags(report: Report) -> Iterator[Line | Table]:
    about = _one(report, "distribution")
    count, top, flagged = (_int(about, name) for name in ("count", "top_chosen", "flagged"))
    if not count:
        return
    rows = [
        (fact.text("flag"), f"{_int(fact, 'flagged'):,}", percent(fact.get("share")))
        for fact in report.of("flag")
    ]
    rows.append(("flagged", f"{flagged:,}", percent(flagged / count)))
    yield Table(("flag", "choices", "share"), tuple(rows), numeric=frozenset({1, 2}))
    share = percent(top / count)
    yield Line(f"the tool that scored best was chosen in {top:,} of {count:,} ({share})")


def _group_table(report: Report, kind: str) -> Iterator[Line | Table]:
    facts = [fact for fact in report.of("group") if fact.get("by") == kind]
    if not facts:
        return
    shown = facts[:LISTED]
    names = ("chosen", "rival") if kind == "pair" else (kind,)
    rows = [
        (
            *(fact.text(name) for name in names),
            f"{_int(fact, 'choices'):,}",
            percent(fact.get("flagged_share")),
            percent(fact.get("top_chosen_share")),
            _signed(fact.get("median")),
            _signed(fact.get("lowest")),
        )
        for fact in shown
    ]
    first = len(names)
    columns = (*_COLUMNS[kind], "choices", "flagged", "best chosen", "median", "lowest")
    places = tuple(
        tuple(replace(place, path="", file=fact.text("recording")) for place in fact.pointers[:1])
        for fact in shown
    )
    yield Table(columns, tuple(rows), places, numeric=frozenset(range(first, first + 5)))
    if len(facts) > LISTED:
        yield Line(f"and {len(facts) - LISTED:,} more; the JSON has all", tone="muted")


# The threshold --------------------------------------------------------------------------------


def _threshold(report: Report) -> Iterator[Line]:
    proposal = _one(report, "proposal")
    threshold, share = proposal.get("threshold"), proposal.text("share")
    if not isinstance(threshold, float):
        yield Line(
            f"proposed: none; {phrases.no_threshold(proposal)}", tone="warn", label="not measurable"
        )
    else:
        choices, flagged = _int(proposal, "choices"), _int(proposal, "flagged")
        yield Line(
            f"proposed: {threshold:g}; {flagged:,} of {choices:,} choices "
            f"({percent(proposal.get('reached'))}) lie below it, of at most {share}"
        )
    if own := _int(proposal, "own_threshold"):
        yield Line(
            f"{own:,} more choice{s(own)} {'has' if own == 1 else 'have'} a threshold of "
            f"{'its' if own == 1 else 'their'} tool or pair, which it does not change",
            tone="muted",
        )
    yield Line(f"in force: {margins_outline.threshold(_one(report, 'embedder'))}", tone="muted")
    written = report.one("written")
    if written is not None:
        done = "was written into" if written.get("changed") else "is already what stands in"
        yield Line(
            f"threshold = {threshold!r} {done} {written.text('path')}, with the embedder and "
            "the scorer that it holds for"
        )
    elif isinstance(threshold, float):
        yield Line("--write puts it into the configuration", tone="muted")


# The labels -----------------------------------------------------------------------------------


def _labels(report: Report) -> Iterator[Line | Table]:
    about = report.one("labels")
    if about is None:
        return
    used, right, wrong, turns = (_int(about, name) for name in ("used", "right", "wrong", "turns"))
    yield Line(
        f"{about.text('path')}: {used:,} choice{s(used)} labelled, {right:,} right and "
        f"{wrong:,} wrong, in {turns:,} turn{s(turns)}"
    )
    for name, words in (("empty", "without a label yet"), ("repeated", "said twice")):
        if count := _int(about, name):
            yield Line(f"{count:,} line{s(count)} {words}", tone="muted")
    yield from _problems(report)
    auroc = _one(report, "auroc")
    if auroc.reason is not None:
        yield Line(f"AUROC: {phrases.REASONS[auroc.reason]}", tone="warn", label="not measurable")
    else:
        yield Line(f"AUROC of low margins for wrong choices: {_estimate(auroc.get('value'))}")
    first = report.one("ranked-first")
    if first is not None:
        yield Line(
            f"a right tool scored best in {_int(first, 'first'):,} of {_int(first, 'choices'):,}: "
            f"{_estimate(first.get('value'))}"
        )
    if report.of("flag-quality"):
        yield _quality(report)
        yield Line(
            f"in brackets: {percent(about.get('level'))} intervals, from {about.text('resamples')} "
            "resamples of whole turns",
            tone="muted",
        )
    if why := _without_interval(report):
        yield Line(f"[-]: no interval, since {' or '.join(why)}", tone="muted")


def _problems(report: Report) -> Iterator[Line]:
    alike: dict[tuple[str, str], list[Fact]] = {}
    for fact in report.of("label-problem"):
        alike.setdefault((fact.text("problem"), fact.text("why")), []).append(fact)
    for (kind, why), facts in alike.items():
        count = len(facts)
        lines = ", ".join(fact.text("line") for fact in facts[:LISTED])
        more = f" and {count - LISTED:,} more" if count > LISTED else ""
        yield Line(
            f"line{s(count)} {lines}{more}: {PROBLEMS[kind]} ({why})",
            tone="warn",
        )


def _quality(report: Report) -> Table:
    rows = []
    for fact in report.of("flag-quality"):
        at = fact.get("proposed")
        name = fact.text("flag") + (f" at {at:g}" if isinstance(at, float) else "")
        shares = (_estimate(fact.get(name)) for name in ("precision", "recall", "right_flagged"))
        rows.append((name, fact.text("flagged_wrong"), fact.text("flagged_right"), *shares))
    columns = ("flag", "on wrong", "on right", "precision", "recall", "share of right")
    return Table(columns, tuple(rows), numeric=frozenset({1, 2}))


def _estimate(value: object) -> str:
    if not isinstance(value, dict):
        return "—"
    if "low" in value:
        return f"{value['value']:.3f} [{value['low']:.3f}, {value['high']:.3f}]"
    return f"{value['value']:.3f} [-]"


def _without_interval(report: Report) -> list[str]:
    """Why some estimates have no interval, each reason once."""
    facts = report.of("auroc", "ranked-first", "flag-quality")
    estimates = [
        fact.get(name)
        for fact in facts
        for name in ("value", "precision", "recall", "right_flagged")
    ]
    reasons = [each.get("no_interval") for each in estimates if isinstance(each, dict)]
    return [words for reason, words in NO_INTERVAL.items() if reason in reasons]
