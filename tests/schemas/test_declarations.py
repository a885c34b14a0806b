"""The schema of declarations and the code that reads them agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentprint_cli.base.errors import UsageError
from agentprint_cli.model.declarations import load_declarations, parse_declarations
from agentprint_cli.schemas import Checker

CHECKER = Checker.of("declarations")


def is_read(value: object) -> bool:
    try:
        parse_declarations(value, "declared.toml")
    except UsageError:
        return False
    return True


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"app_decides": True},
        {"app_decides": "the desk"},
        {"tools": {"find": {"rows_at": "rows"}, "other": {}}},
        {"skills": {"billing": {"label": "Billing"}}},
    ],
)
def test_good_declarations(value: dict[str, Any]) -> None:
    assert is_read(value)
    assert list(CHECKER.check(value)) == []


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"tool": {}},
        {"tools": []},
        {"tools": {"find": "rows"}},
        {"tools": {"find": {"rows_at": ""}}},
        {"tools": {"find": {"rows-at": "rows"}}},
        {"skills": {"billing": {"label": 5}}},
        {"app_decides": ""},
        {"app_decides": None},
        {"app_decides": 1},
    ],
)
def test_bad_declarations(value: object) -> None:
    assert not is_read(value)
    assert len(list(CHECKER.check(value))) == 1


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 100_000, "a = 1\r", "\xff"])
def test_what_no_reader_of_toml_reads(tmp_path: Path, text: str) -> None:
    path = tmp_path / "declared.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError):
        load_declarations(str(path))


leaves = st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x"])
tables = st.dictionaries(st.sampled_from(["rows_at", "label", "x"]), leaves, max_size=2)
named = st.dictionaries(st.sampled_from(["a", "b"]), tables | leaves, max_size=2)
files = st.dictionaries(
    st.sampled_from(["tools", "skills", "app_decides", "x"]), named | leaves, max_size=3
)


@settings(max_examples=300, deadline=None)
@given(files | leaves)
def test_schema_and_code_agree(value: object) -> None:
    assert is_read(value) == (list(CHECKER.check(value)) == [])
