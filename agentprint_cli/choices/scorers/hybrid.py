"""Meaning and words together: the cosine, and the runs of letters that context and tool share.

A tool's evidence is ``COSINE`` times the cosine of context and tool plus ``OVERLAP`` times their
lexical overlap (`rules.letter_runs`). Its score is the natural logarithm of its share of the menu,
when shares are in proportion to the exponential of the evidence. So a margin of -2 says that the
best tool that was not chosen fits e² (7.4) times as well as the best that was.

The two weights are the maximum of the labels' likelihood over the public tuning halves and the
tuning half of our own data, each set weighing the same, with the int8 MiniLM embedder; left-out
sets gave nearly the same weights. docs/validity.md has the measurements.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence

from ...rules.letter_runs import Menu, letter_runs
from .interface import Question, Scored, Scorer, Scores, Vectors, context_and_menu, cosines

COSINE = 11.75
OVERLAP = 0.45
MENUS = 64
"""How many menus are kept prepared."""

BASE = -0.1
PER_RIVAL = 0.75
IN_RUN = 1.5
INTENT = 2.0
RULE = (
    f"{BASE:g} - {PER_RIVAL:g} ln(tools - 1), times {IN_RUN:g} within a turn when no other "
    "recordings have a say"
)


def log_shares(questions: Sequence[Question], vectors: Vectors) -> Iterator[list[float]]:
    """For each question the logarithm of each tool's share of the menu, at most 0."""
    runs = functools.cache(letter_runs)

    # The same menu comes again and again. Not all are kept: a log may offer a new one each time.
    @functools.lru_cache(MENUS)
    def menu(texts: tuple[str, ...]) -> Menu:
        return Menu([runs(text) for text in texts])

    for question in questions:
        lexical = menu(question.texts).overlaps(letter_runs(question.words))
        near = cosines(vectors, question.context, question.texts)
        yield normalised([COSINE * c + OVERLAP * o for c, o in zip(near, lexical, strict=True)])


def normalised(evidence: Sequence[float]) -> list[float]:
    """Logarithms of shares that add up to one."""
    top = max(evidence)
    total = top + math.log(math.fsum(math.exp(value - top) for value in evidence))
    return [value - total for value in evidence]


def threshold(question: Question, scores: Scores) -> float:
    """By the size of the menu: each further rival is a further chance that one leads. Deep in a
    turn a menu's texts say less, unless other conversations show what is usual there."""
    found = by_menu(len(question.names))
    return found * IN_RUN if question.in_run and not scores.neighbours else found


def by_menu(tools: int) -> float:
    """The threshold for a menu of at least two tools."""
    return BASE - PER_RIVAL * math.log(tools - 1)


def intent_threshold(question: Question, scores: Scores) -> float:
    """What a model writes with its calls seldom says which tool comes next: only what fits another
    tool far better is told."""
    return INTENT * by_menu(len(question.names))


def score(questions: Sequence[Question], vectors: Vectors) -> Scored:
    """Each question by itself."""
    return Scored([Scores(values) for values in log_shares(questions, vectors)])


SCORER = Scorer(
    name="hybrid",
    unit="log share",
    noise=0.4,
    threshold=threshold,
    threshold_rule=RULE,
    fixed_threshold=None,
    intent_threshold=intent_threshold,
    scores_intent=True,
    flags_every_disagreement=False,
    uses_others=False,
    texts=context_and_menu,
    score=score,
    score_alone=score,
    alone="hybrid",
)
