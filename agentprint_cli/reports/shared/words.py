"""What the phrases share."""

from __future__ import annotations


def as_list(value: object) -> list[object]:
    """``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def quoted(value: object) -> str:
    """A recorded word, set apart."""
    return f"“{value}”"
