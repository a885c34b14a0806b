"""What each model call was offered, what it called, and what was known when it did."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.readings.choices import BEFORE, Choice, read_choices
from agentprint_cli.readings.runs import list_runs
from agentprint_cli.rules.choice_text import candidate_text
from agentprint_cli.view import View, open_view
from tests.conftest import OpenBytes
from tests.logs import Log

REDACTED = {"recorders": [{"id": "agentfootprint.redaction"}]}


def _choices(view: View) -> list[Choice]:
    return list(read_choices(view, list_runs(view)))


def _read(log: Log, open_bytes: OpenBytes) -> list[Choice]:
    return _choices(open_bytes(log.lines()))


def _spoke(log: Log, content: object) -> int:
    return log.add("stream.llm_end", {"content": content})


def _asked(prompt: str = "who?") -> Log:
    return Log().configured().asked(prompt)


def test_what_the_model_said_with_its_call(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1, "a", "b")
    said = " I take ä.\n"
    number = _spoke(log, said)
    log.started("t1", "a")
    view = open_bytes(log.lines())
    (choice,) = _choices(view)
    assert choice.said == said
    assert choice.said_at is not None
    assert (choice.said_at.event, choice.said_at.path) == (number, "/payload/content")
    raw = view.resolve(choice.said_at)
    assert raw == json.dumps(said).encode()
    assert raw in view.raw(number)
    # What came with the call was not known when it was made.
    assert (choice.context, choice.in_run) == ("user: who?", False)


@pytest.mark.parametrize("content", ["", " \n\t", "\ufeff\u3000", None, 5, ["text"]])
def test_white_text_and_what_is_no_text_says_nothing(
    open_bytes: OpenBytes, content: object
) -> None:
    log = _asked()
    log.called_model(1, "a", "b")
    _spoke(log, content)
    log.started("t1", "a")
    log.called_model(2, "a", "b")
    first, second = _read(log, open_bytes)
    assert (first.said, first.said_at) == (None, None)
    assert (second.context, second.words, second.in_run) == ("user: who?", "who?", False)


def test_text_that_comes_after_the_call_began_did_not_come_with_it(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1, "a", "b")
    log.started("t1", "a")
    _spoke(log, "late")
    log.called_model(2, "a", "b")
    first, second = _read(log, open_bytes)
    assert (first.said, first.said_at) == (None, None)
    assert second.context == "user: who?\n\nassistant: late"
    assert second.in_run


def test_of_several_texts_the_last_before_the_call_counts(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1, "a", "b")
    _spoke(log, "one")
    number = _spoke(log, "two")
    _spoke(log, " ")
    log.started("t1", "a")
    _spoke(log, "three")
    (choice,) = _read(log, open_bytes)
    assert choice.said == "two"
    assert choice.said_at is not None
    assert choice.said_at.event == number


def test_text_of_one_response_is_not_that_of_the_next(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1, "a", "b")
    _spoke(log, "one")
    log.started("t1", "a")
    log.called_model(2, "a", "b")
    log.started("t2", "b")
    assert [choice.said for choice in _read(log, open_bytes)] == ["one", None]


def test_several_turns_of_one_run(open_bytes: OpenBytes) -> None:
    log = _asked("first?")
    log.called_model(1, "a", "b")
    _spoke(log, "one")
    log.started("t1", "a")
    log.started("t2", "b")
    log.called_model(2, "a", "b")
    _spoke(log, "two")
    log.started("t3", "a")
    log.answered("x")
    log.asked("second?")
    log.called_model(1, "a", "b")
    log.started("t4", "b")
    log.called_model(2, "a", "b")
    _spoke(log, "three")
    log.called_model(3, "a", "b")
    found = _read(log, open_bytes)
    assert [choice.before for choice in found] == [(), ("a", "b"), (), ("b",), ("b",)]
    assert [choice.turn_position for choice in found] == [0, 1, 0, 1, 2]
    assert [choice.in_run for choice in found] == [False, True, False, False, True]
    assert [choice.words for choice in found] == [
        "first?",
        "first?\none",
        "second?",
        "second?",
        "second?\nthree",
    ]
    assert [choice.situation for choice in found] == [
        "user: first?",
        "user: first?\n\nassistant: one",
        "user: second?\n\nassistant: two",
        "user: second?\n\nassistant: two",
        "user: second?\n\nassistant: three",
    ]
    assert [choice.context for choice in found] == [
        "user: first?",
        "user: first?\n\nassistant: one",
        "user: second?",
        "user: second?",
        "user: second?\n\nassistant: three",
    ]


def test_white_text_does_not_hide_what_an_earlier_turn_said(open_bytes: OpenBytes) -> None:
    log = _asked("first?")
    log.called_model(1, "a", "b")
    _spoke(log, "one")
    _spoke(log, " ")
    log.asked("second?")
    log.called_model(1, "a", "b")
    _spoke(log, "\n")
    log.called_model(2, "a", "b")
    _, second, third = _read(log, open_bytes)
    assert second.situation == third.situation == "user: second?\n\nassistant: one"
    assert second.context == third.context == "user: second?"


def test_a_model_call_without_tools_counts_as_a_place_in_the_turn(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1)
    log.called_model(2, "a", "b")
    (choice,) = _read(log, open_bytes)
    assert choice.turn_position == 1


def test_a_leg_after_a_pause_goes_on_where_the_run_paused(open_bytes: OpenBytes) -> None:
    log = Log("run-1").configured().asked("who?")
    log.called_model(1, "a", "b")
    _spoke(log, "asking")
    log.started("t1", "a")
    log.as_run("run-2").configured()
    log.ended("t1", "yes")
    log.called_model(2, "a", "b")
    _spoke(log, "again")
    log.started("t2", "b")
    log.as_run("run-3").configured()
    log.ended("t2", "no")
    log.called_model(3, "a", "b")
    first, second, third = _read(log, open_bytes)
    assert [c.run for c in (first, second, third)] == ["run-1", "run-2", "run-3"]
    assert [c.before for c in (first, second, third)] == [(), ("a",), ("a", "b")]
    assert [c.turn_position for c in (first, second, third)] == [0, 1, 2]
    assert [c.said for c in (first, second, third)] == ["asking", "again", None]
    assert second.words == "who?\nasking"
    assert third.words == "who?\nagain"
    assert second.in_run
    assert third.in_run


def test_another_run_does_not_go_on_with_a_turn_that_is_not_its_own(open_bytes: OpenBytes) -> None:
    log = Log("run-1").configured().asked("who?")
    log.called_model(1, "a", "b")
    _spoke(log, "asking")
    log.started("t1", "a")
    log.as_run("run-2").configured().asked("what?")
    log.ended("t1", "yes")
    log.called_model(1, "a", "b")
    _, second = _read(log, open_bytes)
    assert (second.before, second.turn_position, second.situation) == ((), 0, "user: what?")


@pytest.mark.parametrize("redacted", [True, False])
def test_text_that_is_kept_out_is_no_text(open_bytes: OpenBytes, redacted: bool) -> None:
    log = _asked("REDACTED")
    log.called_model(1, "a", "b")
    _spoke(log, "[REDACTED]")
    log.started("t1", "a")
    log.called_model(2, "a", "b")
    first, second = _choices(open_bytes(log.document(REDACTED if redacted else {})))
    if redacted:
        assert (first.prompt, first.said, first.said_at) == (None, None, None)
        assert second.context == second.situation == "user: "
        assert (second.words, second.in_run) == ("", False)
        assert second.before == ("a",)
    else:
        assert (first.prompt, first.said) == ("REDACTED", "[REDACTED]")
        assert second.words == "REDACTED\n[REDACTED]"


def test_a_text_that_is_kept_out_leaves_the_one_before_it(open_bytes: OpenBytes) -> None:
    log = _asked("who?")
    log.called_model(1, "a", "b")
    _spoke(log, "one")
    log.called_model(2, "a", "b")
    _spoke(log, "REDACTED")
    log.called_model(3, "a", "b")
    found = _choices(open_bytes(log.document(REDACTED)))
    assert [choice.words for choice in found] == ["who?", "who?\none", "who?\none"]


def _long_turn(calls: int, tools: int) -> Log:
    log = _asked()
    names = [f"tool{number}" for number in range(tools)]
    for number in range(calls):
        log.called_model(number + 1, *names)
        log.started(f"t{number}", names[number % tools])
    return log


def test_a_long_turn_keeps_its_latest_calls(open_bytes: OpenBytes) -> None:
    found = _read(_long_turn(BEFORE + 5, 3), open_bytes)
    assert found[BEFORE].before == tuple(f"tool{n % 3}" for n in range(BEFORE))
    assert found[-1].before == tuple(f"tool{n % 3}" for n in range(4, BEFORE + 4))
    assert [choice.turn_position for choice in found] == list(range(BEFORE + 5))


def test_many_calls_in_one_response_keep_the_latest_too(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1, "a", "b")
    for number in range(BEFORE + 7):
        log.started(f"t{number}", "a" if number < BEFORE else "b")
    log.called_model(2, "a", "b")
    first, second = _read(log, open_bytes)
    assert len(first.call_ids) == BEFORE + 7
    assert second.before == ("a",) * (BEFORE - 7) + ("b",) * 7


def test_five_thousand_calls_in_a_turn_are_read_quickly_and_share_their_menu(
    tmp_path: Path,
) -> None:
    path = _long_turn(5_000, 60).save(tmp_path)
    with open_view(path) as view:
        runs = list_runs(view)
        began = time.process_time()
        found = list(read_choices(view, runs))
        took = time.process_time() - began
    assert len(found) == 5_000
    assert max(len(choice.before) for choice in found) == BEFORE
    assert len({id(choice.candidates) for choice in found}) == 1
    assert len({id(choice.offered) for choice in found}) == 1
    assert took < 30


def test_texts_are_shared_between_menus_that_differ(open_bytes: OpenBytes) -> None:
    log = _asked()
    log.called_model(1, "find_it", "b")
    log.called_model(2, "c", "find_it")
    first, second = _read(log, open_bytes)
    assert first.candidates == ("find it: Does find_it.", "b: Does b.")
    assert second.candidates == ("c: Does c.", "find it: Does find_it.")
    assert first.candidates[0] is second.candidates[1]
    assert first.offered[0] is second.offered[1]


def test_one_name_with_two_descriptions_has_two_texts(open_bytes: OpenBytes) -> None:
    log = _asked()
    tools = [
        [{"name": "a", "description": "One."}],
        [{"name": "a", "description": "Two."}],
        [{"name": "a"}],
        [{"name": "a", "description": None}],
        [{"name": "a", "description": 5}],
    ]
    for menu in tools:
        log.add("stream.llm_start", {"tools": menu, "toolsCount": 1})
    found = _read(log, open_bytes)
    assert [c.candidates for c in found] == [("a: One.",), ("a: Two.",), ("a",), ("a",), ("a",)]


_tools = st.lists(
    st.tuples(st.sampled_from(["a", "b_c", "dE"]), st.none() | st.text(max_size=4)), max_size=4
)


@given(st.lists(_tools, max_size=4))
def test_each_choice_has_the_texts_of_its_own_menu(
    tmp_path_factory: pytest.TempPathFactory, menus: list[list[tuple[str, str | None]]]
) -> None:
    log = _asked()
    for menu in menus:
        tools = [{"name": name, "description": says} for name, says in menu]
        log.add("stream.llm_start", {"tools": tools, "toolsCount": len(tools)})
    path = log.save(tmp_path_factory.mktemp("log"))
    with open_view(path) as view:
        found = _choices(view)
    assert [(choice.offered, choice.candidates) for choice in found] == [
        (tuple(name for name, _ in menu), tuple(candidate_text(*tool) for tool in menu))
        for menu in menus
        if menu
    ]
