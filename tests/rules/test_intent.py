from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules import js_text
from agentprint_cli.rules.intent import announcement, intent_context, intent_flag, named_tools
from agentprint_cli.rules.margin import rank

from .strategies import texts


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I found two. Now the loans", "Now the loans"),
        ("Done! Shall I go on? I will look up the loans.", "I will look up the loans."),
        ("Next step: look up the loans", "look up the loans"),
        ("I will look up the loans:", "I will look up the loans:"),
        ("One line\nanother line\n\n", "another line"),
        ("One line\r\nanother line\r\n", "another line"),
        ("Hmm… let me see the loans", "let me see the loans"),
        ("Version 1.2 of api.example", "Version 1.2 of api.example"),
        ("I look it up. Thanks.", "Thanks."),
        ("找到两本书。现在查询借阅记录。", "现在查询借阅记录。"),
        ("真的吗？！我来查", "我来查"),
        ("等等……我来查！", "等等……我来查！"),
        ("下一步：查询", "查询"),
        ("她说「好。」然后走了", "她说「好。」然后走了"),
        ("मिल गया। अब खोजता हूँ।", "अब खोजता हूँ।"),
        ("وجدت؟ الآن أبحث.", "الآن أبحث."),
        ("Looking it up. 🙂", "Looking it up."),
        ("Looking it up.\n---\n***", "Looking it up."),
        ("\ufeff Looking it up. \ufeff", "Looking it up."),
        ("a\x00b", "a\x00b"),
        ("See 5", "See 5"),
    ],
)
def test_announcement_is_the_last_sentence(said: str, expected: str) -> None:
    assert announcement(said) == expected


@pytest.mark.parametrize(
    "said",
    ["", " \n\t", "\ufeff\u3000", "...", "…", "。", "🙂 !", "---\n***", "\ud83d", "```\ncode\n```"],
)
def test_text_without_a_letter_or_digit_announces_nothing(said: str) -> None:
    assert announcement(said) == ""
    assert named_tools(said, ["get_user", ""]) == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I saw this. I call it:\n```json\n{\"id\": 1}\n```", "I call it:"),
        ("I call it.\n~~~\ncode\n```\n~~~\n", "I call it."),
        ("I call it.\n````\n```\ncode\n```\n````", "I call it."),
        ("I call it.\n```\nnever closed", "I call it."),
        ("I call it.\n```\ncode\n```\nThen I stop.", "Then I stop."),
        ("I call ```code``` now", "I call ```code``` now"),
        ("```code``` is what I call", "```code``` is what I call"),
    ],
)  # fmt: skip
def test_fenced_code_is_no_sentence(said: str, expected: str) -> None:
    assert announcement(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Fine. I will:\n- look. Then\n- call it", "I will:\n- look. Then\n- call it"),
        ("Fine.\n\n1. look\n2. call it\n", "1. look\n2. call it"),
        ("Fine. Steps：\n\n* look\n\n  and see\n* call it\n  at once", "Steps：\n* look\nand see\n"
         "* call it\nat once"),
        ("- look\n- call it", "- look\n- call it"),
        ("- look\n- call it\nThanks.", "Thanks."),
        ("I will:\n- look\n---", "I will:\n- look"),
        ("I look.\n  Then I call it.", "Then I call it."),
        ("In\n2024. It was so", "It was so"),
        ("-5 is cold. I see", "I see"),
    ],
)  # fmt: skip
def test_a_list_at_the_end_is_one_sentence(said: str, expected: str) -> None:
    assert announcement(said) == expected


def test_at_most_the_last_two_thousand_units() -> None:
    assert announcement("x" * 1500 + "y" * 1500) == "x" * 500 + "y" * 1500
    assert announcement("a" + "😀" * 999 + "bc") == "😀" * 999 + "bc"
    assert announcement("a" + "-" * 2000) == ""


@given(texts)
def test_announcement_is_of_the_text_and_has_a_letter_or_digit(said: str) -> None:
    found = announcement(said)
    assert js_text.length(found) <= 2000
    assert found == "" or any(char.isalnum() for char in found)
    for line in found.split("\n"):
        assert line in said
    assert intent_context(said) == "assistant: " + found


@given(texts, st.sampled_from(["Then I stop.", "我来查", "get_user"]))
def test_what_comes_before_a_last_line_does_not_matter(said: str, last: str) -> None:
    if "`" not in said:
        assert announcement(f"{said}\n{last}") == last


MENU = [
    "search_loans", "search_loans_history", "getUser", "get-user", "get-user-loans", "files/read",
    "github.create_issue", "create_issue", "search", "Send", "LIST", "検索", "खोज", "look up",
    "a+b(c)", "$cost", "v2", "42", "", " ", "?",
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I call search_loans", ["search_loans"]),
        ("I call search_loans.", ["search_loans"]),
        ("I call `search_loans`, then (getUser).", ["search_loans", "getUser"]),
        ("**search_loans**: “getUser”", ["getUser"]),
        ("I call search_loans(id=5)", ["search_loans"]),
        ("It is getUser's turn", ["getUser"]),
        ("I call search_loans_history", ["search_loans_history"]),
        ("search_loans_history, not search_loans", ["search_loans", "search_loans_history"]),
        ("I call my_search_loans or search_loans2", []),
        ("I call Search_Loans, getuser or GETUSER", []),
        ("I call get-user", ["get-user"]),
        ("I call get-user-loans", ["get-user-loans"]),
        ("a get-user-like call, forget-user", []),
        ("get-user - it knows; get-user—then", ["get-user"]),
        ("I call files/read", ["files/read"]),
        ("see my/files/read/me, files/reader", []),
        ("I call github.create_issue", ["github.create_issue"]),
        ("I call create_issue.", ["create_issue"]),
        ("I wrote create_issue.py, https://x.example/create_issue", []),
        ("I call gitlab.create_issue", []),
        ("Send: I search the LIST, 42 of them? 検索 खोज look up", []),
        ("我来调用search_loans查询", ["search_loans"]),
        ("a+b(c) and $cost", ["a+b(c)", "$cost"]),
        ("aab(c)", []),
        ("v2 of it", ["v2"]),
        ("I call search_loans. Now I stop.", []),
        ("I call these:\n- search_loans\n- getUser", ["search_loans", "getUser"]),
    ],
)
def test_named_tools(said: str, expected: list[str]) -> None:
    assert named_tools(said, MENU) == expected


@pytest.mark.parametrize("script", ["éTat_2", "загрузитьФайл", "查询_借阅"])
def test_names_beyond_ascii(script: str) -> None:
    assert named_tools(f"I call {script}.", [script]) == [script]
    assert named_tools(f"I call {script}日.", [script]) == []


def test_a_name_is_told_once() -> None:
    assert named_tools("getUser and getUser", ["getUser", "getUser"]) == ["getUser"]


def test_a_name_inside_a_longer_one_with_spaces_is_not_meant() -> None:
    names = ["loan_2", "old loan_2 list", "list of_all"]
    assert named_tools("I take old loan_2 list", names) == ["old loan_2 list"]


_names = st.lists(
    st.sampled_from(["get_user", "get_user_2", "get_user.x", "x/get_user", "a_b-c", "camelCase"])
    | texts,
    max_size=5,
)


@given(texts, _names)
def test_named_tools_are_names_of_the_menu_that_the_announcement_holds(
    said: str, names: list[str]
) -> None:
    found = named_tools(said, names)
    assert found == [name for name in dict.fromkeys(names) if name in found]
    assert all(name in announcement(said) for name in found)


@given(_names.filter(lambda names: "get_user" in names), st.sampled_from(["{}", "`{}`", "({})."]))
def test_a_name_that_stands_alone_is_found(names: list[str], frame: str) -> None:
    assert "get_user" in named_tools("I call " + frame.format("get_user"), names)


def test_many_names_in_long_text_are_quick() -> None:
    names = [f"tool_{number}_of_many" for number in range(500)]
    began = time.process_time()
    for _ in range(50):
        assert named_tools("tool_ " * 300 + names[7], names) == [names[7]]
    announcement("- a.  " * 200_000)
    announcement("- a\n" * 200_000)
    announcement(". " * 200_000)
    announcement(" " * 500_000 + "a")
    assert time.process_time() - began < 5


def test_flag_by_name() -> None:
    margin = rank(["a", "b", "c"], [0.9, 0.1, 0.2], ["a"])
    assert intent_flag(margin, ["b"], ["a"], -1.0)
    assert not intent_flag(margin, ["b", "a"], ["a"], 5.0)
    assert not intent_flag(margin, ["b"], ["a", "b"], 5.0)


def test_flag_by_margin_only_when_no_tool_is_named() -> None:
    margin = rank(["a", "b"], [0.25, 0.75], ["a"])
    assert margin.margin == -0.5
    assert intent_flag(margin, [], ["a"], -0.25)
    assert not intent_flag(margin, [], ["a"], -0.5)
    assert not intent_flag(margin, ["a"], ["a"], -0.25)


def test_no_flag_when_everything_was_chosen() -> None:
    margin = rank(["a", "b"], [0.25, 0.75], ["a", "b"])
    assert not intent_flag(margin, [], ["a", "b"], 5.0)
    assert not intent_flag(margin, ["b"], ["a", "b"], 5.0)
