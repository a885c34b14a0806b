"""``agentprint/lint@1``: which tools of a catalogue get confused, and what in it is amiss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...model import Fact, Outcome, Report, Status
from ...model.outline import Line, Outline, Section, Table
from ..shared import common, phrases

SCHEMA = "agentprint/lint@1"
LISTED_PAIRS = 50
LISTED_FINDINGS = 20
LISTED_HINTS = 5
LISTED_MENUS = 20
LISTED_EVENTS = 10
_MODEST = (
    "Similarity is a number about two texts under one embedder. It does not say which tool a model "
    "will choose."
)
_DEFAULT_ID = "minilm"
_TONES = {"bad": "bad", "warn": "warn", "info": "muted"}


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    read, similarity = _one(report, "catalogue-read"), _one(report, "similarity")
    found = report.of("finding")
    return {
        **common.head(report),
        "catalogue": {
            **common.values(read, "path", "sha256", "bytes", "shape", "tools", "hosted"),
            "menus": [
                {
                    **common.values(fact, "menu", "tools", "described", "events"),
                    "pointers": common.pointers(fact.pointers),
                }
                for fact in report.of("menu-read")
            ],
        },
        **({"recording": common.recording(report.recordings[0])} if report.recordings else {}),
        **_embedder(similarity),
        "similarity": {
            **common.status(similarity),
            **common.values(similarity, "message", "threshold", "watch", "texts", "cut", "pairs"),
            "pointers": common.pointers(similarity.pointers),
        },
        "pairs": [
            {
                **common.values(fact, "id", "tone", "tools", "score", "menus"),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("pair")
        ],
        "findings": [_finding(fact) for fact in found],
        "not_measurable": [
            {
                **common.values(fact, "check", "count", "what", "tools", "message"),
                "reason": str(fact.reason),
                "text": phrases.lint_not_measurable(fact),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("not-measurable")
        ],
        "checks": [
            {"id": verdict.check, "outcome": str(verdict.outcome)} for verdict in report.verdicts
        ],
        **({"checks_off": similarity.get("gates_off")} if similarity.get("gates_off") else {}),
        "counts": {
            "findings": len(found),
            "pairs_listed": len(report.of("pair")),
            **_counts(report),
        },
    }


def _one(report: Report, rule: str) -> Fact:
    fact = report.one(rule)
    assert fact is not None
    return fact


def _embedder(similarity: Fact) -> dict[str, object]:
    if similarity.status is not Status.RECORDED:
        return {}
    members = common.values(similarity, "fingerprint", "dimensions", "input_limit")
    return {"embedder": {"id": similarity.get("embedder"), **members}}


def _finding(fact: Fact) -> dict[str, object]:
    names = ("why", "found", "kind", "words", "parameter", "listed", "parameters")
    return {
        **common.values(fact, "id", "tone", "tools", "menus", *names),
        "text": phrases.lint_finding(fact),
        "pointers": common.pointers(fact.pointers),
    }


def _counts(report: Report) -> dict[str, int]:
    """How many findings and pairs there are, by id; pairs whether they are listed or not."""
    similarity = _one(report, "similarity")
    by_id = dict.fromkeys(phrases.LINT_RULES, 0)
    for fact in report.of("finding"):
        by_id[fact.text("id")] += 1
    if similarity.status is Status.RECORDED:
        by_id["confusable"] = int(similarity.text("confusable"))
        by_id["watch"] = int(similarity.text("watched"))
    elif similarity.status is Status.NOT_MEASURABLE:
        del by_id["confusable"], by_id["watch"]  # not measured is not none
    return {id.replace("-", "_"): count for id, count in by_id.items()}


def outline(report: Report) -> Outline:
    """The report for a person."""
    read = _one(report, "catalogue-read")
    sections = (
        Section("", tuple(_head(report, read))),
        Section("Menus", tuple(_menus(report))),
        Section("Similar pairs", tuple(_pairs(report))),
        Section("Findings", tuple(_findings(report))),
        Section("Could not be measured", tuple(_not_measurable(report))),
        Section("Gates", tuple(_gates(report))),
    )
    kept = tuple(section for section in sections if section.blocks)
    return Outline(f"agentprint lint · {read.text('path')}", kept, _summary(report))


def _head(report: Report, read: Fact) -> Iterator[Line]:
    menus, tools, size = (int(read.text(name)) for name in ("menus", "tools", "bytes"))
    where = f" in {_many(menus, 'distinct menu')}" if report.recordings else ""
    yield Line(
        f"{read.text('shape')}, {_many(tools, 'tool')}{where}, {_many(size, 'byte')}, "
        f"sha256 {read.text('sha256')[:12]}…",
        tone="muted",
    )
    hosted = read.get("hosted")
    if isinstance(hosted, list):
        names = ", ".join(phrases.short(name) for name in hosted[:5])
        more = f" and {len(hosted) - 5} more" if len(hosted) > 5 else ""
        yield Line(f"A provider's own, with no text to judge: {names}{more}", tone="muted")
    similarity = _one(report, "similarity")
    if similarity.status is Status.NOT_APPLICABLE:
        yield Line("Similarity: no two tools to compare", tone="muted")
    if similarity.status is not Status.RECORDED:
        return
    yield Line(
        f"Embedder {similarity.text('embedder')}, {similarity.text('dimensions')} dimensions, "
        f"fingerprint {similarity.text('fingerprint')}",
        tone="muted",
    )
    texts, cut = int(similarity.text("texts")), similarity.get("cut")
    told = f"{_many(texts, 'distinct text')}, "
    if cut is None:
        told += "and the embedder does not say whether it read all of each"
    elif cut == 0:
        told += "all read to the end"
    else:
        limit = similarity.text("input_limit")
        told += f"{cut:,} of them cut at {limit} tokens: what stands behind had no say"
    yield Line(told, tone="muted")
    if similarity.get("embedder") != _DEFAULT_ID:
        yield Line(
            "The default thresholds were measured with the default embedder; on this one's scale "
            "they mean something else",
            tone="muted",
        )


def _menus(report: Report) -> Iterator[Line]:
    """For a recording: which model calls each menu was offered to."""
    facts = report.of("menu-read") if report.recordings else ()
    for fact in facts[:LISTED_MENUS]:
        events = fact.get("events")
        assert isinstance(events, list)
        shown = ", ".join(map(str, events[:LISTED_EVENTS]))
        more = len(events) - LISTED_EVENTS
        rest = f" and {more:,} more" if more > 0 else ""
        bare = "" if fact.get("described") else ", without any description"
        yield Line(
            f"{fact.text('menu')}. {_many(int(fact.text('tools')), 'tool')}{bare}, offered to "
            f"{_many(len(events), 'model call')}: event{'' if len(events) == 1 else 's'} "
            f"{shown}{rest}",
            fact.pointers,
        )
    if len(facts) > LISTED_MENUS:
        yield Line(f"and {len(facts) - LISTED_MENUS:,} more (--format json lists them)")


def _pairs(report: Report) -> Iterator[Table | Line]:
    facts = report.of("pair")
    shown = facts[:LISTED_PAIRS]
    if shown:
        yield Table(
            columns=("similarity", "band", "tools"),
            rows=tuple(
                (
                    f"{fact.get('score'):.3f}",
                    fact.text("id"),
                    " · ".join(phrases.short(tool) for tool in _list(fact.get("tools"))),
                )
                for fact in shown
            ),
            pointers=tuple(fact.pointers for fact in shown),
            numeric=frozenset({0}),
        )
    counts = _counts(report)
    left = counts.get("confusable", 0) + counts.get("watch", 0) - len(shown)
    if left > 0:
        further = " (--format json lists some of them)" if len(facts) > len(shown) else ""
        yield Line(f"and {_many(left, 'pair')} more, less similar{further}")


def _findings(report: Report) -> Iterator[Line]:
    for id, rule in phrases.LINT_RULES.items():
        facts = [fact for fact in report.of("finding") if fact.get("id") == id]
        if not facts:
            continue
        tone = facts[0].text("tone")
        yield Line(f"{id} ({len(facts):,}): {rule}", tone=_TONES[tone], label=tone)
        limit = LISTED_HINTS if tone == "info" else LISTED_FINDINGS
        for fact in facts[:limit]:
            tools = len(_list(fact.get("tools")))
            said = f"{'tools' if tools > 1 else 'tool'} {phrases.lint_finding(fact)}"
            yield Line(said, fact.pointers, indent=1)
        if len(facts) > limit:
            left = len(facts) - limit
            yield Line(f"and {left:,} more (--format json lists them)", indent=1)


def _not_measurable(report: Report) -> Iterator[Line]:
    for fact in report.of("not-measurable"):
        yield Line(phrases.lint_not_measurable(fact), fact.pointers[:5], tone="warn")


def _gates(report: Report) -> Iterator[Line]:
    said: Mapping[Outcome, tuple[str, str]] = {
        Outcome.PASS: ("passed", "good"),
        Outcome.FAIL: ("FAILED", "bad"),
        Outcome.INCONCLUSIVE: ("could not be measured in full", "warn"),
    }
    for verdict in report.verdicts:
        words, tone = said[verdict.outcome]
        yield Line(f"{verdict.check}: {words}", tone=tone)
    for gate in _list(_one(report, "similarity").get("gates_off")):
        yield Line(f"{gate}: off, since --no-scores measures no similarity", tone="warn")
    if not report.verdicts:
        yield Line("no finding fails this command", tone="muted")


def _summary(report: Report) -> Line:
    counts, read = _counts(report), _one(report, "catalogue-read")
    similarity = _one(report, "similarity")
    parts = [_many(int(read.text("tools")), "tool")]
    if similarity.status is Status.RECORDED:
        pairs = _many(int(similarity.text("pairs")), "pair")
        parts.append(
            f"{pairs}, {counts['confusable']:,} confusable (from {similarity.get('threshold'):g} "
            f"on), {counts['watch']:,} to watch (from {similarity.get('watch'):g} on)"
        )
    elif similarity.status is Status.NOT_MEASURABLE:
        parts.append("similarity not measured")
    else:
        parts.append("no pairs")
    parts.append(_many(len(report.of("finding")), "other finding"))
    outcomes = [verdict.outcome for verdict in report.verdicts]
    tone = (
        "bad" if Outcome.FAIL in outcomes else "warn" if Outcome.INCONCLUSIVE in outcomes else None
    )
    modest = f" {_MODEST}" if similarity.status is Status.RECORDED else ""
    return Line(f"{'; '.join(parts)}.{modest}", tone=tone)


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"
