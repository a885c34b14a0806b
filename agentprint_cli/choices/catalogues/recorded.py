"""The menus of a recorded log: what its model calls were offered."""

from __future__ import annotations

from collections.abc import Iterator

from ...base.errors import UnreadableInput
from ...model import Pointer, Reason
from ...readings.keeping import Keeper
from ...view import View
from .entries import Catalogue, Gap, Menu, Tool, read_tool

_EVENT = "stream.llm_start"
_PLACES = 20


def read_log(view: View) -> Catalogue:
    """Every distinct menu of a recording, by first appearance. The same tools in another order
    are the same menu. Raises `UnreadableInput` when no model call has tools on record."""
    keeper = Keeper(view)
    menus: dict[tuple[str, ...], tuple[tuple[Tool, ...], list[int]]] = {}
    missing: list[int] = []
    partial: list[int] = []
    calls = view.of_type(_EVENT)
    for number in calls:
        payload = view.at(number).payload
        entries, count = payload.get("tools"), payload.get("toolsCount")
        if not isinstance(entries, list):
            if entries is not None or count != 0:
                missing.append(number)
            continue
        if isinstance(count, int) and count > len(entries):
            partial.append(number)
        if not entries:
            continue
        place = view.pointer(number, "payload", "tools")
        tools = tuple(
            read_tool(entry, place.into(n), keeper.kept_out) for n, entry in enumerate(entries)
        )
        key = tuple(sorted(tool.content for tool in tools))
        menus.setdefault(key, (tools, []))[1].append(number)
    gaps = tuple(_gaps(view, missing, partial))
    if not menus:
        raise UnreadableInput(_nothing(view, len(calls), len(missing)))
    return Catalogue("recorded", tuple(_menu(view, *found) for found in menus.values()), gaps)


def _menu(view: View, tools: tuple[Tool, ...], events: list[int]) -> Menu:
    described = any(tool.description != "" and not tool.hosted for tool in tools)
    return Menu(tools, view.pointer(events[0], "payload", "tools"), tuple(events), described)


def _gaps(view: View, missing: list[int], partial: list[int]) -> Iterator[Gap]:
    if missing:
        yield Gap(Reason.NO_CATALOGUE, "calls", len(missing), _places(view, missing, "payload"))
    if partial:
        places = _places(view, partial, "payload", "toolsCount")
        yield Gap(Reason.INCOMPLETE, "menus", len(partial), places)
    if view.unread:
        yield Gap(Reason.UNREADABLE, "unread", len(view.unread))


def _places(view: View, numbers: list[int], *path: str) -> tuple[Pointer, ...]:
    return tuple(view.pointer(number, *path) for number in numbers[:_PLACES])


def _nothing(view: View, calls: int, missing: int) -> str:
    if not calls:
        return "a recording without a model call: there is no menu in it"
    many = f"{calls} model call{'' if calls == 1 else 's'}"
    if missing:
        return f"a recording of {many}, and the menu of none of them is on record"
    return f"a recording of {many}, and none of them was offered a tool"
