"""``agentprint/validate@1``: where a recording is not as the schemas say."""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Fact, Outcome, Report
from ...model.outline import Line, Outline, Section, Table
from ..shared import common, phrases

SCHEMA = "agentprint/validate@1"
LISTED_UNREAD = 20
LISTED_UNKNOWN = 20
_NAME = 80


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    around = report.one("document-checked")
    return {
        **common.head(report),
        "recording": common.recording(report.recordings[0]),
        "valid": is_valid(report),
        "counts": counts(report),
        **({"document": common.values(around, "schema", "deviations")} if around else {}),
        "types": [
            {
                **common.values(fact, "type", "known", "events", "deviating", "deviations"),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("type-checked")
        ],
        "deviations": [
            {
                **common.values(fact, "keyword", "found", "expected"),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("deviation")
        ],
        "checks": [
            {"id": verdict.check, "outcome": str(verdict.outcome)} for verdict in report.verdicts
        ],
    }


def is_valid(report: Report) -> bool:
    """Nothing deviates, and everything could be read."""
    return all(verdict.outcome is Outcome.PASS for verdict in report.verdicts)


def counts(report: Report) -> dict[str, int]:
    """What was checked and found; deviations count whether they are listed or not."""
    types = report.of("type-checked")
    unknown = [fact for fact in types if not fact.get("known")]
    return {
        "events": _sum(types, "events"),
        "deviating": _sum(types, "deviating"),
        "deviations": _sum((*types, *report.of("document-checked")), "deviations"),
        "listed": len(report.of("deviation")),
        "unread": len(report.recordings[0].unread),
        "unknown_types": len(unknown),
        "unknown_events": _sum(unknown, "events"),
    }


def _sum(facts: tuple[Fact, ...] | list[Fact], name: str) -> int:
    return sum(int(fact.text(name)) for fact in facts)


def outline(report: Report) -> Outline:
    """The report for a person."""
    read = report.recordings[0]
    head = Line(
        f"{read.format}, {read.events:,} {_noun(read.events, 'event')}, {read.bytes:,} bytes",
        tone="muted",
    )
    sections = (
        Section("", (head,)),
        Section("Deviations", tuple(_deviation_lines(report))),
        Section("Deviations by type", tuple(_type_table(report))),
        Section("Could not be read", tuple(_unread_lines(report))),
        Section("Types that the schemas do not know", tuple(_unknown_lines(report))),
    )
    kept = tuple(section for section in sections if section.blocks)
    return Outline(f"agentprint validate · {read.path}", kept, _summary(report))


def _deviation_lines(report: Report) -> Iterator[Line]:
    for fact in report.of("deviation"):
        place = fact.pointers[0]
        where = f"line {place.line}, " if place.line is not None else "event "
        what = f"{where}{place.type}" if place.type is not None else "the document"
        yield Line(f"{what}: {phrases.deviation(fact)}", fact.pointers, tone="bad")
    found = counts(report)
    if found["deviations"] > found["listed"]:
        left = found["deviations"] - found["listed"]
        yield Line(f"and {left:,} more that {_are(left)} not listed (--max N lists more)")


def _type_table(report: Report) -> Iterator[Table]:
    """Where the deviations are, once they are not all listed."""
    found = counts(report)
    if found["deviations"] == found["listed"]:
        return
    facts = [fact for fact in report.of("type-checked") if fact.get("deviations")]
    names = ("type", "events", "deviating", "deviations")
    yield Table(
        columns=names,
        rows=tuple(tuple(fact.text(name) for name in names) for fact in facts),
        pointers=tuple(fact.pointers for fact in facts),
        numeric=frozenset({1, 2, 3}),
    )


def _unread_lines(report: Report) -> Iterator[Line]:
    unread = report.recordings[0].unread
    for entry in unread[:LISTED_UNREAD]:
        where = f"line {entry.line}, " if entry.line is not None else ""
        if entry.line is None and entry.event is not None:
            where = f"event {entry.event}, "
        yield Line(f"{where}byte {entry.offset:,}: {entry.reason}", tone="bad")
    if len(unread) > LISTED_UNREAD:
        left = len(unread) - LISTED_UNREAD
        yield Line(f"and {left:,} more that {_are(left)} not listed (--format json lists them)")


def _unknown_lines(report: Report) -> Iterator[Line]:
    facts = [fact for fact in report.of("type-checked") if not fact.get("known")]
    for fact in facts[:LISTED_UNKNOWN]:
        name, events = fact.text("type"), int(fact.text("events"))
        shown = name if len(name) <= _NAME else f"{name[:_NAME]}…"
        yield Line(
            f"type {shown}: {events:,} {_noun(events, 'event')}, checked only for what every "
            "event has",
            fact.pointers,
            tone="warn",
        )
    if len(facts) > LISTED_UNKNOWN:
        left = len(facts) - LISTED_UNKNOWN
        yield Line(f"and {left:,} more that {_are(left)} not listed (--format json lists them)")


def _summary(report: Report) -> Line:
    found = counts(report)
    types = len(report.of("type-checked"))
    checked = (
        f"{found['events']:,} {_noun(found['events'], 'event')} of {types} "
        f"{_noun(types, 'type')} checked"
    )
    if report.one("document-checked") is not None:
        checked += ", and the document around them"
    unknown = found["unknown_events"]
    beside = f" {unknown:,} of the events {_are(unknown)} of an unknown type." if unknown else ""
    if is_valid(report):
        return Line(f"{checked}: nothing deviates from the schemas.{beside}", tone="good")
    deviations, unread = found["deviations"], found["unread"]
    return Line(
        f"{checked}: {deviations:,} {_noun(deviations, 'deviation')} in "
        f"{found['deviating']:,} {_noun(found['deviating'], 'event')}; "
        f"{unread:,} {_noun(unread, 'place')} could not be read.{beside}",
        tone="bad",
    )


def _noun(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
