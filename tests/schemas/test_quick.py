"""The quick yes agrees with jsonschema, on real events and on what becomes of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentprint_cli.schemas import Checker, event_types
from agentprint_cli.schemas.catalogue import event_schema
from agentprint_cli.schemas.quick import compiled

from .samples import recorded_events

EVENTS = list(recorded_events())
QUICK: dict[str, Callable[[object], bool]] = {}
SLOW: dict[str, Checker] = {}

scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.sampled_from(
    ["", "messages", "allow", "fact", "agentfootprint.x", "c0ffee"]
)  # fmt: skip
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["what", "name", "id", "runId", "x"]), inner, max_size=2)
    ),
    max_leaves=5,
)


def agree(kind: str, event: object) -> None:
    """Both say the same of ``event``."""
    if kind not in QUICK:
        schema = event_schema(kind if kind in event_types() else None)
        QUICK[kind], SLOW[kind] = compiled(schema), Checker(schema)
    found = list(SLOW[kind].check(event))
    assert QUICK[kind](event) == (not found), found


def places(value: object) -> list[tuple[Any, Any]]:
    """Every (container, key) inside ``value``."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    found = [(value, key) for key in keys]
    for key in keys:
        found += places(value[key])  # type: ignore[index]
    return found


@pytest.mark.parametrize(("kind", "event"), EVENTS)
def test_recorded_events_are_fine_for_both(kind: str, event: Any) -> None:
    kind = kind.removeprefix("agentfootprint.")
    agree(kind, event)
    assert QUICK[kind](event)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_both_say_the_same_of_a_changed_event(data: st.DataObject) -> None:
    kind, recorded = data.draw(st.sampled_from(EVENTS))
    event = copy.deepcopy(recorded)
    container, key = data.draw(st.sampled_from(places(event)))
    if data.draw(st.booleans()):
        container[key] = data.draw(json_values)
    else:
        del container[key]
    agree(kind.removeprefix("agentfootprint."), event)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(event_types()), st.data())
def test_both_say_the_same_of_any_payload(kind: str, data: st.DataObject) -> None:
    members = list(event_schema(kind)["properties"]["payload"]["properties"])
    payload = data.draw(st.dictionaries(st.sampled_from(members), json_values))
    agree(kind, {"type": f"agentfootprint.{kind}", "payload": payload})


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, [{}], {"type": 1}])
def test_both_say_the_same_of_what_is_no_event(value: object) -> None:
    for kind in ("stream.token", "no.such"):
        agree(kind, value)


@pytest.mark.parametrize("schema", [{"enum": [1]}, {"anyOf": []}, {"maxLength": 1}])
def test_a_keyword_that_it_does_not_know_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(LookupError):
        compiled(schema)
