r"""The shape of a piece of code, whatever its names, numbers and texts. Rule: "Code runs and their
sessions" in the analyses' rules.

Every step is one pass in time linear in the code, also on hostile input. Character classes are
JavaScript's: a word character is ASCII, white space is `js_text.WHITE_SPACE`. What looks odd is
the framework's rule, kept because hashes must agree: an identifier that BEGINS with a kept
keyword, ``S`` or ``N`` is kept whole (``index``, ``order``, ``None``), digits are a number only
where a run of ``0-9 _ . e E + -`` can end at a word boundary (``0x1F`` is none), a quote that is
never closed stays and what follows it is read on as code.
"""

from __future__ import annotations

import re

from . import js_text

_KEPT = (
    "if|else|for|while|return|function|const|let|var|def|import|from|class|try|catch|await|async|"
    "in|of|new|not|and|or"
)
_SPACE = f"[{js_text.WHITE_SPACE}]"
_LINE_COMMENT = re.compile(r"(?<!:)//[^\n]*")
_HASH_COMMENT = re.compile(r"#[^\n]*")
_QUOTE = re.compile("['\"`]")
# What follows an opening quote up to its closing one. Possessive: a string is never read twice.
_STRING_REST = {
    quote: re.compile(rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+{quote}", re.DOTALL)
    for quote in "'\"`"
}
_NUMBER = re.compile(r"\b\d[\d_.eE+-]*\b", re.ASCII)
_IDENTIFIER = re.compile(rf"\b(?!(?:{_KEPT}|S|N))[A-Za-z_$][\w$]*\b(?!{_SPACE}*\()", re.ASCII)
_SPACES = re.compile(f"{_SPACE}+")

_FNV_OFFSET = 0x811C9DC5
_FNV_PRIME = 0x01000193


def code_shape(code: str) -> str:
    """``code`` with comments gone, texts as ``S``, numbers as ``N``, names that are not called as
    ``V`` and white space collapsed. Keywords and the names of what is called stay."""
    code = _without_block_comments(code)
    code = _LINE_COMMENT.sub(" ", code)
    code = _HASH_COMMENT.sub(" ", code)
    code = _with_strings_named(code)
    code = _NUMBER.sub("N", code)
    code = _IDENTIFIER.sub("V", code)
    return js_text.trim(_SPACES.sub(" ", code))


def shape_hash(code: str) -> str:
    """32-bit FNV-1a over the UTF-16 units of the code's shape, lower-case hex without padding."""
    value = _FNV_OFFSET
    for unit in js_text.units(code_shape(code)):
        value = ((value ^ unit) * _FNV_PRIME) & 0xFFFFFFFF
    return f"{value:x}"


def _without_block_comments(code: str) -> str:
    # Not a regular expression: each opener that is never closed would be tried up to the end.
    pieces: list[str] = []
    position = 0
    while (start := code.find("/*", position)) >= 0:
        end = code.find("*/", start + 2)
        if end < 0:
            break
        pieces += code[position:start], " "
        position = end + 2
    pieces.append(code[position:])
    return "".join(pieces)


def _with_strings_named(code: str) -> str:
    pieces: list[str] = []
    position = kept_from = 0
    # When a quote is never closed, all later quotes of its kind are escaped as seen from it, and
    # so none of those is closed either: each kind is given up once, which keeps this linear.
    never_closed: set[str] = set()
    while (opening := _QUOTE.search(code, position)) is not None:
        position = opening.end()
        quote = opening.group()
        if quote in never_closed:
            continue
        rest = _STRING_REST[quote].match(code, position)
        if rest is None:
            never_closed.add(quote)
            continue
        pieces += code[kept_from : opening.start()], "S"
        position = kept_from = rest.end()
    pieces.append(code[kept_from:])
    return "".join(pieces)
