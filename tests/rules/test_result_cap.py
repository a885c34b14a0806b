from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules import js_text
from agentprint_cli.rules.result_cap import CutMarker, cap_tool_result, read_cut_marker

from .strategies import json_values, texts


@pytest.mark.parametrize("cap", [0, -1, True, False, 1.5, 20.0, "20", None])
def test_a_cap_that_is_no_positive_whole_number_is_refused(cap: Any) -> None:
    with pytest.raises(ValueError, match="positive whole number") as error:
        cap_tool_result("x", cap, "t")
    assert repr(cap) in str(error.value)


def test_what_fits_is_returned_itself() -> None:
    value = {"a": [1, 2.0, "é"]}  # {"a":[1,2,"é"]}
    kept, truncated = cap_tool_result(value, 15, "t")
    assert kept is value
    assert not truncated
    assert cap_tool_result(value, 14, "t")[1]


def test_a_text_is_measured_without_its_quotes() -> None:
    assert cap_tool_result("x" * 10, 10, "t") == ("x" * 10, False)
    assert cap_tool_result("😀" * 5, 10, "t") == ("😀" * 5, False)
    assert cap_tool_result("😀" * 5, 9, "t")[1]


def test_a_plain_head_takes_all_the_room() -> None:
    value, truncated = cap_tool_result("x" * 1000, 200, "find")
    assert truncated
    assert isinstance(value, dict)
    assert list(value) == ["truncated", "reason", "head"]
    assert value["reason"] == (
        "find returned 1000 chars, over the 200-char cap. Narrow the request and call again."
    )
    assert js_text.length(js_text.stringify(value)) == 200


def test_a_cap_smaller_than_the_envelope_leaves_no_head() -> None:
    value, _ = cap_tool_result("x" * 1000, 50, "find")
    assert isinstance(value, dict)
    assert list(value) == ["truncated", "reason"]


def test_a_head_is_shrunk_in_the_frameworks_steps_and_may_end_in_half_a_character() -> None:
    fits_all, _ = cap_tool_result("x" * 1000, 200, "t")
    assert isinstance(fits_all, dict)
    room = len(str(fits_all["head"]))
    shrunk = room - room // 5 - 1
    text = "x" * (shrunk - 1) + "😀" + "\x01" * (1000 - shrunk - 1)

    value, _ = cap_tool_result(text, 200, "t")

    assert isinstance(value, dict)
    assert value["head"] == "x" * (shrunk - 1) + "\ud83d"


@given(json_values, st.integers(1, 400), texts)
def test_the_laws_of_a_cap(value: object, cap: int, tool: str) -> None:
    # JavaScript knows no pair of halves that is not the character; neither does JSON.
    tool = js_text.first_units(tool, js_text.length(tool))
    text = value if isinstance(value, str) else js_text.stringify(value)
    result, truncated = cap_tool_result(value, cap, tool)
    assert truncated is (js_text.length(text) > cap)
    if not truncated:
        assert result is value
        return
    assert isinstance(result, dict)
    marker = read_cut_marker(result)
    assert marker is not None
    if "head" in result:
        assert js_text.length(js_text.stringify(result)) <= cap
        assert marker.head
        assert js_text.first_units(text, marker.shown_chars) == marker.head
    assert (marker.true_chars, marker.cap) == (js_text.length(text), cap) or " returned " in tool
    assert read_cut_marker(js_text.stringify(result)) == marker


@given(st.integers(1, 400), st.integers(120, 400))
def test_escapes_cost_what_they_cost(count: int, cap: int) -> None:
    result, truncated = cap_tool_result("\x01" * count, cap, "t")
    if truncated:
        assert isinstance(result, dict)
        assert js_text.length(js_text.stringify(result)) <= cap


def test_megabytes_are_capped_in_a_few_passes() -> None:
    value, truncated = cap_tool_result("\x01" * 1_000_000, 900_000, "t")
    assert truncated
    assert js_text.length(js_text.stringify(value)) <= 900_000


REASON = "find returned 1000 chars, over the 200-char cap. Narrow the request and call again."


def test_a_marker_is_read_from_an_object_and_from_text() -> None:
    marker = CutMarker(REASON, "abc", "find", 1000, 200)
    value = {"truncated": True, "reason": REASON, "head": "abc"}
    assert read_cut_marker(value) == marker
    assert read_cut_marker(js_text.stringify(value)) == marker
    assert (
        read_cut_marker(js_text.stringify(value).replace("truncated", "trunc\\u0061ted")) == marker
    )
    assert marker.shown_chars == 3


def test_a_reason_of_another_form_states_nothing() -> None:
    marker = read_cut_marker({"truncated": True, "reason": "too long", "head": 3})
    assert marker == CutMarker("too long")
    assert marker.shown_chars == 0


def test_a_reason_with_an_absurd_number_states_nothing() -> None:
    reason = f"find returned {'9' * 5000} chars, over the 200-char cap."
    assert read_cut_marker({"truncated": True, "reason": reason}) == CutMarker(reason)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "truncated",
        "",
        '{"truncated": true, "reason"',
        '[{"truncated": true, "reason": "x"}]',
        {"truncated": 1, "reason": REASON},
        {"truncated": "true", "reason": REASON},
        {"truncated": True, "reason": None},
        {"truncated": True},
        {"reason": REASON},
    ],
)
def test_what_is_no_marker(value: object) -> None:
    assert read_cut_marker(value) is None
