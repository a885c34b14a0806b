"""The tool results of a run and who filled its contexts, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...model import Fact, Pointer, Report, Status
from ...model.outline import Block, Line, Outline, Section, Table
from ..shared import bars, lines, phrases
from .document import caps, totals

_LISTED = 40


def outline(report: Report, *, full: bool = False) -> Outline:
    """The report for a person. ``full`` keeps long lists and heads whole."""
    title = f"agentprint results · {report.recordings[0].path}"
    head = Section("", tuple(lines.head(report)))
    empty = lines.empty_run(report)
    if empty is not None:
        return Outline(title, (head,), empty)
    sections = [
        head,
        Section("Tool results", tuple(_result_blocks(report, full))),
        Section("Cut, refused and asked again", tuple(_notes(report, full))),
        Section("Left the context before the answer", tuple(_left(report, full))),
        *(
            Section(f"With a cap of {cap:,} characters", tuple(_replay(report, cap, full)))
            for cap in caps(report)
        ),
        Section("Who filled the context", tuple(_picture(report))),
        *_details(report, full),
    ]
    return Outline(title, tuple(part for part in sections if part.blocks), _summary(report))


def _result_blocks(report: Report, full: bool) -> Iterator[Line | Table]:
    facts = report.of("result")
    limit = len(facts) if full else _LISTED
    if not facts:
        yield Line("no tool result is on record", tone="muted")
        return
    yield Table(
        columns=("call", "tool", "from", "characters", "of the answer's context"),
        rows=tuple(_result_row(fact) for fact in facts[:limit]),
        pointers=tuple(fact.pointers[:1] for fact in facts[:limit]),
        numeric=frozenset({3, 4}),
    )
    if len(facts) > limit:
        yield Line(f"and {len(facts) - limit} more (--full lists them)")


def _result_row(fact: Fact) -> tuple[str, ...]:
    chars = fact.get("chars")
    share = lines.percent(fact.get("share_of_context"))
    if not share:
        share = "in it" if fact.get("in_answering_context") else "–"
    origin = fact.text("outcome") if fact.get("own_call") else "earlier"
    return (
        fact.text("call_id"),
        fact.text("tool") or "(no event names it)",
        origin,
        f"{chars:,}" if isinstance(chars, int) else "(kept out)",
        share,
    )


def _notes(report: Report, full: bool) -> Iterator[Line]:
    noted = [fact for fact in report.of("result") if _is_noted(fact)]
    limit = len(noted) if full else _LISTED
    for fact in noted[:limit]:
        name = f"result of {phrases.call_name(fact)}"
        if fact.get("cut") is not None:
            yield Line(f"{name} was cut: {phrases.cut(fact)}", fact.pointers[:1], tone="warn")
        refused = fact.get("refused_for_size")
        if isinstance(refused, dict):
            yield Line(
                f"{name} was refused for its size: {_refusal(refused)}",
                _at(fact, "refused_for_size"),
                tone="warn",
            )
        repeated = fact.get("repeated")
        if isinstance(repeated, dict):
            times = repeated.get("occurrences")
            count = f" ({times} times by then)" if isinstance(times, int) else ""
            yield Line(f"{name}: it repeats an earlier call{count}", _at(fact, "repeated"))
        again = fact.get("asked_again")
        if isinstance(again, dict):
            yield Line(_again(again), _at(fact, "asked_again"), indent=1)
    if len(noted) > limit:
        yield Line(f"and {len(noted) - limit} more (--full lists them)")


def _is_noted(fact: Fact) -> bool:
    return any(fact.get(name) is not None for name in ("cut", "refused_for_size", "repeated"))


def _at(fact: Fact, name: str) -> tuple[Pointer, ...]:
    place = fact.pointer_of(name)
    return () if place is None else (place,)


def _refusal(refused: Mapping[str, object]) -> str:
    size, most = refused.get("size_chars"), refused.get("max_chars")
    said = f"{size:,} characters" if isinstance(size, int) else "a size that is not recorded"
    if isinstance(most, int):
        said += f", {most:,} allowed"
    narrow = refused.get("narrow_by")
    if isinstance(narrow, list) and narrow:
        said += f"; it may be narrowed by {', '.join(str(name) for name in narrow)}"
    return said


def _again(again: Mapping[str, object]) -> str:
    if not again.get("asked"):
        return "the run did not call this tool again"
    changed = again.get("changed")
    told = [_change(entry) for entry in changed] if isinstance(changed, list) else []
    what = "; ".join(told) if told else "with the same arguments"
    kind = "narrower" if again.get("narrower") else "not narrower"
    return f"asked again ({again.get('call_id')}), {kind}: {what}"


def _change(entry: Mapping[str, object]) -> str:
    path, what = str(entry.get("path")), str(entry.get("what"))
    if what == "added":
        return f"{path} added ({lines.brief(entry.get('after'), 40)})"
    if what == "removed":
        return f"{path} removed ({lines.brief(entry.get('before'), 40)})"
    before, after = lines.brief(entry.get("before"), 40), lines.brief(entry.get("after"), 40)
    return f"{path} {what} ({before} → {after})"


def _left(report: Report, full: bool) -> Iterator[Line]:
    gone = [fact for fact in report.of("result") if fact.get("left_context") is not None]
    limit = len(gone) if full else _LISTED
    for fact in gone[:limit]:
        left = fact.get("left_context")
        assert isinstance(left, dict)
        name = f"result of {phrases.call_name(fact)}"
        if left.get("left") != "yes":
            yield Line(
                f"{name}: not measurable whether it was still there, since the answering context "
                "is not on record with every row",
                fact.pointers[:1],
                tone="muted",
            )
            continue
        how = []
        if left.get("evicted_by") is not None:
            why = f" ({left.get('reason')})" if left.get("reason") is not None else ""
            how.append(f"evicted{why}")
        if left.get("absent_from_answering_context"):
            how.append("not among the rows of the answering context")
        yield Line(f"{name}: {', '.join(how)}", tuple(_pointers(fact.get("left_at"))))
    if len(gone) > limit:
        yield Line(f"and {len(gone) - limit} more (--full lists them)")


def _pointers(places: object) -> Iterator[Pointer]:
    for place in places if isinstance(places, list) else ():
        if isinstance(place, Pointer):
            yield place


def _replay(report: Report, cap: int, full: bool) -> Iterator[Line | Block]:
    told = totals(report, cap)
    yield Line(
        f"{told['would_cut']} of {told['replayed']} replayed results would have been cut: "
        f"{told['chars_saved']:,} characters saved in total, "
        f"{told['chars_saved_in_answering_context']:,} of them in the answering context"
    )
    facts = [fact for fact in report.of("what-if") if fact.get("cap") == cap]
    shown = [fact for fact in facts if fact.get("would_cut") or fact.status is not Status.RECORDED]
    limit = len(shown) if full else _LISTED
    for fact in shown[:limit]:
        name = f"result of {phrases.call_name(fact)}"
        if fact.status is not Status.RECORDED:
            would = ""
            if fact.get("would_cut") is not None:
                verb = "would" if fact.get("would_cut") else "would not"
                would = f"; by its stated size it {verb} be cut"
            yield Line(
                f"{name}: its full text is not on record{would}", fact.pointers, tone="muted"
            )
            continue
        head = fact.text("head")
        yield Line(
            f"{name}: the model would have seen its first {fact.get('head_chars'):,} characters "
            f"({fact.get('chars_saved'):,} saved)",
            fact.pointers,
        )
        if head:
            yield Block(head if full else lines.brief(head), indent=1)
    if len(shown) > limit:
        yield Line(f"and {len(shown) - limit} more (--full lists them)")


def _part_name(part: Mapping[str, object]) -> str:
    """A part as the picture names it: a tool by its name, else the slot or the source."""
    if part.get("tool") is not None:
        return f"{part['tool']} (results)"
    slot, source = str(part.get("slot")), str(part.get("source"))
    if slot == "messages":
        return "tool results, by no row on record" if source == "tool-result" else source
    name = {"system-prompt": "system prompt", "tools": "tool menu"}.get(slot, slot)
    return name if source in ("base", "registry") else f"{name}: {source}"


def _parts(fact: Fact) -> dict[str, int]:
    """The parts of a context by name, with their characters."""
    found: dict[str, int] = {}
    parts = fact.get("parts")
    for part in parts if isinstance(parts, list) else ():
        name, chars = _part_name(part), part.get("chars")
        found[name] = found.get(name, 0) + (chars if isinstance(chars, int) else 0)
    return found


def _picture(report: Report) -> Iterator[Line | Table]:
    """One bar for each model call, its parts side by side, all to one scale."""
    facts = report.of("context")
    drawn = [fact for fact in facts if fact.status is Status.RECORDED]
    everything: dict[str, int] = {}
    for fact in drawn:
        for name, chars in _parts(fact).items():
            everything[name] = everything.get(name, 0) + chars
    fills = bars.fills(everything)
    scale = max((int(fact.text("chars")) for fact in drawn), default=0)
    if drawn and scale:
        named = [f"{fill} {name}" for name, fill in fills.items() if fill != bars.REST]
        if len(fills) > len(bars.FILLS):
            named.append(f"{bars.REST} everything else")
        yield Line("  ".join(named))
        yield Line(f"{bars.WIDTH} cells stand for {scale:,} characters", tone="muted")
        yield Table(
            columns=("iteration", "characters", "picture"),
            rows=tuple(_bar_row(fact, fills, scale) for fact in drawn),
            pointers=tuple(fact.pointers[-1:] for fact in drawn),
            numeric=frozenset({0, 1}),
        )
    for fact in facts:
        if fact.status is not Status.RECORDED:
            which = fact.get("iteration", "not recorded")
            yield Line(
                f"iteration {which}: {phrases.not_recorded(fact)}", fact.pointers[:2], tone="muted"
            )
        elif fact.get("missing_slots"):
            missing = fact.get("missing_slots")
            names = ", ".join(str(slot) for slot in missing) if isinstance(missing, list) else ""
            yield Line(
                f"iteration {fact.get('iteration')}: no compose of {names} is on record; "
                "shares are of the rest",
                fact.pointers[:1],
                tone="muted",
            )


def _bar_row(fact: Fact, fills: Mapping[str, str], scale: int) -> tuple[str, ...]:
    parts = _parts(fact)
    order = [(fills[name], parts[name]) for name in fills if name in parts]
    mark = " (answer)" if fact.get("answering") else ""
    chars = fact.get("chars")
    return (
        f"{fact.text('iteration')}{mark}",
        f"{chars:,}" if isinstance(chars, int) else "",
        bars.stacked(order, scale),
    )


def _details(report: Report, full: bool) -> Iterator[Section]:
    """The contexts part by part: the answering one, or all of them."""
    for fact in report.of("context"):
        if fact.status is not Status.RECORDED or not (full or fact.get("answering")):
            continue
        total = fact.get("chars")
        if not isinstance(total, int) or total <= 0:
            continue
        parts = sorted(_parts(fact).items(), key=lambda entry: -entry[1])
        largest = parts[0][1] if parts else 0
        which = "The answering context" if fact.get("answering") else "The context"
        table = Table(
            columns=("part", "characters", "share", ""),
            rows=tuple(
                (
                    name,
                    f"{chars:,}",
                    lines.percent(chars / total),
                    bars.stacked([("█", chars)], largest),
                )
                for name, chars in parts
            ),
            numeric=frozenset({1, 2}),
        )
        yield Section(
            f"{which} (iteration {fact.text('iteration')}), part by part",
            (Line(f"{total:,} characters in all", fact.pointers), table),
        )


def _summary(report: Report) -> Line:
    facts = report.of("result")
    sizes = [size for fact in facts if isinstance(size := fact.get("chars"), int)]
    cut = sum(fact.get("cut") is not None for fact in facts)
    refused = sum(fact.get("refused_for_size") is not None for fact in facts)
    left = sum(
        isinstance(left := fact.get("left_context"), dict) and left.get("left") == "yes"
        for fact in facts
    )
    unread = len(report.recordings[0].unread)
    lost = f" {unread} place{lines.s(unread)} of the recording unread." if unread else ""
    return Line(
        f"{len(facts)} result{lines.s(len(facts))}, {sum(sizes):,} characters; {cut} cut, "
        f"{refused} refused for size, {left} gone before the answer.{lost}",
        tone="warn" if cut or refused or left or lost else "good",
    )
