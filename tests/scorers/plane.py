"""Questions whose texts are directions in a plane, so that every cosine is known."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from agentprint_cli.choices.scorers.interface import Question, Vectors, unit_rows

TOOLS = ("a", "b", "c")


def vectors(degrees: Mapping[str, float]) -> Vectors:
    """Each text at its angle, in degrees; the lengths differ and must not matter."""
    rows = [
        [(2 + place) * math.cos(math.radians(at)), (2 + place) * math.sin(math.radians(at))]
        for place, at in enumerate(degrees.values())
    ]
    return Vectors(
        unit_rows(np.array(rows, dtype=np.float32)),
        {text: place for place, text in enumerate(degrees)},
    )


def question(
    context: str,
    *chosen: str,
    conversation: Hashable = None,
    names: Sequence[str] = TOOLS,
    **other: Any,
) -> Question:
    """A question whose tools' texts are their names."""
    given = {"situation": context, "words": "", **other}
    return Question(
        names=tuple(names),
        texts=tuple(names),
        context=context,
        chosen=chosen,
        conversation=conversation,
        **given,
    )
