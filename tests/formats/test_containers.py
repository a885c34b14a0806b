"""Every container is recognised from its bytes, and broken places cost nothing around them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from agentprint_cli.base.errors import UnreadableInput
from agentprint_cli.view import open_view
from tests.conftest import OpenBytes
from tests.logs import Log


def _log() -> Log:
    log = Log().configured().asked("q")
    log.called_model(1)
    log.answered("a")
    return log


def test_log_is_recognised_whatever_its_name(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines(), "picture.png")
    assert (view.format, len(view), view.unread) == ("jsonl", 4, ())


@pytest.mark.parametrize("indent", [None, 2])
def test_documents(open_bytes: OpenBytes, indent: int | None) -> None:
    events = _log().events
    recording = {"snapshot": {"sharedState": {}}, "structure": {}, "events": events}
    envelope = {"format": "agentfootprint.recording/v1", "recording": recording}
    artifact = {"meta": {"origin": {"runId": "run-1"}}, **recording}
    for value, kind in ((recording, "recording"), (envelope, "envelope"), (artifact, "artifact")):
        view = open_bytes(json.dumps(value, indent=indent).encode())
        assert (view.format, len(view), view.unread) == (kind, 4, ())
        assert json.loads(view.raw(3)) == events[3]


def test_document_whose_events_come_first_and_are_long(open_bytes: OpenBytes) -> None:
    log = _log()
    log.ended("t", "x" * 200_000)
    view = open_bytes(json.dumps({"events": log.events, "snapshot": {}}).encode())
    assert (view.format, len(view)) == ("recording", 5)


def test_document_with_a_long_part_before_its_events(open_bytes: OpenBytes) -> None:
    parts = {"meta": {"note": "y" * 200_000}, "snapshot": {}, "events": _log().events}
    view = open_bytes(json.dumps(parts).encode())
    assert (view.format, len(view)) == ("recording", 4)


def test_log_whose_first_line_is_very_long(open_bytes: OpenBytes) -> None:
    log = Log()
    log.ended("t", "x" * 300_000)
    log.answered("a")
    assert len(open_bytes(log.lines())) == 2


@pytest.mark.parametrize("members", [1, 3])
def test_compression_in_several_members(open_bytes: OpenBytes, members: int) -> None:
    data = _log().lines()
    step = -(-len(data) // members)
    parts = [data[i : i + step] for i in range(0, len(data), step)]
    for packed in (
        b"".join(gzip.compress(part) for part in parts),
        b"".join(zstandard.compress(part) for part in parts),
    ):
        view = open_bytes(packed)
        assert (len(view), view.unread) == (4, ())
        assert view.recording().bytes == len(packed)
        assert view.raw(0) == data.split(b"\n")[0]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_input_that_is_cut_is_read_up_to_there(
    open_bytes: OpenBytes, pack: object
) -> None:
    log = _log()
    for number in range(2000):
        log.ended(f"t{number}", str(number * 7919))
    packed = pack(log.lines())  # type: ignore[operator]
    view = open_bytes(packed[: len(packed) * 2 // 3])
    assert 0 < len(view) < 2004
    assert any("compressed data is cut off" in entry.reason for entry in view.unread)


def test_compressed_input_with_rubbish_behind_it(open_bytes: OpenBytes) -> None:
    view = open_bytes(gzip.compress(_log().lines()) + b"rubbish")
    assert len(view) == 4
    assert "damaged" in view.unread[-1].reason


def test_broken_line_keeps_its_number(open_bytes: OpenBytes) -> None:
    lines = _log().lines().split(b"\n")
    lines[1] = b'{"type":"agentfootprint.agent.turn_start","payload":{"userPro'
    view = open_bytes(b"\n".join(lines))
    assert len(view) == 4
    assert [view.type_of(i) is None for i in range(4)] == [False, True, False, False]
    (entry,) = view.unread
    assert (entry.line, entry.event, entry.cut) == (2, 1, False)
    assert entry.offset > len(lines[0])
    assert view.raw(1) == lines[1]


def test_first_line_broken(open_bytes: OpenBytes) -> None:
    view = open_bytes(b'{"type":"agentfootprint.x","payl\n' + _log().lines())
    assert (len(view), view.unread[0].line) == (5, 1)


def test_break_in_the_middle_of_a_long_line_is_seen(open_bytes: OpenBytes) -> None:
    log = _log()
    log.ended("t", {"a": "x" * 5000, "b": 1, "c": "y" * 5000})
    data = log.lines().replace(b'"b": 1', b'"b": , 1')
    view = open_bytes(data)
    assert [entry.line for entry in view.unread] == [5]


def test_cut_in_mid_line_is_said(open_bytes: OpenBytes) -> None:
    data = _log().lines()
    view = open_bytes(data[:-20])
    assert len(view) == 4
    (entry,) = view.unread
    assert entry.cut
    assert entry.line == 4
    assert "ends in mid-line" in entry.reason


def test_last_line_without_line_feed_is_an_event(open_bytes: OpenBytes) -> None:
    view = open_bytes(_log().lines()[:-1])
    assert (len(view), view.unread) == (4, ())


def test_empty_lines_keep_their_numbers(open_bytes: OpenBytes) -> None:
    lines = _log().lines().split(b"\n")
    view = open_bytes(b"\n".join([lines[0], b"", b"  ", *lines[1:]]))
    assert [view.type_of(i) is None for i in range(6)] == [False, True, True, False, False, False]
    assert view.unread == ()


@pytest.mark.parametrize(
    "line",
    [
        rb'{"type":"agentfootprint.x","payload":{"t":"cut \ud83d"},"meta":{"runId":"run-1"}}',
        b'{"type":"agentfootprint.x","payload":{"t":NaN,"u":-Infinity}}',
        b'{"type":"agentfootprint.x","payload":{"n":123456789012345678901234567890}}',
        b'{"type":"agentfootprint.x","payload":{"t":"\xe2\x80\xa8 \xe2\x80\xa9"}}',
        b'{"payload":{},"meta":null,"type":"agentfootprint.x"}',
        b'{"type":"other","type":"agentfootprint.x"}',
        b'{"type":"agentfootprint.x","payload":[1,2],"meta":7}',
        b'  {"type":"agentfootprint.x","payload":{}}\r',
    ],
)
def test_what_real_writers_produce_is_read(open_bytes: OpenBytes, line: bytes) -> None:
    view = open_bytes(_log().lines() + line + b"\n" + _log().lines())
    assert view.unread == ()
    assert view.at(4).type == "agentfootprint.x"
    assert view.raw(4) == line.rstrip(b"\r")


def test_big_integers_keep_every_digit(open_bytes: OpenBytes) -> None:
    line = b'{"type":"agentfootprint.x","payload":{"n":123456789012345678901234567890}}\n'
    assert open_bytes(line).at(0).payload["n"] == 123456789012345678901234567890


def test_integer_longer_than_python_converts_is_kept_as_text(open_bytes: OpenBytes) -> None:
    digits = "1234567890" * 500
    view = open_bytes(f'{{"type":"agentfootprint.x","payload":{{"n":{digits}}}}}\n'.encode())
    assert view.at(0).payload["n"] == digits


def test_byte_order_mark(open_bytes: OpenBytes) -> None:
    view = open_bytes(b"\xef\xbb\xbf" + _log().lines())
    assert (len(view), view.unread) == (4, ())
    assert view.at(0).type == "agentfootprint.agent.run_configured"
    document = json.dumps({"events": _log().events}).encode()
    assert len(open_bytes(b"\xef\xbb\xbf" + document)) == 4


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a":"\xff\xfe"}', "not valid UTF-8"),
        (b"[1,2,3]", "not an object"),
        (b'{"payload":{}}', "without a string 'type'"),
        (b'{"type":"my.event"}', "no event type"),
        (b"not json at all", "not valid JSON"),
        (b'{"type":"agentfootprint.x","payload":' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_event_is_unread_with_a_reason(
    open_bytes: OpenBytes, line: bytes, reason: str
) -> None:
    view = open_bytes(_log().lines() + line + b"\n" + _log().lines())
    assert len(view) == 9
    (entry,) = view.unread
    assert entry.line == 5
    assert reason in entry.reason


def test_document_with_a_broken_event_keeps_its_number(open_bytes: OpenBytes) -> None:
    good = json.dumps(_log().events[0])
    view = open_bytes(f'{{"events":[{good},{{"type":tru}},7,{good}],"snapshot":{{}}}}'.encode())
    assert len(view) == 4
    assert [entry.event for entry in view.unread] == [1, 2]
    assert view.raw(1) == b'{"type":tru}'


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_document_that_is_cut_is_read_up_to_there(open_bytes: OpenBytes, cut: float) -> None:
    log = _log()
    for number in range(50):
        log.ended(f"t{number}", {"n": number})
    data = log.document({"sharedState": {}})
    view = open_bytes(data[: int(len(data) * cut)])
    assert 0 < len(view) < 54
    assert view.unread[-1].cut
    assert view.unread[-1].offset <= len(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02PNG" * 50, "binary data"),
        (b"hello\nworld\n", "text"),
        (b"[1,2]", "a JSON array"),
        (b'{"a":1}', "none of its objects is an event"),
        (b'{"events":7}', "not an array"),
        (b'{"snapshot":{},"structure":1}', "no 'events' array"),
        (b'{"format":"agentfootprint.recording/v1","recording":7}', "not an object"),
        (b"\n\n\n", "none of its first lines"),
        (b"\x1f\x8b", "empty"),
        (b"\x28\xb5\x2f\xfd", "empty"),
    ],
)
def test_what_is_no_recording_is_refused_with_a_reason(
    open_bytes: OpenBytes, data: bytes, message: str
) -> None:
    with pytest.raises(UnreadableInput, match=message):
        open_bytes(data)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no such file"):
        open_view(str(tmp_path / "none"))
    with pytest.raises(UnreadableInput, match="a folder"):
        open_view(str(tmp_path))


def test_damaged_checksum_loses_none_of_the_data_before_it(open_bytes: OpenBytes) -> None:
    log = _log()
    for number in range(3000):
        log.ended(f"t{number}", number)
    packed = bytearray(gzip.compress(log.lines()))
    packed[-6] ^= 1
    view = open_bytes(bytes(packed))
    assert len(view) > 2900
    assert "damaged" in view.unread[-1].reason


def test_zstd_that_begins_with_a_skippable_frame(open_bytes: OpenBytes) -> None:
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"note"
    assert len(open_bytes(skippable + zstandard.compress(_log().lines()))) == 4


def test_what_follows_a_document_is_said(open_bytes: OpenBytes) -> None:
    document = json.dumps({"events": _log().events, "snapshot": {}}).encode()
    view = open_bytes(document + b"\n" + document)
    assert len(view) == 4
    assert "something follows the document" in view.unread[0].reason
    assert open_bytes(document + b" \n").unread == ()


@pytest.mark.parametrize("indent", [None, 1])
def test_container_whatever_its_first_members_are(
    open_bytes: OpenBytes, indent: int | None
) -> None:
    parts = {"type": "export", "meta": {"note": "y" * 5_000_000}, "events": _log().events}
    view = open_bytes(json.dumps(parts, indent=indent).encode())
    assert (view.format, len(view)) == ("recording", 4)


def test_file_that_grows_while_it_is_read_is_read_as_it_was(tmp_path: Path) -> None:
    from agentprint_cli.view.source import open_source

    path = tmp_path / "x"
    path.write_bytes(_log().lines())
    source = open_source(str(path))
    with path.open("ab") as more:
        more.write(_log().lines())
    assert b"".join(source.lines()) == _log().lines()
    source.close()
