"""Which schemas there are, under which names, and what each of them says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..base.errors import UsageError

URN = "urn:agentprint:schema:"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
EVENT_TYPES_IN = "event-log"
"""The schema whose ``$defs`` hold a definition for each event type."""
_TYPE_PREFIX = "agentfootprint."


@dataclass(frozen=True, slots=True)
class Schema:
    """One schema of the package."""

    name: str
    """Also the file's name, and the end of its ``$id``."""
    about: str
    """One line for the list of schemas."""
    aliases: tuple[str, ...] = ()
    """Other names that users say."""


SCHEMAS: tuple[Schema, ...] = (
    Schema("event", "what every event has around its payload: type, payload, meta"),
    Schema(
        EVENT_TYPES_IN,
        "one line of an event log, with the payload of each event type",
        ("jsonl", "log"),
    ),
    Schema("recording", "a recording or a stored artifact: events, snapshot, meta", ("artifact",)),
    Schema("envelope", "a recording wrapped for transport: format, recording"),
    Schema("declarations", "the file that --declare names", ("declare",)),
    Schema("explain@1", "what explain --format json prints"),
    Schema("explain-all@1", "what explain --all --format json prints"),
    Schema("ids@1", "what ids --format json prints"),
    Schema("ids-all@1", "what ids --all --format json prints"),
    Schema("results@1", "what results --format json prints"),
    Schema("results-all@1", "what results --all --format json prints"),
    Schema("code@1", "what code --format json prints"),
    Schema("runs@1", "what runs --format json prints"),
    Schema("margins@1", "what margins --format json prints"),
    Schema("calibration@1", "what calibrate --format json prints", ("calibrate",)),
    Schema("lint@1", "what lint --format json prints"),
    Schema("validate@1", "what validate --format json prints"),
    Schema("check@1", "what check --format json prints"),
    Schema("baseline@1", "the file that check --baseline names"),
    Schema("parts", "what the printed documents share: pointers, statuses, unread places"),
)


def find(name: str) -> str:
    """The schema that users call ``name``: its own name, with or without ``agentprint/`` and the
    version; an alias; or an event type, with or without its prefix. Raises `UsageError`."""
    wanted = name.removeprefix("agentprint/")
    for schema in SCHEMAS:
        if wanted in (schema.name, schema.name.partition("@")[0], *schema.aliases):
            return schema.name
    kind = name.removeprefix(_TYPE_PREFIX)
    if kind in event_types():
        return kind
    known = ", ".join(schema.name for schema in SCHEMAS)
    raise UsageError(
        f"no schema {name!r}; there is {known}, and one for each event type, such as "
        "stream.tool_end"
    )


@cache
def load(name: str) -> dict[str, Any]:
    """The schema in the file called ``name``. Not to be changed by who gets it."""
    text = (files(__package__) / "data" / f"{name}.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def event_types() -> list[str]:
    """The event types that the schemas know, without their prefix."""
    return [name for name in load(EVENT_TYPES_IN)["$defs"] if "." in name]


def bundled(name: str) -> dict[str, Any]:
    """The schema called ``name`` (as `find` returns it) with every schema that it refers to under
    ``$defs``, so that it can be used alone. For an event type: the schema of such an event."""
    if name in event_types():
        return {
            "$schema": DIALECT,
            "$id": URN + name,
            "title": name,
            **event_schema(name),
        }
    schema = load(name)
    others = {other: load(other) for other in _referred(name)}
    return {**schema, "$defs": {**schema.get("$defs", {}), **others}} if others else schema


def _referred(name: str) -> list[str]:
    """The other schemas that ``name`` refers to, and those that they refer to, each once."""
    found: list[str] = []
    waiting = [name]
    while waiting:
        for reference in _references(load(waiting.pop())):
            other = reference.removeprefix(URN).partition("#")[0]
            if reference.startswith(URN) and other != name and other not in found:
                found.append(other)
                waiting.append(other)
    return sorted(found)


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield reference
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def event_schema(kind: str | None) -> dict[str, Any]:
    """The schema of an event of a type (without its prefix), free of references, which cost much
    when they are followed for every event. None: of an event of whatever type."""
    event = load("event")
    body = {key: value for key, value in event.items() if not key.startswith("$")}
    if kind is None:
        return body
    definitions = load(EVENT_TYPES_IN)["$defs"]
    properties = {
        **event["properties"],
        "type": {"const": _TYPE_PREFIX + kind},
        "payload": _resolved(definitions[kind], definitions),
    }
    description = definitions[kind]["description"]
    return {**body, "title": kind, "description": description, "properties": properties}


def _resolved(schema: Any, definitions: dict[str, Any]) -> Any:
    """``schema`` with what its references name in their place. No definition names itself."""
    if isinstance(schema, list):
        return [_resolved(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    own = {key: _resolved(value, definitions) for key, value in schema.items() if key != "$ref"}
    reference = schema.get("$ref")
    if reference is None:
        return own
    target = definitions[reference.removeprefix("#/$defs/")]
    return {**_resolved(target, definitions), **own}
