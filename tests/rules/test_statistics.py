"""Quantiles, the AUROC and the grouped bootstrap."""

from __future__ import annotations

import math
import statistics as standard
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules.statistics import (
    FEWEST_GROUPS,
    Interval,
    NoInterval,
    auroc,
    auroc_of,
    bootstrap,
    bootstrap_each,
    quantile,
    share,
    share_of,
)

ITEMS = st.lists(st.tuples(st.booleans(), st.integers(-4, 4).map(float)), min_size=1, max_size=30)


def by_definition(wrong: list[bool], doubt: list[float]) -> float | None:
    """The AUROC as it is defined: over all pairs of a wrong and a right item."""
    bad = [d for w, d in zip(wrong, doubt, strict=True) if w]
    good = [d for w, d in zip(wrong, doubt, strict=True) if not w]
    wins = [1.0 if b > g else 0.5 if b == g else 0.0 for b in bad for g in good]
    return sum(wins) / len(wins) if wins else None


@given(ITEMS)
def test_auroc_is_the_share_of_pairs(items: list[tuple[bool, float]]) -> None:
    wrong, doubt = [w for w, _ in items], [d for _, d in items]
    assert auroc(wrong, doubt) == pytest.approx(by_definition(wrong, doubt), abs=1e-12)


def test_auroc_of_known_cases() -> None:
    assert auroc([True, False], [2.0, 1.0]) == 1.0
    assert auroc([True, False], [1.0, 2.0]) == 0.0
    assert auroc([True, False, True, False], [1.0, 1.0, 1.0, 1.0]) == 0.5
    assert auroc([True, True], [1.0, 2.0]) is None
    assert auroc([], []) is None
    with pytest.raises(ValueError, match="argument 2"):
        auroc([True], [])


@given(ITEMS, st.randoms(use_true_random=False))
def test_statistics_of_draws_are_those_of_the_items_drawn(
    items: list[tuple[bool, float]], random: object
) -> None:
    wrong, doubt = [w for w, _ in items], [d for _, d in items]
    among = [d >= 0 for d in doubt]
    counts = [random.randint(0, 3) for _ in items]  # type: ignore[attr-defined]
    drawn = [item for item, count in zip(items, counts, strict=True) for _ in range(count)]
    with np.errstate(invalid="ignore"):
        row = np.array([counts, [1] * len(items)], dtype=np.float64)
        of_auroc, of_share = auroc_of(wrong, doubt)(row), share_of(wrong, among)(row)
    wanted = auroc([w for w, _ in drawn], [d for _, d in drawn])
    assert of_auroc[0] == pytest.approx(math.nan if wanted is None else wanted, nan_ok=True)
    wanted = share([w for w, _ in drawn], [d >= 0 for _, d in drawn])
    assert of_share[0] == pytest.approx(math.nan if wanted is None else wanted, nan_ok=True)
    whole = auroc(wrong, doubt)
    assert of_auroc[1] == pytest.approx(math.nan if whole is None else whole, nan_ok=True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_quantiles_are_those_of_the_standard_library(values: list[float]) -> None:
    ordered = sorted(values)
    cuts = standard.quantiles(ordered, n=20, method="inclusive")
    for number, cut in enumerate(cuts, 1):
        assert quantile(ordered, number / 20) == pytest.approx(cut, rel=1e-9, abs=1e-6)
    assert (quantile(ordered, 0), quantile(ordered, 1)) == (ordered[0], ordered[-1])


def test_quantiles_of_nothing() -> None:
    assert quantile([3.0], 0.3) == 3.0
    for values, at in (([], 0.5), ([1.0], 1.5)):
        with pytest.raises(ValueError, match="a quantile needs"):
            quantile(values, at)


def test_the_interval_of_a_share_is_about_that_of_the_normal_approximation() -> None:
    hits = [number % 4 == 0 for number in range(400)]
    found = bootstrap(range(400), share_of(hits, [True] * 400))
    assert isinstance(found, Interval)
    half = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert found.low == pytest.approx(0.25 - half, abs=0.01)
    assert found.high == pytest.approx(0.25 + half, abs=0.01)


def test_a_group_counts_as_one_observation() -> None:
    hits = [number % 40 < 10 for number in range(400)]  # all items of a group of ten are alike
    single = bootstrap(range(400), share_of(hits, [True] * 400))
    grouped = bootstrap([n // 10 for n in range(400)], share_of(hits, [True] * 400))
    assert isinstance(single, Interval)
    assert isinstance(grouped, Interval)
    ratio = (grouped.high - grouped.low) / (single.high - single.low)
    assert ratio == pytest.approx(math.sqrt(10), rel=0.1)


def test_the_same_bytes_again() -> None:
    """Pinned, so that a change of the stream of random numbers is seen."""
    wrong = [number % 5 == 0 for number in range(100)]
    doubt = [float((number * 37) % 100) for number in range(100)]
    groups = [number // 2 for number in range(100)]
    found = bootstrap(groups, auroc_of(wrong, doubt))
    assert found == bootstrap_each(groups, [auroc_of(wrong, doubt)])[0]
    assert isinstance(found, Interval)
    assert (round(found.low, 6), round(found.high, 6)) == PINNED


PINNED = (0.337284, 0.624488)


def test_no_interval() -> None:
    few = list(range(FEWEST_GROUPS - 1))
    some = [number % 2 == 0 for number in few]
    assert bootstrap(few, share_of(some, [True] * len(few))) is NoInterval.FEW_GROUPS
    many = list(range(20))
    always = [True] * 20
    assert bootstrap(many, share_of(always, always)) is NoInterval.CONSTANT
    never = [False] * 20
    assert bootstrap(many, share_of(always, never)) is NoInterval.OFTEN_UNDEFINED
    once = [number == 7 for number in many]
    assert isinstance(bootstrap(many, auroc_of(once, [1.0 * n for n in many])), Interval)


def test_it_is_fast() -> None:
    wrong = [number % 9 == 0 for number in range(5_000)]
    doubt = [float((number * 7919) % 1_000) for number in range(5_000)]
    start = time.perf_counter()
    bootstrap([number // 3 for number in range(5_000)], auroc_of(wrong, doubt))
    assert time.perf_counter() - start < 10
