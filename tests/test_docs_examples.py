"""The examples of the docs pages, run as they stand. ``…`` on a line of its own, or at the end of a
line, stands for whatever is there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = ("ids.md", "results.md", "code.md")
_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _examples(page: str) -> list[tuple[str, str, str]]:
    return _FENCE.findall((DOCS / page).read_text(encoding="utf-8"))


def _pattern(expected: str) -> str:
    parts = []
    for line in expected.splitlines():
        if line == "…":
            parts.append(r"(?:.*\n)*?")
        elif line.endswith("…"):
            parts.append(re.escape(line[:-1]) + ".*\n")
        else:
            parts.append(re.escape(line) + "\n")
    return "".join(parts)


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str, tmp_path: Path, recordings: Path) -> None:
    (tmp_path / "recordings").symlink_to(recordings)
    program = f"{shlex.quote(sys.executable)} -m agentprint_cli"
    ran = 0
    for language, name, body in _examples(page):
        if language == "jsonl":
            (tmp_path / name).write_text(body, encoding="utf-8")
        for block in body.split("$ ")[1:] if language == "console" else ():
            command, expected = block.split("\n", 1)
            shell = re.sub(r"\bagentprint\b", lambda _: program, command)
            done = subprocess.run(
                shell, shell=True, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
            )
            assert done.returncode == 0, done.stderr
            assert re.fullmatch(_pattern(expected), done.stdout), f"{command}\n{done.stdout}"
            ran += 1
    assert ran > 0
