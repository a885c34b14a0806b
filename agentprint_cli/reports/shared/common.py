"""The parts that every published document shares."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Fact, Pointer, Recording, Report, Status, Unread

TEXT_LIMIT = 20_000


def head(report: Report) -> dict[str, object]:
    """The ``schema`` and ``tool`` members."""
    return {
        "schema": report.schema,
        "tool": {"name": "agentprint", "version": report.tool_version},
    }


def pointer(place: Pointer) -> dict[str, object]:
    """A pointer, without the members that it does not have."""
    members = {
        "event": place.event,
        "type": place.type,
        "path": place.path,
        "line": place.line,
        "file": place.file,
    }
    return {name: value for name, value in members.items() if value is not None}


def pointers(places: Iterable[Pointer]) -> list[dict[str, object]]:
    """Several pointers."""
    return [pointer(place) for place in places]


def recording(read: Recording) -> dict[str, object]:
    """What was read, with counts and every unread place."""
    return {
        "path": read.path,
        "sha256": read.sha256,
        "bytes": read.bytes,
        "format": read.format,
        "events": read.events,
        "unread": len(read.unread),
        "foreign": read.foreign,
        "fidelity": {
            "catalogue": read.fidelity.catalogue,
            "prompt": read.fidelity.prompt,
            "results": read.fidelity.results,
            "passed_over": list(read.fidelity.passed_over),
        },
        "unread_places": [unread(entry) for entry in read.unread],
    }


def unread(entry: Unread) -> dict[str, object]:
    """One unread place."""
    members = {
        "reason": entry.reason,
        "offset": entry.offset,
        "line": entry.line,
        "event": entry.event,
        "cut": entry.cut or None,
    }
    return {name: value for name, value in members.items() if value is not None}


def status(fact: Fact) -> dict[str, object]:
    """The ``status`` member, with the ``reason`` when there is one."""
    members: dict[str, object] = {"status": str(fact.status)}
    if fact.reason is not None:
        members["reason"] = str(fact.reason)
    return members


def values(fact: Fact, *names: str) -> dict[str, object]:
    """The named values that the fact has, plain."""
    return {name: fact.get(name) for name in names if fact.get(name) is not None}


def text(fact: Fact, name: str = "text") -> dict[str, object]:
    """A recorded text, clipped when it is very long, and then how long it is."""
    value = fact.get(name)
    if fact.status is not Status.RECORDED or value is None:
        return {}
    if isinstance(value, str) and len(value) > TEXT_LIMIT:
        return {name: value[:TEXT_LIMIT], "clipped": True, "chars": len(value)}
    return {name: value}
