"""The view: events by number, type and call, and pointers that resolve to the very bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentprint_cli.base.errors import UnreadableInput, UnreadEvent, UnresolvedPointer
from agentprint_cli.model import Pointer
from agentprint_cli.view import open_view
from tests.conftest import OpenBytes
from tests.logs import Log


def _log() -> Log:
    log = Log("run-1", "s-1").configured().asked("q")
    log.started("t1", "find")
    log.ended("t1", {"rows": [1, {"a/b": "~"}]})
    log.answered("a")
    return log


def test_events_by_type_call_and_owner(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines())
    assert list(view.of_type("stream.tool_end")) == [3]
    assert list(view.of_call("t1")) == [2, 3]
    assert list(view.of_type("no.such")) == list(view.of_call("no")) == []
    assert list(view.of_owner("run-1", "s-1")) == [0, 1, 2, 3, 4]
    assert view.owners() == [("run-1", "s-1")]


def test_event_is_decoded_when_asked_for(open_bytes: OpenBytes) -> None:
    event = open_bytes(_log().lines()).at(3)
    assert (event.index, event.type) == (3, "agentfootprint.stream.tool_end")
    assert (event.run, event.session, event.call) == ("run-1", "s-1", "t1")
    assert event.payload["result"] == {"rows": [1, {"a/b": "~"}]}


def test_pointer_resolves_to_the_bytes(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines())
    place = view.pointer(3, "payload", "result", "rows", 1, "a/b")
    assert (place.path, place.line) == ("/payload/result/rows/1/a~1b", 4)
    assert view.resolve(place) == b'"~"'
    assert view.resolve(view.pointer(3)) == view.raw(3)


def test_pointer_goes_as_deep_as_the_event_holds(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines() + b'{"type":"agentfootprint.x"}\n')
    assert view.pointer(3, "payload", "result", "none", "more").path == "/payload/result"
    assert view.pointer(3, "payload", "result", "rows", 7).path == "/payload/result/rows"
    assert view.pointer(5, "payload", "x").path == ""


@pytest.mark.parametrize(
    "place",
    [
        Pointer("/payload/none", event=3),
        Pointer("/payload/result/rows/9", event=3),
        Pointer("/payload/result/rows/01", event=3),
        Pointer("payload", event=3),
        Pointer("/payload", event=3, type="stream.tool_start"),
        Pointer("", event=99),
    ],
)
def test_pointer_that_leads_nowhere(open_bytes: OpenBytes, place: Pointer) -> None:
    with pytest.raises(UnresolvedPointer):
        open_bytes(_log().lines()).resolve(place)


def test_last_of_duplicate_keys_counts_for_values_and_pointers(open_bytes: OpenBytes) -> None:
    view = open_bytes(b'{"type":"agentfootprint.x","payload":{"a":1,"a":2}}\n')
    assert view.at(0).payload["a"] == 2
    assert view.resolve(view.pointer(0, "payload", "a")) == b"2"


def test_document_pointers_of_an_envelope_start_at_the_root(open_bytes: OpenBytes) -> None:
    inner = _log().document({"sharedState": {"history": [{"role": "user"}]}})
    view = open_bytes(
        b'{"format":"agentfootprint.recording@1","recording":' + inner + b',"note":1}'
    )
    place = view.document_pointer("snapshot", "sharedState", "history", 0, "role")
    assert place.path == "/recording/snapshot/sharedState/history/0/role"
    assert view.resolve(place) == b'"user"'
    assert view.document(["note"]) == b"1"


def test_numbers_out_of_range(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines())
    for number in (-1, 5, 10**12):
        with pytest.raises(UnreadEvent):
            view.raw(number)


def test_unread_place_has_no_event_but_keeps_its_bytes(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines() + b"broken\n")
    assert view.type_of(5) is None
    assert view.raw(5) == b"broken"
    with pytest.raises(UnreadEvent):
        view.at(5)


def test_file_that_shrinks_while_it_is_open_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(_log().lines())
    with open_view(str(path)) as view:
        path.write_bytes(b"")
        with pytest.raises(UnreadableInput, match="changed while it was read"):
            view.at(3)


def test_what_the_recording_says_of_itself(open_bytes: OpenBytes) -> None:
    import hashlib

    data = _log().lines()
    read = open_bytes(data).recording(foreign=2)
    assert read.sha256 == hashlib.sha256(data).hexdigest()
    assert (read.bytes, read.events, read.foreign) == (len(data), 5, 2)
    assert read.fidelity.catalogue == "absent"


@pytest.mark.parametrize(
    ("tools", "catalogue"),
    [
        ([[{"name": "a", "description": "A."}]], "full"),
        ([[{"name": "a"}]], "names-only"),
        ([[{"name": "a"}], [{"name": "a", "description": "A."}]], "partial"),
        ([None], "absent"),
        ([None, [{"name": "a", "description": "A."}]], "partial"),
    ],
)
def test_fidelity_of_the_catalogue(
    open_bytes: OpenBytes, tools: list[object], catalogue: str
) -> None:
    log = Log().configured()
    for menu in tools:
        payload: dict[str, object] = {"iteration": 1, "toolsCount": 1}
        if menu is not None:
            payload["tools"] = menu
        log.add("stream.llm_start", payload)
    assert open_bytes(log.lines()).fidelity.catalogue == catalogue


def test_index_takes_tens_of_bytes_an_event(open_bytes: OpenBytes) -> None:
    log = Log().configured()
    for number in range(50):
        log.ended(f"t{number}", "x" * 10_000)
    view = open_bytes(log.lines())
    columns = (
        getattr(view._index, name) for name in ("starts", "lengths", "types", "owners", "calls")
    )
    assert sum(column.itemsize for column in columns) == 28
