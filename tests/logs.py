"""Hand-made logs: a builder for the events of one or more runs, as the framework writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self


class Log:
    """Collects events; each method adds one and returns the builder, or its number where a test
    needs it."""

    def __init__(self, run: str | None = "run-1", session: str | None = None) -> None:
        self.events: list[dict[str, Any]] = []
        self.run = run
        self.session = session
        self._stage = 0

    def add(self, type: str, payload: dict[str, Any], **meta: Any) -> int:
        """Add an event of the current run; its number."""
        owner = {"runId": self.run, "sessionId": self.session}
        full = {"runtimeStageId": f"stage#{len(self.events)}", **owner, **meta}
        event: dict[str, Any] = {
            "type": f"agentfootprint.{type}",
            "payload": payload,
            "meta": {name: value for name, value in full.items() if value is not None},
        }
        self.events.append(event)
        return len(self.events) - 1

    def as_run(self, run: str | None, session: str | None = None) -> Self:
        """The following events belong to this run."""
        self.run, self.session = run, session
        return self

    def configured(self, **payload: Any) -> Self:
        self.add("agent.run_configured", {"agentId": "agent", **payload})
        return self

    def asked(self, prompt: str) -> Self:
        self.add("agent.turn_start", {"turnIndex": 0, "userPrompt": prompt})
        return self

    def answered(self, text: str) -> int:
        return self.add("agent.turn_end", {"turnIndex": 0, "finalContent": text})

    def composed(self, iteration: int, *rows: tuple[str, str | None, str], **extra: Any) -> int:
        """The messages-slot compose of an iteration: rows of (source, source id, text)."""
        self._stage += 1
        stage = f"sf-messages/compose#{self._stage}"
        roles = {"user": "user", "assistant": "assistant", "tool-result": "tool"}
        for position, (source, source_id, text) in enumerate(rows):
            row: dict[str, Any] = {
                "slot": "messages",
                "source": source,
                "asRole": roles.get(source, "user"),
                "rawContent": text,
                "contentSummary": text[:40],
                "contentHash": f"{position:08x}",
                "reason": "test",
                "position": position,
            }
            if source_id is not None:
                row["sourceId"] = source_id
            self.add("context.injected", row, runtimeStageId=stage)
        breakdown: dict[str, dict[str, int]] = {}
        for source, _, text in rows:
            entry = breakdown.setdefault(source, {"chars": 0, "count": 0})
            entry["chars"] += len(text)
            entry["count"] += 1
        return self.add(
            "context.slot_composed",
            {"slot": "messages", "iteration": iteration, "sourceBreakdown": breakdown, **extra},
            runtimeStageId=stage,
        )

    def called_model(self, iteration: int, *tools: str) -> int:
        return self.add(
            "stream.llm_start",
            {
                "iteration": iteration,
                "provider": "mock",
                "model": "mock",
                "toolsCount": len(tools),
                "tools": [{"name": name, "description": f"Does {name}."} for name in tools],
            },
            runtimeStageId=f"call-llm#{iteration}",
        )

    def started(self, call: str, tool: str, args: object = None) -> int:
        return self.add(
            "stream.tool_start", {"toolName": tool, "toolCallId": call, "args": args or {}}
        )

    def ended(self, call: str, result: object, **extra: Any) -> int:
        return self.add("stream.tool_end", {"toolCallId": call, "result": result, **extra})

    def history(self, iteration: int, *messages: dict[str, Any]) -> int:
        return self.add(
            "agent.iteration_end",
            {"turnIndex": 0, "iterIndex": iteration, "toolCallCount": 1, "history": messages},
        )

    def lines(self) -> bytes:
        """The log's bytes."""
        return b"".join(json.dumps(event).encode() + b"\n" for event in self.events)

    def save(self, folder: Path, name: str = "run.jsonl") -> str:
        """Write the log; its path."""
        path = folder / name
        path.write_bytes(self.lines())
        return str(path)

    def document(self, snapshot: dict[str, Any], **parts: Any) -> bytes:
        """The same events as a recording document."""
        return json.dumps({**parts, "snapshot": snapshot, "events": self.events}).encode()


def one_call(result: object, *, tool: str = "find", **ended: Any) -> Log:
    """A finished run of one call, whose result was in front of the model for its answer."""
    log = Log().configured().asked("what is there?")
    log.composed(1, ("user", None, "what is there?"))
    log.called_model(1, tool)
    log.started("t1", tool, {"q": "x"})
    log.ended("t1", result, **ended)
    text = result if isinstance(result, str) else json.dumps(result)
    log.history(
        1,
        {"role": "user", "content": "what is there?"},
        {"role": "assistant", "content": "", "toolCalls": [{"id": "t1", "name": tool}]},
        {"role": "tool", "content": text, "toolCallId": "t1", "toolName": tool},
    )
    log.composed(2, ("user", None, "what is there?"), ("tool-result", "t1", text))
    log.called_model(2, tool)
    log.answered("this is there")
    return log
