"""What the entries of a catalogue show without any model: facts ``finding``, and facts
``not-measurable`` for what could not be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...model import Fact, Pointer, Reason, Status, absent, recorded
from ...rules import catalogue_lint as rules
from ...rules.js_text import trim
from .entries import Catalogue, Listed, Menu, Tool

BROKEN = "broken-tool"
DUPLICATES = "duplicate-names"
CONFUSABLE = "confusable"
WATCH = "watch"
NO_DESCRIPTION = "no-description"
SHORT = "short-description"
PROSE = "enumeration-in-prose"
UNDOCUMENTED = "undocumented-parameters"
WHEN = "what-not-when"
EVERYTHING = "everything"
"""The check of a fact ``not-measurable`` that all checks suffer from."""

TONES: Mapping[str, str] = {
    BROKEN: "bad",
    DUPLICATES: "bad",
    CONFUSABLE: "bad",
    WATCH: "info",
    NO_DESCRIPTION: "warn",
    SHORT: "warn",
    PROSE: "warn",
    UNDOCUMENTED: "warn",
    WHEN: "info",
}
"""Each id and its weight, in the order of the report."""
_NAMED = 10


def finding(
    id: str,
    tools: Sequence[Tool],
    menus: Iterable[int],
    pointers: Sequence[Pointer],
    values: Mapping[str, object],
) -> Fact:
    """What was found about some tools of some menus, and where."""
    return recorded(
        "finding",
        pointers,
        {
            "id": id,
            "tone": TONES[id],
            "tools": [tool.called for tool in tools],
            "menus": [number + 1 for number in sorted(set(menus))],
            **values,
        },
    )


def _of_one(id: str, each: Listed, pointers: Sequence[Pointer], **values: object) -> Fact:
    return finding(id, [each.tool], each.menus, pointers, values)


def unmeasured(
    check: str,
    reason: Reason,
    count: int,
    listed: Sequence[Listed] = (),
    values: Mapping[str, object] | None = None,
    pointers: Sequence[Pointer] = (),
) -> Fact:
    """A check could not look at something: ``count`` tools, or what ``values`` names."""
    return absent(
        "not-measurable",
        Status.NOT_MEASURABLE,
        reason,
        {
            "check": check,
            "count": count,
            "tools": [each.tool.called for each in listed[:_NAMED]] or None,
            **(values or {}),
        },
        pointers or [each.tool.place for each in listed[:_NAMED]],
    )


def structural(catalogue: Catalogue) -> Iterator[Fact]:
    """All findings that need no embedder, rule by rule, and then what was not measurable."""
    proper = [each for each in catalogue.listed if not each.tool.hosted]
    described = [each for each in proper if _is_described(catalogue, each)]
    yield from _broken(proper)
    yield from _duplicates(catalogue)
    yield from _no_description(described)
    yield from _texts(described, SHORT, _short)
    yield from _prose(described)
    yield from _undocumented(proper)
    yield from _texts(described, WHEN, _what_only)
    yield from _gaps(catalogue, proper, described)


def _is_described(catalogue: Catalogue, listed: Listed) -> bool:
    """Whether its menu is one whose descriptions are on record."""
    return catalogue.menus[listed.menus[0]].described


def _broken(proper: Sequence[Listed]) -> Iterator[Fact]:
    for each in proper:
        for problem in each.tool.problems:
            yield _of_one(BROKEN, each, [problem.place], why=problem.why, found=problem.found)


def _duplicates(catalogue: Catalogue) -> Iterator[Fact]:
    """Per menu; the same namesakes in a later menu are not told again."""
    groups: dict[tuple[object, ...], tuple[list[Tool], list[int]]] = {}
    for number, menu in enumerate(catalogue.menus):
        for group in rules.duplicate_names([tool.name for tool in menu.tools]):
            tools = [menu.tools[place] for place in group.members]
            key = ("equal" if group.equal else "spelling", *(tool.content for tool in tools))
            groups.setdefault(key, (tools, []))[1].append(number)
    for (kind, *_), (tools, menus) in groups.items():
        places = [tool.name_place for tool in tools]
        yield finding(DUPLICATES, tools, menus, places, {"kind": kind})


def _no_description(described: Sequence[Listed]) -> Iterator[Fact]:
    for each in described:
        if each.tool.description is not None and not trim(each.tool.description):
            yield _of_one(NO_DESCRIPTION, each, [each.tool.description_place])


def _texts(
    described: Sequence[Listed],
    id: str,
    rule: Callable[[str, str], Mapping[str, object] | None],
) -> Iterator[Fact]:
    """Findings of a rule that reads a description that is there."""
    for each in described:
        if each.tool.description is not None and trim(each.tool.description):
            values = rule(each.tool.name or "", each.tool.description)
            if values is not None:
                yield _of_one(id, each, [each.tool.description_place], **values)


def _short(name: str, description: str) -> Mapping[str, object] | None:
    why = rules.short_description(name, description)
    count = len(rules.words(description))
    return None if why is None else {"why": why, "words": count, "said": description}


def _what_only(name: str, description: str) -> Mapping[str, object] | None:
    if rules.short_description(name, description) is not None:
        return None  # said already
    if not rules.is_english(description) or rules.says_when(description):
        return None
    return {}


def _prose(described: Sequence[Listed]) -> Iterator[Fact]:
    for each in described:
        tool = each.tool
        if tool.schema is None:
            continue
        for found in rules.enumerations_in_prose(tool.description or "", tool.schema):
            parameter = tool.schema_place.into("properties", found.parameter)
            said = tool.description_place
            if found.in_parameter:
                own = rules.properties(tool.schema)[found.parameter]
                said = parameter.into("description") if "description" in own else parameter
            yield _of_one(
                PROSE,
                each,
                [said] if found.in_parameter else [said, parameter],
                parameter=found.parameter,
                listed=list(found.values),
            )


def _undocumented(proper: Sequence[Listed]) -> Iterator[Fact]:
    for each in proper:
        tool = each.tool
        names = rules.undocumented_optional(tool.schema) if tool.schema is not None else []
        if names:
            places = [tool.schema_place.into("properties", name) for name in names]
            yield _of_one(UNDOCUMENTED, each, places, parameters=names)


def _gaps(
    catalogue: Catalogue, proper: Sequence[Listed], described: Sequence[Listed]
) -> Iterator[Fact]:
    for gap in catalogue.gaps:
        values = {"what": gap.what}
        yield unmeasured(EVERYTHING, gap.reason, gap.count, (), values, gap.places)
    nameless = [each for each in proper if each.tool.name is None]
    for kept_out, reason in ((False, Reason.UNREADABLE), (True, Reason.KEPT_OUT)):
        some = [each for each in nameless if each.tool.kept_out is kept_out]
        if some:
            yield unmeasured(DUPLICATES, reason, len(some), some)
    silent = [number for number, menu in enumerate(catalogue.menus) if not menu.described]
    if silent:
        menus = [catalogue.menus[number] for number in silent]
        for check in (NO_DESCRIPTION, SHORT, WHEN):
            yield _without_descriptions(check, menus)
    unknown = [each for each in described if each.tool.description is None]
    for kept_out, reason in ((False, Reason.UNREADABLE), (True, Reason.KEPT_OUT)):
        some = [each for each in unknown if each.tool.kept_out is kept_out]
        for check in (NO_DESCRIPTION, SHORT, PROSE, WHEN) if some else ():
            yield unmeasured(check, reason, len(some), some)
    bare = [each for each in proper if each.tool.schema is None]
    if bare:
        for check in (PROSE, UNDOCUMENTED):
            yield unmeasured(check, Reason.NO_SCHEMA, len(bare), bare)
    foreign = [
        each
        for each in described
        if each.tool.description
        and rules.short_description(each.tool.name or "", each.tool.description) is None
        and not rules.is_english(each.tool.description)
    ]
    if foreign:
        yield unmeasured(WHEN, Reason.NOT_ENGLISH, len(foreign), foreign)


def _without_descriptions(check: str, menus: Sequence[Menu]) -> Fact:
    places = [menu.place for menu in menus[:_NAMED]]
    return unmeasured(check, Reason.NO_DESCRIPTIONS, len(menus), (), {"what": "menus"}, places)
