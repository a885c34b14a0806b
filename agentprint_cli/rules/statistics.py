"""Statistics over margins and labels: quantiles, AUROC, and intervals by a grouped bootstrap.

Sources of the rules: quantiles are type 7 of Hyndman and Fan (1996, "Sample quantiles in
statistical packages"); the AUROC is the Mann-Whitney statistic with midranks; intervals are
percentile intervals of a bootstrap that draws whole groups (Davison and Hinkley 1997,
"Bootstrap methods and their application", 3.8). numpy is imported only for the bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Draws: TypeAlias = npt.NDArray[np.float64]
    """One row a resample: how often it drew each item."""
    Statistic: TypeAlias = Callable[[Draws], npt.NDArray[np.float64]]
    """The value of each resample; NaN where it has none."""

SEED = 20_240_501
"""Fixed, so that the same labels give the same interval."""
RESAMPLES = 2_000
LEVEL = 0.95
FEWEST_GROUPS = 10
"""From fewer groups a percentile interval is narrower than it claims to be."""
_CELLS = 1_000_000
"""How many numbers a batch of resamples may hold."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that covers the value in `LEVEL` of such samples, as far as a bootstrap can say."""

    low: float
    high: float


class NoInterval(StrEnum):
    """Why there is no interval."""

    FEW_GROUPS = "few-groups"
    """There are fewer than `FEWEST_GROUPS` groups."""
    OFTEN_UNDEFINED = "often-undefined"
    """In more than half of the resamples the statistic has no value."""
    CONSTANT = "constant"
    """Every resample has the same value, so that they say nothing of how sure it is."""


def quantile(ordered: Sequence[float], at: float) -> float:
    """The quantile ``at`` (0 to 1) of values in ascending order, linear between the two that are
    nearest to the place ``at * (n - 1)``. Raises `ValueError` when there are none."""
    if not ordered or not 0 <= at <= 1:
        raise ValueError("a quantile needs values and a place between 0 and 1")
    place = at * (len(ordered) - 1)
    below = int(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low if low == high else low + (high - low) * (place - below)


def auroc(wrong: Sequence[bool], doubt: Sequence[float]) -> float | None:
    """How well ``doubt`` tells wrong items from right ones: the chance that a wrong one, drawn at
    random, has more doubt than a right one, where equal doubt counts half. 0.5 is no better than
    a coin. None when there is no wrong one or no right one. Raises `ValueError` for sequences of
    different lengths."""
    items = sorted(zip(doubt, wrong, strict=True), key=lambda item: item[0])
    bad = sum(wrong)
    good = len(items) - bad
    if not bad or not good:
        return None
    ranks = 0.0
    start = 0
    while start < len(items):
        end = start
        while end < len(items) and items[end][0] == items[start][0]:
            end += 1
        midrank = (start + 1 + end) / 2
        ranks += midrank * sum(is_wrong for _, is_wrong in items[start:end])
        start = end
    return (ranks - bad * (bad + 1) / 2) / (bad * good)


def share(hits: Sequence[bool], among: Sequence[bool]) -> float | None:
    """The share of ``hits`` among the items that ``among`` names; None when it names none."""
    chosen = [hit for hit, counts in zip(hits, among, strict=True) if counts]
    return sum(chosen) / len(chosen) if chosen else None


# The bootstrap --------------------------------------------------------------------------------


def bootstrap(
    groups: Sequence[Hashable],
    statistic: Statistic,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | NoInterval:
    """A percentile interval for ``statistic``, such as `auroc_of` or `share_of` make.

    ``groups`` has the group of each item. Items of a group are not independent, so each resample
    draws as many groups as there are, with replacement, and takes all their items.
    """
    return bootstrap_each(groups, [statistic], resamples, seed)[0]


def bootstrap_each(
    groups: Sequence[Hashable],
    statistics: Sequence[Statistic],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Interval | NoInterval]:
    """Like `bootstrap` for several statistics, all from the same resamples."""
    import numpy as np

    if len(set(groups)) < FEWEST_GROUPS:
        return [NoInterval.FEW_GROUPS for _ in statistics]
    values: list[list[float]] = [[] for _ in statistics]
    with np.errstate(invalid="ignore", divide="ignore"):
        for draws in _draws(groups, resamples, seed):
            for found, statistic in zip(values, statistics, strict=True):
                found.extend(statistic(draws).tolist())
    return [_interval(found) for found in values]


def _draws(groups: Sequence[Hashable], resamples: int, seed: int) -> Iterator[Draws]:
    import numpy as np

    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    member = np.array([numbers[group] for group in groups])
    # The stream of RandomState is frozen, that of numpy's newer generators is not (NEP 19).
    random = np.random.RandomState(seed)
    batch = max(1, _CELLS // len(groups))
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        counts = np.empty((rows, len(numbers)))
        for row in range(rows):
            drawn = random.randint(0, len(numbers), size=len(numbers), dtype=np.int64)
            counts[row] = np.bincount(drawn, minlength=len(numbers))
        yield counts[:, member]


def _interval(values: Sequence[float]) -> Interval | NoInterval:
    defined = sorted(value for value in values if value == value)  # NaN is unequal to itself
    if not defined or 2 * len(defined) < len(values):
        return NoInterval.OFTEN_UNDEFINED
    if defined[0] == defined[-1]:
        return NoInterval.CONSTANT
    tail = (1 - LEVEL) / 2
    return Interval(quantile(defined, tail), quantile(defined, 1 - tail))


def auroc_of(wrong: Sequence[bool], doubt: Sequence[float]) -> Statistic:
    """The statistic `auroc` of each resample."""
    import numpy as np

    order = np.argsort(np.array(doubt, dtype=np.float64), kind="stable")
    ordered = np.array(doubt, dtype=np.float64)[order]
    bad = np.array(wrong, dtype=np.float64)[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])

    def of(draws: Draws) -> npt.NDArray[np.float64]:
        drawn = draws[:, order]
        wrongs = np.add.reduceat(drawn * bad, starts, axis=1)
        rights = np.add.reduceat(drawn * (1 - bad), starts, axis=1)
        below = np.cumsum(rights, axis=1) - rights / 2
        pairs = wrongs.sum(axis=1) * rights.sum(axis=1)
        found: npt.NDArray[np.float64] = (wrongs * below).sum(axis=1) / pairs
        return found

    return of


def share_of(hits: Sequence[bool], among: Sequence[bool]) -> Statistic:
    """The statistic `share` of each resample."""
    import numpy as np

    counted = np.array(among, dtype=np.float64)
    hit = np.array(hits, dtype=np.float64) * counted

    def of(draws: Draws) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = (draws @ hit) / (draws @ counted)
        return found

    return of
