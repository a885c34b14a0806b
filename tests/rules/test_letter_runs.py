from __future__ import annotations

import math
import time
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules.letter_runs import LENGTH, Menu, letter_runs

from .strategies import texts


def runs_of(*words: str) -> frozenset[str]:
    """The runs of words that are written as they are counted."""
    padded = f" {' '.join(words)} "
    return frozenset(padded[at : at + 4] for at in range(len(padded) - 3))


def plain_overlaps(context: frozenset[str], tools: Sequence[frozenset[str]]) -> list[float]:
    """The rule as the documentation has it, with nothing prepared."""
    found = []
    for runs in tools:
        weights = []
        for run in runs & context:
            having = sum(run in other for other in tools)
            weights.append(math.log((len(tools) + 1) / (having + 0.5)))
        found.append(math.fsum(weights) / math.sqrt(len(runs)) if runs else 0.0)
    return found


def test_four_characters_with_a_space_at_each_end() -> None:
    assert letter_runs("loan") == {" loa", "loan", "oan "}


def test_a_run_may_cross_from_word_to_word() -> None:
    assert letter_runs("Go on!") == {" go ", "go o", "o on", " on "}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("searchLoans", ["search", "loans"]),
        ("getHTTPResponse2Go", ["get", "httpresponse2", "go"]),
        ("search_loans-by/member.id", ["search", "loans", "by", "member", "id"]),
        ("order 66, 3.14", ["order", "66", "3", "14"]),
        ("a\x00b\x00\x00c", ["a", "b", "c"]),
        ("\ud83d\ud83dfine\ude00", ["fine"]),
        ("𠀀𠀁 𝒳", ["𠀀𠀁", "𝒳"]),
        ("Größe ÄNDERN", ["größe", "ändern"]),
        ("списокФайлов", ["список", "файлов"]),
        ("toolÉtat", ["tool", "état"]),
        ("查找借阅记录。请", ["查找借阅记录", "请"]),
        ("日本語のToolです", ["日本語のtoolです"]),
        ("हिन्दी में खोजें", ["हिन्दी", "में", "खोजें"]),
        ("ค้นหาหนังสือ", ["ค้นหาหนังสือ"]),
        ("مَكْتَبَة", ["مَكْتَبَة"]),
        ("1️⃣ done ✅️", ["1️⃣", "done"]),
    ],
)  # fmt: skip
def test_words(text: str, words: list[str]) -> None:
    expected = runs_of(*(unicodedata.normalize("NFC", word) for word in words))
    assert letter_runs(text) == expected
    assert expected


@pytest.mark.parametrize("text", ["", " \t\n", "\ufeff\u3000", "\x00", "\ud83d", "_", "…?!", "🙂"])
def test_without_letters_there_are_no_runs(text: str) -> None:
    assert letter_runs(text) == frozenset()


def test_one_letter_is_too_short_for_a_run_and_two_are_not() -> None:
    assert letter_runs("a") == letter_runs("日") == frozenset()
    assert letter_runs("ab") == {" ab "}


def test_a_mark_without_a_letter_is_no_word() -> None:
    assert letter_runs("\u0301 \u0301ab") == runs_of("ab")


@given(texts)
def test_runs_are_of_one_length_and_in_lower_case(text: str) -> None:
    for run in letter_runs(text):
        assert len(run) == LENGTH
        assert run.lower() == run
        assert "  " not in run


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_how_a_character_is_put_together_does_not_matter(text: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert letter_runs(text) == letter_runs(composed) == letter_runs(apart)


@given(texts, st.sampled_from([" ", "_", "\x00", "\n", " - ", "。"]))
def test_what_stands_around_the_words_does_not_matter(text: str, edge: str) -> None:
    assert letter_runs(edge + text + edge) == letter_runs(text)


@given(st.text(st.sampled_from("abzABZ019_- .,\n\x00"), max_size=40))
def test_text_in_ascii_and_beside_other_text_are_counted_alike(text: str) -> None:
    # The two are counted in different ways: see `_spaced`.
    assert letter_runs(text + " 🙂") == letter_runs(text)


def test_overlap_by_hand() -> None:
    # Runs: "loan" has 3, "loans" 4 of which " loa" and "loan" are in both; "desk" 3, all its own.
    menu = Menu([letter_runs("loan"), letter_runs("loans"), letter_runs("desk")])
    both, single = math.log(4 / 2.5), math.log(4 / 1.5)
    assert menu.overlaps(letter_runs("loan")) == pytest.approx(
        [(2 * both + single) / math.sqrt(3), 2 * both / 2, 0.0]
    )
    assert menu.overlaps(letter_runs("desk")) == pytest.approx([0.0, 0.0, math.sqrt(3) * single])


def test_what_all_tools_say_counts_for_little() -> None:
    (each, _) = Menu([letter_runs("loan")] * 2).overlaps(letter_runs("loan"))
    assert each == pytest.approx(math.sqrt(3) * math.log(3 / 2.5))


def test_a_tool_or_context_without_runs_overlaps_with_nothing() -> None:
    menu = Menu([frozenset(), letter_runs("loan")])
    assert menu.overlaps(letter_runs("loan"))[0] == 0.0
    assert menu.overlaps(frozenset()) == [0.0, 0.0]
    assert Menu([]).overlaps(letter_runs("loan")) == []


_few_runs = st.frozensets(st.sampled_from([f"run{letter}" for letter in "abcdefghij"]))


@given(st.lists(_few_runs, max_size=8), st.lists(_few_runs, min_size=1, max_size=4))
def test_a_prepared_menu_gives_the_plain_rules_numbers_to_the_bit(
    tools: list[frozenset[str]], contexts: list[frozenset[str]]
) -> None:
    menu = Menu(tools)
    for context in contexts:
        assert menu.overlaps(context) == plain_overlaps(context, tools)


@given(st.lists(texts, max_size=5), texts)
def test_the_same_with_texts(descriptions: list[str], words: str) -> None:
    tools = [letter_runs(text) for text in descriptions]
    found = Menu(tools).overlaps(letter_runs(words))
    assert found == plain_overlaps(letter_runs(words), tools)
    assert all(value >= 0 for value in found)


def test_long_texts_are_quick() -> None:
    words = " ".join(f"word{number}" for number in range(300))[:2000]
    long = " ".join(f"описание{number}" for number in range(10_000))
    began = time.process_time()
    menu = Menu([letter_runs(f"{long} {number}") for number in range(5)])
    for _ in range(200):
        menu.overlaps(letter_runs(words))
    assert time.process_time() - began < 5
