"""What other conversations chose: right values by hand, whose say counts, and what must not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.choices.scorers import fleet, hybrid, neighbours
from agentprint_cli.choices.scorers.interface import Question, Scored

from .plane import question, vectors

# Every tool is as far from a context as any other, so that by the texts each has a third.
PLANE = vectors({"ask": 0, "ask alike": 10, "ask else": 40, "a": 0, "b": 0, "c": 0, "d": 0})
ALIKE = math.exp(12 * (math.cos(math.radians(10)) - 1))
ELSE = math.exp(12 * (math.cos(math.radians(40)) - 1))


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> float:
    """A known trust in the texts, whatever is gained by it."""
    monkeypatch.setattr(fleet, "_best_trust", lambda *_: (0.3, 1.0))
    return 0.3


def scored(questions: Sequence[Question]) -> Scored:
    return fleet.score(questions, PLANE)


def habit(count: int = 12, context: str = "ask", *tools: str) -> list[Question]:
    """Conversations that all chose the same."""
    return [
        question(context, *(tools or ("b",)), conversation=(context, tools, number))
        for number in range(count)
    ]


def votes(found: Scored, trust: float, place: int = 0) -> list[float]:
    """The votes of each tool, from the scores of a choice whose texts give each tool one third;
    all tools of the menu have some together."""
    shares = [math.exp(value) for value in found.scores[place].values]
    # share = (trust / 3 + votes) / (trust + all), so tools without votes tell all.
    least = min(shares)
    total = trust / 3 / least
    return [share * total - trust / 3 for share in shares]


# Right values ---------------------------------------------------------------------------------


def test_a_habit_by_hand() -> None:
    found = scored(habit(12))
    # Eleven others are equally near: together they have ten votes, all for b.
    chosen = math.log((0.002 / 3 + 10) / 10.002)
    other = math.log((0.002 / 3) / 10.002)
    assert found.scores[0].values == pytest.approx([other, chosen, other])
    assert found.scores[0].neighbours == 11
    assert found.scores[0].alone == pytest.approx([math.log(1 / 3)] * 3)
    assert found.about == {
        "conversations": 12,
        "trust": 0.002,
        "gain": pytest.approx(12 * (chosen - math.log(1 / 3))),
    }


def test_one_conversation_has_no_others() -> None:
    alone = [question("ask", "b", conversation=1)] * 30
    found = scored(alone)
    texts = hybrid.score(alone, PLANE).scores
    assert [one.values for one in found.scores] == [one.values for one in texts]
    assert {one.neighbours for one in found.scores} == {0}
    assert found.about == {"conversations": 1, "trust": None, "gain": 0.0}


def test_choices_that_foretell_nothing_leave_the_texts_alone() -> None:
    tools = "abc" * 4
    asked = [question("ask", tool, conversation=n) for n, tool in enumerate(tools)]
    found = scored(asked)
    assert found.about["trust"] is None
    assert [one.values for one in found.scores] == [
        one.values for one in hybrid.score(asked, PLANE).scores
    ]


@pytest.mark.parametrize(("conversations", "used"), [(2, False), (3, True)])
def test_the_votes_must_gain_three(conversations: int, used: bool) -> None:
    # Each choice that is foretold gains nearly ln 3 (1.0986): two are too few, three enough.
    found = scored(habit(conversations))
    assert (found.about["trust"] is not None) is used
    assert found.about["gain"] == pytest.approx(conversations * math.log(3), abs=0.02)


def test_texts_are_trusted_as_far_as_habit_leaves_them() -> None:
    # One conversation chose what nobody else did: only the texts have a share for that.
    odd = question("ask", "c", conversation="odd")
    mixed = [odd, *habit(19)]
    strict = scored(habit(20)).about["trust"]
    loose = scored(mixed).about["trust"]
    assert isinstance(strict, float)
    assert isinstance(loose, float)
    assert strict < loose


# Who has a say --------------------------------------------------------------------------------


def test_a_near_situation_weighs_more(trusting: float) -> None:
    asked = question("ask", "c", conversation="mine")
    found = scored([asked, *habit(2, "ask alike", "a"), *habit(3, "ask else", "b")])
    assert votes(found, trusting) == pytest.approx([2 * ALIKE, 3 * ELSE, 0], abs=1e-5)
    assert found.scores[0].neighbours == 5


def test_another_last_call_weighs_less(trusting: float) -> None:
    asked = question("ask", "c", conversation="mine", before=("x", "y"))
    same = replace(habit(1, "ask", "a")[0], before=("z", "y"))
    other = replace(habit(1, "ask", "b")[0], before=("y", "x"))
    found = scored([asked, same, other])
    assert votes(found, trusting) == pytest.approx([1, math.exp(-2), 0], abs=1e-6)


def test_ten_nearest_have_a_say(trusting: float) -> None:
    asked = question("ask", "c", conversation="mine")
    found = scored([asked, *habit(5, "ask else", "b"), *habit(10, "ask alike", "a")])
    assert votes(found, trusting) == pytest.approx([10 * ALIKE, 0, 0], abs=1e-5)
    assert found.scores[0].neighbours == 10


def test_those_equally_near_at_the_tenth_place_share_what_is_left(trusting: float) -> None:
    asked = question("ask", "c", conversation="mine")
    found = scored(
        [asked, *habit(1, "ask alike", "a"), *habit(3, "ask alike", "b"), *habit(8, "ask", "a")]
    )
    assert votes(found, trusting) == pytest.approx([8 + ALIKE * 2 / 4, ALIKE * 6 / 4, 0], abs=1e-5)
    assert found.scores[0].neighbours == 12


def test_the_own_conversation_has_no_say(trusting: float) -> None:
    mine = question("ask", "c", conversation="mine")
    found = scored([mine, replace(mine, chosen=("a",)), *habit(1, "ask", "b")])
    assert votes(found, trusting) == pytest.approx([0, 1, 0], abs=1e-6)


def test_a_copy_has_no_say_but_what_is_unknown_is_no_copy(trusting: float) -> None:
    mine = question("ask", "c", conversation="mine", identity="i")
    copy = replace(mine, conversation="copy", chosen=("a",))
    assert votes(scored([mine, copy, *habit(1)]), trusting) == pytest.approx([0, 1, 0], abs=1e-6)
    unknown = [replace(one, identity=None) for one in (mine, copy)]
    assert votes(scored([*unknown, *habit(1)]), trusting) == pytest.approx([1, 1, 0], abs=1e-6)


def test_several_chosen_tools_share_one_vote(trusting: float) -> None:
    found = scored([question("ask", "c", conversation="mine"), *habit(1, "ask", "a", "b")])
    assert votes(found, trusting) == pytest.approx([0.5, 0.5, 0], abs=1e-6)
    assert found.scores[0].neighbours == 1


def test_who_chose_nothing_of_this_menu_is_not_counted(trusting: float) -> None:
    far = question("ask", "d", conversation="far", names=("c", "d"))
    part = question("ask", "a", "d", conversation="part", names=("a", "d"))
    found = scored([question("ask", "c", conversation="mine"), far, part])
    assert votes(found, trusting) == pytest.approx([0.5, 0, 0], abs=1e-6)
    assert found.scores[0].neighbours == 1


def test_without_a_say_of_others_the_scores_are_exactly_those_of_the_texts(
    trusting: float,
) -> None:
    lonely = question("ask else", "d", conversation="mine", names=("c", "d"))
    found = scored([lonely, *habit(12)])
    assert found.scores[0].neighbours == 0
    assert found.scores[0].values == hybrid.score([lonely], PLANE).scores[0].values


def test_what_was_chosen_has_no_part_in_its_own_scores(trusting: float) -> None:
    others = habit(4, "ask", "a")
    one = scored([question("ask", "b", conversation="mine"), *others])
    other = scored([question("ask", "c", conversation="mine"), *others])
    assert one.scores[0] == other.scores[0]


# Size and order -------------------------------------------------------------------------------


def test_of_many_choices_evenly_spread_ones_are_remembered(
    trusting: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "MEMORY", 4)
    asked = question("ask", "c", conversation="mine")
    # Of 8 the places 0, 2, 4 and 6 are remembered; 0 is the asked one itself.
    tools = "-abababa"
    others = [question("ask", tools[n], conversation=n) for n in range(1, 8)]
    found = scored([asked, *others])
    assert votes(found, trusting) == pytest.approx([0, 3, 0], abs=1e-6)


CHOICES = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask alike", "ask else"]),
        st.sampled_from("abc"),
        st.integers(0, 6),
        st.sampled_from([(), ("x",), ("y",)]),
        st.booleans(),
    ),
    min_size=1,
    max_size=40,
)


def questions(
    choices: Sequence[tuple[str, str, int, tuple[str, ...], bool]],
) -> list[Question]:
    return [
        question(
            *(context, tool),
            conversation=of,
            before=before,
            identity=(context, tool, of, before) if known else None,
        )
        for context, tool, of, before, known in choices
    ]


@given(CHOICES, st.randoms())
def test_the_order_of_the_choices_decides_nothing(choices: list[object], random: object) -> None:
    asked = questions(choices)  # type: ignore[arg-type]
    order = list(range(len(asked)))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = scored(asked).scores
    shuffled = scored([asked[place] for place in order]).scores
    for place, found in zip(order, shuffled, strict=True):
        assert found.values == pytest.approx(straight[place].values, abs=1e-9)
        assert found.neighbours == straight[place].neighbours


@given(CHOICES, st.integers(1, 7))
def test_the_size_of_a_block_decides_nothing(choices: list[object], block: int) -> None:
    asked = questions(choices)  # type: ignore[arg-type]
    whole = scored(asked)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(neighbours, "_BLOCK", block)
        assert scored(asked) == whole


@given(CHOICES)
def test_scores_are_logarithms_of_shares(choices: list[object]) -> None:
    for one in scored(questions(choices)).scores:  # type: ignore[arg-type]
        assert math.fsum(map(math.exp, one.values)) == pytest.approx(1)
        assert all(map(math.isfinite, one.values))
