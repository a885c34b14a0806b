"""The product's laws, on logs that Hypothesis makes up."""

from __future__ import annotations

import io
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentprint_cli.base.json_text import BrokenJson, decode, span_at
from agentprint_cli.base.rfc6901 import follow, join
from agentprint_cli.base.safe_text import json_safe, visible
from agentprint_cli.model import Pointer
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.explain.outline import outline
from agentprint_cli.reports.explain.pipeline import explain
from agentprint_cli.view import open_view
from tests.logs import Log

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = st.text(st.characters(), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
call_ids = st.sampled_from(["t1", "t2", "t3", "0", "\x1b[2J"])
tools = st.sampled_from(["find", "list", "sea\u202erch"])
TYPES = [
    "agent.run_configured",
    "agent.turn_start",
    "agent.turn_end",
    "agent.iteration_end",
    "stream.llm_start",
    "stream.llm_end",
    "stream.tool_start",
    "stream.tool_end",
    "context.injected",
    "context.slot_composed",
    "tools.absent",
    "tools.coverage_declared",
    "findings.standing",
    "findings.declared",
    "skill.turn_routed",
    "permission.check",
    "middleware.decision",
    "checkin.decision",
    "pause.request",
    "pause.resume",
]
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "toolCallId": call_ids,
    "toolName": tools,
    "sourceId": call_ids,
    "slot": st.sampled_from(["messages", "system-prompt", "tools"]),
    "source": st.sampled_from(["user", "assistant", "tool-result", "skill"]),
    "asRole": st.sampled_from(["user", "assistant", "tool"]),
    "iteration": st.integers(0, 2),
    "position": st.integers(0, 4),
    "userPrompt": texts,
    "finalContent": texts,
    "rawContent": texts,
    "result": json_values,
    "modelResult": json_values,
    "error": st.booleans(),
    "notDispatched": st.booleans(),
    "standing": st.sampled_from(["fact", "noise", "open"]),
    "outcome": st.sampled_from(["allow", "deny"]),
    "moment": st.sampled_from(["before-tool", "after-tool"]),
    "approved": st.booleans(),
    "to": texts,
    "notChecked": st.lists(st.fixed_dictionaries({"what": texts}), max_size=2),
    "tools": st.lists(st.fixed_dictionaries({"name": tools}), max_size=2),
    "history": st.lists(
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["user", "tool", "assistant"]),
                "content": texts,
                "toolCallId": call_ids,
            }
        ),
        max_size=3,
    ),
}


@st.composite
def events(draw: st.DrawFn, run: str = "run-1", session: str | None = None) -> dict[str, Any]:
    """An event with any of the fields that analyses read, some of the wrong kind."""
    payload: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=9, unique=True)):
        strategy = FIELDS[name] if draw(st.integers(0, 9)) else json_values
        payload[name] = draw(strategy)
    stage = draw(st.sampled_from(["s#1", "s#2"]))
    meta: dict[str, Any] = {"runId": run, "runtimeStageId": stage}
    if session is not None:
        meta["sessionId"] = session
    return {
        "type": "agentfootprint." + draw(st.sampled_from(TYPES)),
        "payload": payload,
        "meta": meta,
    }


def _lines(items: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def _explained(data: bytes, **options: Any) -> tuple[dict[str, Any], Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(data)
        report = explain(str(path), **options)
        return report.to_dict(), report


def _pointers(value: Any) -> Iterator[Pointer]:
    if isinstance(value, dict):
        for name, item in value.items():
            if name == "pointers":
                for place in item:
                    yield Pointer(
                        path=place["path"], event=place.get("event"), type=place.get("type")
                    )
            else:
                yield from _pointers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _pointers(item)


STARTED = Log().configured().events


@given(st.lists(events(), max_size=25))
@SETTINGS
def test_every_pointer_resolves_to_recorded_bytes(items: list[dict[str, Any]]) -> None:
    data = _lines(STARTED + items)
    document, _ = _explained(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(data)
        with open_view(str(path)) as view:
            for pointer in _pointers(document):
                assert view.resolve(pointer) in data


@given(
    st.lists(events(), max_size=20), st.lists(events("run-9", "other"), max_size=10), st.randoms()
)
@SETTINGS
def test_foreign_runs_change_only_the_foreign_count(
    mine: list[dict[str, Any]], others: list[dict[str, Any]], rng: random.Random
) -> None:
    for item in mine:
        item["meta"]["sessionId"] = "mine"
    configured = Log("run-1", "mine").configured().events
    # Requests and ends of pauses are owned by helper scopes, so their place in the log counts.
    others = [o for o in others if "pause" not in o["type"]]
    alone, _ = _explained(_lines(configured + mine), run="run-1")
    mixed: list[dict[str, Any]] = list(configured)
    numbers = {0: 0}
    sides = [True] * len(mine) + [False] * len(others)
    rng.shuffle(sides)
    left, right = iter(mine), iter(others)
    for position, own in enumerate(sides, 1):
        if own:
            numbers[len(numbers)] = position
        mixed.append(next(left) if own else next(right))
    found, _ = _explained(_lines(mixed), run="run-1")
    assert found["recording"].pop("foreign") == len(others)
    alone["recording"].pop("foreign")
    for document in (alone, found):
        for name in ("bytes", "sha256", "events", "path", "fidelity"):
            document["recording"].pop(name)
        document["run"].pop("other_runs")
    assert _renumbered(alone, numbers) == found


def _renumbered(value: Any, numbers: dict[int, int]) -> Any:
    """The document with its event numbers moved to where the same events stand in the mix."""
    if isinstance(value, dict):
        moved = {}
        for name, item in value.items():
            if name in ("event", "llm_start", "compose") and isinstance(item, int):
                moved[name] = numbers[item]
            elif name == "line" and isinstance(item, int):
                moved[name] = numbers[item - 1] + 1
            elif name == "result":
                moved[name] = item
            else:
                moved[name] = _renumbered(item, numbers)
        return moved
    return [_renumbered(item, numbers) for item in value] if isinstance(value, list) else value


@given(st.lists(events(), max_size=15))
@SETTINGS
def test_same_bytes_same_report_and_nothing_moves_the_cursor(items: list[dict[str, Any]]) -> None:
    data = _lines(STARTED + items)
    for name in ("text", "md", "json"):
        outputs = []
        for _ in range(2):
            document, report = _explained(data)
            stream = io.StringIO()
            document["recording"].pop("path")
            RENDERERS[name].write(
                Output(lambda document=document: document, lambda report=report: outline(report)),  # type: ignore[misc]
                stream,
                Style(width=60) if name == "text" else Style(),
            )
            # The temporary path stands in the title.
            outputs.append(stream.getvalue().split("\n", 1)[1])
        assert outputs[0] == outputs[1]
        moving = [c for c in outputs[0] if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]
        assert moving == []
        assert not set(outputs[0]) & set("\u2028\u2029\u202a\u202b\u202d\u202e\u2066\u2067\u200f")
        outputs[0].encode("utf-8")


@given(st.binary(max_size=400), st.integers(0, 40))
@SETTINGS
def test_broken_bytes_cost_nothing_around_them(rubbish: bytes, place: int) -> None:
    rubbish = rubbish.replace(b"\n", b" ")
    log = Log().configured().asked("q")
    for number in range(10):
        log.ended(f"t{number}", number)
    lines = log.lines().split(b"\n")[:-1]
    place = 1 + place % len(lines)
    data = b"\n".join([*lines[:place], rubbish, *lines[place:], b""])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(data)
        with open_view(str(path)) as view:
            read = [view.raw(n) for n in range(len(view)) if view.type_of(n) is not None]
            assert [r for r in read if r != rubbish.rstrip(b"\r")] == lines
            assert len(view) == len(lines) + 1
            assert len(view.unread) <= 1


@given(json_values)
@SETTINGS
def test_spans_and_decoding_agree(value: Any) -> None:
    raw = json.dumps(value).encode()

    def walk(found: Any, tokens: list[str]) -> None:
        start, end = span_at(raw, tokens)
        again = decode(raw[start:end])
        assert json.dumps(again) == json.dumps(found)
        assert json.dumps(follow(decode(raw), tokens)) == json.dumps(found)
        if isinstance(found, dict):
            for name, item in found.items():
                walk(item, [*tokens, name])
        elif isinstance(found, list):
            for number, item in enumerate(found):
                walk(item, [*tokens, str(number)])

    walk(value, [])


@given(st.binary(max_size=200))
@SETTINGS
def test_decoding_any_bytes_gives_a_value_or_says_where_it_broke(raw: bytes) -> None:
    broke_at = 0
    try:
        decode(raw)
    except BrokenJson as error:
        broke_at = error.offset
    assert 0 <= broke_at <= len(raw)


@given(st.lists(texts, max_size=4))
@SETTINGS
def test_paths_can_be_parsed_again(tokens: list[str]) -> None:
    from agentprint_cli.base.rfc6901 import parse

    assert parse(join(*tokens)) == tokens


@given(st.text(st.characters(), max_size=60))
@SETTINGS
def test_visible_text_is_harmless_and_keeps_what_was_harmless(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not [c for c in shown if ord(c) < 32 or 127 <= ord(c) < 160]
    assert visible(shown) == shown
    plain = json_safe(json.dumps(text, ensure_ascii=False))
    assert json.loads(plain) == text
