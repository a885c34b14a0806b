"""What is said of a value that is not as its schema says."""

from __future__ import annotations

from typing import Any

import pytest

from agentprint_cli.schemas import Checker, Deviation, EventChecker
from agentprint_cli.schemas.validation import described

from .samples import event, token


def deviations(schema: dict[str, Any], value: object) -> list[Deviation]:
    return list(Checker(schema).check(value))


@pytest.mark.parametrize(
    ("schema", "value", "found", "expected"),
    [
        ({"type": "string"}, 5, "the number 5", "a string"),
        ({"type": "integer"}, 1.5, "the number 1.5", "a whole number"),
        ({"type": "integer"}, True, "true", "a whole number"),
        ({"type": ["object", "null"]}, [1], "an array of 1 item", "an object or null"),
        ({"type": "boolean"}, None, "null", "true or false"),
        ({"enum": ["a", "b", "c"]}, "d", 'the string "d"', 'one of "a", "b" or "c"'),
        ({"const": "x"}, {}, "an object of 0 members", '"x"'),
        ({"pattern": "^a"}, "b", 'the string "b"', "a string that matches ^a"),
        ({"minimum": 0}, -1, "the number -1", "at least 0"),
        ({"minLength": 1}, "", 'the string ""', "a string of at least 1 character"),
        ({"minItems": 2}, [1], "an array of 1 item", "at least 2 items"),
        ({"maxItems": 1}, [1, 2], "an array of 2 items", "maxItems 1"),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1, "c": 2},
         'the members "b" and "c"', 'only "a"'),
    ],
)  # fmt: skip
def test_words_for_a_keyword(
    schema: dict[str, Any], value: object, found: str, expected: str
) -> None:
    (only,) = deviations(schema, value)
    assert (only.path, only.found, only.expected) == ((), found, expected)


def test_each_missing_member_is_one_deviation_at_the_object_that_lacks_it() -> None:
    schema = {"properties": {"x": {"required": ["a", "b", "c"]}}}
    assert deviations(schema, {"x": {"b": 1}}) == [
        Deviation(("x",), "required", 'no member "a"', 'a member "a"'),
        Deviation(("x",), "required", 'no member "c"', 'a member "c"'),
    ]


def test_a_path_leads_through_objects_and_arrays() -> None:
    schema = {"properties": {"a/b": {"items": {"properties": {"~": {"type": "null"}}}}}}
    (only,) = deviations(schema, {"a/b": [{}, {"~": 1}]})
    assert only.path == ("a/b", 1, "~")


def test_a_path_stops_before_a_name_that_is_very_long() -> None:
    schema = {"properties": {"a": {"additionalProperties": {"type": "null"}}}}
    (only,) = deviations(schema, {"a": {"x" * 10_000: 1}})
    assert only.path == ("a",)


@pytest.mark.parametrize(
    "value",
    [
        "x" * 1_000_000,
        ["x" * 1_000_000] * 3,
        {"x" * 1_000_000: 1},
        10**4000,
        -1.5e300,
        "\ud83d" * 50,
        "\x1b[31m" * 50,
    ],
)
def test_a_description_is_short_whatever_the_value(value: object) -> None:
    assert len(described(value)) < 100


def test_a_long_string_is_cut_and_says_so() -> None:
    assert described("x" * 1234) == f'the string "{"x" * 39}…" (1,234 characters)'


@pytest.mark.parametrize("extra", [{f"x{n}": n for n in range(1000)}, {"y" * 100_000: 1}])
def test_unwanted_members_are_told_in_a_few_words(extra: dict[str, int]) -> None:
    (only,) = deviations({"properties": {}, "additionalProperties": False}, extra)
    assert len(only.found) < 150


def test_an_event_is_checked_by_its_type() -> None:
    checker = EventChecker()
    kind = "agentfootprint.stream.token"
    assert checker.knows(kind)
    assert checker.check(kind, token()) == []
    (only,) = checker.check(kind, token(content=5))
    assert only.path == ("payload", "content")


def test_an_event_of_an_unknown_type_is_checked_as_an_event() -> None:
    checker = EventChecker()
    kind = "agentfootprint.future.thing"
    assert not checker.knows(kind)
    assert checker.check(kind, event("future.thing", anything=[1])) == []
    (only,) = checker.check(kind, {"type": kind, "payload": 5})
    assert (only.path, only.expected) == (("payload",), "an object")


@pytest.mark.parametrize("meta", [None, {"runId": 5}])
def test_meta_may_be_null_but_not_wrong(meta: object) -> None:
    found = EventChecker().check("agentfootprint.stream.token", {**token(), "meta": meta})
    assert bool(found) == (meta is not None)


def test_what_is_excused_deviates_from_nothing() -> None:
    checker = EventChecker(lambda value: value == "REDACTED")
    kind = "agentfootprint.stream.tool_start"
    start = event("stream.tool_start", toolName="t", toolCallId="c", args="REDACTED")
    assert checker.check(kind, start) == []
    assert len(checker.check(kind, {**start, "meta": 5})) == 1
