"""How well `agentprint lint` foretells which tools get confused, and how common its findings are.

A pair is a right tool of some request with another tool of its menu. It counts as confused when
that other tool was chosen in place of the right one; where a set holds no real choices, when the
writer of the request noted it as a plausible mistake. Sets with neither have menus only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentprint_cli.choices.scorers.interface import Vectors, cosines
from agentprint_cli.reports.lint.pipeline import THRESHOLD, WATCHED
from agentprint_cli.rules import catalogue_lint, statistics
from agentprint_cli.rules.choice_text import candidate_text

from .data import FOLDER, LabelledSet, Row

LEVELS = (0.5, WATCHED, 0.75, THRESHOLD)
Pair = tuple[str, str]
"""The texts of two tools, in alphabetical order: pairs of different menus are one."""


def report(sets: Sequence[LabelledSet], vectors: Mapping[str, Vectors]) -> Iterator[str]:
    """The tables. ``vectors``: those of each set, by its name."""
    parts = list(_catalogues(sets))
    of = {name: vectors[some.name] for name, some, _ in parts}
    yield "| set | pairs | confused | chance | " + _levels() + " |"
    yield "|---|---|---|---|" + "---|" * len(LEVELS)
    for name, part, rows in parts:
        if any(row.wrong or row.chosen for row in rows):
            yield f"| {name} | {' | '.join(_confused(rows, of[name], part))} |"
    yield ""
    yield (
        f"| set | menus | with a pair from {THRESHOLD:g} on | described tools | "
        "`short-description` | `what-not-when`, of those asked |"
    )
    yield "|---|---|---|---|---|---|"
    for name, _, rows in parts:
        yield f"| {name} | {' | '.join(_findings(rows, of[name]))} |"
    yield ""
    yield "| set | tools with a schema | `undocumented-parameters` | `enumeration-in-prose` |"
    yield "|---|---|---|---|"
    yield f"| own | {' | '.join(_of_schemas())} |"


def _levels() -> str:
    return " | ".join(f"confused from {level:.2f} on" for level in LEVELS)


def _catalogues(sets: Sequence[LabelledSet]) -> Iterator[tuple[str, LabelledSet, list[Row]]]:
    """The sets by name, one of them, and the rows; our own requests of one half together."""
    found: dict[str, tuple[LabelledSet, list[Row]]] = {}
    for part in sets:
        found.setdefault(part.name.partition(",")[0], (part, []))[1].extend(part.rows)
    for name, (part, rows) in found.items():
        yield name, part, rows


def _confused(rows: Sequence[Row], vectors: Vectors, part: LabelledSet) -> Iterator[str]:
    confused = _pairs(rows)
    near = {pair: cosines(vectors, pair[0], [pair[1]])[0] for pair in confused}
    flags = list(confused.values())
    chance = statistics.auroc(flags, list(near.values()))
    yield str(len(flags))
    yield f"{sum(flags)} ({_percent(sum(flags), len(flags))})"
    yield "–" if chance is None else f"{chance:.2f}".removeprefix("0")
    for level in LEVELS:
        above = [confused[pair] for pair in near if near[pair] >= level]
        yield f"{sum(above)} of {len(above)}"


def _pairs(rows: Sequence[Row]) -> dict[Pair, bool]:
    """Each pair, and whether it was confused."""
    found: dict[Pair, bool] = {}
    for row in rows:
        texts = dict(row.menu)
        taken = {tool for choice in row.wrong for tool in choice}
        if row.chosen is not None and not row.chosen_right:
            taken.update(row.chosen)
        for right in row.right:
            for other in row.names:
                if other not in row.right and texts[other] != texts[right]:
                    pair = _pair(texts[right], texts[other])
                    found[pair] = found.get(pair, False) or other in taken
    return found


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _findings(rows: Sequence[Row], vectors: Vectors) -> Iterator[str]:
    menus = list(dict.fromkeys(row.menu for row in rows))
    close = sum(_has_close_pair([text for _, text in menu], vectors) for menu in menus)
    yield str(len(menus))
    yield f"{close} ({_percent(close, len(menus))})"
    tools = {text: (name, _description(name, text)) for menu in menus for name, text in menu}
    described = [(name, said) for name, said in tools.values() if said]
    short = [tool for tool in described if catalogue_lint.short_description(*tool)]
    asked = [
        said
        for name, said in described
        if not catalogue_lint.short_description(name, said) and catalogue_lint.is_english(said)
    ]
    silent = sum(not catalogue_lint.says_when(said) for said in asked)
    yield str(len(described))
    yield f"{len(short)} ({_percent(len(short), len(described))})"
    yield f"{silent} of {len(asked)} ({_percent(silent, len(asked))})"


def _description(name: str, text: str) -> str:
    return text.removeprefix(candidate_text(name)).removeprefix(": ")


def _has_close_pair(texts: Sequence[str], vectors: Vectors) -> bool:
    units = vectors.units[[vectors.row(text) for text in texts]]
    near = units @ units.T
    near[range(len(texts)), range(len(texts))] = -1.0
    return bool((near >= THRESHOLD).any())


def _of_schemas() -> Iterator[str]:
    tools: list[dict[str, Any]] = [
        tool
        for path in sorted((FOLDER / "catalogues").glob("*.json"))
        for tool in json.loads(path.read_text("utf-8"))["tools"]
        if tool.get("inputSchema")
    ]
    bare = sum(bool(catalogue_lint.undocumented_optional(tool["inputSchema"])) for tool in tools)
    listed = sum(
        any(
            catalogue_lint.enumerations_in_prose(tool.get("description") or "", tool["inputSchema"])
        )
        for tool in tools
    )
    yield from (str(len(tools)), str(bare), str(listed))


def _percent(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else "–"
