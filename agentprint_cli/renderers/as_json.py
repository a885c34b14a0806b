"""JSON: one document, keys in the contract's order, the same bytes for the same input."""

from __future__ import annotations

import json
import math
from typing import TextIO

import orjson

from ..base.safe_text import json_safe
from .interface import Output, Renderer, Style

_DEEPEST = 200
"""How deep a value is printed; the standard library's writer gives up at about a thousand."""


def dumps(value: object, *, indent: bool = True) -> str:
    """``value`` as JSON text that is safe to show on a terminal.

    What JSON cannot hold is written so that nothing is lost: NaN and infinities as strings; lone
    surrogates as the escapes that they were recorded as; big integers with every digit.
    """
    try:
        text = orjson.dumps(
            value, option=orjson.OPT_INDENT_2 if indent else None, default=_refuse
        ).decode("utf-8")
    except (orjson.JSONEncodeError, RecursionError):
        text = _dumps_leniently(value, indent)
    else:
        if "null" in text and _has_non_finite(_bounded(value, _DEEPEST)):  # NaN becomes null
            text = _dumps_leniently(value, indent)
    return json_safe(text)


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not JSON")


def _dumps_leniently(value: object, indent: bool) -> str:
    value = _bounded(value, _DEEPEST)
    return json.dumps(
        _finite(value),
        ensure_ascii=False,
        indent=2 if indent else None,
        separators=(",", ": ") if indent else (",", ":"),
    )


def _bounded(value: object, depth: int) -> object:
    """``value`` with what is nested deeper than ``depth`` replaced by a word."""
    if depth == 0 and isinstance(value, dict | list | tuple):
        return "(nested too deeply to be printed)"
    if isinstance(value, dict):
        return {key: _bounded(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_bounded(item, depth - 1) for item in value]
    return value


def _has_non_finite(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(_has_non_finite(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(_has_non_finite(item) for item in value)
    return False


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the document and a line feed."""
    stream.write(dumps(output.document()) + "\n")


RENDERER = Renderer("json", write)
