"""What the application declares about its own tools and skills: the ``--declare`` file.

A declaration is the application's word, never the record's; facts that rest on one say so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from ..base.errors import UsageError
from ..base.json_text import BOM, BrokenJson, decode


@dataclass(frozen=True, slots=True)
class Declarations:
    """The application's word. Nothing is declared by default."""

    rows_at: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Tool name -> the top-level key of its result under which its rows stand."""
    skill_labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Skill id -> what people call it."""
    app_decides: str | None = None
    """Set when the application, not the library, decides how turns are routed: what decides."""


def load_declarations(path: str) -> Declarations:
    """Read a TOML or JSON file. Raises `UsageError` that names the place and the mend."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: the declarations cannot be read ({error.strerror})") from None
    return parse_declarations(_decoded(path, raw), path)


def _decoded(path: str, raw: bytes) -> object:
    raw = raw.removeprefix(BOM)
    if raw.lstrip().startswith(b"{"):
        try:
            return decode(raw)
        except BrokenJson as error:
            raise UsageError(f"{path}: {error} at byte {error.offset}") from None
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not valid UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:  # a number of too many digits, for one
        raise UsageError(f"{path}: not valid TOML: {error}") from None


def parse_declarations(value: object, where: str) -> Declarations:
    """The declarations that a decoded file holds. Raises `UsageError`.

    ``where`` names the file in messages. Unknown keys are refused: a misspelt one would
    silently declare nothing.
    """
    top = _table(value, where, "the file", ("tools", "skills", "app_decides"))
    rows_at = {}
    for name, tool in _table(top.get("tools", {}), where, "tools", None).items():
        table = _table(tool, where, f"tools.{name}", ("rows_at",))
        if "rows_at" in table:
            rows_at[name] = _word(table["rows_at"], where, f"tools.{name}.rows_at")
    labels = {}
    for name, skill in _table(top.get("skills", {}), where, "skills", None).items():
        table = _table(skill, where, f"skills.{name}", ("label",))
        if "label" in table:
            labels[name] = _word(table["label"], where, f"skills.{name}.label")
    decides = top.get("app_decides", False)
    if isinstance(decides, bool):
        app_decides = "the application" if decides else None
    else:
        app_decides = _word(decides, where, "app_decides (or true or false)")
    return Declarations(MappingProxyType(rows_at), MappingProxyType(labels), app_decides)


def _table(
    value: object, where: str, what: str, known: tuple[str, ...] | None
) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: {what} must be a table, not {_kind(value)}")
    unknown = [key for key in value if known is not None and key not in known]
    if unknown:
        raise UsageError(
            f"{where}: {what} has an unknown key {unknown[0]!r}; known: {', '.join(known or ())}"
        )
    return value


def _word(value: object, where: str, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{where}: {what} must be a non-empty string, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    names = {dict: "a table", list: "an array", str: "a string", bool: "true or false"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")
