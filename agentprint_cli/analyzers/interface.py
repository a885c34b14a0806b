"""What an analyzer is: a name and a function from a reading and a context to facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..declarations import Declarations
from ..model import Fact
from ..readings.run import RunReading


@dataclass(frozen=True, slots=True)
class Context:
    """What an analyzer gets besides the record."""

    declarations: Declarations = field(default_factory=Declarations)


@dataclass(frozen=True, slots=True)
class Analyzer:
    """One question to a run. An exception in ``ask`` is a bug of ours and propagates."""

    name: str
    ask: Callable[[RunReading, Context], Iterator[Fact]]
