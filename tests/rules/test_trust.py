from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules.trust import Judged, trust


def choices(
    count: int, *, agreed: bool = True, texts: bool = True, deep: bool = False, by: int | None = 3
) -> list[Judged]:
    """So many choices alike; ``by`` of other conversations had a say."""
    return [Judged("a", "a" if agreed else "b", agreed, texts, deep, by)] * count


def level(*parts: list[Judged]) -> tuple[str, tuple[str, ...]]:
    found = trust([choice for part in parts for choice in part])
    return found.level, found.reasons


def test_of_nineteen_choices_nothing_is_known_and_of_twenty_it_is() -> None:
    assert level(choices(19)) == ("unknown", ("few-choices",))
    assert level(choices(20)) == ("fair", ())
    assert level([]) == ("unknown", ("few-choices",))


def test_of_few_choices_no_other_reason_is_told() -> None:
    assert level(choices(19, agreed=False, texts=False, deep=True, by=None)) == (
        "unknown",
        ("few-choices",),
    )


@pytest.mark.parametrize(("agreed", "of"), [(12, 20), (15, 25), (21, 35), (600, 1000)])
def test_sixty_per_cent_agreement_is_enough(agreed: int, of: int) -> None:
    assert level(choices(agreed), choices(of - agreed, agreed=False)) == ("fair", ())
    assert level(choices(agreed - 1), choices(of - agreed + 1, agreed=False)) == (
        "weak",
        ("low-agreement",),
    )


def test_half_by_texts_alone_is_enough() -> None:
    assert level(choices(10), choices(10, texts=False)) == ("fair", ())
    assert level(choices(9), choices(11, texts=False)) == ("weak", ("texts-disagree",))
    assert level(choices(11), choices(10, texts=False)) == ("fair", ())
    assert level(choices(10), choices(11, texts=False)) == ("weak", ("texts-disagree",))


@pytest.mark.parametrize("by", [None, 0])
def test_half_deep_in_a_run_is_not_too_much(by: int | None) -> None:
    assert level(choices(10), choices(10, deep=True, by=by)) == ("fair", ())
    assert level(choices(10), choices(11, deep=True, by=by)) == ("weak", ("deep-in-run",))


def test_deep_choices_in_which_others_have_a_say_do_not_count_as_alone() -> None:
    assert level(choices(40, deep=True, by=1)) == ("fair", ())
    assert level(choices(20, deep=True, by=1), choices(20, deep=True, by=0)) == ("fair", ())
    assert level(choices(20, deep=True, by=1), choices(21, deep=True, by=0)) == (
        "weak",
        ("deep-in-run",),
    )


def test_choices_that_open_a_turn_may_be_alone() -> None:
    assert level(choices(20, by=None)) == ("fair", ())


def test_reasons_together() -> None:
    low = choices(20, agreed=False, texts=False, deep=True, by=0)
    assert level(low) == ("weak", ("low-agreement", "deep-in-run"))
    assert level(choices(20, texts=False, deep=True, by=0)) == (
        "weak",
        ("texts-disagree", "deep-in-run"),
    )
    # Low agreement says it already.
    assert level(choices(20, agreed=False, texts=False)) == ("weak", ("low-agreement",))


def test_counts() -> None:
    found = trust(
        [
            *choices(3),
            *choices(2, agreed=False),
            *choices(5, deep=True, texts=False, by=0),
            *choices(7, deep=True, agreed=False, by=None),
        ]
    )
    assert (found.choices, found.agreed, found.agreed_by_texts) == (17, 8, 12)
    assert (found.single, found.single_agreed) == (5, 3)
    assert (found.in_run, found.in_run_agreed) == (12, 5)
    assert found.compared == 5


def pair(chosen: str, top: str) -> Judged:
    return Judged(chosen, top, agreed=False, agreed_by_texts=False, in_run=False, neighbours=None)


def test_pairs_are_those_that_disagree_most_often_and_ties_are_in_order_of_names() -> None:
    found = trust(
        [pair("d", "a"), pair("b", "z"), pair("b", "c"), *[pair("x", "y")] * 2, *choices(9)]
    )
    assert found.pairs == (("x", "y", 2), ("b", "c", 1), ("b", "z", 1))


def test_a_pair_has_a_direction() -> None:
    assert trust([pair("a", "b"), pair("b", "a")]).pairs == (("a", "b", 1), ("b", "a", 1))


judged = st.builds(
    Judged,
    chosen=st.sampled_from("ab"),
    top=st.sampled_from("ab"),
    agreed=st.booleans(),
    agreed_by_texts=st.booleans(),
    in_run=st.booleans(),
    neighbours=st.sampled_from([None, 0, 1]),
)


@given(st.lists(judged, max_size=60), st.randoms())
def test_the_order_of_choices_does_not_matter(some: list[Judged], random: Random) -> None:
    shuffled = list(some)
    random.shuffle(shuffled)
    assert trust(shuffled) == trust(some)


@given(st.integers(20, 5000), st.integers(0, 5000))
def test_bounds_hold_exactly_whatever_the_number(of: int, agreed: int) -> None:
    agreed = min(agreed, of)
    found = trust([*choices(agreed), *choices(of - agreed, agreed=False)])
    assert (found.level == "weak") == (Fraction(agreed, of) < Fraction(3, 5))


@given(st.lists(judged, max_size=60))
def test_level_follows_from_the_reasons(some: list[Judged]) -> None:
    found = trust(some)
    assert (found.level == "unknown") == (len(some) < 20)
    assert (found.level == "fair") == (not found.reasons)
    assert found.single + found.in_run == found.choices == len(some)
    assert found.single_agreed + found.in_run_agreed == found.agreed
    assert sum(calls for _, _, calls in found.pairs) <= found.choices - found.agreed
