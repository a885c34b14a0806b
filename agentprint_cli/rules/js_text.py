"""Text as JavaScript sees it: counted, cut, trimmed and serialised in UTF-16 code units.

The framework that wrote the logs runs on JavaScript. Sizes, cuts and hashes agree with it only
when they are taken over the same units, so every rule that measures text measures it here.

A Python string may hold the two halves of one character as two separate code points. JavaScript
has no such distinction: two halves in a row ARE the character. Whatever is cut or serialised here
comes back with such halves joined.
"""

from __future__ import annotations

import json
import math
import re
import sys
from array import array
from collections.abc import Iterator

from ..base import json_text

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
r"""What ``String.prototype.trim`` removes and what ``\s`` matches (ECMA-262: white space and line
terminators). Unlike Python's, it holds U+FEFF, and neither U+0085 nor U+001C to U+001F."""

_NATIVE_UTF16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
_SURROGATE = re.compile("[\ud800-\udfff]")
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]|[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE_ESCAPES = {half: f"\\u{half:04x}" for half in range(0xD800, 0xE000)}
_ESCAPE_OR_SURROGATE = re.compile(r"\\.|[\ud800-\udfff]", re.DOTALL)
_LARGEST_ARRAY_INDEX = 2**32 - 2
_LARGEST_SAFE_INTEGER = 2**53
_encode_string = json.JSONEncoder(ensure_ascii=False).encode


def _to_utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _from_utf16(raw: bytes) -> str:
    return raw.decode("utf-16-le", "surrogatepass")


def _is_one_unit_each(text: str) -> bool:
    # Worth asking: slicing is then enough, and encoding a lone surrogate costs a microsecond.
    if text.isascii():
        return True
    try:
        return len(text.encode("utf-16-le")) == 2 * len(text)
    except UnicodeEncodeError:
        return _TWO_UNITS.search(text) is None


def _joined(text: str) -> str:
    """``text`` with no character left in two halves."""
    return text if _is_one_unit_each(text) else _from_utf16(_to_utf16(text))


def length(text: str) -> int:
    """The length of ``text`` in UTF-16 code units: JavaScript's ``text.length``."""
    return len(text) if _is_one_unit_each(text) else len(_to_utf16(text)) // 2


def first_units(text: str, count: int) -> str:
    """The first ``count`` UTF-16 units: ``text.slice(0, count)`` for a ``count`` of 0 or more.

    The cut may leave the first half of a surrogate pair at the end, as JavaScript's does; see
    `printable_cut` for what gets printed.
    """
    # A code point is one unit or two, so ``count`` code points hold at least as many units.
    head = text[: max(count, 0)]
    return head if _is_one_unit_each(head) else _from_utf16(_to_utf16(head)[: 2 * count])


def last_units(text: str, count: int) -> str:
    """The last ``count`` UTF-16 units, all of ``text`` when it has no more, nothing for 0.

    The cut may leave the second half of a surrogate pair at the start.
    """
    if count <= 0:
        return ""
    tail = text[-count:]
    return tail if _is_one_unit_each(tail) else _from_utf16(_to_utf16(tail)[-2 * count :])


def printable_cut(text: str, count: int) -> str:
    """The longest start of ``text`` of at most ``count`` UTF-16 units that halves no character.

    A half that ``text`` itself holds is what the record says, and stays.
    """
    head = first_units(text, count)
    # With one unit more, the last half of ``head`` would have become a whole character.
    return head if first_units(text, count + 1).startswith(head) else head[:-1]


def trim(text: str) -> str:
    """``text`` without white space at either end: ``String.prototype.trim``."""
    return text.strip(WHITE_SPACE)


def units(text: str) -> array[int]:
    """The UTF-16 code units of ``text``, in order."""
    return array("H", text.encode(_NATIVE_UTF16, "surrogatepass"))


def quote(text: str) -> str:
    r"""``text`` as a JSON string literal, exactly as ``JSON.stringify`` writes it.

    ``"`` and ``\`` are escaped, of the C0 controls ``\b \f \n \r \t`` in short and the others as
    ``\u00xx``, and lone surrogates as ``\udxxx``; nothing else is, neither DEL nor U+2028.
    """
    quoted = _encode_string(text)
    if quoted.isascii() or _SURROGATE.search(quoted) is None:
        return quoted
    return _joined(quoted).translate(_SURROGATE_ESCAPES)


def number(value: int | float) -> str:
    """``value`` as ``JSON.stringify`` writes a number.

    JavaScript has only doubles: an integer beyond 2**53 is rounded to the nearest one and written
    with the shortest digits that give it back, then zeros (12345678901234567890 is written
    12345678901234567000). What no double can hold, infinities and NaN are ``null``.
    """
    if isinstance(value, int):
        if abs(value) <= _LARGEST_SAFE_INTEGER:
            return str(int(value))
        try:
            value = float(value)
        except OverflowError:
            return "null"
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    # Both languages write the shortest digits that give the double back; they differ in where the
    # point stands and from where on there is an exponent (ECMA-262, Number::toString).
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or "0") - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


def stringify(value: object) -> str:
    """``value``, made of what JSON decodes to, as ``JSON.stringify(value)`` writes it: compact.

    Members stand in JavaScript's order: keys that are array indices ("0" to "4294967294", written
    plainly) first and ascending, then the others as they came. A log that JavaScript wrote has
    that order already; a log that something else wrote would get it on being read. Any depth of
    nesting is written. Raises TypeError for a value that JSON has no form for.
    """
    out: list[str] = []
    quoted_keys: dict[str, str] = {}
    # One frame for each array or object that is open: what is left of it, and its closing bracket.
    frames: list[tuple[Iterator[tuple[str, object]], str]] = [(iter((("", value),)), "")]
    while frames:
        rest, closer = frames[-1]
        for lead, item in rest:
            out.append(lead)
            if isinstance(item, dict):
                out.append("{")
                frames.append((_members(item, quoted_keys), "}"))
                break
            if isinstance(item, list):
                out.append("[")
                frames.append((_items(item), "]"))
                break
            out.append(_scalar(item))
        else:
            out.append(closer)
            frames.pop()
    return "".join(out)


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return quote(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    raise TypeError(f"JSON has no form for a {type(value).__name__}")


def _items(values: list[object]) -> Iterator[tuple[str, object]]:
    lead = ""
    for value in values:
        yield lead, value
        lead = ","


def _members(
    values: dict[object, object], quoted_keys: dict[str, str]
) -> Iterator[tuple[str, object]]:
    lead = ""
    for key in _key_order(values):
        quoted = quoted_keys.get(key)
        if quoted is None:
            quoted = quoted_keys[key] = quote(key)
        yield f"{lead}{quoted}:", values[key]
        lead = ","


def _key_order(values: dict[object, object]) -> list[str]:
    keys: list[str] = []
    indices: list[str] = []
    for key in values:
        if not isinstance(key, str):
            raise TypeError(f"JSON has no form for a member named by a {type(key).__name__}")
        (indices if _is_array_index(key) else keys).append(key)
    return sorted(indices, key=int) + keys


def _is_array_index(key: str) -> bool:
    if not ("0" <= key[:1] <= "9") or len(key) > 10:
        return False
    if not (key.isascii() and key.isdigit()):
        return False
    return (key == "0" or key[0] != "0") and int(key) <= _LARGEST_ARRAY_INDEX


def parse(text: str) -> object:
    """The value that the JSON ``text`` holds. Raises `json_text.BrokenJson`.

    A lone surrogate may stand in ``text`` as itself, as it may in JavaScript's ``JSON.parse``.
    """
    if _SURROGATE.search(text) is not None:
        # A half that a backslash stands before is left alone, and makes the text no JSON.
        text = _ESCAPE_OR_SURROGATE.sub(
            lambda found: _SURROGATE_ESCAPES.get(ord(found[0][0]), found[0]), _joined(text)
        )
    return json_text.decode(text.encode("utf-8", "surrogatepass"))
