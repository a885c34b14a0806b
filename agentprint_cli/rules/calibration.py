"""What margins look like over many choices, and the threshold for a wanted share of flags.

Source of the rules: "Calibration" in the documentation (docs/calibrate.md). No rule takes margins
to lie in a certain range: scorers differ in their units.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

QUANTILES = (0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)
"""Which quantiles are told, besides the lowest and the highest value."""
MENU_SIZES = ((2, 5), (6, 10), (11, 20), (21, 50), (51, None))
"""Menus of about one size, by the number of tools, inclusive."""
TURN_POSITIONS = ((0, 0), (1, 1), (2, 2), (3, 5), (6, None))
"""Model calls of about one place in their turn, by how many came before, inclusive."""
MOST_BINS = 20
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,12})?)\s*%", re.ASCII)


class NoThreshold(StrEnum):
    """Why no threshold gives the wanted share of flags."""

    TOO_FEW = "too-few"
    """Fewer than 1/share choices: one flagged choice would be more than the share."""
    TIED = "tied"
    """So many choices share the lowest margin that flagging them would be more than the share."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The threshold for a share of flags."""

    threshold: float
    flagged: int
    """How many of the margins lie below it."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of a histogram: ``low <= value < high``."""

    low: float
    high: float
    members: tuple[int, ...]
    """Which of the values lie in it, by their place in the sequence."""


def parse_share(written: str) -> Fraction | None:
    """``5%`` as 1/20; None unless it is a share above 0 % and below 100 %."""
    match = _SHARE.fullmatch(written.strip())
    found = Fraction(match[1]) / 100 if match else Fraction(0)
    return found if 0 < found < 1 else None


def fewest(share: Fraction) -> int:
    """The fewest choices of which one flagged choice is no more than ``share``."""
    return math.ceil(1 / share)


def threshold_for(margins: Sequence[float], share: Fraction) -> Proposal | NoThreshold:
    """The threshold below which lie as many of ``margins`` as there may be, but never more than
    ``share`` (above 0, below 1) of them.

    Equal margins are flagged together or not at all. Any threshold between the highest flagged
    margin and the lowest one that is not flagged says the same; the one taken is the middle,
    with as few decimals as leave it between the two, since a threshold that equals a margin would
    hang on the last digit of a score, and those differ between processors.
    """
    ordered = sorted(margins)
    allowed = math.floor(share * len(ordered))
    if allowed < 1:
        return NoThreshold.TOO_FEW
    first_kept = ordered[allowed]
    flagged = bisect_left(ordered, first_kept)
    if flagged == 0:
        return NoThreshold.TIED
    return Proposal(_between(ordered[flagged - 1], first_kept), flagged)


def _between(low: float, high: float) -> float:
    """The middle of ``low < x <= high`` with as few decimals as possible."""
    middle = low + (high - low) / 2
    for digits in range(17):
        found = round(middle, digits) + 0.0  # no negative zero
        if low < found < high:
            return found
    return middle if low < middle else high


_LEAST_SPAN = 1e-290
"""A hundredth of a smaller one is no normal float any more."""


def histogram(values: Sequence[float]) -> list[Bin]:
    """Bins of one width, from the lowest value to the highest; none without values.

    The width is 1, 2 or 5 times a power of ten, the smallest that needs at most `MOST_BINS`
    bins, and edges are multiples of it, so that 0 is an edge.
    """
    if not values:
        return []
    low, high = min(values), max(values)
    step, exponent = _width(low, high)
    width = Fraction(step) * Fraction(10) ** exponent
    # Exact: a quotient of floats may end on the wrong side of an edge.
    first, last = (math.floor(Fraction(value) / width) for value in (low, high))
    # An edge is the float that is written so: 0.15 and not 0.15000000000000002. It may be on the
    # other side of a value than the exact edge, so there is an edge more at either end.
    edges = [float(number * width) for number in range(first - 1, last + 3)]
    members: list[list[int]] = [[] for _ in edges[1:]]
    for place, value in enumerate(values):
        members[bisect_right(edges, value) - 1].append(place)
    bins = [
        Bin(start, end, tuple(found))
        for start, end, found in zip(edges[:-1], edges[1:], members, strict=True)
    ]
    filled = [number for number, each in enumerate(bins) if each.members]
    return bins[filled[0] : filled[-1] + 1]


def _width(low: float, high: float) -> tuple[int, int]:
    """The width of a bin as (1, 2 or 5; power of ten)."""
    scale = max(abs(low), abs(high))
    # Two floats that differ in their last digits only need no bins of their own.
    span = max(high - low, scale * 1e-9) if low < high else scale or 1.0
    span = max(span, _LEAST_SPAN)
    exponent = math.floor(math.log10(span)) - 2
    while True:
        for step in (1, 2, 5):
            width = step * 10.0**exponent
            if math.floor(high / width) - math.floor(low / width) < MOST_BINS:
                return step, exponent
        exponent += 1


def bucket(value: int, buckets: Sequence[tuple[int, int | None]]) -> str | None:
    """The name of the bucket that ``value`` is in: ``3-5``, ``6+``, ``0``; None for none."""
    for low, high in buckets:
        if low <= value and (high is None or value <= high):
            return bucket_name((low, high))
    return None


def bucket_name(limits: tuple[int, int | None]) -> str:
    """What a bucket is called."""
    low, high = limits
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}-{high}"
