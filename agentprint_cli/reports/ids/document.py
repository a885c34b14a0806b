"""``agentprint/ids@1``: the results that the model could still name, as JSON and as an outline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...model import Fact, Pointer, Report, Status
from ...model.outline import Line, Outline, Section, Table
from ..shared import common, lines, phrases

SCHEMA = "agentprint/ids@1"
ALL_SCHEMA = "agentprint/ids-all@1"
_LISTS = ("served", "offered", "nameable", "undeclared", "unknown", "no_longer_served", "standings")


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    served = _served(report)
    return {
        **common.head(report),
        "recording": common.recording(report.recordings[0]),
        "run": lines.run_document(report),
        "calls": [_call(fact, served) for fact in report.of("ids")],
        "declared": [
            {
                **common.values(
                    fact,
                    "call_id",
                    "standing",
                    "declared_on",
                    "said_by",
                    "event",
                    "own_run",
                    "served",
                    "flagged_unknown",
                ),
                "pointers": common.pointers(fact.pointers),
            }
            for fact in report.of("standing")
        ],
        "written": [_written(fact) for fact in report.of("written-standing")],
        "signals": [lines.signal_document(fact) for fact in report.of("signal")],
        "not_measurable": [lines.unmeasured_document(f) for f in report.of("not-measurable")],
    }


def _served(report: Report) -> Mapping[object, list[Fact]]:
    """The served results by the event of their model call (None: at the end)."""
    found: dict[object, list[Fact]] = {}
    for fact in report.of("served"):
        found.setdefault(fact.get("llm_start"), []).append(fact)
    return found


def _call(fact: Fact, served: Mapping[object, list[Fact]]) -> dict[str, object]:
    event = fact.get("llm_start")
    members: dict[str, object] = {} if event is None else {"event": event}
    members.update(common.values(fact, "iteration", "answering", "end_state"))
    if fact.status is not Status.RECORDED:
        return {**members, **common.status(fact), "pointers": common.pointers(fact.pointers)}
    members.update(common.values(fact, *_LISTS))
    members["served_rows"] = [
        {**common.values(row, "call_id", "tool"), "pointers": common.pointers(row.pointers)}
        for row in served.get(event, ())
    ]
    members["standing_rows"] = [
        {"call_id": call, "standing": word, "pointers": common.pointers([place])}
        for call, word, place in _current(fact)
    ]
    members["pointers"] = common.pointers(fact.pointers[:1])
    return members


def _current(fact: Fact) -> Iterator[tuple[str, str, Pointer]]:
    """The standing that each id has, and where it was declared."""
    words, places = fact.get("standings"), fact.get("said_at")
    if not isinstance(words, dict) or not isinstance(places, dict):
        return
    for call, word in words.items():
        yield call, word, places[call]


def _written(fact: Fact) -> dict[str, object]:
    filed = fact.pointer_of("filed")
    return {
        **common.values(fact, "call_id", "standing", "by_call", "by_tool", "filed"),
        **({"filed_pointers": common.pointers([filed])} if filed is not None else {}),
        "pointers": common.pointers(fact.pointers),
    }


def outline(report: Report, *, full: bool = False) -> Outline:
    """The report for a person."""
    title = f"agentprint ids · {report.recordings[0].path}"
    head = Section("", tuple(lines.head(report)))
    empty = lines.empty_run(report)
    if empty is not None:
        return Outline(title, (head,), empty)
    served = _served(report)
    sections = [head]
    for fact in report.of("ids"):
        sections.append(Section(_title(fact), tuple(_blocks(fact, served))))
    sections.append(
        Section("What the model wrote in tool arguments", tuple(written_lines(report, full)))
    )
    sections.append(Section("Signals", tuple(lines.signals(report))))
    sections.append(Section("Could not be measured", tuple(lines.unmeasured(report))))
    return Outline(title, tuple(x for x in sections if x.blocks), _summary(report))


def _title(fact: Fact) -> str:
    if fact.get("end_state"):
        return "At the end of the conversation"
    if fact.get("llm_start") is None:
        return "Model calls"
    which = "The answering model call" if fact.get("answering") else "Model call"
    iteration = fact.get("iteration")
    return which if iteration is None else f"{which} (iteration {iteration})"


def _blocks(fact: Fact, served: Mapping[object, list[Fact]]) -> Iterator[Line | Table]:
    if fact.status is not Status.RECORDED:
        yield Line(phrases.not_recorded(fact), fact.pointers[:2], tone="muted")
        return
    rows = served.get(fact.get("llm_start"), [])
    said = {call: (word, place) for call, word, place in _current(fact)}
    if not rows:
        yield Line("no tool result was served to it", fact.pointers[:1], tone="muted")
    else:
        offered = {str(call): str(i) for i, call in enumerate(_ids(fact, "offered"), 1)}
        table = [_row(row, said, offered) for row in rows]
        yield Table(
            columns=("id", "tool", "standing", "offered as"),
            rows=tuple(cells for cells, _ in table),
            pointers=tuple(places for _, places in table),
            numeric=frozenset({3}),
        )
    yield from _list_lines(fact, said)


def _row(
    row: Fact, said: Mapping[str, tuple[str, Pointer]], offered: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[Pointer, ...]]:
    call = row.text("call_id")
    word, place = said.get(call, ("none", None))
    tool = row.text("tool") or "(no event names its tool)"
    places = (*row.pointers, place) if place is not None else row.pointers
    return (call, tool, word, offered.get(call, "not offered")), places


def _ids(fact: Fact, name: str) -> Sequence[object]:
    found = fact.get(name)
    return found if isinstance(found, list) else ()


def _list_lines(fact: Fact, said: Mapping[str, tuple[str, Pointer]]) -> Iterator[Line]:
    for name, what in (
        ("offered", "it could name, newest first"),
        ("undeclared", "it had said nothing of"),
    ):
        ids = _ids(fact, name)
        yield Line(f"{what}: {', '.join(str(call) for call in ids) or 'none'}")
    for name, what in (
        ("no_longer_served", "a standing on a result that was served before, and not to this call"),
        ("unknown", "a standing on an id that was never served"),
    ):
        for call in _ids(fact, name):
            word, place = said[str(call)]
            tone = "warn" if name == "unknown" else None
            yield Line(f"{what}: {call} ({word})", (place,), tone=tone)


def written_lines(report: Report, full: bool) -> Iterator[Line]:
    """What the model wrote, each entry told apart from what the framework filed."""
    facts = report.of("written-standing")
    limit = len(facts) if full else 20
    for fact in facts[:limit]:
        tool = f" ({fact.text('by_tool')})" if fact.get("by_tool") is not None else ""
        filed = fact.pointer_of("filed")
        end = "the framework filed the same" if filed is not None else "no such standing was filed"
        yield Line(
            f"with {fact.text('by_call')}{tool} it wrote {fact.text('call_id')}: "
            f"{fact.text('standing')}; {end}",
            (*fact.pointers, filed) if filed is not None else fact.pointers,
            tone=None if filed is not None else "warn",
        )
    if len(facts) > limit:
        yield Line(f"and {len(facts) - limit} more (--full lists them)")


def _summary(report: Report) -> Line:
    asked = [fact for fact in report.of("ids") if fact.status is Status.RECORDED]
    filed, found = len(report.of("standing")), len(report.of("signal"))
    told = f"{filed} standing{lines.s(filed)} filed, {len(report.of('written-standing'))} written"
    if asked:
        last = asked[-1]
        told = (
            f"{len(_ids(last, 'served'))} served, {len(_ids(last, 'offered'))} offered, "
            f"{len(_ids(last, 'undeclared'))} undeclared; {told}"
        )
    return Line(
        f"{told}; {found} signal{lines.s(found)}.",
        tone="warn" if found or not asked else "good",
    )
