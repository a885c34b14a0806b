"""What a renderer is: a function from what a command found to a stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TextIO

from ..model.outline import Outline


@dataclass(frozen=True, slots=True)
class Output:
    """What a command has to say, in the two forms that renderers start from."""

    document: Callable[[], Mapping[str, object]]
    """The JSON contract's form."""
    outline: Callable[[], Outline]
    """The form for people."""


@dataclass(frozen=True, slots=True)
class Style:
    """How to lay out for the stream at hand."""

    color: bool = False
    width: int | None = None
    """Columns to wrap at; None: do not wrap (pipes and files)."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """One output format."""

    name: str
    write: Callable[[Output, TextIO, Style], None]
