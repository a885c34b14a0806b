"""The library's door."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentprint_cli import api
from agentprint_cli.errors import UsageError
from tests.conftest import ROOT


def test_explain_is_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    path = "recordings/earlier-empty-in-view.jsonl"
    declared: dict[str, object] = {"tools": {"list_shelves": {"rows_at": "shelves"}}}
    found = api.explain(path, declarations=declared).to_dict()
    assert len(found["signals"]) == 2  # type: ignore[arg-type]
    command = Path(sys.executable).with_name("agentprint")
    printed = subprocess.run([command, "explain", path, "-f", "json"], capture_output=True)
    assert api.explain(path).to_dict() == json.loads(printed.stdout)


def test_bad_declarations_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown key"):
        api.explain("x", declarations={"nope": 1})


def test_everything_named_is_there_and_documented() -> None:
    for name in api.__all__:
        assert getattr(api, name).__doc__
