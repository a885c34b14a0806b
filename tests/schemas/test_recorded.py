"""Real logs are as the schemas say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from agentprint_cli.reports.validate.pipeline import validate
from agentprint_cli.schemas import Checker, bundled

from .samples import FOREIGN_TO_THE_PROJECT, SHIPPED, needs_shared, recorded_events


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_recording_validates(path: Path) -> None:
    report = validate(str(path))
    assert report.of("deviation") == ()
    assert all(fact.get("known") for fact in report.of("type-checked"))
    assert report.recordings[0].unread == ()


@needs_shared
@pytest.mark.parametrize("path", FOREIGN_TO_THE_PROJECT, ids=lambda path: path.name)
def test_a_log_of_the_frameworks_examples_validates(path: Path) -> None:
    report = validate(str(path))
    assert report.of("deviation") == ()
    assert all(fact.get("known") for fact in report.of("type-checked"))
    assert report.recordings[0].unread == ()


def test_the_printed_event_log_schema_serves_other_validators() -> None:
    """As a user has it: one document, with the definition found by the event's type."""
    validator = Draft202012Validator(bundled("event-log"))
    for kind, event in recorded_events():
        assert list(validator.iter_errors(event)) == []
        broken = {**event, "payload": {}}
        assert not validator.is_valid(broken), kind


def test_the_recording_and_envelope_schemas_reach_into_the_events() -> None:
    path = min((p for p in SHIPPED if p.suffix == ".json"), key=lambda p: p.stat().st_size)
    recording = json.loads(path.read_bytes())
    recording["events"] = recording["events"][:3]
    envelope = {"format": "agentfootprint.recording/v1", "recording": recording}
    assert list(Checker.of("recording").check(recording)) == []
    assert list(Checker.of("envelope").check(envelope)) == []
    recording["events"][1]["payload"]["turnIndex"] = "one"
    (found,) = Checker.of("envelope").check(envelope)
    assert found.path == ("recording", "events", 1, "payload", "turnIndex")
