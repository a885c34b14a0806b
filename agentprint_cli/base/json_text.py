"""JSON as bytes: decoding what real writers produce, and finding where a value stands.

The fast decoder is orjson. It refuses what JSON writers nevertheless produce (lone surrogates,
NaN, a byte order mark) and rounds integers beyond 64 bits; such text goes to the standard
library, which keeps both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import orjson

from . import rfc6901

BOM = b"\xef\xbb\xbf"
# Nineteen digits in a row may be an integer beyond 64 bits. Folding all digits into one and
# looking for a run of it is ten times faster than a regular expression.
_DIGITS_FOLDED = bytes.maketrans(b"123456789", b"000000000")
_LONG_DIGITS = b"0" * 19
_MOST_DIGITS = 4300
_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"')
_SCALAR = re.compile(rb"[^\s,:\[\]{}\"]+")
# Inside a container only strings and brackets matter; a lone quote is an unterminated string.
_STRUCTURE = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"|[{}\[\]]|"')
_OPENERS = (0x7B, 0x5B)
_CLOSERS = (0x7D, 0x5D)
_QUOTE = 0x22


class BrokenJson(ValueError):
    """The bytes are not JSON. ``offset`` counts bytes from the start of what was given."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def decode(raw: bytes) -> object:
    """The value that ``raw`` holds. Raises `BrokenJson`.

    Integers keep every digit (one of more than 4,300 digits is given as text); ``NaN`` and
    ``Infinity`` become floats; a lone surrogate stays in
    the string as it is written; of duplicate keys the last one counts.
    """
    if _LONG_DIGITS not in raw.translate(_DIGITS_FOLDED):
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            pass
    return _decode_leniently(raw)


def _decode_leniently(raw: bytes) -> object:
    start = len(BOM) if raw.startswith(BOM) else 0
    try:
        text = raw[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenJson("not valid UTF-8", start + error.start) from None
    try:
        return json.loads(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        offset = start + len(text[: error.pos].encode("utf-8", "surrogatepass"))
        said = error.msg.removesuffix(" at").removesuffix(" starting")
        raise BrokenJson(f"not valid JSON ({said})", offset) from None
    except RecursionError:
        raise BrokenJson("nested too deeply to be read", start) from None


def _integer(digits: str) -> int | str:
    """An integer with every digit; one of more digits than Python converts stays as text."""
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def skip_space(buffer: bytes, position: int) -> int:
    """The first place at or after ``position`` that is not JSON white space."""
    match = _SPACE.match(buffer, position)
    assert match is not None
    return match.end()


def value_end(buffer: bytes, position: int) -> int:
    """Where the value that starts at ``position`` ends. Raises `BrokenJson`.

    Brackets are counted and strings are skipped; whether the inside is valid JSON is left to
    whoever decodes it.
    """
    if position >= len(buffer):
        raise BrokenJson("the text ends where a value should stand", position)
    first = buffer[position]
    if first == _QUOTE:
        match = _STRING.match(buffer, position)
        if match is None:
            raise BrokenJson("a string is not closed", position)
        return match.end()
    if first in _OPENERS:
        depth = 0
        for match in _STRUCTURE.finditer(buffer, position):
            byte = buffer[match.start()]
            if byte == _QUOTE:
                if match.end() - match.start() == 1:
                    raise BrokenJson("a string is not closed", match.start())
            elif byte in _OPENERS:
                depth += 1
            else:
                depth -= 1
                if depth == 0:
                    return match.end()
        raise BrokenJson("the text ends inside an object or array", len(buffer))
    match = _SCALAR.match(buffer, position)
    if match is None:
        raise BrokenJson("a value is missing", position)
    return match.end()


def members(buffer: bytes, position: int) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of each member of the object at ``position``, in written order.

    Raises `BrokenJson` at the place where the object breaks off; the members before it have been
    yielded by then.
    """
    position = skip_space(buffer, position + 1)
    if buffer[position : position + 1] == b"}":
        return
    while True:
        if buffer[position : position + 1] != b'"':
            raise BrokenJson("a member name is missing", position)
        key_end = value_end(buffer, position)
        key = decode(buffer[position:key_end])
        position = skip_space(buffer, key_end)
        if buffer[position : position + 1] != b":":
            raise BrokenJson("a ':' is missing", position)
        start = skip_space(buffer, position + 1)
        end = value_end(buffer, start)
        yield str(key), start, end
        position = skip_space(buffer, end)
        if buffer[position : position + 1] == b"}":
            return
        if buffer[position : position + 1] != b",":
            raise BrokenJson("a ',' or '}' is missing", position)
        position = skip_space(buffer, position + 1)


def items(buffer: bytes, position: int) -> Iterator[tuple[int, int]]:
    """Start and end of each item of the array at ``position``. Raises `BrokenJson` likewise."""
    position = skip_space(buffer, position + 1)
    if buffer[position : position + 1] == b"]":
        return
    while True:
        end = value_end(buffer, position)
        yield position, end
        position = skip_space(buffer, end)
        if buffer[position : position + 1] == b"]":
            return
        if buffer[position : position + 1] != b",":
            raise BrokenJson("a ',' or ']' is missing", position)
        position = skip_space(buffer, position + 1)


def span_at(buffer: bytes, tokens: Sequence[str]) -> tuple[int, int]:
    """Start and end of the bytes that ``tokens`` lead to in the JSON text ``buffer``.

    Of duplicate keys the last one counts, as it does for `decode`. In a text that is cut off,
    what stands before the cut is still found. Raises `rfc6901.BadPath` where the path leads
    nowhere and `BrokenJson` where the text is no JSON.
    """
    start = skip_space(buffer, len(BOM) if buffer.startswith(BOM) else 0)
    for depth, token in enumerate(tokens):
        where = rfc6901.join(*tokens[:depth]) or "the root"
        opener = buffer[start : start + 1]
        if opener == b"{":
            found = _member_start(buffer, start, token)
            if found is None:
                raise rfc6901.BadPath(f"{where} has no member {token!r}")
        elif opener == b"[":
            index = rfc6901.array_index(token)
            found, count = _item_start(buffer, start, index)
            if found is None:
                raise rfc6901.BadPath(
                    f"{where} is an array of {count}, and {token!r} is not an index of it"
                )
        else:
            raise rfc6901.BadPath(f"{where} is neither an object nor an array")
        start = found
    return start, value_end(buffer, start)


def _member_start(buffer: bytes, position: int, key: str) -> int | None:
    """Where the last member called ``key`` of the object at ``position`` has its value.

    A member whose value is cut off is yielded by `members` no more, so its start is looked for
    in what is left: a pointer into the part before the cut still resolves.
    """
    found = None
    after = position
    try:
        for name, start, end in members(buffer, position):
            after = end
            if name == key:
                found = start
    except BrokenJson:
        opened = open_member(buffer, position, after)
        if opened is not None and opened[0] == key:
            return opened[1]
        if found is None:
            raise
    return found


def open_member(buffer: bytes, position: int, after: int) -> tuple[str, int] | None:
    """Key and value start of the member that the object at ``position`` breaks off in.

    ``after`` is the end of the last whole member's value (``position`` when there is none).
    """
    place = skip_space(buffer, after + 1 if after == position else after)
    if buffer[place : place + 1] == b",":
        place = skip_space(buffer, place + 1)
    match = _STRING.match(buffer, place)
    if match is None:
        return None
    colon = skip_space(buffer, match.end())
    if buffer[colon : colon + 1] != b":":
        return None
    start = skip_space(buffer, colon + 1)
    if start >= len(buffer):
        return None
    return str(decode(match.group())), start


def _item_start(buffer: bytes, position: int, index: int | None) -> tuple[int | None, int]:
    """Where item ``index`` of the array at ``position`` starts, and how many items there are."""
    count = 0
    for start, _ in items(buffer, position):
        if count == index:
            return start, count + 1
        count += 1
    return None, count


def compact(value: object) -> str:
    """``value`` as compact JSON text, as JavaScript's ``JSON.stringify`` separates it."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "(nested too deeply to be printed)"
