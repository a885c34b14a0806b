from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.base.json_text import BrokenJson
from agentprint_cli.rules import js_text

from .strategies import json_values, texts


def reference_units(text: str) -> list[int]:
    """The definition: a code point beyond the first 65,536 is two units."""
    out = []
    for character in text:
        code = ord(character)
        if code > 0xFFFF:
            out += [0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)]
        else:
            out.append(code)
    return out


@given(texts)
def test_units_and_length_follow_the_definition(text: str) -> None:
    assert list(js_text.units(text)) == reference_units(text)
    assert js_text.length(text) == len(reference_units(text))


@given(texts, st.integers(0, 50))
def test_cuts_are_slices_of_the_units(text: str, count: int) -> None:
    units = reference_units(text)
    assert reference_units(js_text.first_units(text, count)) == units[:count]
    assert reference_units(js_text.last_units(text, count)) == (units[-count:] if count else [])


def test_a_cut_may_halve_a_character_and_a_printed_one_does_not() -> None:
    assert js_text.first_units("a😀b", 2) == "a\ud83d"
    assert js_text.last_units("a😀b", 2) == "\ude00b"
    assert js_text.printable_cut("a😀b", 2) == "a"
    assert js_text.printable_cut("a😀b", 3) == "a😀"
    assert js_text.printable_cut("ab", 9) == "ab"
    assert js_text.printable_cut("😀", 0) == ""


def test_a_half_that_the_record_holds_is_printed() -> None:
    assert js_text.printable_cut("a\ud83db", 2) == "a\ud83d"
    assert js_text.printable_cut("a\ud83d", 2) == "a\ud83d"


@given(texts, st.integers(0, 50))
def test_a_printable_cut_is_the_cut_or_one_unit_less(text: str, count: int) -> None:
    cut, printed = js_text.first_units(text, count), js_text.printable_cut(text, count)
    assert printed in (cut, cut[:-1])


def test_trim_knows_javascripts_white_space_only() -> None:
    assert js_text.trim("\ufeff\u00a0\u2028 \t\v\u3000x\u1680\u205f\n") == "x"
    for kept in "\x85\x1c\x1d\x1e\x1f\u200b\u180e":
        assert js_text.trim(f" {kept}x{kept} ") == f"{kept}x{kept}"


@given(texts)
def test_trim_follows_its_definition(text: str) -> None:
    start, end = 0, len(text)
    while start < end and text[start] in js_text.WHITE_SPACE:
        start += 1
    while end > start and text[end - 1] in js_text.WHITE_SPACE:
        end -= 1
    assert js_text.trim(text) == text[start:end]


def test_quote_escapes_what_json_stringify_escapes() -> None:
    assert js_text.quote('"\\/\b\f\n\r\t\v\x00\x1f') == r'"\"\\/\b\f\n\r\t\u000b\u0000\u001f"'
    assert js_text.quote("\x7f\u2028\u2029é日😀") == '"\x7f\u2028\u2029é日😀"'
    assert js_text.quote("\ud83d-\ude00\ude00\ud83d") == r'"\ud83d-\ude00\ude00\ud83d"'


def test_two_halves_in_a_row_are_the_character() -> None:
    assert js_text.quote("\ud83d\ude00\ud83d") == r'"😀\ud83d"'
    assert js_text.first_units("\ud83d\ude00", 2) == "😀"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0, "0"),
        (0.1, "0.1"),
        (-12.5, "-12.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e16, "10000000000000000"),
        (1e-6, "0.000001"),
        (0.00001234, "0.00001234"),
        (1e-7, "1e-7"),
        (-1.5e-7, "-1.5e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (12345678901234567890, "12345678901234567000"),
        (-(10**21), "-1e+21"),
        (10**400, "null"),
        (math.inf, "null"),
        (math.nan, "null"),
    ],
)
def test_numbers_are_printed_as_javascript_prints_them(value: float, text: str) -> None:
    assert js_text.number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_is_the_same_number(value: float) -> None:
    assert float(js_text.number(value)) == value


def test_stringify_is_compact_and_puts_array_indices_first() -> None:
    value = {"b": [1.0, None, True], "10": {}, "2": [], "01": "é", "4294967295": 0, "4294967294": 0}
    assert js_text.stringify(value) == (
        '{"2":[],"10":{},"4294967294":0,"b":[1,null,true],"01":"é","4294967295":0}'
    )


def test_stringify_writes_any_depth() -> None:
    deep: list[object] = []
    for _ in range(50_000):
        deep = [deep]
    assert js_text.stringify(deep) == "[" * 50_001 + "]" * 50_001


@pytest.mark.parametrize("value", [{1: 2}, (1,), b"x", {"a": {1, 2}}])
def test_stringify_refuses_what_json_has_no_form_for(value: object) -> None:
    with pytest.raises(TypeError, match="JSON has no form"):
        js_text.stringify(value)


@given(json_values)
def test_what_is_stringified_is_read_back(value: object) -> None:
    text = js_text.stringify(value)
    assert js_text.stringify(json.loads(text)) == text
    assert js_text.stringify(js_text.parse(text)) == text


def test_parse_takes_lone_surrogates_where_javascript_does() -> None:
    assert js_text.parse('["\ud83d", "\\\\\ude00", "\\ud83d"]') == ["\ud83d", "\\\ude00", "\ud83d"]
    assert js_text.parse('"\ud83d\ude00é"') == "😀é"
    for broken in ('"\\\ud83d"', "\ud83d", '{"a": \ude00}', '["'):
        with pytest.raises(BrokenJson):
            js_text.parse(broken)
