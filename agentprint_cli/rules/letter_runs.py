"""How many runs of letters a context shares with a tool: lexical overlap that forgives endings.

Four characters in a row, word boundaries counted as one of them, need no stemmer and no list of
stop words, forgive typos, and hold for any language that writes letters. A run counts for less
the more tools of the menu have it, so that what all descriptions say says nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

LENGTH = 4
_WORD_START = re.compile("([a-z0-9])([A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")


def letter_runs(text: str) -> frozenset[str]:
    """The distinct runs of `LENGTH` characters in ``text``: lower case, words parted at capitals,
    and everything but letters and digits one space. A mark on a letter (an accent, a vowel sign)
    belongs to the letter, and an accented letter is the same in one character or in two. Empty for
    a text of fewer than two letters or digits."""
    if text.isascii():
        words = _NOT_WORD.sub(" ", _WORD_START.sub(r"\1 \2", text)).lower()
    else:
        words = unicodedata.normalize("NFC", "".join(_spaced(text)).lower())
    padded = f" {' '.join(words.split())} "
    return frozenset(padded[at : at + LENGTH] for at in range(len(padded) - LENGTH + 1))


def _spaced(text: str) -> Iterator[str]:
    """The same for characters beyond ASCII. A regular expression's word characters leave marks
    out, which would part most words of the Indic scripts."""
    letter = ""
    for char in text:
        if char.isalnum():
            if char.istitle() and (letter.islower() or letter.isdigit()):
                yield " "
            letter = char
            yield char
        elif letter and unicodedata.category(char).startswith("M"):
            yield char
        else:
            letter = ""
            yield " "


class Menu:
    """The tools of a menu, prepared once for any number of contexts.

    A run that ``k`` of ``n`` tools have weighs ln((n + 1) / (k + 1/2)).
    """

    def __init__(self, tools: Sequence[frozenset[str]]) -> None:
        """``tools``: the runs of each tool's text, in menu order."""
        self._tools = tuple(tools)
        self._having = Counter(chain.from_iterable(tools))
        count = len(tools)
        self._weights = [0.0, *(math.log((count + 1) / (k + 0.5)) for k in range(1, count + 1))]

    def overlaps(self, context: frozenset[str]) -> list[float]:
        """For each tool the weight of the runs that it shares with the context, over the square
        root of how many runs it has, so that long descriptions do not win by length."""
        weights, having = self._weights, self._having
        # fsum: the order of a set differs between processes, the sum must not.
        return [
            math.fsum([weights[having[run]] for run in runs & context]) / math.sqrt(len(runs))
            if runs
            else 0.0
            for runs in self._tools
        ]
