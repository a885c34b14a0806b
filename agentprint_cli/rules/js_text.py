"""Text as JavaScript counts it: in UTF-16 code units.

The framework that wrote the logs counts so, and texts must agree with it to the byte. A cut may
therefore leave half of a character, which stands in a Python string as a lone surrogate.
"""

from __future__ import annotations


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _text(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")


def _is_basic(text: str) -> bool:
    """Whether every character is one unit, so that Python counts as JavaScript does."""
    return text.isascii() or max(text) < "\U00010000"


def length(text: str) -> int:
    """How many UTF-16 units ``text`` has."""
    return len(text) if _is_basic(text) else len(_units(text)) // 2


def first_units(text: str, count: int) -> str:
    """The first ``count`` units of ``text``."""
    return text[:count] if _is_basic(text) else _text(_units(text)[: 2 * count])


def last_units(text: str, count: int) -> str:
    """The last ``count`` units of ``text``."""
    if count == 0:
        return ""
    return text[-count:] if _is_basic(text) else _text(_units(text)[-2 * count :])


# ECMAScript's WhiteSpace and LineTerminator: what `String.prototype.trim` removes. It is not what
# `str.strip` removes (which takes U+001C to U+001F and U+0085, and leaves U+FEFF).
_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trim(text: str) -> str:
    """``text`` without white space at either end, as JavaScript trims."""
    return text.strip(_SPACE)
