"""The baseline: stable under re-recording, and it says what is new, known and gone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.errors import UsageError
from agentprint_cli.gates.baseline import Entry, baseline_text, load_baseline
from agentprint_cli.gates.interface import Severity
from agentprint_cli.reports.check.pipeline import CheckOptions, check
from agentprint_cli.schemas import Checker
from tests.logs import Log, one_call

from .logs import choice, make


def checked(path: str, baseline: Path, update: bool = False, **options: Any) -> dict[str, Any]:
    chosen = CheckOptions(baseline=str(baseline), update_baseline=update, **options)
    return check([path], embedder=make, options=chosen).to_dict()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "baseline.json"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return choice().save(tmp_path)


def test_update_then_check_passes(path: str, file: Path) -> None:
    assert checked(path, file, update=True)["exit_code"] == 0
    document = checked(path, file)
    assert document["exit_code"] == 0
    assert {finding["state"] for finding in document["findings"]} == {"known"}
    assert {finding["level"] for finding in document["findings"]} == {"note"}
    before = file.read_bytes()
    checked(path, file, update=True)
    assert file.read_bytes() == before


def test_the_file_is_as_its_schema_says(path: str, file: Path) -> None:
    checked(path, file, update=True)
    document = json.loads(file.read_text())
    assert list(Checker.of("baseline@1").check(document)) == []
    assert document["findings"]
    assert all(set(e) <= {"gate", "tool", "rival", "request"} for e in document["findings"])
    assert document["findings"] == sorted(
        document["findings"],
        key=lambda e: [e.get(name, "") for name in ("gate", "tool", "rival", "request")],
    )


def test_a_log_recorded_again_has_the_same_entries(tmp_path: Path, path: str, file: Path) -> None:
    checked(path, file, update=True)
    again = choice("another-run")
    for number, event in enumerate(again.events):
        event["meta"].update(wallClockMs=99_000 + number, runtimeStageId=f"other#{number}")
    other = Log("before").configured().asked("hello")
    other.answered("hello")
    (tmp_path / "again").mkdir()
    moved = tmp_path / "again" / "later.jsonl"
    moved.write_bytes(other.lines() + again.lines())
    document = checked(str(moved), file)
    assert document["exit_code"] == 0
    assert document["summary"]["new"] == 0
    assert document["baseline"]["gone"] == []


def test_a_new_finding_fails(tmp_path: Path, path: str, file: Path) -> None:
    checked(path, file, update=True)
    other = choice(prompt="who has that other book?").save(tmp_path, "other.jsonl")
    document = checked(other, file)
    assert document["exit_code"] == 1
    assert "new" in {finding["state"] for finding in document["findings"]}


def test_what_is_gone_is_said_to_be_gone(tmp_path: Path, path: str, file: Path) -> None:
    checked(path, file, update=True)
    entries = json.loads(file.read_text())["findings"]
    clean = choice(tool="zzz", prompt="0123456789 0123456789").save(tmp_path, "clean.jsonl")
    margins = {"narrow-margin": Severity.FAIL}
    document = checked(clean, file, severities=margins)
    assert document["findings"] == []
    assert document["baseline"]["gone"] == [e for e in entries if e["gate"] == "narrow-margin"]
    document = checked(clean, file, update=True, severities=margins)
    assert document["baseline"]["removed"] == 1
    kept = json.loads(file.read_text())["findings"]
    assert kept == [e for e in entries if e["gate"] != "narrow-margin"]


def test_what_could_not_be_measured_is_not_gone(tmp_path: Path, path: str, file: Path) -> None:
    checked(path, file, update=True)
    before = file.read_bytes()
    margins = {"narrow-margin": Severity.FAIL}
    other = one_call([1]).save(tmp_path, "other.jsonl")
    document = checked(other, file, severities=margins)
    assert document["baseline"]["gone"] == []
    assert len(document["baseline"]["not_seen"]) == 1
    checked(other, file, update=True, severities=margins)
    assert file.read_bytes() == before


def test_unread_places_are_told_apart(tmp_path: Path, file: Path) -> None:
    log = tmp_path / "damaged.jsonl"
    unread = {"unread-lines": Severity.FAIL}
    log.write_bytes(choice().lines() + b"{broken\n")
    checked(str(log), file, update=True, severities=unread)
    assert checked(str(log), file, severities=unread)["exit_code"] == 0
    log.write_bytes(b"{other\n" + choice().lines() + b"{broken\n")
    document = checked(str(log), file, severities=unread)
    assert [finding["state"] for finding in document["findings"]] == ["new", "known"]
    assert document["exit_code"] == 1


def test_a_missing_baseline(path: str, file: Path) -> None:
    with pytest.raises(UsageError, match="no such baseline; --update-baseline writes it"):
        checked(path, file)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "not a baseline"),
        ('{"schema": "agentprint/baseline@2", "findings": []}', "not a baseline"),
        ('{"schema": "agentprint/baseline@1"}', "not a list"),
        ('{"schema": "agentprint/baseline@1", "findings": [1]}', "finding 0 names no gate"),
        (
            '{"schema": "agentprint/baseline@1", "findings": [{"gate": "a", "run": "b"}]}',
            "unknown member 'run'",
        ),
        (
            '{"schema": "agentprint/baseline@1", "findings": [{"gate": "a", "tool": 5}]}',
            "tool is not a string",
        ),
        # Without its margins nothing would be compared, and nobody told.
        (
            '{"schema": "agentprint/baseline@1", "findings": [], "Margins": {}}',
            "unknown member 'Margins'",
        ),
        (
            '{"schema": "agentprint/baseline@1", "findings": [{"gate": "a"}], "findings": []}',
            "the member 'findings' is there twice",
        ),
    ],
)
@pytest.mark.parametrize("update", [False, True])
def test_a_broken_baseline_stays_as_it_is(
    path: str, file: Path, text: str, complaint: str, update: bool
) -> None:
    file.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        checked(path, file, update)
    assert file.read_text() == text


def test_hostile_names_come_back_as_they_were(file: Path) -> None:
    entries = {Entry("g", tool="\ud83d\x1b\n\"'"), Entry("g", rival="\u2028"), Entry("g")}
    file.write_text(baseline_text(entries))
    assert set(load_baseline(str(file)).findings) == entries
    assert file.read_text().isascii()


def test_it_is_written_through_a_link_and_keeps_its_mode(path: str, file: Path) -> None:
    real = file.with_name("real.json")
    real.write_text(baseline_text([]))
    real.chmod(0o640)
    file.symlink_to(real)
    checked(path, file, update=True)
    assert file.is_symlink()
    assert load_baseline(str(real)).findings
    assert real.stat().st_mode & 0o777 == 0o640
    assert not [name for name in os.listdir(file.parent) if name.startswith(".agentprint")]
