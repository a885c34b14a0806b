"""``agentprint validate``: what it finds, where, and how it ends."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.commands import run
from agentprint_cli.reports.validate.pipeline import validate
from tests.schemas.samples import event, lines, token

Found = tuple[int | None, int | None, str, str, str]


def deviations(path: str | Path) -> list[Found]:
    """Line, event, path, found and expected of each deviation."""
    return [
        (
            fact.pointers[0].line,
            fact.pointers[0].event,
            fact.pointers[0].path,
            fact.text("found"),
            fact.text("expected"),
        )
        for fact in validate(str(path)).of("deviation")
    ]


@pytest.fixture
def log(tmp_path: Path) -> Callable[[bytes], str]:
    """Writes a log; its path."""

    def write(data: bytes) -> str:
        path = tmp_path / "run.jsonl"
        path.write_bytes(data)
        return str(path)

    return write


Write = Callable[[bytes], str]


def test_each_deviation_is_found_at_its_line_and_path(log: Write) -> None:
    end = event("stream.tool_end", toolCallId=7, durationMs=1)
    rows = event(
        "context.slot_composed",
        slot="message",
        iteration=1,
        budget={"cap": 1, "used": 2, "headroomChars": 0},
        sourceBreakdown={"a/b": {"chars": 1, "count": "2"}},
        droppedCount=-1,
    )
    bad_meta = token()
    bad_meta["meta"]["runtimeStageId"] = None
    path = log(lines(token(), end, rows, bad_meta))
    assert deviations(path) == [
        (2, 1, "/payload", 'no member "result"', 'a member "result"'),
        (2, 1, "/payload/toolCallId", "the number 7", "a string"),
        (3, 2, "/payload/slot", 'the string "message"',
         'one of "system-prompt", "messages" or "tools"'),
        (3, 2, "/payload/sourceBreakdown/a~1b/count", 'the string "2"', "a whole number"),
        (3, 2, "/payload/droppedCount", "the number -1", "at least 0"),
        (4, 3, "/meta/runtimeStageId", "null", "a string"),
    ]  # fmt: skip


def test_pointers_of_deviations_resolve(log: Write) -> None:
    from agentprint_cli.view import open_view

    path = log(lines(token(5), event("stream.tool_end", result={"a": 1})))
    with open_view(path) as view:
        found = validate(path).of("deviation")
        assert len(found) == 3
        for fact in found:
            assert view.resolve(fact.pointers[0])


def test_empty_lines_and_broken_ones_keep_their_numbers(log: Write) -> None:
    path = log(lines(token()) + b"\n{broken\n" + lines(token(5)))
    assert deviations(path) == [(4, 3, "/payload/content", "the number 5", "a string")]
    (unread,) = validate(path).recordings[0].unread
    assert unread.line == 3


def test_a_clean_log_ends_with_0(log: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", log(lines(token(), token()))]) == 0
    out = capsys.readouterr().out
    assert "2 events of 1 type checked: nothing deviates from the schemas." in out


def test_a_deviation_ends_with_1_and_says_where(
    log: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", log(lines(token(), token(5)))]) == 1
    out = capsys.readouterr().out
    assert (
        "line 2, stream.token: found the number 5, expected a string  [1 /payload/content]" in out
    )
    assert "1 deviation in 1 event; 0 places could not be read." in out


def test_an_unread_place_alone_ends_with_1(log: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(lines(token()) + b'{"type": "agentfootprint.x"')
    assert run(["validate", path]) == 1
    out = capsys.readouterr().out
    assert "line 2, byte" in out
    assert "the file ends in mid-line" in out
    assert "0 deviations in 0 events; 1 place could not be read." in out


def test_unknown_types_are_counted_and_said_and_deviate_from_nothing(
    log: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(lines(token(), event("future.thing"), event("future.thing", x=1)))
    assert run(["validate", path]) == 0
    out = capsys.readouterr().out
    assert "type future.thing: 2 events, checked only for what every event has  [1 /type]" in out
    assert "2 of the events are of an unknown type." in out
    assert run(["validate", path, "--format", "json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert (counts["unknown_types"], counts["unknown_events"]) == (1, 2)


def test_an_event_of_an_unknown_type_is_still_an_event(log: Write) -> None:
    path = log(lines(token(), {"type": "agentfootprint.future.thing", "payload": []}))
    assert deviations(path) == [(2, 1, "/payload", "an array of 0 items", "an object")]


def test_max_limits_what_is_listed_and_not_what_is_counted(
    log: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(lines(*[token(5)] * 60, event("stream.tool_end"), *[token()] * 3))
    for arguments, listed in (([], 50), (["--max", "7"], 7), (["--max", "0"], 0)):
        assert run(["validate", path, *arguments, "--format", "json"]) == 1
        document = json.loads(capsys.readouterr().out)
        assert len(document["deviations"]) == document["counts"]["listed"] == listed
        assert document["counts"]["deviations"] == 63
        assert document["counts"]["deviating"] == 61
    assert run(["validate", path, "--max", "7"]) == 1
    out = capsys.readouterr().out
    assert "and 56 more that are not listed (--max N lists more)" in out
    assert "Deviations by type" in out
    assert run(["validate", path, "--max", "100"]) == 1
    out = capsys.readouterr().out
    assert "not listed" not in out
    assert "Deviations by type" not in out


def test_what_is_printed_is_short_and_safe(log: Write, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31m[bold]\u202e\ud83d" + "x" * 100_000
    call = event("stream.tool_start", toolName={hostile: hostile}, toolCallId=[hostile], args="x")
    path = log(lines(call, token(tokenIndex=hostile), event(hostile)))
    for format in ("text", "md", "json"):
        assert run(["validate", path, "--format", format]) == 1
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "\u202e" not in out
        if format == "text":
            assert max(len(line) for line in out.splitlines()) < 400


def test_a_compressed_log(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(lines(token(), token(5))))
    assert [found[:3] for found in deviations(path)] == [(2, 1, "/payload/content")]


SNAPSHOT: dict[str, Any] = {"sharedState": {"history": [{"role": "user", "content": "hello"}]}}


def save(path: Path, document: object) -> str:
    path.write_text(json.dumps(document))
    return str(path)


def test_the_document_around_the_events_is_checked(tmp_path: Path) -> None:
    document = {"events": [token(5)], "snapshot": {"sharedState": {"history": [{"role": 1}]}}}
    assert deviations(save(tmp_path / "a.json", document)) == [
        (None, None, "/snapshot/sharedState/history/0", 'no member "content"',
         'a member "content"'),
        (None, None, "/snapshot/sharedState/history/0/role", "the number 1", "a string"),
        (None, 0, "/payload/content", "the number 5", "a string"),
    ]  # fmt: skip


def test_a_document_without_a_snapshot(tmp_path: Path) -> None:
    path = save(tmp_path / "a.json", {"events": [token()]})
    assert deviations(path) == [
        (None, None, "", 'no member "snapshot"', 'a member "snapshot"'),
    ]


def test_inside_an_envelope_paths_start_at_the_documents_root(tmp_path: Path) -> None:
    recording = {"events": [token()], "snapshot": SNAPSHOT, "structure": 5}
    envelope = {"format": "agentfootprint.recording/v1", "recording": recording}
    assert deviations(save(tmp_path / "a.json", envelope)) == [
        (None, None, "/recording/structure", "the number 5", "an object or null"),
    ]


def test_a_cut_document_is_not_said_to_lack_what_may_stand_behind_the_cut(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"events": [token(), token()], "snapshot": SNAPSHOT})[:330])
    report = validate(str(path))
    assert report.of("deviation") == ()
    assert report.recordings[0].unread


@pytest.mark.parametrize("redacted", [True, False])
def test_a_redaction_placeholder_is_no_deviation_where_there_is_a_policy(
    tmp_path: Path, redacted: bool
) -> None:
    recorders = [{"id": "agentfootprint.redaction"}] if redacted else []
    start = event("stream.tool_start", toolName="t", toolCallId="c", args="[REDACTED]")
    document = {"events": [start], "snapshot": {**SNAPSHOT, "recorders": recorders}}
    assert len(deviations(save(tmp_path / "a.json", document))) == (0 if redacted else 1)


@pytest.mark.parametrize("data", [b"", b"\0\1\2", b"plain text\n", b'{"a": 1}'])
def test_what_is_no_recording_ends_with_3(
    log: Write, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", log(data)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--max", "-1"], ["--format", "yaml"], []])
def test_wrong_usage_ends_with_2(
    log: Write, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", *([log(lines(token()))] if arguments else []), *arguments]) == 2
    assert capsys.readouterr().out == ""


def test_progress_is_told_while_events_are_checked(log: Write) -> None:
    told: list[tuple[int, int]] = []
    path = log(lines(*[token("x" * 400_000)] * 12))
    validate(path, progress=lambda done, total: told.append((done, total)))
    size = Path(path).stat().st_size
    assert {total for _, total in told} == {size}
    assert len(told) >= 6  # the index's pass and this one
    assert all(0 < done <= size for done, _ in told)


def test_markdown(log: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", log(lines(token(5))), "--format", "md"]) == 1
    assert "`[0 /payload/content]`" in capsys.readouterr().out
