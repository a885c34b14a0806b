"""What the same agent did elsewhere: `hybrid`, corrected by the choices of other conversations.

For each choice, the nearest choices of other conversations vote for the tools that they chose
(`neighbours`); the hybrid's shares are added as ``trust`` further votes. A score is the logarithm
of a tool's share of all votes.

How far the menu's texts are to be trusted is read off the recordings themselves: of the steps in
``TRUST``, the one under which the other conversations foretell each choice best, provided that it
gains ``GAIN`` (a sum of log likelihoods) over the texts alone. Where habit foretells nothing, as
among requests that are all different, the scores are those of `hybrid`. No label is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import hybrid
from .interface import Question, Scored, Scorer, Scores, Vectors
from .neighbours import Votes, votes_of_neighbours

TRUST = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
GAIN = 3.0
SMALLEST = 5e-324
"""The smallest number above 0."""


def texts(question: Question) -> Sequence[str]:
    """What `hybrid` needs, and the situation."""
    return (question.context, question.situation, *question.texts)


def score(questions: Sequence[Question], vectors: Vectors) -> Scored:
    """All questions, each with the help of the others."""
    alone = list(hybrid.log_shares(questions, vectors))
    shares = [[math.exp(value) for value in values] for values in alone]
    votes = list(votes_of_neighbours(questions, vectors))
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
            Scores(_scores(values, of, vote, trust), vote.voters, values)
            for values, of, vote in zip(alone, shares, votes, strict=True)
        ],
        about,
    )


def _scores(alone: list[float], shares: Sequence[float], votes: Votes, trust: float) -> list[float]:
    """The scores of a choice: exactly those of the texts alone where nobody else has a say."""
    if not votes.voters:
        return alone
    return [_log(share) for share in _mixed(shares, votes, trust)]


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
    chosen = [
        [(s, v) for name, s, v in zip(q.names, of, vote.of_tools, strict=True) if name in q.chosen]
        for q, of, vote in zip(questions, shares, votes, strict=True)
    ]
    totals = [math.fsum(vote.of_tools) for vote in votes]
    alone = math.fsum(_mean_log([share for share, _ in tools]) for tools in chosen)
    best, gain = None, 0.0
    for trust in TRUST:
        together = math.fsum(
            _mean_log([(trust * share + vote) / (trust + total) for share, vote in tools])
            for tools, total in zip(chosen, totals, strict=True)
        )
        if together - alone > gain:
            best, gain = trust, together - alone
    return (best, gain) if gain >= GAIN else (None, gain)


def _mean_log(shares: Sequence[float]) -> float:
    """The log likelihood of what was chosen, on average over its tools."""
    return math.fsum(map(_log, shares)) / len(shares) if shares else 0.0


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
