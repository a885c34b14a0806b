"""A choice margin: how clearly the chosen tools stood out from the rest of the menu.

Source of the rules: "Choice margins" in the analyses' specification. A margin is geometry between
a context and the tools' descriptions, a stand-in for the model's choice and never its reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .choice_text import candidate_text

DEFAULT_THRESHOLD = 0.05
NARROW = "narrow"
PROXY_DISAGREEMENT = "proxy-disagreement"


@dataclass(frozen=True, slots=True)
class Margin:
    """One choice, scored."""

    scores: tuple[tuple[str, float], ...]
    """Each tool with its score, best first; ties stay in menu order."""
    margin: float | None
    """Best chosen minus best not chosen; None when everything was chosen."""
    top: str
    """The best-scored tool."""
    chosen: str
    """The best-scored of the chosen tools."""
    rival: str | None
    """The best-scored of the tools that were not chosen."""
    flags: tuple[str, ...]
    """`NARROW` and `PROXY_DISAGREEMENT`, as far as they hold."""


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """The cosine of the angle between two vectors, in double precision; 0 for a zero vector."""
    dot = norm_left = norm_right = 0.0
    for a, b in zip(left, right, strict=True):
        dot += a * b
        norm_left += a * a
        norm_right += b * b
    if norm_left == 0 or norm_right == 0:
        return 0.0
    return dot / (math.sqrt(norm_left) * math.sqrt(norm_right))


def rank(
    names: Sequence[str],
    scores: Sequence[float],
    chosen: Sequence[str],
    threshold: float = DEFAULT_THRESHOLD,
    *,
    flags_every_disagreement: bool = True,
) -> Margin:
    """The margin of a choice from the scores of its menu.

    ``chosen`` are names of the menu, at least one. Without ``flags_every_disagreement`` a better
    score of a tool that was not chosen is flagged only when the margin is below ``threshold``
    too. Raises `ValueError` for no choice or one that is not of the menu.
    """
    if not chosen or not set(chosen) <= set(names):
        raise ValueError("a margin needs a choice, and a choice is of the menu")
    ranked = sorted(zip(names, scores, strict=True), key=lambda pair: -pair[1])
    picked = set(chosen)
    best = next(pair for pair in ranked if pair[0] in picked)
    rival = next((pair for pair in ranked if pair[0] not in picked), None)
    margin = best[1] - rival[1] if rival is not None else None
    flags = []
    narrow = margin is not None and margin < threshold
    if narrow:
        flags.append(NARROW)
    if ranked[0][0] not in picked and (narrow or flags_every_disagreement):
        flags.append(PROXY_DISAGREEMENT)
    return Margin(
        scores=tuple(ranked),
        margin=margin,
        top=ranked[0][0],
        chosen=best[0],
        rival=rival[0] if rival is not None else None,
        flags=tuple(flags),
    )


def score_margin(
    candidates: Sequence[Mapping[str, str]],
    context: str,
    chosen: Sequence[str],
    embed: Callable[[list[str]], Sequence[Sequence[float]]],
    threshold: float = DEFAULT_THRESHOLD,
) -> Margin:
    """Score one choice with an embedding function.

    ``candidates``: the menu, each with ``name`` and maybe ``description``. ``context``: see
    `choice_text.choice_context`. ``embed`` is called once, with the context first and then each
    distinct candidate text, and returns one vector per text. Raises `ValueError` as `rank` does.
    """
    texts = [candidate_text(tool["name"], tool.get("description")) for tool in candidates]
    distinct = list(dict.fromkeys([context, *texts]))
    vectors = dict(zip(distinct, embed(distinct), strict=True))
    scores = [cosine(vectors[context], vectors[text]) for text in texts]
    return rank([tool["name"] for tool in candidates], scores, chosen, threshold)
