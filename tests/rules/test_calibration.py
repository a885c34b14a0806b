"""The threshold for a share of flags, histograms and buckets."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentprint_cli.rules.calibration import (
    MENU_SIZES,
    MOST_BINS,
    TURN_POSITIONS,
    NoThreshold,
    Proposal,
    bucket,
    bucket_name,
    fewest,
    histogram,
    parse_share,
    threshold_for,
)

FLOATS = st.floats(-1e9, 1e9, allow_nan=False)
MARGINS = st.lists(st.one_of(FLOATS, st.integers(-3, 3).map(float)), min_size=1, max_size=60)
SHARES = st.fractions(Fraction(1, 100), Fraction(99, 100))


@given(MARGINS, SHARES)
def test_never_more_than_the_share_and_no_threshold_flags_more(
    margins: list[float], share: Fraction
) -> None:
    found = threshold_for(margins, share)

    def below(threshold: float) -> int:
        return sum(margin < threshold for margin in margins)

    if isinstance(found, Proposal):
        assert below(found.threshold) == found.flagged > 0
        assert found.flagged <= share * len(margins)
        # The next threshold that flags more choices flags too many.
        more = [
            count for m in margins if (count := below(math.nextafter(m, math.inf))) > found.flagged
        ]
        assert min(more) > share * len(margins)
    elif found is NoThreshold.TOO_FEW:
        assert len(margins) < fewest(share)
    else:
        assert len(margins) >= fewest(share)
        assert margins.count(min(margins)) > share * len(margins)


@pytest.mark.parametrize(
    ("margins", "share", "wanted"),
    [
        ([n / 100 for n in range(20)], "5%", Proposal(0.005, 1)),
        ([n / 100 for n in range(100)], "29%", Proposal(0.285, 29)),  # 0.29 * 100 is 28.999…
        ([-0.13, -0.06, 0.2, 0.3], "25%", Proposal(-0.1, 1)),
        ([-1.0, -1.0, 0.2, 0.3], "50%", Proposal(0.0, 2)),
        ([-1.0, -1.0, 0.2, 0.3], "25%", NoThreshold.TIED),
        ([-1.0, 0.0, 0.0, 0.3], "50%", Proposal(-0.5, 1)),  # never half of a tie
        ([0.1] * 19, "5%", NoThreshold.TOO_FEW),
        ([], "5%", NoThreshold.TOO_FEW),
        ([-120.0, 35.0, 90.0], "34%", Proposal(-42.0, 1)),  # whatever the units
        ([1.0, math.nextafter(1.0, 2)], "50%", Proposal(math.nextafter(1.0, 2), 1)),
    ],
)
def test_thresholds(margins: list[float], share: str, wanted: object) -> None:
    parsed = parse_share(share)
    assert parsed is not None
    assert threshold_for(margins, parsed) == wanted


def test_shares() -> None:
    assert parse_share("5%") == Fraction(1, 20)
    assert parse_share(" 2.5 % ") == Fraction(1, 40)
    for bad in ("5", "0%", "100%", "101%", "-5%", "0.05", "%", "five%", "5%%", "1e1%", "٥%"):
        assert parse_share(bad) is None
    assert fewest(Fraction(1, 20)) == 20
    assert fewest(Fraction(3, 100)) == 34


@given(MARGINS)
@example([5e-324])
@example([0.0, 5e-324])
def test_every_value_is_in_its_bin(values: list[float]) -> None:
    bins = histogram(values)
    assert sorted(place for each in bins for place in each.members) == list(range(len(values)))
    assert all(each.low <= values[place] < each.high for each in bins for place in each.members)
    assert all(one.high == other.low for one, other in pairwise(bins))
    assert len(bins) <= MOST_BINS + 1
    assert bins[0].members
    assert bins[-1].members


def test_edges_are_round() -> None:
    bins = histogram([-0.12, 0.049, 0.05, 0.2])
    assert [each.low for each in bins] == [
        -0.12, -0.1, -0.08, -0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14,
        0.16, 0.18, 0.2,
    ]  # fmt: skip
    assert [len(each.members) for each in bins if each.members] == [1, 2, 1]
    assert histogram([]) == []
    [one] = histogram([0.3, 0.3])
    assert (one.low, one.high) == (0.3, 0.301)
    [zero] = histogram([0.0])
    assert zero.low <= 0 < zero.high


def test_buckets() -> None:
    assert [bucket(n, MENU_SIZES) for n in (2, 5, 6, 20, 21, 50, 51, 400)] == [
        "2-5", "2-5", "6-10", "11-20", "21-50", "21-50", "51+", "51+",
    ]  # fmt: skip
    assert bucket(1, MENU_SIZES) is None
    assert [bucket_name(each) for each in TURN_POSITIONS] == ["0", "1", "2", "3-5", "6+"]
