"""The schema files: valid, complete, and known under the names that users say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentprint_cli.base import rfc6901
from agentprint_cli.base.errors import UsageError
from agentprint_cli.model import Reason, Status
from agentprint_cli.schemas import SCHEMAS, bundled, event_types, find
from agentprint_cli.schemas.catalogue import URN, event_schema, load
from agentprint_cli.schemas.quick import compiled

NAMES = [schema.name for schema in SCHEMAS]


def subschemas(schema: object) -> Iterator[dict[str, Any]]:
    """Every object in a schema file."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from subschemas(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from subschemas(value)


@pytest.mark.parametrize("name", [*NAMES, *event_types()])
def test_a_schema_is_a_valid_schema(name: str) -> None:
    Draft202012Validator.check_schema(bundled(name))


def test_the_catalogue_names_every_file() -> None:
    found = {entry.name for entry in (files("agentprint_cli.schemas") / "data").iterdir()}
    assert found == {f"{name}.json" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_says_who_it_is(name: str) -> None:
    schema = load(name)
    assert schema["$id"] == URN + name
    assert schema["title"] == name
    assert schema["description"]


@pytest.mark.parametrize("name", NAMES)
def test_references_lead_somewhere(name: str) -> None:
    for part in subschemas(load(name)):
        if isinstance(part.get("$ref"), str):
            file, _, path = part["$ref"].partition("#")
            rfc6901.follow(load(file.removeprefix(URN) if file else name), rfc6901.parse(path))


@pytest.mark.parametrize("name", NAMES)
def test_a_required_member_is_described(name: str) -> None:
    for part in subschemas(load(name)):
        if part.get("type") == "object" and "properties" in part:
            assert set(part.get("required", [])) <= set(part["properties"])


@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_holds_all_that_it_refers_to(name: str) -> None:
    bundle = bundled(name)
    held = {bundle["$id"]} | {
        part["$id"] for part in bundle.get("$defs", {}).values() if "$id" in part
    }
    referred = {
        part["$ref"].partition("#")[0]
        for part in subschemas(bundle)
        if isinstance(part.get("$ref"), str)
    }
    assert referred - {""} <= held


def test_an_event_is_sent_to_the_definition_of_its_type() -> None:
    sent = [
        (
            part["if"]["properties"]["type"]["const"],
            part["then"]["properties"]["payload"]["$ref"],
        )
        for part in load("event-log")["allOf"]
    ]
    assert sent == [(f"agentfootprint.{kind}", f"#/$defs/{kind}") for kind in event_types()]


def test_event_types_are_in_order_and_described() -> None:
    types = event_types()
    assert types == sorted(types)
    assert all(load("event-log")["$defs"][kind]["description"] for kind in types)


@pytest.mark.parametrize("kind", [None, *event_types()])
def test_an_event_schema_has_no_references_and_can_be_compiled(kind: str | None) -> None:
    schema = event_schema(kind)
    assert all("$ref" not in part for part in subschemas(schema))
    assert not compiled(schema)(None)


def test_events_may_have_more_members_than_the_schemas_name() -> None:
    for part in subschemas(load("event-log")):
        assert part.get("additionalProperties") is not False


def test_statuses_and_reasons_are_the_models() -> None:
    parts = load("parts")["$defs"]
    assert parts["status"]["enum"] == [str(status) for status in Status]
    assert all(re.search(parts["reason"]["pattern"], reason) for reason in Reason)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("explain", "explain@1"),
        ("explain@1", "explain@1"),
        ("agentprint/explain@1", "explain@1"),
        ("explain-all", "explain-all@1"),
        ("runs", "runs@1"),
        ("validate", "validate@1"),
        ("event-log", "event-log"),
        ("jsonl", "event-log"),
        ("recording", "recording"),
        ("artifact", "recording"),
        ("declarations", "declarations"),
        ("stream.tool_end", "stream.tool_end"),
        ("agentfootprint.stream.tool_end", "stream.tool_end"),
    ],
)
def test_names_as_users_say_them(said: str, name: str) -> None:
    assert find(said) == name


@pytest.mark.parametrize(
    "said", ["explain@2", "Explain", "", "callId", "../event", "explain@1.json"]
)
def test_an_unknown_name_names_the_known_ones(said: str) -> None:
    with pytest.raises(UsageError, match=r"event-log, .*explain@1, .*such as stream.tool_end"):
        find(said)


def test_no_two_schemas_share_a_name() -> None:
    said = [
        name
        for schema in SCHEMAS
        for name in {schema.name, schema.name.partition("@")[0], *schema.aliases}
    ]
    assert len(said) == len(set(said))
    assert not set(said) & set(event_types())
