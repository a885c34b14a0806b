"""The choice margins for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...model import Fact, Pointer, Report
from ...model.outline import Block, Line, Outline, Section, Table
from ..shared import made_for, trust
from ..shared import trust_phrases as phrases
from ..shared.phrases import UNSCORED
from .document import Selection, chosen_names, one, pairs, selected

CLAIM = (
    "A margin is geometry between a context and the tools' descriptions: a deterministic "
    "stand-in for the model's choice, never the reason for it."
)
TRUST = "How far to trust this"
_MARKS = {"cosine": 0.025}
"""How much of a margin one mark of its bar is, by unit; 0.5 of any other."""


def outline(
    report: Report, selection: Selection | None = None, *, by_pairs: bool = False
) -> Outline:
    """The margins for a person."""
    calls = selected(report, selection or Selection())
    body: list[Line | Block | Table] = []
    if by_pairs:
        body.append(_pairs_table(report))
    else:
        mark = _MARKS.get(one(report, "embedder").text("unit"), 0.5)
        body.extend(_call_table(calls, len(report.recordings) > 1, mark))
        for fact in calls:
            if fact.get("context") is not None:
                body.append(Line(f"context of [{fact.get('event')}]:", fact.pointers[:1]))
                body.append(Block(fact.text("context"), indent=1))
    sections = [
        Section("", tuple(_head(report))),
        Section("Pairs that compete" if by_pairs else "Choices", tuple(body)),
        Section("Says one, calls another", tuple(_announced(calls))),
        Section("Not scored", tuple(_unscored(report))),
        Section("Files", tuple(_files(report))),
        Section(TRUST, tuple(trust.lines(report))),
        Section("Sum", tuple(_sum(report))),
    ]
    kept = tuple(section for section in sections if section.blocks)
    return Outline("agentprint margins", kept, Line(CLAIM, tone="muted"))


def _head(report: Report) -> Iterator[Line]:
    embedder = one(report, "embedder")
    if embedder.get("id") is None:
        why = embedder.get("why")
        text = "no scores were asked for" if why == "not-asked" else "there is nothing to score"
        yield Line(f"Embedder: none; {text}.", tone="muted")
        return
    yield Line(
        f"Embedder {embedder.text('id')} ({embedder.text('dimensions')} dimensions, fingerprint "
        f"{embedder.text('fingerprint')}), scorer {embedder.text('scorer')}, "
        f"threshold {threshold(embedder)}.",
        tone="muted",
    )
    others = embedder.get("others")
    if isinstance(others, dict):
        yield Line(_of_others(others), tone="muted")
    cut = embedder.get("cut_texts")
    if cut:
        yield Line(
            f"{cut} of {embedder.text('distinct_texts')} texts were longer than the "
            f"{embedder.text('input_limit')} tokens that it reads; their ends had no say.",
            tone="warn",
        )
    elif cut is None:
        yield Line("Whether texts were longer than it reads is not known.", tone="muted")
    yield from made_for.lines(report)


def threshold(embedder: Fact) -> str:
    """The threshold in force, or the rule that makes it."""
    given = embedder.get("threshold")
    return embedder.text("threshold_rule") if given is None else str(given)


def _of_others(others: dict[str, object]) -> str:
    """What other conversations had to say in the scores."""
    count = others["conversations"]
    if count == 1:
        return "There is no other conversation to compare with: the menu's texts alone count."
    if others.get("trust") is None:
        return (
            f"The choices of these {count} conversations do not foretell each other: the menu's "
            "texts alone count."
        )
    return (
        f"The choices of these {count} conversations foretell each other: the nearest ones of "
        "others had a say in each score."
    )


def _announced(calls: Sequence[Fact]) -> Iterator[Line]:
    for fact in calls:
        said = fact.get("intent")
        if isinstance(said, dict) and said["flags"]:
            yield Line(phrases.announced(fact), (said["pointer"],), tone="warn")


def _call_table(calls: Sequence[Fact], several: bool, mark: float) -> Iterator[Line | Table]:
    if not calls:
        yield Line("none to list", tone="muted")
        return
    by_others = any(fact.get("neighbours") for fact in calls)
    columns = (
        "chosen",
        "rival",
        "margin",
        "",
        "flags",
        *(("others",) if by_others else ()),
        "run",
        *(("recording",) if several else ()),
    )
    rows = []
    for fact in calls:
        rows.append(
            (
                ", ".join(chosen_names(fact)) or "—",
                fact.text("rival"),
                _signed(fact.get("margin")),
                _bar(fact.get("margin"), mark),
                _note(fact),
                *((fact.text("neighbours"),) if by_others else ()),
                fact.text("run"),
                *((fact.text("recording"),) if several else ()),
            )
        )
    places = tuple((Pointer("", event=int(fact.text("event"))),) for fact in calls)
    yield Table(columns, tuple(rows), places, numeric=frozenset({2}))


def _note(fact: Fact) -> str:
    for name in ("skipped", "not_measurable"):
        reason = fact.get(name)
        if reason is not None:
            return f"{'skipped' if name == 'skipped' else 'not measurable'}: {reason}"
    flags = [str(flag) for flag in _flags(fact)]
    said = fact.get("intent")
    if isinstance(said, dict):
        flags.extend(said["flags"])
    if flags:
        return ", ".join(flags)
    if fact.get("scores") is not None and fact.get("margin") is None:
        return "everything was chosen"
    return ""


def _flags(fact: Fact) -> list[object]:
    flags = fact.get("flags")
    return flags if isinstance(flags, list) else []


def _signed(value: object) -> str:
    return f"{value:+.3f}" if isinstance(value, float) else ""


def _bar(value: object, mark: float) -> str:
    """A margin as a small bar: to the right of the middle the chosen tool led, to the left its
    rival. One mark is ``mark``."""
    if not isinstance(value, float):
        return ""
    marks = min(6, max(1, round(abs(value) / mark)))
    return f"{'':6}|{'█' * marks:<6}" if value >= 0 else f"{'█' * marks:>6}|{'':6}"


def _pairs_table(report: Report) -> Line | Table:
    rows = pairs(report)
    if not rows:
        return Line("no scored choice had a rival", tone="muted")
    cells, places = [], []
    for row in rows:
        narrowest = row["narrowest"]
        assert isinstance(narrowest, dict)
        cells.append(
            (
                str(row["chosen"]),
                str(row["rival"]),
                str(row["calls"]),
                str(row["flagged"]),
                _signed(narrowest.get("margin")),
                str(narrowest.get("recording")),
            )
        )
        places.append((Pointer("", event=int(str(narrowest["event"]))),))
    columns = ("chosen", "rival", "calls", "flagged", "narrowest", "in")
    return Table(columns, tuple(cells), tuple(places), numeric=frozenset({2, 3, 4}))


def _unscored(report: Report) -> Iterator[Line]:
    for name, word in (("skipped", "skipped"), ("not_measurable", "not measurable")):
        for reason, count in _counted(fact.get(name) for fact in report.of("choice")):
            yield Line(f"{count} {word}: {UNSCORED.get(reason, reason)}", tone="muted")


def _counted(values: Iterable[object]) -> list[tuple[str, int]]:
    found: dict[str, int] = {}
    for value in values:
        if value is not None:
            found[str(value)] = found.get(str(value), 0) + 1
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def _files(report: Report) -> Iterator[Line]:
    for fact in report.of("unreadable"):
        yield Line(f"could not be read: {fact.text('why')}", tone="bad")
    unread = sum(len(read.unread) for read in report.recordings)
    if unread:
        yield Line(
            f"{unread} places in the recordings could not be read (agentprint validate lists them)",
            tone="warn",
        )
    if passed := len(report.of("passed-over")):
        yield Line(f"{passed} other files of the folders are no recordings", tone="muted")


def _sum(report: Report) -> Iterator[Line]:
    summary = one(report, "summary")

    def of(name: str) -> int:
        return int(summary.text(name))

    def many(name: str, one: str, more: str) -> str:
        return f"{of(name):,} {one if of(name) == 1 else more}"

    tone = "warn" if of("flagged") else None
    yield Line(
        f"{many('recordings', 'recording', 'recordings')}, {many('runs', 'run', 'runs')}: "
        f"{many('llm_calls_with_tools', 'model call', 'model calls')} with tools, "
        f"{many('choices', 'choice', 'choices')}, {of('scored')} scored; "
        f"{of('flagged')} flagged ({of('narrow')} narrow, {of('proxy_disagreement')} "
        f"proxy-disagreement); {_said(report)}{of('skipped')} skipped, "
        f"{of('not_measurable')} not measurable.",
        tone=tone,
    )


def _said(report: Report) -> str:
    """How many texts that came with calls announced something else."""
    said = report.one("intents")
    if said is None:
        return ""
    count, texts = said.text("says_one_calls_another"), said.text("texts")
    return f"{count} of {texts} texts that came with calls announced another; "
