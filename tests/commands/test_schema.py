"""``agentprint schema``."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from agentprint_cli.commands import run
from agentprint_cli.schemas import SCHEMAS


def test_without_a_name_the_schemas_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    out = capsys.readouterr().out
    for schema in SCHEMAS:
        (line,) = [line for line in out.splitlines() if line.split()[:2] == ["·", schema.name]]
        assert schema.about in line


@pytest.mark.parametrize("name", [*[schema.name for schema in SCHEMAS], "stream.tool_end"])
def test_a_schema_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", name]) == 0
    out, err = capsys.readouterr()
    schema = json.loads(out)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == name
    assert err == ""


def test_a_name_needs_no_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "explain"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "explain@1"


def test_an_unknown_name_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "nonsense"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no schema 'nonsense'; there is event, event-log, recording" in err
