from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.rules.offer import (
    fold_standings,
    nameable_ids,
    offered_ids,
    served_ids,
    undeclared_ids,
    unknown_ids,
)


def tool(call: object, **more: object) -> dict[str, object]:
    return {"role": "tool", "content": "x", "toolCallId": call, **more}


def standing(call: str, value: str) -> dict[str, object]:
    return {"kind": "standing", "toolCallId": call, "standing": value}


MESSAGES: list[dict[str, object]] = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": "", "toolCallId": "not-a-result"},
    tool("a"),
    tool("settled", notDispatched=True),
    tool("b"),
    tool("a"),
    tool("c"),
    tool("d", notDispatched=False),
    tool(None),
    tool(""),
    {"role": "tool", "content": "no id"},
]


def test_served_are_the_results_each_once_in_order() -> None:
    assert served_ids(MESSAGES) == ["a", "b", "c", "d"]


def test_the_last_standing_of_an_id_wins_and_a_basis_is_none() -> None:
    rows: list[dict[str, object]] = [
        standing("a", "noise"),
        standing("b", "open"),
        {"kind": "basis", "toolCallId": "c", "basis": "direct", "standing": "noise"},
        standing("a", "fact"),
        {"kind": "standing", "toolCallId": "d"},
        {"kind": "standing", "standing": "noise"},
    ]
    assert fold_standings(rows) == {"a": "fact", "b": "open"}


def test_who_may_be_named() -> None:
    served = ["a", "b", "c", "d", "e"]
    standings = {"a": "fact", "b": "open", "c": "noise", "d": "ruled-out", "z": "fact"}
    assert nameable_ids(served, standings) == ["a", "b", "e"]
    assert undeclared_ids(served, standings) == ["e"]
    assert unknown_ids(served, standings) == ["z"]


def test_offered_are_the_nameable_newest_first() -> None:
    rows = [standing("b", "ruled-out"), standing("c", "noise"), standing("c", "fact")]
    assert offered_ids(MESSAGES, rows) == ["d", "c", "a"]
    assert offered_ids(MESSAGES, {"b": "ruled-out"}) == ["d", "c", "a"]
    assert offered_ids(MESSAGES, []) == ["d", "c", "b", "a"]


ids = st.sampled_from("abcde")
rows_of_standings = st.lists(
    st.builds(standing, ids, st.sampled_from(["fact", "open", "noise", "ruled-out"]))
)


@given(st.lists(ids), rows_of_standings)
def test_the_laws_of_an_offer(calls: list[str], rows: list[dict[str, object]]) -> None:
    messages = [tool(call) for call in calls]
    served, standings = served_ids(messages), fold_standings(rows)
    nameable = nameable_ids(served, standings)
    assert offered_ids(messages, rows) == nameable[::-1]
    assert set(undeclared_ids(served, standings)) <= set(nameable) <= set(served)
    assert set(unknown_ids(served, standings)) == set(standings) - set(served)
    assert len(served) == len(set(served))
