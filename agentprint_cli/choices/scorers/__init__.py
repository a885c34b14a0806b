"""How the contexts and menus of choices become scores, by name."""

from __future__ import annotations

from . import cosine, fleet, hybrid
from .interface import Scorer

SCORERS: tuple[Scorer, ...] = (cosine.SCORER, hybrid.SCORER, fleet.SCORER)
REFERENCE = cosine.SCORER.name
FITTED_FOR = "minilm"
"""The embedder that the weights and thresholds of the other scorers were fitted with."""


def scorer_of(name: str) -> Scorer:
    """The scorer of that name. Raises KeyError when there is none."""
    for scorer in SCORERS:
        if scorer.name == name:
            return scorer
    raise KeyError(name)


def default_scorer(embedder: str, with_others: bool) -> str:
    """The scorer to use when none is named: the one that measured best, where its weights hold.

    They were fitted with one embedder. With any other the reference stands in, whose rule has
    nothing fitted. ``with_others``: whether the other recordings may have a say.
    """
    if embedder != FITTED_FOR:
        return REFERENCE
    return fleet.SCORER.name if with_others else hybrid.SCORER.name
