"""Which recordings are one conversation: a copy must not vote on its original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentprint_cli.choices.scoring import MarginOptions
from agentprint_cli.reports.margins.pipeline import margins
from tests.calibration.fleet import called, counting
from tests.logs import Log


def conversation(run: str, turns: int = 12) -> Log:
    """A run of so many calls of the tool that fits second best."""
    log = Log(run).configured().asked("a cab, please")
    for number in range(turns):
        called(log, number + 1, "bbb")
    log.answered("done")
    return log


def scored(*paths: str) -> dict[str, Any]:
    return margins(paths, embedder=counting, options=MarginOptions(scorer="fleet")).to_dict()


def test_a_copy_has_no_say_and_neither_has_its_beginning(tmp_path: Path) -> None:
    log = conversation("run-a")
    path = log.save(tmp_path, "a.jsonl")
    alone = scored(path)
    copy = log.save(tmp_path, "copy.jsonl")
    short = tmp_path / "begin.jsonl"
    short.write_bytes(b"".join(log.lines().splitlines(keepends=True)[:20]))
    found = scored(path, copy, str(short))
    assert found["others"]["conversations"] == 1
    of_log = [call for call in found["calls"] if call["recording"] == path]
    assert [call["scores"] for call in of_log] == [call["scores"] for call in alone["calls"]]


def test_another_run_with_the_same_words_has_a_say(tmp_path: Path) -> None:
    one = conversation("run-a").save(tmp_path, "a.jsonl")
    other = conversation("run-b").save(tmp_path, "b.jsonl")
    found = scored(one, other)
    assert found["others"]["conversations"] == 2
    assert found["calls"][0]["neighbours"] > 0


def test_a_conversation_that_went_on_otherwise_is_another(tmp_path: Path) -> None:
    one = conversation("run-a", 3).save(tmp_path, "a.jsonl")
    longer = Log("run-a").configured().asked("a cab, please")
    called(longer, 1, "bbb")
    longer.asked("and a bus")
    called(longer, 2, "aaa")
    other = longer.save(tmp_path, "b.jsonl")
    assert scored(one, other)["others"]["conversations"] == 2


def test_names_and_order_of_recordings_decide_nothing(tmp_path: Path) -> None:
    logs = [conversation(f"run-{number}", 2) for number in range(4)]
    names = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]
    straight = scored(*(log.save(tmp_path, name) for log, name in zip(logs, names, strict=True)))
    names.reverse()
    turned = scored(*(log.save(tmp_path, name) for log, name in zip(logs, names, strict=True)))

    def by_run(found: dict[str, Any]) -> dict[tuple[str, int], object]:
        return {(call["run"], call["event"]): call["scores"] for call in found["calls"]}

    assert by_run(straight) == by_run(turned)
