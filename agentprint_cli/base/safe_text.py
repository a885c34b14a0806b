"""Making recorded text safe to print.

What a log says is data. A control character in it must never reach a terminal, and a bidirectional
override must never reorder the line around it; each is shown as a visible escape instead.
"""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, the bidirectional controls, line and paragraph separators, the
# zero-width and other invisible format characters, tags, and lone surrogates (which no UTF-8
# stream can carry).
_UNSAFE_BODY = (
    "\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff"
)
_UNSAFE = re.compile(f"[{_UNSAFE_BODY}]")
_UNSAFE_KEEPING_NEWLINE = re.compile(f"(?!\n)[{_UNSAFE_BODY}]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    short = _SHORT.get(character)
    if short is not None:
        return short
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """``text`` on one line: every character that could act on a terminal becomes an escape."""
    return _UNSAFE.sub(_escape, text)


def visible_lines(text: str) -> str:
    """Like `visible`, but line feeds stay: for text that is printed over several lines."""
    return _UNSAFE_KEEPING_NEWLINE.sub(_escape, text)


def json_safe(text: str) -> str:
    """JSON ``text`` in which every such character is a JSON escape, so that the document says
    the same and a terminal that shows it stays still. Line feeds of the layout stay."""
    return _UNSAFE_KEEPING_NEWLINE.sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
