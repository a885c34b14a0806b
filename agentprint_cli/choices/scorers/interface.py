"""What a scorer is: a name, its rule, and what its numbers hold for.

A scorer sees all choices at once, since what an agent chose elsewhere may count; most look at
one choice at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix: TypeAlias = npt.NDArray[np.float64]
    """Rows of unit length (a zero vector stays zero), shape (texts, dimensions)."""

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Question:
    """One choice, as far as scorers look at it."""

    names: tuple[str, ...]
    """The menu, each name once."""
    texts: tuple[str, ...]
    """What each tool says of itself, in the same order."""
    context: str
    """The context's text."""
    situation: str
    """The context, also with what the model said in an earlier turn of the run."""
    words: str
    """The context's words alone, without the names of the roles."""
    chosen: tuple[str, ...]
    """What was chosen, each once. A scorer reads it of other conversations only."""
    before: tuple[str, ...] = ()
    """The tools called earlier in the turn, in order."""
    in_run: bool = False
    """Whether the model had spoken in this turn already."""
    conversation: Hashable = None
    """Which conversation it is of: its choices have no say in each other."""
    identity: Hashable = None
    """What a copy of the choice in another recording has in common with it: a choice has no say
    in itself. None when that is not known."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a scorer made of one question."""

    values: list[float]
    """A score for each tool of the menu, higher for a better fit."""
    neighbours: int | None = None
    """How many choices of other conversations had a say; None when the scorer asks none."""
    alone: list[float] | None = None
    """The scores without a say of theirs; None when the scorer asks none."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a scorer made of all questions, in their order."""

    scores: list[Scores]
    about: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """What a report has to say of how the scores came about."""


class Vectors:
    """The embedded texts, by text."""

    def __init__(self, units: Matrix, rows: Mapping[str, int]) -> None:
        self.units = units
        self._rows = rows

    def row(self, text: str) -> int:
        """The row of a text that was embedded."""
        return self._rows[text]


@dataclass(frozen=True, slots=True)
class Scorer:
    """One way to score."""

    name: str
    unit: str
    """What its scores, and so its margins, are measured in."""
    noise: float
    """How far a margin moves when nothing that matters has changed: another processor, other
    small words in the context. It is that of `score_alone`, since nothing else is compared over
    time. ``python -m bench noise`` shows what it rests on."""
    threshold: Callable[[Question, Scores], float]
    """Below which margin a choice is narrow, unless the user says otherwise."""
    threshold_rule: str
    """The same in words."""
    fixed_threshold: float | None
    """The threshold where it is the same for all choices."""
    intent_threshold: Callable[[Question, Scores], float]
    """Below which margin what the model wrote with its call announced another tool."""
    scores_intent: bool
    """Whether what the model wrote with its calls is scored unless the user says otherwise."""
    flags_every_disagreement: bool
    """Whether a choice of another tool than the best-scored one is flagged whatever the margin."""
    uses_others: bool
    """Whether its scores depend on the other recordings that are read with this one."""
    texts: Callable[[Question], Sequence[str]]
    """Which texts it needs embedded."""
    score: Callable[[Sequence[Question], Vectors], Scored]
    score_alone: Callable[[Sequence[Question], Vectors], Scored]
    """The same without a say of any other question; for that it needs context and menu only."""
    alone: str
    """The name of the scorer whose scores these are."""


def unit_rows(vectors: npt.NDArray[np.float32]) -> Matrix:
    """``vectors`` in double precision, each row divided by its length."""
    import numpy as np

    doubles = vectors.astype(np.float64)
    lengths = np.sqrt((doubles * doubles).sum(axis=1, keepdims=True))
    units: Matrix = np.divide(doubles, lengths, out=np.zeros_like(doubles), where=lengths > 0)
    return units


def cosines(vectors: Vectors, text: str, others: Sequence[str]) -> list[float]:
    """The cosine of ``text`` with each of ``others``, in double precision. Each row is summed by
    itself in the same order, so that equal texts get equal scores, which a matrix product does
    not promise."""
    units = vectors.units
    rows = [vectors.row(other) for other in others]
    found: list[float] = (units[rows] * units[vectors.row(text)]).sum(axis=1).tolist()
    return found


def context_and_menu(question: Question) -> Sequence[str]:
    """The texts of a question: its context and its menu."""
    return (question.context, *question.texts)
