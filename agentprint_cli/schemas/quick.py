"""A quick yes for values that are as their schema says, which nearly all events are.

jsonschema takes hundreds of microseconds for an event; a schema turned into plain functions, a
few. Such a function only says yes or no, so that jsonschema still finds the words for a no. It
knows the few keywords that the event schemas use, and the tests hold it to jsonschema's verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

Test = Callable[[Any], bool]

_NOTES = frozenset({"$schema", "$id", "title", "description"})


def compiled(schema: dict[str, Any]) -> Test:
    """A function that tells whether a value is as ``schema`` says. Raises `LookupError` for a
    keyword that is not known here."""
    tests = []
    for keyword, wanted in schema.items():
        if keyword == "additionalProperties":
            tests.append(_other_members(wanted, schema))
        elif keyword not in _NOTES:
            tests.append(_KEYWORDS[keyword](wanted))
    return _all(tests)


def _all(tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]

    def test(value: Any) -> bool:
        for each in tests:  # noqa: SIM110 - all() with a generator takes twice the time
            if not each(value):
                return False
        return True

    return test


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: dict[str, Test] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_integer,
}


def _type(wanted: str | list[str]) -> Test:
    if isinstance(wanted, str):
        return _TYPES[wanted]
    kinds = [_TYPES[name] for name in wanted]
    return lambda value: any(kind(value) for kind in kinds)


def _required(names: list[str]) -> Test:
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or wanted <= value.keys()


def _properties(schemas: dict[str, dict[str, Any]]) -> Test:
    tests = [(name, compiled(schema)) for name, schema in schemas.items()]

    def test(value: Any) -> bool:
        if isinstance(value, dict):
            for name, each in tests:
                if name in value and not each(value[name]):
                    return False
        return True

    return test


def _other_members(schema: dict[str, Any], whole: dict[str, Any]) -> Test:
    named = frozenset(whole.get("properties", {}))
    each = compiled(schema)
    return lambda value: (
        not isinstance(value, dict)
        or all(each(item) for name, item in value.items() if name not in named)
    )


def _items(schema: dict[str, Any]) -> Test:
    each = compiled(schema)
    return lambda value: not isinstance(value, list) or all(each(item) for item in value)


def _enum(words: list[str]) -> Test:
    if not all(isinstance(word, str) for word in words):
        raise LookupError("an enum of other things than strings")
    return lambda value: isinstance(value, str) and value in words


def _pattern(pattern: str) -> Test:
    search = re.compile(pattern).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _minimum(least: float) -> Test:
    return lambda value: not _is_number(value) or not value < least


_KEYWORDS: dict[str, Callable[[Any], Test]] = {
    "type": _type,
    "required": _required,
    "properties": _properties,
    "items": _items,
    "enum": _enum,
    "const": lambda wanted: _enum([wanted]),
    "pattern": _pattern,
    "minimum": _minimum,
}
