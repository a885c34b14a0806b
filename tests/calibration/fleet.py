"""Recordings of many choices whose margins are known to differ, and labels for them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentprint_cli.base.config import Thresholds
from agentprint_cli.choices.scoring import MarginOptions
from agentprint_cli.embedding import Embedder, make_embedder
from agentprint_cli.model import Report
from agentprint_cli.reports.calibrate.pipeline import CalibrateOptions, calibrate
from tests.logs import Log

MENU = {"aaa": "aaaa aaaa", "bbb": "bbbb bbbb", "ccc": "cccc cccc"}


def counting() -> Embedder:
    """The embedder that counts characters."""
    return make_embedder("tests.margins.counting:make")


def called(log: Log, iteration: int, *calls: str, menu: dict[str, str] | None = None) -> int:
    """A model call with a menu and the tools that it called; its event."""
    tools = [{"name": n, "description": d} for n, d in (menu or MENU).items()]
    payload = {"iteration": iteration, "toolsCount": len(tools), "tools": tools}
    event = log.add("stream.llm_start", payload, runtimeStageId=f"llm#{log.run}-{iteration}")
    for number, tool in enumerate(calls):
        log.started(f"{log.run}-{iteration}-{number}", tool)
    return event


def fleet(count: int = 40) -> Log:
    """Runs ``run-0``, ``run-1``, … of one choice each: of ``aaa``, which every fifth prompt does
    not ask for. No two margins are equal."""
    log = Log()
    for number in range(count):
        wanted = "b" if number % 5 == 4 else "a"
        log.as_run(f"run-{number}").configured().asked(wanted * (3 + number) + " cab")
        called(log, 1, "aaa")
        log.answered("done")
    return log


def calibrated(*paths: object, embedder: Any = counting, **options: Any) -> Report:
    """What calibrate says of recordings; margins options among ``options`` are passed on."""
    thresholds = options.pop("thresholds", Thresholds())
    return calibrate(
        [str(path) for path in paths],
        embedder=embedder,
        options=CalibrateOptions(margins=MarginOptions(thresholds=thresholds), **options),
    )


def write_labels(folder: Path, labels: Iterable[object], name: str = "labels.json") -> str:
    """A file of labels as JSON Lines; its path. Texts go in as they are."""
    path = folder / name
    lines = [label if isinstance(label, str) else json.dumps(label) for label in labels]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return str(path)


def every_fifth(count: int = 40, *, names: bool = False) -> list[dict[str, object]]:
    """Labels for `fleet`: every fifth choice is wrong."""
    return [
        {
            "run": f"run-{number}",
            "right": ["bbb" if number % 5 == 4 else "aaa"] if names else number % 5 != 4,
        }
        for number in range(count)
    ]
