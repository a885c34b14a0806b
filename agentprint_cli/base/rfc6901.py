"""JSON Pointers (RFC 6901): writing them and following them through decoded values."""

from __future__ import annotations

from collections.abc import Sequence


class BadPath(ValueError):
    """The text is no JSON Pointer, or leads nowhere in the value."""


def parse(path: str) -> list[str]:
    """The reference tokens of ``path``. Raises `BadPath` unless it is empty or starts with /."""
    if path == "":
        return []
    if not path.startswith("/"):
        raise BadPath(f"a JSON Pointer is empty or starts with '/': {path!r}")
    tokens = path[1:].split("/")
    for token in tokens:
        rest = token.replace("~0", "").replace("~1", "")
        if "~" in rest:
            raise BadPath(f"'~' stands only in '~0' and '~1': {token!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens]


def join(*tokens: str | int) -> str:
    """The JSON Pointer made of ``tokens``, each escaped."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def array_index(token: str) -> int | None:
    """``token`` as an array index, or None when RFC 6901 does not allow it as one."""
    if token.isascii() and token.isdigit() and (token == "0" or not token.startswith("0")):
        return int(token) if len(token) < 19 else None
    return None


def follow(value: object, tokens: Sequence[str]) -> object:
    """The value that ``tokens`` lead to inside ``value``. Raises `BadPath` where they stop."""
    here = value
    for depth, token in enumerate(tokens):
        if isinstance(here, dict):
            if token in here:
                here = here[token]
                continue
            raise BadPath(f"{join(*tokens[:depth]) or 'the root'} has no member {token!r}")
        if isinstance(here, list):
            index = array_index(token)
            if index is not None and index < len(here):
                here = here[index]
                continue
            raise BadPath(
                f"{join(*tokens[:depth]) or 'the root'} is an array of {len(here)}, "
                f"and {token!r} is not an index of it"
            )
        raise BadPath(f"{join(*tokens[:depth]) or 'the root'} is neither an object nor an array")
    return here
