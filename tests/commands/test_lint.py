"""``agentprint lint``, as it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.schemas import Checker, find
from tests.conftest import ROOT

COMMAND = Path(sys.executable).with_name("agentprint")
TOOLS = "docs/examples/desk-tools.json"
TWINS = "recordings/twin-tools.jsonl"
UNITS = "tests.catalogues.test_lint:Units"
BROKEN = "tests.catalogues.test_lint:Broken"


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, "lint", *arguments],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((TOOLS, "--no-scores"), 1),
        ((TOOLS, "--no-scores", "--fail-on", "none"), 0),
        ((TOOLS, "--no-scores", "--fail-on", "broken-tool"), 0),
        ((TOOLS, "--no-scores", "--fail-on", "broken-tool, no-description"), 1),
        ((TOOLS, "--no-scores", "--fail-on", "broken-tool", "--fail-on", "no-description"), 1),
        ((TOOLS, "--no-scores", "--fail-on", "confusable"), 2),
        ((TOOLS, "--fail-on", "nope"), 2),
        ((TOOLS, "--threshold", "x"), 2),
        ((TOOLS, "--format", "csv"), 2),
        ((TWINS, "--no-scores"), 0),
        ((TWINS, "--embedder", UNITS, "--no-cache"), 1),
        ((TWINS, "--embedder", UNITS, "--no-cache", "--threshold", "1"), 0),
        ((TWINS, "--embedder", BROKEN, "--no-cache"), 4),
        ((TWINS, "--embedder", BROKEN, "--no-cache", "--fail-on", "duplicate-names"), 0),
        ((TOOLS, "--embedder", BROKEN, "--no-cache"), 1),
        (("no/such/file",), 3),
        (("LICENSE",), 3),
        (("recordings",), 3),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    if code in (2, 3):
        assert done.stdout == b""
        assert done.stderr.startswith(b"agentprint: ")
        assert done.stderr.count(b"\n") == 1
    else:
        assert done.stderr == b""
        assert done.stdout.startswith(b"agentprint lint ")


def lint_json(*arguments: str, stdin: bytes = b"") -> Any:
    done = run(*arguments, "--format", "json", stdin=stdin)
    document = json.loads(done.stdout)
    assert list(Checker.of(find("lint")).check(document)) == []
    return document


HOSTILE = [
    {"name": "\ud83d\x1b[31m", "description": 5},
    None,
    {"name": "a", "description": "", "inputSchema": []},
    {"type": "web_search"},
    {"name": "A", "description": "One of x or y", "inputSchema": {"properties": {"x": {}}}},
]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        ((TOOLS, "--no-scores"), b""),
        ((TOOLS, "--embedder", UNITS, "--no-cache"), b""),
        ((TOOLS, "--embedder", BROKEN, "--no-cache"), b""),
        ((TWINS, "--embedder", UNITS, "--no-cache", "--watch", "0.1"), b""),
        (("-", "--embedder", UNITS, "--no-cache"), json.dumps(HOSTILE).encode()),
        (("-",), json.dumps({"result": {"tools": HOSTILE[:1], "nextCursor": "x"}}).encode()),
    ],
)
def test_the_json_is_as_its_schema_says(arguments: tuple[str, ...], stdin: bytes) -> None:
    lint_json(*arguments, stdin=stdin)


def test_the_contract_is_strict() -> None:
    document = lint_json(TOOLS, "--embedder", UNITS, "--no-cache")
    checker = Checker.of(find("lint"))
    changes: list[Callable[[Any], object]] = [
        lambda d: d.pop("similarity"),
        lambda d: d["pairs"][0].update(score=1.5),
        lambda d: d["pairs"][0].update(id="close"),
        lambda d: d["findings"][0].update(pointers=[]),
        lambda d: d["findings"][0].update(id="confusable"),
        lambda d: d["catalogue"].update(shape="yaml"),
        lambda d: d["similarity"].update(pointers=[]),
        lambda d: d["checks"][0].update(outcome="clean"),
    ]
    for change in changes:
        changed = json.loads(json.dumps(document))
        change(changed)
        assert list(checker.check(changed))


def test_the_same_bytes_in_the_same_bytes_out() -> None:
    first, second = (run(TOOLS, "--embedder", UNITS, "--no-cache", "-f", "json") for _ in "12")
    assert first.stdout == second.stdout


def test_markdown() -> None:
    done = run(TOOLS, "--no-scores", "-f", "md")
    assert "`[/tools/0/inputSchema/properties/limit]`" in done.stdout.decode()


def test_without_scores_no_embedder_is_imported() -> None:
    program = (
        "import sys\n"
        "from agentprint_cli.commands import run\n"
        f"run(['lint', {TOOLS!r}, '--no-scores', '--fail-on', 'none'])\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'jsonschema', 'torch', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=True, timeout=60
    )
    assert done.stderr.decode().strip() == "[]"
