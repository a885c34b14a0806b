"""The explanation of one run for a person."""

from __future__ import annotations

from collections.abc import Iterator

from ...base.json_text import compact
from ...model import Fact, Report, Status
from ...model.outline import Block, Line, Outline, Section
from ..shared import lines, phrases
from .document import one, outcome, placed

LISTED_IN_VIEW = 3
_LINES, _CHARS = 12, 1200
"""How much of a question or an answer is shown without ``--full``."""


def outline(report: Report, *, full: bool = False) -> Outline:
    """The report for a person. ``full`` keeps long texts and long lists whole."""
    run = one(report, "run")
    head = Section("", tuple(lines.head(report)))
    empty = lines.empty_run(report)
    if empty is not None:
        return Outline(_title(report), (head,), empty)
    signals = tuple(lines.signals(report, whole=True)) or (Line("none", tone="muted"),)
    sections = [
        head,
        Section("Question", tuple(_text_lines(report, "question", full))),
        Section("Answer", tuple(_text_lines(report, "answer", full))),
        Section("Routing", tuple(_routing_lines(report))),
        Section(
            "Answered by" if run.get("finished") else "Last model call",
            tuple(_answering_lines(report)),
        ),
        Section("Calls of this run", tuple(_call_lines(report, full))),
        Section("Also in view when it answered", tuple(_in_view_lines(report, full))),
        Section("Declared unchecked by the tools", tuple(_unchecked_lines(report, full))),
        Section("What the model had said of the results it was served", tuple(_ids_lines(report))),
        Section("Signals", signals),
        Section("Could not be measured", tuple(lines.unmeasured(report))),
    ]
    kept = tuple(section for section in sections if section.blocks)
    return Outline(_title(report), kept, _summary(report))


def _title(report: Report) -> str:
    return f"agentprint explain · {report.recordings[0].path}"


def _text_lines(report: Report, rule: str, full: bool) -> Iterator[Line | Block]:
    fact = one(report, rule)
    if fact.status is not Status.RECORDED:
        yield Line(phrases.not_recorded(fact), fact.pointers, tone="muted")
        return
    value = fact.get("text")
    written = value if isinstance(value, str) else compact(value)
    if fact.get("before_pause"):
        yield Line("asked before the pause; as the conversation holds it:", tone="muted")
    if not written:
        yield Line("(empty)", fact.pointers)
        return
    shown = written if full else "\n".join(written.split("\n")[:_LINES])[:_CHARS]
    yield Block(shown, fact.pointers)
    if len(shown) < len(written):
        left = len(written) - len(shown)
        yield Line(f"… {left:,} more characters (--full shows them)", tone="muted")


def _brief(value: object, full: bool) -> str:
    return lines.brief(value, None if full else lines.BRIEF)


def _routing_lines(report: Report) -> Iterator[Line]:
    fact = one(report, "routing")
    if fact.status is not Status.RECORDED:
        yield Line("no routing decision is recorded", tone="muted")
        return
    by = phrases.quoted(fact.get("by")) if fact.get("by") is not None else "an unnamed rule"
    if fact.get("to") is not None:
        label = f" ({fact.text('label')})" if fact.get("label") is not None else ""
        came = f", coming from {fact.text('from')}" if fact.get("from") is not None else ""
        decided = f"decided by {by}: {fact.text('to')}{label}{came}"
    else:
        decided = f"decided by {by}: no skill"
    if fact.get("decided_by") is not None:
        decided += f"; the application declares that {fact.text('decided_by')} decides"
    yield Line(decided, fact.pointers[:2])
    scores = fact.get("scores")
    if isinstance(scores, list) and scores:
        yield Line(_scores(scores, fact.get("scorer")), lines.places(fact, "scores"), indent=1)
    delivered = fact.get("delivered")
    if delivered == "yes":
        yield Line("its text reached the model", fact.pointers[2:][:2], indent=1, tone="good")
    elif delivered == "no":
        yield Line("its text did not reach the model", fact.pointers[2:][:4], indent=1, tone="bad")
    elif delivered is not None:
        reason = fact.get("delivery_reason")
        why = next(text for key, text in phrases.REASONS.items() if key == reason)
        yield Line(f"whether its text reached the model is not measurable: {why}", indent=1)


def _scores(scores: list[object], scorer: object) -> str:
    rows = [row for row in scores if isinstance(row, dict)]
    shown = ", ".join(f"{row.get('id')} {_number(row.get('score'))}" for row in rows[:3])
    more = f", and {len(rows) - 3} more" if len(rows) > 3 else ""
    by = f" by {scorer}" if scorer is not None else ""
    return f"scores{by}: {shown}{more}"


def _number(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _answering_lines(report: Report) -> Iterator[Line]:
    fact = one(report, "answering")
    if fact.status is not Status.RECORDED:
        yield Line(phrases.not_recorded(fact), fact.pointers, tone="muted")
        return
    finished = one(report, "run").get("finished")
    calls = int(fact.text("model_calls"))
    which = "the model call" if finished else "no answer is recorded; the model call"
    yield Line(
        f"{which} of iteration {fact.get('iteration')}, "
        + ("the only one" if calls == 1 else f"the last of {calls}")
        + " in this run",
        fact.pointers[:1],
    )
    if fact.get("compose") is None:
        yield Line(
            "what it was given is not recorded (no compose of that iteration)",
            tone="muted",
            indent=1,
        )
        return
    witnesses = report.of("witness")
    own = sum(bool(witness.get("own_call")) for witness in witnesses)
    floor = "" if fact.get("complete") else "at least "
    yield Line(
        f"it was given {floor}{len(witnesses)} tool result{lines.s(len(witnesses))}, {own} of "
        "this run",
        fact.pointers[1:2],
        indent=1,
    )
    if not fact.get("complete"):
        yield Line(
            "the record does not hold all the rows of what it was given", tone="warn", indent=1
        )


def _call_lines(report: Report, full: bool) -> Iterator[Line]:
    for number, fact in enumerate(report.of("call"), 1):
        yield from _one_call(number, fact, full)
    if not report.of("call"):
        yield Line("none", tone="muted")


def _one_call(number: int, fact: Fact, full: bool) -> Iterator[Line]:
    outcome = phrases.OUTCOMES[fact.text("outcome")]
    named = fact.get("by") not in (None, "person")
    by = f", by {fact.text('by')}" if named else ""
    said = phrases.emptiness(fact)
    parts = [f"{outcome}{by}"]
    if fact.get("waiting"):
        parts = ["waits for a person: the run paused for it"]
    if fact.get("cut") is not None:
        parts.append(f"its result was cut: {phrases.cut(fact)}")
    if said:
        parts.append(said)
    if fact.get("withheld_by") is not None:
        parts.append(f"its result was withheld from the model by {fact.text('withheld_by')}")
    if fact.get("before_pause"):
        parts.append("it was started before the pause")
    tone = {"failed": "bad", "unknown": "warn"}.get(fact.text("outcome"))
    yield Line(
        f"{number}. {phrases.call_name(fact)} {'; '.join(parts)}", fact.pointers[:1], tone=tone
    )
    if fact.pointer_of("args") is not None:
        yield Line(
            f"asked {_brief(fact.get('args'), full)}",
            lines.places(fact, "args"),
            indent=1,
        )
    if fact.pointer_of("result") is not None:
        kept = " (withheld from the model)" if fact.get("withheld_by") is not None else ""
        yield Line(
            f"returned{kept} {_brief(fact.get('result'), full)}",
            lines.places(fact, "result"),
            indent=1,
        )
    coverage = fact.get("coverage")
    if isinstance(coverage, dict):
        yield from _searched(coverage, full)
    expectation = fact.get("expectation")
    if isinstance(expectation, dict):
        words = ", ".join(f"{name} {value}" for name, value in expectation.items())
        yield Line(f"the model had declared: {words}", indent=1)
    if fact.get("outcome") == "ran" and not fact.get("used"):
        yield Line("not proven to have been in front of the model for its answer", indent=1)


def _in_view_lines(report: Report, full: bool) -> Iterator[Line]:
    for fact in placed(report, "before-pause"):
        yield Line(
            f"result of {phrases.call_name(fact)}, of this turn, from before the pause: "
            f"{phrases.emptiness(fact)}",
            fact.pointers[:1],
        )
        yield Line(
            f"returned {_brief(fact.get('content'), full)}",
            lines.places(fact, "content"),
            indent=1,
        )
    earlier = report.of("in-view")
    known = [fact for fact in earlier if fact.status is Status.RECORDED]
    limit = len(known) if full else LISTED_IN_VIEW
    for fact in known[:limit]:
        cut = f"; cut: {phrases.cut(fact)}" if fact.get("cut") is not None else ""
        yield Line(
            f"result of {phrases.call_name(fact)}, from {phrases.distance(fact)}: "
            f"{phrases.emptiness(fact)}{cut}",
            fact.pointers[:1],
        )
        yield Line(
            f"returned {_brief(fact.get('content'), full)}",
            lines.places(fact, "content"),
            indent=1,
        )
    if len(known) > limit:
        yield Line(f"and {len(known) - limit} more (all are judged; --full lists them)")
    for fact in earlier:
        if fact.status is not Status.RECORDED:
            id = fact.get("call_id")
            name = f"result of {id}" if id is not None else "a result whose id is kept out"
            yield Line(f"{name}: {phrases.not_recorded(fact)}", fact.pointers, tone="muted")


def _unchecked_lines(report: Report, full: bool) -> Iterator[Line]:
    facts = report.of("unchecked")
    limit = len(facts) if full else 6
    for fact in facts[:limit]:
        word = "can never cover" if fact.get("list") == "cannot_cover" else "did not check"
        what = fact.get("short") or fact.get("what")
        yield Line(
            f"tool {phrases.call_name(fact)} {word}: {_brief(what, full)}",
            fact.pointers,
        )
    if len(facts) > limit:
        yield Line(f"and {len(facts) - limit} more (--full lists them)")


def _ids_lines(report: Report) -> Iterator[Line]:
    fact = report.one("ids")
    if fact is None or fact.status is not Status.RECORDED:
        return
    if fact.get("standings"):
        yield from _standing_lines(fact)
    for written in report.of("written-standing"):
        if written.get("filed") == "no":
            yield Line(
                f"with {written.text('by_call')} it wrote {written.text('call_id')}: "
                f"{written.text('standing')}; no such standing was filed",
                written.pointers,
                tone="warn",
            )


def _standing_lines(fact: Fact) -> Iterator[Line]:
    standings = fact.get("standings")
    assert isinstance(standings, dict)
    said = ", ".join(f"{call} {word}" for call, word in standings.items())
    yield Line(f"judged by the model before it answered: {said}", fact.pointers[-len(standings) :])
    for name, what in (
        ("offered", "not retired, newest first"),
        ("undeclared", "not judged"),
        ("unknown", "judged, but never served to it"),
    ):
        ids = fact.get(name)
        if isinstance(ids, list) and ids:
            yield Line(f"{what}: {', '.join(str(i) for i in ids)}", indent=1)


def _summary(report: Report) -> Line:
    signals = report.of("signal")
    bad = sum(fact.get("tone") == "bad" for fact in signals)
    warn = len(signals) - bad
    outcomes = [outcome(verdict.check, report) for verdict in report.verdicts]
    unmeasured = len({f.get("check") for f in report.of("not-measurable")})
    state = "" if one(report, "run").get("finished") else "Unfinished run: no answer. "
    unread = len(report.recordings[0].unread)
    lost = f" {unread} place{lines.s(unread)} of the recording unread." if unread else ""
    found = f"{len(signals)} signal{lines.s(len(signals))}"
    if signals:
        found += f" ({bad} bad, {warn} warn)"
    tone = "bad" if bad else ("warn" if warn or unmeasured or unread or state else "good")
    return Line(
        f"{state}{found}. {len(outcomes)} checks: {_tally(outcomes)}.{lost} "
        "Signals state what the record shows, not why the model answered as it did.",
        tone=tone,
    )


def _tally(outcomes: list[str]) -> str:
    """How many checks ended in what, each counted once."""
    words = (
        ("signal", "found something"),
        ("clean", "clean"),
        ("not-measurable", "could not be measured in full"),
        ("not-applicable", "with nothing to look at"),
    )
    return ", ".join(f"{n} {word}" for key, word in words if (n := outcomes.count(key)))


def _searched(coverage: dict[str, object], full: bool) -> Iterator[Line]:
    """What the tool said that it looked for and searched."""
    if coverage.get("looked_for") is not None:
        yield Line(
            f"it looked for: {_brief(coverage['looked_for'], full)}",
            indent=1,
        )
    checked = coverage.get("checked")
    if isinstance(checked, list) and checked:
        first = checked[0]
        what = first.get("what") if isinstance(first, dict) else first
        more = f" (and {len(checked) - 1} more)" if len(checked) > 1 else ""
        yield Line(f"it searched: {_brief(what, full)}{more}", indent=1)
