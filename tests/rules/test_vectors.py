"""Every vector that the source framework computed itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.rules import js_text
from agentprint_cli.rules.choice_text import candidate_text, choice_context
from agentprint_cli.rules.code_shape import code_shape, shape_hash
from agentprint_cli.rules.result_cap import cap_tool_result

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
Vector = dict[str, Any]


def vectors(name: str) -> list[Any]:
    entries = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    return [pytest.param(entry, id=str(number)) for number, entry in enumerate(entries)]


@pytest.mark.parametrize("vector", vectors("choice_context"))
def test_choice_context(vector: Vector) -> None:
    context = choice_context(
        vector["userPrompt"],
        vector.get("latestAssistantText"),
        vector.get("maxSlotChars", 2000),
    )
    assert context == vector["out"]


@pytest.mark.parametrize("vector", vectors("candidate_text"))
def test_candidate_text(vector: Vector) -> None:
    assert candidate_text(vector["name"], vector.get("description")) == vector["out"]


@pytest.mark.parametrize("vector", vectors("result_cap"))
def test_result_cap(vector: Vector) -> None:
    value, truncated = cap_tool_result(vector["value"], vector["cap"], vector["tool"])
    assert truncated is vector["out"]["truncated"]
    # Python finds 1 == 1.0 == True; the serialised bytes must agree as well.
    assert value == vector["out"]["value"]
    assert js_text.stringify(value) == js_text.stringify(vector["out"]["value"])


@pytest.mark.parametrize("vector", vectors("code_shape"))
def test_code_shape(vector: Vector) -> None:
    assert code_shape(vector["code"]) == vector["shape"]
    assert shape_hash(vector["code"]) == vector["hash"]
