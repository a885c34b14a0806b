"""How many runs of letters a context shares with a tool: lexical overlap that forgives endings.

Four characters in a row, word boundaries counted as one of them, need no stemmer and no list of
stop words, forgive typos, and hold for any language that writes letters. A run counts for less
the more tools of the menu have it, so that what all descriptions say says nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

LENGTH = 4
_WORD_START = re.compile("([a-z0-9])([A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")


def letter_runs(text: str) -> frozenset[str]:
    """The distinct runs of `LENGTH` characters in ``text``: lower case, words parted at capitals,
    and everything but letters and digits one space. Empty for a text of no letters or digits."""
    spaced = _NOT_WORD.sub(" ", _WORD_START.sub(r"\1 \2", text)).strip().lower()
    if not spaced:
        return frozenset()
    padded = f" {spaced} "
    return frozenset(padded[at : at + LENGTH] for at in range(len(padded) - LENGTH + 1))


def overlaps(context: frozenset[str], menu: Sequence[frozenset[str]]) -> list[float]:
    """For each tool of the menu the weight of the runs that it shares with the context, over the
    square root of how many runs it has, so that long descriptions do not win by length.

    A run that ``k`` of ``n`` tools have weighs ln((n + 1) / (k + 1/2)).
    """
    count: dict[str, int] = {}
    for runs in menu:
        for run in runs:
            count[run] = count.get(run, 0) + 1
    weights = [0.0, *(math.log((len(menu) + 1) / (k + 0.5)) for k in range(1, len(menu) + 1))]
    found = []
    for runs in menu:
        # fsum: the order of a set differs between processes, the sum must not.
        shared = math.fsum(weights[count[run]] for run in runs & context)
        found.append(shared / math.sqrt(len(runs)) if runs else 0.0)
    return found
