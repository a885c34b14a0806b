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

from .interface import Question, Vectors, cosines

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
        # Rounded, so that nearness does not hang on how a matrix product was summed.
        near = np.round(memory.nearness(block), 5)
        for question, row in zip(block, near, strict=True):
            yield memory.votes(question, _share_of_say(row))


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


def _share_of_say(near: Doubles) -> Doubles:
    """How much of a vote each remembered choice has: the `NEAREST` a whole one, and those that
    are equally near at the end of these the same part of what is left."""
    import numpy as np

    if len(near) <= NEAREST:
        return np.where(np.isfinite(near), 1.0, 0.0)
    last = np.partition(near, -NEAREST)[-NEAREST]
    nearer = near > last
    if not np.isfinite(last):
        return np.where(nearer, 1.0, 0.0)
    tied = near == last
    left: float = (NEAREST - nearer.sum()) / tied.sum()
    return np.where(nearer, 1.0, np.where(tied, left, 0.0))


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
        self._tools: dict[str, int] = {}
        pairs = [
            (row, _numbered(self._tools, name), 1 / len(question.chosen))
            for row, question in enumerate(remembered)
            for name in question.chosen
        ]
        self._pair_rows = np.array([row for row, _, _ in pairs], dtype=np.intp)
        self._pair_tools = np.array([tool for _, tool, _ in pairs], dtype=np.intp)
        self._pair_parts = np.array([part for _, _, part in pairs], dtype=np.float64)
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
        self._situations = tuple(texts)
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

    def votes(self, question: Question, say: Doubles) -> Votes:
        """What the remembered choices say, each with its part of a ``say``."""
        import numpy as np

        voters = np.flatnonzero(say)
        weights = np.zeros(len(say))
        weights[voters] = say[voters] * self._weights(question, voters)
        voting = np.flatnonzero(weights[self._pair_rows])
        rows, tools = self._pair_rows[voting], self._pair_tools[voting]
        parts = weights[rows] * self._pair_parts[voting]
        of_all = np.bincount(tools, weights=parts, minlength=len(self._tools)).tolist()
        on_menu = [self._tools[name] for name in question.names if name in self._tools]
        return Votes(
            [of_all[self._tools[name]] if name in self._tools else 0.0 for name in question.names],
            len(np.unique(rows[np.isin(tools, on_menu)])),
        )

    def _weights(self, question: Question, voters: Integers) -> Doubles:
        """The weights of whole votes, from cosines that do not hang on a matrix product."""
        import numpy as np

        numbers, places = np.unique(self._of_text[voters], return_inverse=True)
        situations = [self._situations[number] for number in numbers]
        near = np.array(cosines(self._vectors, question.situation, situations))[places]
        other_call = self._of_last[voters] != self._lasts.get(_last(question), _ABSENT)
        found: Doubles = np.exp(SHARPNESS * (near - 1) - OTHER_CALL * other_call)
        return found


def _numbered(numbers: dict[K, int], key: K) -> int:
    """The number of ``key``: the next one when it is new."""
    return numbers.setdefault(key, len(numbers))


def _last(question: Question) -> str | None:
    return question.before[-1] if question.before else None
