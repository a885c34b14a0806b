"""What an analyzer is: a name and a function from a reading and a context to facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..model import Fact
from ..model.declarations import Declarations
from ..readings.run import RunReading


@dataclass(frozen=True, slots=True)
class Context:
    """What an analyzer gets besides the record."""

    declarations: Declarations = field(default_factory=Declarations)
    each: bool = False
    """Ask of every model call, where a question is otherwise about the answering one."""
    end_state: bool = False
    """Ask of the conversation's end too, after the last model call."""
    caps: tuple[int, ...] = ()
    """Result caps to replay."""
    show_code: bool = False
    """Quote the programs that were run; they may hold data."""


@dataclass(frozen=True, slots=True)
class Analyzer:
    """One question to a run. An exception in ``ask`` is a bug of ours and propagates."""

    name: str
    ask: Callable[[RunReading, Context], Iterator[Fact]]
