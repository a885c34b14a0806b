"""The library's door."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli import api
from agentprint_cli.base.errors import EmbedderFailed, UsageError
from tests.conftest import ROOT
from tests.margins.counting import make


def test_explain_is_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    path = "recordings/earlier-empty-in-view.jsonl"
    declared: dict[str, object] = {"tools": {"list_shelves": {"rows_at": "shelves"}}}
    found = api.explain(path, declarations=declared).to_dict()
    assert len(found["signals"]) == 2  # type: ignore[arg-type]
    command = Path(sys.executable).with_name("agentprint")
    printed = subprocess.run([command, "explain", path, "-f", "json"], capture_output=True)
    assert api.explain(path).to_dict() == json.loads(printed.stdout)


def test_margins_with_an_object_of_ones_own() -> None:
    path = str(ROOT / "recordings" / "twin-tools.jsonl")
    found: Any = api.margins(path, embedder=make(), threshold=-1).to_dict()
    assert found["calls"][0]["margin"] == pytest.approx(-0.006333925870145918, abs=1e-9)
    assert found["calls"][0]["flags"] == ["proxy-disagreement"]
    listed: Any = api.margins([path], embedder=None).to_dict()
    assert listed["summary"]["scored"] == 0
    with pytest.raises(EmbedderFailed, match="no embedder"):
        api.margins(path, embedder=object())


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -3.0])
def test_a_threshold_that_no_margin_can_lie_below(threshold: float) -> None:
    path = str(ROOT / "recordings" / "twin-tools.jsonl")
    with pytest.raises(UsageError, match="a margin "):
        api.margins(path, embedder=make(), threshold=threshold)


def test_bad_declarations_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown key"):
        api.explain("x", declarations={"nope": 1})


def test_everything_named_is_there_and_documented() -> None:
    for name in api.__all__:
        assert getattr(api, name).__doc__
