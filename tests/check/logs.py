"""Logs for the tests of the gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentprint_cli.embedding import Embedder, make_embedder
from tests.logs import Log

TWINS = {
    "search_loans": "Search the loans of the library.",
    "search_loan_history": "Search the history of loans of the library.",
    "zzz": "0123456789 0123456789",
}


def make() -> Embedder:
    """The embedder that counts characters."""
    return make_embedder("tests.margins.counting:make")


def choice(
    run: str = "run-1", *, tool: str = "search_loans", prompt: str = "who borrowed what?"
) -> Log:
    """A finished run with one scorable choice between twins."""
    log = Log(run).configured().asked(prompt)
    log.composed(1, ("user", None, prompt))
    called(log, 1)
    log.started("t1", tool, {})
    log.ended("t1", {"rows": [1]})
    log.composed(2, ("user", None, prompt), ("tool-result", "t1", '{"rows": [1]}'))
    log.called_model(2)
    log.answered("somebody did")
    return log


def called(log: Log, iteration: int, menu: dict[str, str] | None = None) -> int:
    """A model call with this menu."""
    tools = [{"name": n, "description": d} for n, d in (menu or TWINS).items()]
    payload: dict[str, Any] = {
        "iteration": iteration,
        "provider": "mock",
        "model": "mock",
        "toolsCount": len(tools),
        "tools": tools,
    }
    return log.add("stream.llm_start", payload, runtimeStageId=f"call-llm#{iteration}")


def asked(
    prompt: str | None, *calls: tuple[dict[str, str], Sequence[str]], run: str = "run-1"
) -> Log:
    """A finished run with these model calls: what each was offered, and what it chose."""
    log = Log(run).configured()
    if prompt is None:
        log.add("agent.turn_start", {"turnIndex": 0})
    else:
        log.asked(prompt)
    for number, (offered, chosen) in enumerate(calls):
        called(log, number + 1, offered)
        for place, tool in enumerate(chosen):
            log.started(f"{run}-{number}-{place}", tool, {})
            log.ended(f"{run}-{number}-{place}", {"rows": [1]})
    log.answered("done")
    return log
