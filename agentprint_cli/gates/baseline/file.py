"""The baseline's file: read with clear complaints, written sorted and one entry a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...base.errors import UsageError
from .entries import MEMBERS, Entry, digest
from .margins import KnownMargin, KnownMargins, rounded

SCHEMA = "agentprint/baseline@1"
_TOP = ("schema", "findings", "margins")
_MARGINS = ("embedder", "scorer", "menus", "choices")
_CHOICE = ("request", "position", "chosen", "menu", "lowest", "highest", "rivals", "choices")


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline file holds."""

    findings: tuple[Entry, ...] = ()
    margins: KnownMargins | None = None
    """None: the file was written without scores, or before there was such a thing."""


# Reading --------------------------------------------------------------------------------------


def load_baseline(path: str) -> Baseline:
    """The content of a baseline file. Raises `UsageError` that says what is wrong with it."""
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read(), object_pairs_hook=_each_once)
    except FileNotFoundError:
        raise UsageError(
            f"{path}: there is no such baseline; --update-baseline writes it"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: the baseline cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: the baseline is not valid JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"{path}: not a baseline: it has no member schema = {SCHEMA!r}")
    broken = f"{path}: a broken baseline"
    if unknown := [name for name in document if name not in _TOP]:
        raise UsageError(f"{broken}: it has an unknown member {unknown[0]!r}")
    entries = document.get("findings")
    if not isinstance(entries, list):
        raise UsageError(f"{broken}: its findings are not a list")
    findings = tuple(_entry(entry, f"{broken}: finding {n}") for n, entry in enumerate(entries))
    if "margins" not in document:
        return Baseline(findings)
    return Baseline(findings, _margins(document["margins"], f"{broken}: margins"))


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of an object. A name that is there twice, as after a careless merge, would
    silently drop what the first one holds."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} is there twice")
    return found


def _entry(entry: object, where: str) -> Entry:
    if not isinstance(entry, dict) or not isinstance(entry.get("gate"), str):
        raise UsageError(f"{where} names no gate")
    unknown = [name for name in entry if name not in MEMBERS]
    if unknown:
        raise UsageError(f"{where} has an unknown member {unknown[0]!r}")
    wrong = [name for name, value in entry.items() if not isinstance(value, str)]
    if wrong:
        raise UsageError(f"{where}: {wrong[0]} is not a string")
    return Entry(**entry)


def _margins(value: object, where: str) -> KnownMargins:
    members = _members(value, _MARGINS, where)
    for name in ("embedder", "scorer"):
        _text(members[name], f"{where}: {name}")
    menus, choices = members["menus"], members["choices"]
    if not isinstance(menus, dict):
        raise UsageError(f"{where}: menus is not an object")
    if not isinstance(choices, list):
        raise UsageError(f"{where}: choices is not a list")
    named = {key: _names(menu, f"{where}: menu {key!r}") for key, menu in menus.items()}
    entries = [_choice(each, named, f"{where}: choice {n}") for n, each in enumerate(choices)]
    seen = set()
    for number, entry in enumerate(entries):
        if entry.key in seen:
            raise UsageError(f"{where}: choice {number} is there twice")
        seen.add(entry.key)
    return KnownMargins(str(members["embedder"]), str(members["scorer"]), tuple(entries))


def _choice(value: object, menus: Mapping[str, tuple[str, ...]], where: str) -> KnownMargin:
    members = _members(value, _CHOICE, where)
    menu = _text(members["menu"], f"{where}: menu")
    if menu not in menus:
        raise UsageError(f"{where}: there is no menu {menu!r} in the table of menus")
    rivals = _names(members["rivals"], f"{where}: rivals", ordered=True)
    lowest = _number(members["lowest"], f"{where}: lowest")
    highest = _number(members["highest"], f"{where}: highest")
    if lowest > highest:
        raise UsageError(f"{where}: lowest is above highest")
    chosen = _names(members["chosen"], f"{where}: chosen")
    for name in (*chosen, *rivals):
        if name not in menus[menu] or (name in chosen and name in rivals):
            raise UsageError(
                f"{where}: {name!r} is not on its menu, or both chosen and a rival: no choice has "
                "such an entry"
            )
    return KnownMargin(
        request=_text(members["request"], f"{where}: request"),
        position=_whole(members["position"], 0, f"{where}: position"),
        chosen=chosen,
        menu=menus[menu],
        lowest=lowest,
        highest=highest,
        rivals=rivals,
        choices=_whole(members["choices"], 1, f"{where}: choices"),
    )


def _members(value: object, names: Sequence[str], where: str) -> Mapping[str, object]:
    """An object with exactly these members: a misspelt one would silently compare nothing."""
    if not isinstance(value, dict):
        raise UsageError(f"{where} is not an object")
    for name in value:
        if name not in names:
            raise UsageError(f"{where} has an unknown member {name!r}")
    for name in names:
        if name not in value:
            raise UsageError(f"{where} has no member {name!r}")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{where} is not a string")
    return value


def _names(value: object, where: str, *, ordered: bool = False) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(n, str) for n in value):
        raise UsageError(f"{where} is not a list of names")
    return tuple(value) if ordered else tuple(sorted(set(value)))


def _number(value: object, where: str) -> float:
    # Not-a-number compares false with everything, and a huge whole number fits no float.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where} is not a number")
    if not -1e300 < value < 1e300:
        raise UsageError(f"{where} is not a number")
    return rounded(float(value))


def _whole(value: object, least: int, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{where} is not a whole number from {least} on")
    return value


# Writing --------------------------------------------------------------------------------------


def baseline_text(findings: Iterable[Entry], margins: KnownMargins | None = None) -> str:
    """The file: what it holds sorted, each once, one a line."""
    rows = sorted(
        {json.dumps(entry.members()) for entry in findings},
        key=lambda row: [json.loads(row).get(name, "") for name in MEMBERS],
    )
    members = [f'  "schema": {json.dumps(SCHEMA)}', f'  "findings": {_lines("[]", rows, 2)}']
    if margins is not None:
        members.append(f'  "margins": {_margins_text(margins)}')
    return "{\n" + ",\n".join(members) + "\n}\n"


def _margins_text(margins: KnownMargins) -> str:
    """Each menu once, under a hash of its names: many choices share one."""
    menus = {_menu_id(entry.menu): entry.menu for entry in margins.entries}
    table = [f"{json.dumps(id)}: {json.dumps(menus[id])}" for id in sorted(menus)]
    choices = [
        {
            "request": entry.request,
            "position": entry.position,
            "chosen": entry.chosen,
            "menu": _menu_id(entry.menu),
            "lowest": entry.lowest,
            "highest": entry.highest,
            "rivals": entry.rivals,
            "choices": entry.choices,
        }
        for entry in sorted(margins.entries, key=lambda entry: entry.key)
    ]
    members = [
        f'    "embedder": {json.dumps(margins.embedder)}',
        f'    "scorer": {json.dumps(margins.scorer)}',
        f'    "menus": {_lines("{}", table, 4)}',
        f'    "choices": {_lines("[]", [json.dumps(choice) for choice in choices], 4)}',
    ]
    return "{\n" + ",\n".join(members) + "\n  }"


def _menu_id(menu: Sequence[str]) -> str:
    return digest(json.dumps(list(menu)))


def _lines(brackets: str, rows: Sequence[str], indent: int) -> str:
    """The rows between the brackets, one a line."""
    if not rows:
        return brackets
    pad = " " * indent
    body = ",\n".join(f"{pad}  {row}" for row in rows)
    return f"{brackets[0]}\n{body}\n{pad}{brackets[1]}"
