"""The reference scorer: the cosine between the context and each tool's text.

Source of the rule: "Choice margins" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Sequence

from .interface import Question, Scored, Scorer, Scores, Vectors, context_and_menu, cosines

THRESHOLD = 0.05
INTENT_THRESHOLD = -0.25


def score(questions: Sequence[Question], vectors: Vectors) -> Scored:
    """Each question by itself."""
    return Scored([Scores(cosines(vectors, q.context, q.texts)) for q in questions])


SCORER = Scorer(
    name="cosine",
    unit="cosine",
    noise=0.03,
    threshold=lambda question, scores: THRESHOLD,
    threshold_rule=f"{THRESHOLD:g}",
    fixed_threshold=THRESHOLD,
    intent_threshold=lambda question, scores: INTENT_THRESHOLD,
    scores_intent=False,
    flags_every_disagreement=True,
    uses_others=False,
    texts=context_and_menu,
    score=score,
    score_alone=score,
    alone="cosine",
)
