"""What the same agent did elsewhere: `hybrid`, corrected by the choices of other conversations.

For each choice, the ``NEAREST`` choices of other conversations have a say: those in the most
similar situations, after the same last call. One at cosine ``c`` weighs exp(``SHARPNESS`` (c - 1)),
and exp(-``OTHER_CALL``) of that when the turn's last call before it was another. Their votes go to
the tools that they chose; the hybrid's shares are added as ``trust`` further votes. A score is the
logarithm of a tool's share of all votes.

How far the menu's texts are to be trusted is read off the recordings themselves: of the steps in
``TRUST``, the one under which the other conversations foretell each choice best, provided that it
gains ``GAIN`` (a sum of log likelihoods) over the texts alone. Where habit foretells nothing, as
among requests that are all different, the scores are those of `hybrid`. No label is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import hybrid
from .interface import Question, Scored, Scorer, Scores, Vectors, cosines

NEAREST = 10
SHARPNESS = 12.0
OTHER_CALL = 2.0
TRUST = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
GAIN = 3.0
MEMORY = 4096
"""How many choices are remembered at most; of more, evenly spread ones."""
SMALLEST = 5e-324
_BLOCK = 512
"""How many choices are compared with the memory at a time."""


@dataclass(frozen=True, slots=True)
class Votes:
    """What other conversations say of one choice."""

    of_tools: list[float]
    """Their weight, for each tool of the menu."""
    voters: int
    """How many of them chose a tool of the menu."""


def texts(question: Question) -> Sequence[str]:
    """What `hybrid` needs, and the situation."""
    return (question.context, question.situation, *question.texts)


def score(questions: Sequence[Question], vectors: Vectors) -> Scored:
    """All questions, each with the help of the others."""
    alone = list(hybrid.log_shares(questions, vectors))
    shares = [[math.exp(value) for value in values] for values in alone]
    votes = list(_votes(questions, vectors))
    trust, gain = _best_trust(questions, shares, votes)
    about = {
        "conversations": len({question.conversation for question in questions}),
        "trust": trust,
        "gain": gain,
    }
    if trust is None:
        return Scored([Scores(values, 0, values) for values in alone], about)
    return Scored(
        [
            Scores([_log(share) for share in _mixed(of, vote, trust)], vote.voters, values)
            for values, of, vote in zip(alone, shares, votes, strict=True)
        ],
        about,
    )


def _log(share: float) -> float:
    """The logarithm; of a share too small to be a number above 0, that of the smallest one."""
    return math.log(max(share, SMALLEST))


def _mixed(shares: Sequence[float], votes: Votes, trust: float) -> list[float]:
    total = trust + math.fsum(votes.of_tools)
    return [(trust * s + v) / total for s, v in zip(shares, votes.of_tools, strict=True)]


def _best_trust(
    questions: Sequence[Question], shares: Sequence[list[float]], votes: Sequence[Votes]
) -> tuple[float | None, float]:
    """The trust under which the choices are likeliest, and by how much more than without any
    votes; None when that is not `GAIN`."""
    alone = math.fsum(
        _likelihood(question, of) for question, of in zip(questions, shares, strict=True)
    )
    best, gain = None, 0.0
    for trust in TRUST:
        together = math.fsum(
            _likelihood(question, _mixed(of, vote, trust))
            for question, of, vote in zip(questions, shares, votes, strict=True)
        )
        if together - alone > gain:
            best, gain = trust, together - alone
    return (best, gain) if gain >= GAIN else (None, gain)


def _likelihood(question: Question, shares: Sequence[float]) -> float:
    """The log likelihood of what was chosen, on average over its tools."""
    chosen = [
        _log(share)
        for name, share in zip(question.names, shares, strict=True)
        if name in question.chosen
    ]
    return math.fsum(chosen) / len(chosen) if chosen else 0.0


def _votes(questions: Sequence[Question], vectors: Vectors) -> Iterator[Votes]:
    """For each question the votes of its nearest neighbours."""
    import numpy as np

    memory = _remembered(questions)
    if not memory:
        return
    index = {key: number for number, key in enumerate({q.conversation: None for q in questions})}
    calls = {key: number for number, key in enumerate({_last(q): None for q in questions})}
    groups = np.array([index[question.conversation] for question in questions])
    # A choice of no known identity is the copy of no other: it gets a number of its own.
    same = {key: number for number, key in enumerate({q.identity: None for q in questions})}
    copies = np.array(
        [
            same[question.identity] if question.identity is not None else -number - 1
            for number, question in enumerate(questions)
        ]
    )
    lasts = np.array([calls[_last(question)] for question in questions])
    rows = np.array([vectors.row(question.situation) for question in questions])
    kept = np.array(memory)
    units = vectors.units
    for start in range(0, len(questions), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = SHARPNESS * (units[rows[block]] @ units[rows[kept]].T)
        near -= OTHER_CALL * (lasts[block, None] != lasts[None, kept])
        near[groups[block, None] == groups[None, kept]] = -np.inf
        near[copies[block, None] == copies[None, kept]] = -np.inf
        # Rounded, so that the order does not hang on how a matrix product was summed.
        order = np.argsort(-np.round(near, 5), axis=1, kind="stable")[:, :NEAREST]
        for offset, places in enumerate(order):
            nearest = [memory[p] for p in places if np.isfinite(near[offset, p])]
            number = start + offset
            yield _vote(questions[number], [questions[n] for n in nearest], vectors)


def _remembered(questions: Sequence[Question]) -> list[int]:
    """The places of the questions that are remembered."""
    count = len(questions)
    if count <= MEMORY:
        return list(range(count))
    return [place * count // MEMORY for place in range(MEMORY)]


def _last(question: Question) -> str | None:
    return question.before[-1] if question.before else None


def _vote(question: Question, nearest: Sequence[Question], vectors: Vectors) -> Votes:
    place = {name: number for number, name in enumerate(question.names)}
    of_tools = [0.0] * len(question.names)
    voters = 0
    near = cosines(vectors, question.situation, [other.situation for other in nearest])
    for other, cosine in zip(nearest, near, strict=True):
        weight = math.exp(SHARPNESS * (cosine - 1))
        if _last(other) != _last(question):
            weight *= math.exp(-OTHER_CALL)
        on_menu = [name for name in other.chosen if name in place]
        for name in on_menu:
            of_tools[place[name]] += weight / len(other.chosen)
        voters += bool(on_menu)
    return Votes(of_tools, voters)


SCORER = Scorer(
    name="fleet",
    unit="log share",
    noise=hybrid.SCORER.noise,
    threshold=hybrid.threshold,
    threshold_rule=hybrid.RULE,
    fixed_threshold=None,
    intent_threshold=hybrid.intent_threshold,
    scores_intent=True,
    flags_every_disagreement=False,
    uses_others=True,
    texts=texts,
    score=score,
    score_alone=hybrid.score,
    alone=hybrid.SCORER.name,
)
