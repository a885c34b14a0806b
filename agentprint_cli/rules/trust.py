"""How far the flags of a report are to be trusted, from the report's own choices.

Nobody has said which choices were right, so this rests on what can be seen without labels: how
often the best-scored tool was the chosen one. On the labelled sets of docs/validity.md, that share
and how well margins tell right from wrong go together: both are high on short single requests and
low where a policy or the state of a run decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

FEW = 20
"""Of fewer choices nothing is said."""
LOW_AGREEMENT = 0.6
"""Below this share of agreement, flags are weak."""
LOW_BY_TEXTS = 0.5
"""Below this share of agreement by the menu's texts alone, flags are weak: something else decides.
What others chose may then foretell choices well, but an unusual one need not be wrong."""
MOSTLY = 0.5
"""More than this share of choices deep in a run, with no other recordings to compare with, makes
flags weak."""
PAIRS = 3

WEAK, FAIR, UNKNOWN = "weak", "fair", "unknown"
LOW, BY_TEXTS, DEEP, TOO_FEW = "low-agreement", "texts-disagree", "deep-in-run", "few-choices"


@dataclass(frozen=True, slots=True)
class Judged:
    """One choice that has a margin."""

    chosen: str
    """The best-scored of the chosen tools."""
    top: str
    """The best-scored tool."""
    agreed: bool
    """Whether the best-scored tool was chosen."""
    agreed_by_texts: bool
    """The same, when no other conversation has a say."""
    in_run: bool
    """Whether the model had spoken in the turn before."""
    neighbours: int | None
    """How many choices of other conversations had a say."""


@dataclass(frozen=True, slots=True)
class Trust:
    """What the choices say of their flags."""

    level: str
    """`WEAK`, `FAIR` or `UNKNOWN`."""
    reasons: tuple[str, ...]
    """Why it is not fair: `LOW`, `BY_TEXTS`, `DEEP`, `TOO_FEW`."""
    choices: int
    agreed: int
    agreed_by_texts: int
    single: int
    """Choices made before the model had said anything in the turn."""
    single_agreed: int
    in_run: int
    in_run_agreed: int
    compared: int
    """Choices in which other conversations had a say."""
    pairs: tuple[tuple[str, str, int], ...]
    """The pairs that disagree most often: the chosen tool, the one that scored better, how
    often."""


def trust(choices: Sequence[Judged]) -> Trust:
    """Sum up the choices under the rule: `UNKNOWN` for fewer than `FEW`; `WEAK` when the
    best-scored tool was chosen in less than `LOW_AGREEMENT` of them, or the best-scored by texts
    alone in less than `LOW_BY_TEXTS`, or when more than `MOSTLY` of them are deep in a run and
    without a say of others; else `FAIR`."""
    in_run = [choice for choice in choices if choice.in_run]
    agreed = sum(choice.agreed for choice in choices)
    by_texts = sum(choice.agreed_by_texts for choice in choices)
    alone = sum(not choice.neighbours for choice in in_run)
    reasons = []
    if len(choices) < FEW:
        reasons.append(TOO_FEW)
    else:
        if agreed < LOW_AGREEMENT * len(choices):
            reasons.append(LOW)
        elif by_texts < LOW_BY_TEXTS * len(choices):
            reasons.append(BY_TEXTS)
        if alone > MOSTLY * len(choices):
            reasons.append(DEEP)
    in_run_agreed = sum(choice.agreed for choice in in_run)
    pairs = Counter((choice.chosen, choice.top) for choice in choices if not choice.agreed)
    most = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:PAIRS]
    level = UNKNOWN if TOO_FEW in reasons else WEAK if reasons else FAIR
    return Trust(
        level=level,
        reasons=tuple(reasons),
        choices=len(choices),
        agreed=agreed,
        agreed_by_texts=by_texts,
        single=len(choices) - len(in_run),
        single_agreed=agreed - in_run_agreed,
        in_run=len(in_run),
        in_run_agreed=in_run_agreed,
        compared=sum(bool(choice.neighbours) for choice in choices),
        pairs=tuple((chosen, top, count) for (chosen, top), count in most),
    )
