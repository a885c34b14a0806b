from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules import js_text
from agentprint_cli.rules.code_shape import code_shape, shape_hash

from .strategies import texts


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("total = sum(rows, 3) # all", "V = sum(V, N)"),
        ("a /* b \n c */ d // e\nf", "V V V"),
        ("url = http://x", "V = V://V"),
        ("/* never closed x", "/* V V V"),
        ("f \u00a0\n(x)", "f (V)"),
        ("f\x85(x)", "V\x85(V)"),
        ("index order None Sum", "index order None Sum"),
        ("If Order", "V V"),
        ("0x1F 1_000 2.5e-3 1E5 2.5e-3if", "0x1F N N N N3if"),
        ("'it\\'s' + \"a\\\\\" + `b\n`", "S + S + S"),
        ("'a\\\nb'", "S"),
        ("don't", "V'V"),
        ("x = 'a' + \"b", 'V = S + "V'),
        ("\"'\" + '\"'", "S + S"),
        # A "$" is part of a name, and no word character where a name must end at a boundary.
        ("$a.b$ = c$d(", "$V.V$ = Vd("),
        ("é日本", "é日本"),
        ("", ""),
    ],
)
def test_shapes(code: str, shape: str) -> None:
    assert code_shape(code) == shape


def test_the_hash_is_of_the_shape_and_is_not_padded() -> None:
    assert shape_hash("") == "811c9dc5"
    assert shape_hash("groupBy(rows, 'wwn')") == "efb6a753"
    assert shape_hash('groupBy( items, "x" )') != "efb6a753"  # white space is kept as a space
    assert shape_hash('groupBy(items,\n "x") // y') == "efb6a753"
    assert shape_hash("index#") == "90aa9ab"


HOSTILE = {
    "block openers": "/*" * 16_000,
    "quotes": "'" * 16_001,
    "escaped quotes": "'" + "\\'" * 16_000,
    "escaped quotes of all kinds": "\"'`" + "\\\"\\'\\`" * 16_000,
    "slashes": "//" * 16_000,
    "urls": "://" * 16_000,
    "number runs": "1-" * 16_000 + "x",
    "number without an end": "1" + "e" * 16_000 + "x",
    "dollars": "a" + "$" * 16_000 + "(",
    "dollar parts": "a$" * 16_000 + "(",
    "spaces after names": ("a" + " " * 1_000) * 100,
    "a megabyte": "\"\\'`/*x#" * 125_000,
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_code_takes_linear_time(code: str) -> None:
    start = time.process_time()
    shape_hash(code)
    # Quadratic passes take minutes here; linear ones milliseconds, about a second for a megabyte.
    assert time.process_time() - start < 10


@given(texts)
def test_white_space_is_collapsed_and_trimmed(code: str) -> None:
    shape = code_shape(code)
    assert shape == js_text.trim(shape)
    assert not any(space in shape for space in js_text.WHITE_SPACE if space != " ")
    assert "  " not in shape


@given(st.from_regex("[a-z]{1,5}", fullmatch=True), st.integers(0, 10**6), texts)
def test_names_numbers_and_texts_do_not_matter(name: str, value: int, text: str) -> None:
    text = text.replace("\\", "").replace('"', "")
    # Comments go before strings do, so a text must not look like one.
    for mark in ("/", "#"):
        text = text.replace(mark, "")
    code = f'total_{name} = run({value}, "{text}")'
    assert code_shape(code) == "V = run(N, S)"
