"""Each structural rule over plain values."""

from __future__ import annotations

import time
from typing import Any

import pytest

from agentprint_cli.rules.catalogue_lint import (
    Namesakes,
    ProseValues,
    duplicate_names,
    enumerations_in_prose,
    is_english,
    listed_values,
    says_when,
    short_description,
    undocumented_optional,
    words,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" -- ", 0),
        ("Find it.", 2),
        ("the member's card", 3),
        ("send_overdue", 2),
        ("查询天气", 2),
        ("查询天气。现在", 3),
        ("ひらがなカタカナ", 4),
        ("über ÉCOLE naïve", 3),
    ],
)
def test_words(text: str, count: int) -> None:
    assert len(words(text)) == count


@pytest.mark.parametrize(
    ("name", "description", "why"),
    [
        ("x", "Find a loan.", "few-words"),
        ("x", "Find a loan now.", None),
        ("get_current_user", "Gets the current user", "repeats-name"),
        ("getCurrentUsers", "This tool gets the current user.", "repeats-name"),
        ("get_current_user", "Gets the current user's card", None),
        ("list_libraries", "List all of the library", "repeats-name"),
        ("weather", "查询城市的天气情况", None),
        ("weather", "查天气", "few-words"),
        ("x", "…!", "few-words"),
    ],
)
def test_short_description(name: str, description: str, why: str | None) -> None:
    assert short_description(name, description) == why


@pytest.mark.parametrize(
    ("description", "says"),
    [
        ("Renews a loan. Use this for books only.", True),
        ("Renews a loan, when nobody waits for it", True),
        ("Prefer search_loans.", True),
        ("Don't use it for films.", True),
        ("Renews a loan of a member by two weeks", False),
        ("Whence, iffy, onlyness, afterwards", False),
    ],
)
def test_says_when(description: str, says: bool) -> None:
    assert says_when(description) is says


def test_is_english() -> None:
    assert is_english("Find the loan")
    assert not is_english("Verlängert eine Ausleihe um zwei Wochen")
    assert not is_english("查询天气")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["a", "b"], []),
        (["a", "b", "a"], [Namesakes(True, (0, 2))]),
        (["getUser", "get_user", "GET-USER", "x"], [Namesakes(False, (0, 1, 2))]),
        (["get.user", "get user", "a", "a"], [Namesakes(False, (0, 1)), Namesakes(True, (2, 3))]),
        (["a_b", "aB", "a_b"], [Namesakes(True, (0, 2)), Namesakes(False, (0, 1))]),
        ([None, None], []),
        (["_", "-"], []),
        (["straße", "STRASSE"], [Namesakes(False, (0, 1))]),
    ],
)
def test_duplicate_names(names: list[str | None], found: list[Namesakes]) -> None:
    assert list(duplicate_names(names)) == found


def schema(required: Any = None, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        **({} if required is None else {"required": required}),
    }


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, []),
        ({"properties": []}, []),
        (schema(a={"type": "string"}), ["a"]),
        (schema(["a"], a={"type": "string"}), []),
        (
            schema(a={"description": "What"}, b={"description": "  "}, c={"description": 5}),
            ["b", "c"],
        ),
        (schema("a", a={}), ["a"]),
        (schema(a=True), []),
        ({**schema(a={"$ref": "#/$defs/x"}), "$defs": {"x": {"description": "An x"}}}, []),
        ({**schema(a={"$ref": "#/$defs/x"}), "$defs": {"x": {"type": "string"}}}, ["a"]),
        (schema(a={"anyOf": [{"type": "null"}, {"description": "An x"}]}), []),
        (schema(a={"items": {"description": "An item"}}), []),
    ],
)
def test_undocumented_optional(given: dict[str, Any], names: list[str]) -> None:
    assert undocumented_optional(given) == names


def test_schemas_that_refer_to_themselves_end() -> None:
    loop = schema(a={"$ref": "#/$defs/x"})
    loop["$defs"] = {"x": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#"}, {"$ref": "#/$defs/x"}]}}
    assert undocumented_optional(loop) == ["a"]
    assert list(enumerations_in_prose("", loop)) == []


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("Sort order: 'asc' or 'desc'", [("asc", "desc")]),
        ('"a", "b" and "c d"', [("a", "b", "c d")]),
        ("The direction, “left” or “right”", [("left", "right")]),
        ("One of low, medium, or high", [("low", "medium", "high")]),
        ("one of the following values:\n  GET, POST", [("GET", "POST")]),
        ("Allowed values: P1, P2, P3.", [("P1", "P2", "P3")]),
        ("Possible values are open or closed", [("open", "closed")]),
        ("Format (csv|json | xml)", [("csv", "json", "xml")]),
        ("must be either open or closed", [("open", "closed")]),
        ("options: 1 | 2", [("1", "2")]),
        ("'x' or 'x'", []),
        ("e.g. 'a' or 'b'", []),
        ("for example: 'a', 'b'", []),
        ('such as "x" or "y"', []),
        ("one of them or none", []),
        ("A name or a number", []),
        ("either the name or it", []),
        ("Don't, can't", []),
        ("the value 'x'", []),
        ("(string|null)", []),
        ("", []),
    ],
)
def test_listed_values(text: str, lists: list[tuple[str, ...]]) -> None:
    assert list(listed_values(text)) == lists


COLOURS = "One of red or blue"


@pytest.mark.parametrize(
    ("description", "given", "found"),
    [
        ("", schema(c={"description": COLOURS}), [ProseValues("c", ("red", "blue"), True)]),
        ("", schema(c={"description": COLOURS, "enum": ["red", "blue"]}), []),
        ("", schema(c={"description": COLOURS, "items": {"enum": ["red"]}}), []),
        ("", schema(c={"description": COLOURS, "anyOf": [{"const": "red"}]}), []),
        ("", schema(c={"description": "One of true or false", "type": "boolean"}), []),
        ("", schema(c={"description": COLOURS}, d={"enum": ["Red", "BLUE", "green"]}), []),
        ("Paints. The colour is 'red' or 'blue'.", schema(colour={}),
         [ProseValues("colour", ("red", "blue"), False)]),
        ("Paints. Returns 'ok' or 'error'.", schema(colour={}), []),
        ("The colour or size is 'red' or 'blue'", schema(colour={}, size={}), []),
        ("The colour is 'red' or 'blue'", schema(colour={"enum": ["red"]}), []),
        ("Give 'colour' or 'size'", schema(colour={}), []),
        ("The colour is 'red' or 'blue'", {}, []),
    ],
)  # fmt: skip
def test_enumerations_in_prose(
    description: str, given: dict[str, Any], found: list[ProseValues]
) -> None:
    assert list(enumerations_in_prose(description, given)) == found


@pytest.mark.parametrize(
    "text",
    [
        "one of " + " " * 50_000,
        "one of " + "a, " * 20_000,
        "'" * 50_000,
        "either " * 10_000,
        "(" + "a|" * 30_000,
        "'x' or " * 10_000,
        "values " * 10_000 + ":",
        "e.g. " * 10_000 + "'a' or 'b'",
        "do not " * 10_000,
    ],
)
def test_hostile_texts_take_no_time(text: str) -> None:
    before = time.process_time()
    list(listed_values(text))
    list(enumerations_in_prose(text, schema(a={"description": text})))
    short_description("a", text)
    says_when(text)
    is_english(text)
    assert time.process_time() - before < 1
