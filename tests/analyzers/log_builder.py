"""Hand-made logs of runs whose composes say what was placed, as the framework writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from agentprint_cli.model import Fact, Pointer, Report
from agentprint_cli.view import View

_ROLES = {"user": "user", "assistant": "assistant", "tool-result": "tool"}


class Log:
    """Collects events of one run, or of several with `as_run`."""

    def __init__(self, run: str | None = "run-1", session: str | None = None) -> None:
        self.events: list[dict[str, Any]] = []
        self.owner: dict[str, Any] = {}
        self.as_run(run, session)
        self._stages = 0

    def as_run(self, run: str | None, session: str | None = None, **meta: Any) -> Self:
        """The following events belong to this run."""
        self.owner = {"runId": run, "sessionId": session, **meta}
        return self

    def add(self, type: str, payload: dict[str, Any], **meta: Any) -> int:
        """Add an event; its number."""
        full = {"runtimeStageId": f"stage#{len(self.events)}", **self.owner, **meta}
        self.events.append(
            {
                "type": f"agentfootprint.{type}",
                "payload": payload,
                "meta": {name: value for name, value in full.items() if value is not None},
            }
        )
        return len(self.events) - 1

    def begin(self, prompt: str = "q", **configured: Any) -> Self:
        self.add("agent.run_configured", {"agentId": "agent", **configured})
        self.add("agent.turn_start", {"turnIndex": 0, "userPrompt": prompt})
        return self

    def answer(self, text: str = "a") -> int:
        return self.add("agent.turn_end", {"turnIndex": 0, "finalContent": text})

    def compose(
        self,
        iteration: int,
        *rows: tuple[str, str | None, str],
        slot: str = "messages",
        **over: Any,
    ) -> int:
        """A slot's compose: rows of (source, source id, text); ``over`` replaces its fields."""
        self._stages += 1
        stage = f"sf-{slot}/compose#{self._stages}"
        breakdown: dict[str, dict[str, int]] = {}
        for position, (source, source_id, text) in enumerate(rows):
            size = breakdown.setdefault(source, {"chars": 0, "count": 0})
            size["chars"] += len(text.encode("utf-16-le", "surrogatepass")) // 2
            size["count"] += 1
            row: dict[str, Any] = {
                "slot": slot,
                "source": source,
                "asRole": _ROLES.get(source, "user"),
                "rawContent": text,
                "contentHash": f"{position}:{text[:20]}",
                "position": position,
            }
            if source_id is not None:
                row["sourceId"] = source_id
            self.add("context.injected", row, runtimeStageId=stage)
        return self.add(
            "context.slot_composed",
            {"slot": slot, "iteration": iteration, "sourceBreakdown": breakdown, **over},
            runtimeStageId=stage,
        )

    def model(self, iteration: int, *results: tuple[str, str]) -> int:
        """A model call whose messages are a question and these results (id, text)."""
        rows = (("tool-result", call, text) for call, text in results)
        self.compose(iteration, ("user", None, "q"), *rows)
        return self.add("stream.llm_start", {"iteration": iteration, "toolsCount": 1})

    def call(self, id: str, tool: str = "find", args: object = None, **ended: Any) -> int:
        """A call and its end (``result`` and whatever else); the number of its end."""
        self.start(id, tool, args)
        return self.add("stream.tool_end", {"toolCallId": id, "result": "r", **ended})

    def start(self, id: str, tool: str = "find", args: object = None) -> int:
        return self.add(
            "stream.tool_start", {"toolName": tool, "toolCallId": id, "args": args or {}}
        )

    def standing(self, call: str, word: str, on: str = "tool-call", **more: Any) -> int:
        return self.add(
            "findings.standing",
            {"toolCallId": call, "standing": word, "declaredOn": on, "assertionCount": 0, **more},
        )

    def code(self, hash: str | None, ok: object = True, tool: str = "run_code", **more: Any) -> int:
        payload: dict[str, Any] = {"tool": tool, "language": "javascript", "outputChars": 1, **more}
        payload.update({} if ok is None else {"ok": ok})
        payload.update({} if hash is None else {"shapeHash": hash})
        return self.add("tools.code_run", payload)

    def session(self, kind: str, key: str = "k1", scope: str = "run", **more: Any) -> int:
        return self.add(
            f"tools.session_{kind}", {"tool": "run_code", "scope": scope, "keyHash": key, **more}
        )

    def save(self, folder: Path, name: str = "run.jsonl") -> str:
        """Write the log; its path."""
        path = folder / name
        path.write_text("".join(json.dumps(event) + "\n" for event in self.events))
        return str(path)

    def save_document(self, folder: Path, state: dict[str, Any], **snapshot: Any) -> str:
        """Write a recording document with this end state; its path."""
        path = folder / "run.json"
        whole = {"events": self.events, "snapshot": {"sharedState": state, **snapshot}}
        path.write_text(json.dumps(whole))
        return str(path)


def pointers_of(fact: Fact) -> Iterator[Pointer]:
    """Every pointer that a fact holds."""
    yield from fact.pointers
    for sourced in fact.values.values():
        if sourced.pointer is not None:
            yield sourced.pointer
        if isinstance(sourced.value, dict):
            yield from (value for value in sourced.value.values() if isinstance(value, Pointer))
        elif isinstance(sourced.value, list):
            yield from (value for value in sourced.value if isinstance(value, Pointer))


def assert_resolves(view: View, report: Report) -> None:
    """Every pointer of the report leads to bytes of the recording."""
    for fact in report.facts:
        for pointer in pointers_of(fact):
            view.resolve(pointer)
