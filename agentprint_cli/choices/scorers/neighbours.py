"""The choices of other conversations that have a say in a choice, and what they say.

For each choice, the ``NEAREST`` choices of other conversations have a vote: those in the most
similar situations, after the same last call. Where the last of these are as near as others, they
share what is left, so that no order of the recordings decides. One at cosine ``c`` weighs
exp(``SHARPNESS`` (c - 1)), and exp(-``OTHER_CALL``) of that when the turn's last call before it was
another. A vote goes to the tools that were chosen, in equal parts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from .interface import Question, Vectors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Doubles: TypeAlias = npt.NDArray[np.float64]
    Integers: TypeAlias = npt.NDArray[np.intp]
    Booleans: TypeAlias = npt.NDArray[np.bool_]

K = TypeVar("K", bound=Hashable)

NEAREST = 10
SHARPNESS = 12.0
OTHER_CALL = 2.0
MEMORY = 4096
"""How many choices are remembered at most; of more, evenly spread ones."""
_UNKNOWN, _ABSENT = -1, -2
"""In place of numbers: of a choice that is a copy of none; of what no remembered choice has."""
_BLOCK = 512
"""How many choices are compared with the memory at a time."""


@dataclass(frozen=True, slots=True)
class Votes:
    """What other conversations say of one choice."""

    of_tools: list[float]
    """Their weight, for each tool of the menu."""
    voters: int
    """How many choices with a say chose a tool of the menu."""


def votes_of_neighbours(questions: Sequence[Question], vectors: Vectors) -> Iterator[Votes]:
    """For each question the votes of its nearest neighbours. ``vectors`` holds the situations."""
    import numpy as np

    memory = _Memory([questions[place] for place in _remembered(questions)], vectors)
    for start in range(0, len(questions), _BLOCK):
        block = questions[start : start + _BLOCK]
        # Rounded, so that no vote hangs on how a matrix product was summed.
        near = np.round(memory.nearness(block), 9)
        say = _shares_of_say(near)
        rows, voters = np.nonzero(say)
        weights = say[rows, voters] * np.exp(near[rows, voters])
        ends = np.searchsorted(rows, np.arange(len(block) + 1))
        for question, first, end in zip(block, ends[:-1], ends[1:], strict=True):
            yield memory.votes(question, voters[first:end], weights[first:end])


def _remembered(questions: Sequence[Question]) -> list[int]:
    """The places of the questions that are remembered; of copies the first."""
    first: dict[Hashable, int] = {}
    for place, question in enumerate(questions):
        first.setdefault(place if question.identity is None else (question.identity,), place)
    places = list(first.values())
    count = len(places)
    if count <= MEMORY:
        return places
    return [places[number * count // MEMORY] for number in range(MEMORY)]


def _shares_of_say(near: Doubles) -> Doubles:
    """How much of a vote each remembered choice has in each row of ``near``: the `NEAREST` a whole
    one, and those that are equally near at the end of these the same part of what is left."""
    import numpy as np

    has_say = np.isfinite(near)
    if near.shape[1] <= NEAREST:
        return np.where(has_say, 1.0, 0.0)
    last = np.partition(near, -NEAREST, axis=1)[:, -NEAREST, None]
    nearer = near > last
    tied = has_say & (near == last)
    left = NEAREST - nearer.sum(axis=1, keepdims=True)
    part = left / np.maximum(tied.sum(axis=1, keepdims=True), 1)
    return np.where(nearer, 1.0, np.where(tied, part, 0.0))


class _Memory:
    """The remembered choices, as arrays."""

    def __init__(self, remembered: Sequence[Question], vectors: Vectors) -> None:
        import numpy as np

        self._vectors = vectors
        # Situations by number: equal ones are compared once, and so are equally near.
        texts: dict[str, int] = {}
        self._lasts: dict[Hashable, int] = {}
        self._conversations: dict[Hashable, int] = {}
        self._identities: dict[Hashable, int] = {}
        chosen: dict[tuple[str, ...], int] = {}
        self._of_chosen = np.array([_numbered(chosen, q.chosen) for q in remembered], dtype=np.intp)
        self._chosen = tuple(chosen)
        self._of_text = np.array([_numbered(texts, q.situation) for q in remembered])
        self._of_last = np.array([_numbered(self._lasts, _last(q)) for q in remembered])
        self._of_conversation = np.array(
            [_numbered(self._conversations, q.conversation) for q in remembered]
        )
        self._of_identity = np.array(
            [
                _UNKNOWN if q.identity is None else _numbered(self._identities, q.identity)
                for q in remembered
            ]
        )
        self._distinct = vectors.units[[vectors.row(text) for text in texts]]

    def nearness(self, block: Sequence[Question]) -> Doubles:
        """How near each remembered choice is to each of ``block``, shape (block, memory): the
        logarithm of its weight; -infinity for what has no say."""
        import numpy as np

        rows = [self._vectors.row(question.situation) for question in block]
        near = SHARPNESS * ((self._vectors.units[rows] @ self._distinct.T) - 1)[:, self._of_text]
        near -= OTHER_CALL * self._differs(self._of_last, self._lasts, map(_last, block))
        conversations = (question.conversation for question in block)
        near[~self._differs(self._of_conversation, self._conversations, conversations)] = -np.inf
        identities = (question.identity for question in block)
        near[~self._differs(self._of_identity, self._identities, identities)] = -np.inf
        return near

    def _differs(
        self, remembered: Integers, numbers: Mapping[Hashable, int], asked: Iterable[Hashable]
    ) -> Booleans:
        """Which remembered choices differ from each one asked about; one that no remembered
        choice has, differs from all."""
        import numpy as np

        of_asked = np.array([numbers.get(key, _ABSENT) for key in asked])
        found: Booleans = of_asked[:, None] != remembered[None, :]
        return found

    def votes(self, question: Question, voters: Integers, weights: Doubles) -> Votes:
        """What the remembered choices at the places ``voters`` say, each with its weight."""
        import numpy as np

        # Together, what chose the same tools: of a fleet's choices all may be equally near.
        kinds, of_voters = np.unique(self._of_chosen[voters], return_inverse=True)
        sums = np.bincount(of_voters, weights=weights).tolist()
        counts = np.bincount(of_voters).tolist()
        place = {name: number for number, name in enumerate(question.names)}
        of_tools = [0.0] * len(place)
        count = 0
        for kind, weight, voting in zip(kinds.tolist(), sums, counts, strict=True):
            chosen = self._chosen[kind]
            on_menu = [place[name] for name in chosen if name in place]
            for number in on_menu:
                of_tools[number] += weight / len(chosen)
            count += voting if on_menu else 0
        return Votes(of_tools, count)


def _numbered(numbers: dict[K, int], key: K) -> int:
    """The number of ``key``: the next one when it is new."""
    return numbers.setdefault(key, len(numbers))


def _last(question: Question) -> str | None:
    return question.before[-1] if question.before else None
