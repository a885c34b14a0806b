"""Generated logs to measure on: made-up runs with results, histories and tokens as long as those
of real agents (lines of about 900 bytes in the mean), the same bytes at every making."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".bench"
_WORDS = [
    "the",
    "loan",
    "of",
    "branch",
    "Harbour",
    "was",
    "returned",
    "late",
    "by",
    "a",
    "member",
    "who",
    "asked",
    "for",
    "more",
    "time",
]
_TOOLS = [
    {"name": f"search_{name}", "description": f"Search {name} by name, number or date of entry."}
    for name in ("loans", "members", "branches", "shelves", "fines", "orders", "rooms", "events")
]


def big_log(megabytes: int) -> Path:
    """A log of about that size, of many runs in several sessions. Made once, then kept."""
    path = FOLDER / f"log-{megabytes}.jsonl"
    if path.exists():
        return path
    FOLDER.mkdir(exist_ok=True)
    rng = random.Random(7)
    written = run = 0
    with path.open("wb") as out:
        while written < megabytes * 1_000_000:
            for event in _run(rng, run):
                line = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
                written += out.write(line.encode() + b"\n")
            run += 1
    return path


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))


def _breakdown(history: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    results = [message for message in history if message["role"] == "tool"]
    return {
        "tool-result": {"chars": sum(len(m["content"]) for m in results), "count": len(results)}
    }


def _run(rng: random.Random, number: int) -> Iterator[dict[str, Any]]:
    """The events of one run: a few iterations, each with one call."""
    offset = 0

    def event(type: str, stage: str, payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal offset
        offset += 3
        return {
            "type": f"agentfootprint.{type}",
            "payload": payload,
            "meta": {
                "wallClockMs": 1_796_000_000_000 + number * 10_000 + offset,
                "runOffsetMs": offset,
                "runtimeStageId": stage,
                "subflowPath": [],
                "compositionPath": ["Agent:agent"],
                "runId": f"run-{number}",
                "sessionId": f"session-{number % 97}",
            },
        }

    question = _text(rng, 15)
    yield event(
        "agent.run_configured",
        "run-configured#0",
        {"agentId": "agent", "llm": {"provider": "mock", "model": "mock"}},
    )
    yield event("agent.turn_start", "seed#0", {"turnIndex": 0, "userPrompt": question})
    history: list[dict[str, Any]] = [{"role": "user", "content": question}]
    iterations = rng.randint(2, 6)
    for iteration in range(1, iterations + 1):
        stage = f"sf-messages/compose#{iteration * 20}"
        for position, message in enumerate(history):
            row = {
                "slot": "messages",
                "source": {"user": "user", "tool": "tool-result"}.get(message["role"], "assistant"),
                "asRole": message["role"],
                "rawContent": message["content"],
                "contentSummary": message["content"][:80],
                "contentHash": f"{position:08x}",
                "reason": f"conversation history [{position}]",
                "position": position,
            }
            if "toolCallId" in message:
                row["sourceId"] = message["toolCallId"]
            yield event("context.injected", stage, row)
        yield event(
            "context.slot_composed",
            stage,
            {
                "slot": "messages",
                "iteration": iteration,
                "sourceBreakdown": _breakdown(history),
                "droppedCount": 0,
            },
        )
        call_stage = f"call-llm#{iteration * 20 + 8}"
        yield event(
            "stream.llm_start",
            call_stage,
            {"iteration": iteration, "toolsCount": len(_TOOLS), "tools": _TOOLS},
        )
        said = _text(rng, 20)
        for index, word in enumerate(said.split()):
            yield event(
                "stream.token",
                call_stage,
                {"iteration": iteration, "tokenIndex": index, "content": word + " "},
            )
        last = iteration == iterations
        yield event(
            "stream.llm_end",
            call_stage,
            {"iteration": iteration, "content": said, "toolCallCount": 0 if last else 1},
        )
        if last:
            yield event("agent.turn_end", "final#1", {"turnIndex": 0, "finalContent": said})
            return
        call, tool = f"call-{number}-{iteration}", rng.choice(_TOOLS)["name"]
        rows = [{"id": i, "note": _text(rng, 12)} for i in range(rng.randint(0, 90))]
        result = json.dumps(rows)
        calls = [{"id": call, "name": tool, "args": {"q": "Harbour"}}]
        history.append({"role": "assistant", "content": said, "toolCalls": calls})
        history.append({"role": "tool", "content": result, "toolCallId": call, "toolName": tool})
        stage = f"tool-calls#{iteration * 20 + 12}"
        yield event(
            "stream.tool_start",
            stage,
            {"toolName": tool, "toolCallId": call, "args": {"q": "Harbour"}},
        )
        yield event("stream.tool_end", stage, {"toolCallId": call, "result": rows, "durationMs": 2})
        yield event(
            "agent.iteration_end",
            stage,
            {"iterIndex": iteration, "toolCallCount": 1, "history": history},
        )


def choice_run(rng: random.Random, number: int) -> Iterator[dict[str, Any]]:
    """The events of a run of two choices that matter to margins, over a menu of eight tools."""
    meta = {"runId": f"run-{number}"}

    def event(type: str, stage: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": f"agentfootprint.{type}",
            "payload": payload,
            "meta": {**meta, "runtimeStageId": stage},
        }

    prompt = f"{_text(rng, 12)} {number}"
    yield event("agent.run_configured", "s#0", {"agentId": "agent"})
    yield event("agent.turn_start", "s#1", {"turnIndex": 0, "userPrompt": prompt})
    for iteration in (1, 2):
        stage = f"call-llm#{iteration}"
        payload = {"iteration": iteration, "toolsCount": len(_TOOLS), "tools": _TOOLS}
        yield event("stream.llm_start", stage, payload)
        yield event("stream.llm_end", stage, {"iteration": iteration, "content": _text(rng, 9)})
        tool = rng.choice(_TOOLS)["name"]
        call = {"toolName": tool, "toolCallId": f"c{iteration}", "args": {}}
        yield event("stream.tool_start", f"tool#{iteration}", call)
    yield event("agent.turn_end", "end#0", {"turnIndex": 0, "finalContent": "done"})
