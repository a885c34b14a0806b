"""What margins look like: their distribution, the shares of flags, and groups of choices."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from ...choices.calibration.measured import Measured, as_list, part_of
from ...model import Fact, Status, absent
from ...rules import calibration as rules
from ...rules import statistics
from .document import GROUPS


def distribution(choices: Sequence[Fact], measured: Sequence[Measured]) -> Fact:
    """How the margins lie, and what was counted; ``choices`` are all entries."""
    margins = [each.margin for each in measured]
    ordered = sorted(margins)
    scored = sum(fact.get("flags") is not None for fact in choices)
    values: dict[str, object] = {
        "count": len(margins),
        "everything_chosen": scored - len(margins),
        "turns": len({each.turn for each in measured}),
        "flagged": sum(each.flagged for each in measured),
        "top_chosen": sum(each.top_chosen for each in measured),
        "recorded_twice": _recorded_twice(measured),
    }
    if ordered:
        values.update(
            min=ordered[0],
            max=ordered[-1],
            quantiles=[
                {"at": at, "margin": statistics.quantile(ordered, at)} for at in rules.QUANTILES
            ],
            histogram=[_bin(each, measured) for each in rules.histogram(margins)],
        )
    return absent("distribution", Status.NOT_APPLICABLE, None, values)


def _bin(each: rules.Bin, measured: Sequence[Measured]) -> dict[str, object]:
    labels = [measured[place].right for place in each.members]
    return {
        "from": each.low,
        "to": each.high,
        "count": len(each.members),
        "right": labels.count(True),
        "wrong": labels.count(False),
    }


def _recorded_twice(measured: Sequence[Measured]) -> int:
    """How many choices are also in another recording: the same event of the same run, with the
    same prompt and calls, as when a log and a recording made of it are both read."""
    first: dict[Hashable, str] = {}
    count = 0
    for each in measured:
        fact = each.fact
        if fact.get("run") is None:
            continue
        calls = tuple(as_list(fact.get("call_ids")))
        key = (*(fact.get(name) for name in ("run", "event", "prompt")), calls)
        count += first.setdefault(key, fact.text("recording")) != fact.text("recording")
    return count


def flag(name: str, measured: Sequence[Measured]) -> Fact:
    """How many of the choices have a flag, and which share of those that could."""
    among = [each for each in measured if each.may_have(name)]
    flagged = sum(name in each.flags for each in among)
    values = {
        "flag": name,
        "flagged": flagged,
        "among": len(among),
        "share": part_of(flagged, len(among)),
    }
    return absent("flag", Status.NOT_APPLICABLE, None, values)


def groups(measured: Sequence[Measured], flags: Sequence[str]) -> Iterator[Fact]:
    """A fact for each group of each kind: tools and pairs with the most choices first, menu sizes
    and turn positions from the smallest on."""
    by: dict[str, dict[Any, list[Measured]]] = {name: {} for name in GROUPS}

    def add(kind: str, key: Hashable, each: Measured) -> None:
        by[kind].setdefault(key, []).append(each)

    for each in measured:
        offered = len(as_list(each.fact.get("offered")))
        before = each.fact.get("turn_position")
        add("tool", each.pair[0], each)
        add("pair", each.pair, each)
        add("menu_size", rules.bucket(offered, rules.MENU_SIZES), each)
        if isinstance(before, int):
            add("turn_position", rules.bucket(before, rules.TURN_POSITIONS), each)
    for kind in ("tool", "pair"):
        for key, members in sorted(by[kind].items(), key=lambda item: (-len(item[1]), item[0])):
            yield _group(kind, key, members, flags)
    for kind, buckets in (
        ("menu_size", rules.MENU_SIZES),
        ("turn_position", rules.TURN_POSITIONS),
    ):
        for name in map(rules.bucket_name, buckets):
            if name in by[kind]:
                yield _group(kind, name, by[kind][name], flags)


def _group(kind: str, key: Hashable, members: list[Measured], flags: Sequence[str]) -> Fact:
    flagged = sum(each.flagged for each in members)
    top = sum(each.top_chosen for each in members)
    lowest = min(members, key=lambda each: each.margin)
    names = {"chosen": key[0], "rival": key[1]} if isinstance(key, tuple) else {kind: key}
    values: dict[str, object] = {
        "by": kind,
        **names,
        "choices": len(members),
        "flagged": flagged,
        "flagged_share": part_of(flagged, len(members)),
        "flags": {name: sum(name in each.flags for each in members) for name in flags},
        "top_chosen": top,
        "top_chosen_share": part_of(top, len(members)),
        "median": statistics.quantile(sorted(each.margin for each in members), 0.5),
        "lowest": lowest.margin,
        "recording": lowest.fact.text("recording"),
    }
    # The evidence of a group is its lowest margin.
    places = lowest.fact.pointers
    return absent("group", Status.NOT_APPLICABLE, None, values, pointers=places)
