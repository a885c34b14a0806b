"""Checking values against the schemas, and saying in a few words what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from .catalogue import bundled, event_schema, event_types
from .quick import compiled

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Excuse = Callable[[object], bool]
"""Tells a value that may stand in the place of any other, such as a redaction's placeholder."""

_TYPE_PREFIX = "agentfootprint."
_TEXT = 40
_NAME = 200
_LISTED = 8
_ARTICLES = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


@dataclass(frozen=True, slots=True)
class Deviation:
    """One place where a value is not as its schema says."""

    path: tuple[str | int, ...]
    """Reference tokens to the place, from the value's root."""
    keyword: str
    """The JSON Schema keyword that is not met."""
    found: str
    """What stands there, in a few words; never the whole of a long value."""
    expected: str
    """What the schema wants there, in a few words."""


def _never(value: object) -> bool:
    return False


class Checker:
    """Checks values against one schema, which is compiled once."""

    def __init__(self, schema: dict[str, Any], excuse: Excuse = _never) -> None:
        from jsonschema import Draft202012Validator

        self._validator: Validator = Draft202012Validator(schema)
        self._excuse = excuse

    @classmethod
    def of(cls, name: str, excuse: Excuse = _never) -> Checker:
        """The checker of a schema by the name that `catalogue.find` returns."""
        return cls(bundled(name), excuse)

    def check(self, value: Any) -> Iterator[Deviation]:
        """The deviations of ``value``, in the schema's order."""
        missing_at: set[tuple[str | int, ...]] = set()
        for error in self._validator.iter_errors(value):
            if self._excuse(error.instance):
                continue
            path = _short(error.absolute_path)
            if error.validator == "required":
                if path not in missing_at:  # one error comes for each member, all alike
                    missing_at.add(path)
                    yield from _missing(error, path)
            else:
                yield Deviation(path, str(error.validator), _found(error), _expected(error))


class EventChecker:
    """Checks events, each against the schema of its type; a schema is compiled when the first
    event of its type comes by, and jsonschema is asked only about events that deviate."""

    def __init__(self, excuse: Excuse = _never) -> None:
        self._excuse = excuse
        self._known = frozenset(_TYPE_PREFIX + kind for kind in event_types())
        self._accepts: dict[str, Callable[[object], bool]] = {}
        self._checkers: dict[str, Checker] = {}

    def knows(self, kind: str) -> bool:
        """Whether there is a schema for this type (with its prefix)."""
        return kind in self._known

    def check(self, kind: str, event: object) -> list[Deviation]:
        """The deviations of an event of this type. Of an unknown type, only what every event has
        is checked."""
        try:
            return self._check(kind, event)
        except RecursionError:  # what is checked, or shown of it, is nested too deeply
            return [Deviation((), "depth", "a value nested too deeply", "one that can be checked")]

    def _check(self, kind: str, event: object) -> list[Deviation]:
        key = kind.removeprefix(_TYPE_PREFIX) if kind in self._known else ""
        accepts = self._accepts.get(key)
        if accepts is None:
            accepts = self._accepts[key] = compiled(event_schema(key or None))
        if accepts(event):
            return []
        checker = self._checkers.get(key)
        if checker is None:
            checker = self._checkers[key] = Checker(event_schema(key or None), self._excuse)
        return list(checker.check(event))


def _short(path: Iterable[str | int]) -> tuple[str | int, ...]:
    """The path as far as its names are of a bearable length: recorded names can be of any."""
    return tuple(takewhile(lambda token: len(str(token)) <= _NAME, path))


def _missing(error: ValidationError, path: tuple[str | int, ...]) -> Iterator[Deviation]:
    """One deviation for each member that the object at ``path`` lacks."""
    names = error.validator_value
    assert isinstance(names, list)
    for name in names:
        if isinstance(error.instance, dict) and name not in error.instance:
            yield Deviation(
                path, "required", f"no member {_quoted(name)}", f"a member {_quoted(name)}"
            )


def _found(error: ValidationError) -> str:
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        extra = [_quoted(name) for name in error.instance if name not in known]
        return f"the member{'' if len(extra) == 1 else 's'} {_some(extra, 'and')}"
    return described(error.instance)


def described(value: object) -> str:
    """What ``value`` is, in a few words: a short value itself, of a long one the beginning and
    the size."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        size = f" ({len(value):,} characters)" if len(value) > _TEXT else ""
        return f"the string {_quoted(value)}{size}"
    if isinstance(value, int | float):
        return f"the number {_clipped(repr(value))}"
    if isinstance(value, dict):
        return f"an object of {_count(len(value), 'member')}"
    if isinstance(value, list):
        return f"an array of {_count(len(value), 'item')}"
    return type(value).__name__


def _expected(error: ValidationError) -> str:
    """What the keyword asks for. A keyword that is not here is named with its value."""
    wanted = error.validator_value
    keyword = str(error.validator)
    if keyword == "type":
        types = wanted if isinstance(wanted, list) else [wanted]
        return _some([_ARTICLES[str(kind)] for kind in types], "or")
    if keyword == "enum" and isinstance(wanted, list):
        return f"one of {_some([_clipped(json.dumps(value)) for value in wanted], 'or')}"
    if keyword == "const":
        return _clipped(json.dumps(wanted))
    if keyword == "pattern":
        return f"a string that matches {_clipped(str(wanted))}"
    if keyword == "minimum":
        return f"at least {wanted}"
    if keyword == "minLength":
        return f"a string of at least {_count(_number(wanted), 'character')}"
    if keyword == "minItems":
        return f"at least {_count(_number(wanted), 'item')}"
    if keyword == "additionalProperties" and wanted is False and isinstance(error.schema, dict):
        return f"only {_some([_quoted(name) for name in error.schema.get('properties', {})], 'or')}"
    return f"{keyword} {_clipped(json.dumps(wanted))}"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _some(words: list[str], joint: str) -> str:
    """The first words as a phrase, and how many more there are."""
    if len(words) > _LISTED:
        return f"{', '.join(words[:_LISTED])} {joint} {len(words) - _LISTED} more"
    return f" {joint} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _quoted(text: str) -> str:
    """The beginning of ``text`` in quotation marks."""
    return f'"{_clipped(text)}"'


def _clipped(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
