"""What the renderers print for shipped recordings, against the files in ``tests/golden``.

On a difference the actual output is saved beside the golden file, as ``NAME.actual``. With
AGENTPRINT_UPDATE_GOLDEN=1 the golden files are written anew: read the difference before you
commit it.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from agentprint_cli.model.declarations import Declarations
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.explain.outline import outline
from agentprint_cli.reports.explain.pipeline import explain
from agentprint_cli.reports.lint import document as lint_document
from agentprint_cli.reports.lint.pipeline import LintOptions, lint
from agentprint_cli.reports.runs import document as runs_document
from agentprint_cli.reports.runs.pipeline import runs
from tests.conftest import ROOT

GOLDEN = ROOT / "tests" / "golden"
DECLARED = Declarations(
    rows_at={"list_shelves": "shelves"}, skill_labels={}, app_decides="the library's own ranking"
)


def check(name: str, output: Output, format: str, style: Style) -> None:
    """Compare what a renderer writes with the golden file ``name``."""
    stream = io.StringIO()
    RENDERERS[format].write(output, stream, style)
    actual, path = stream.getvalue(), GOLDEN / name
    if os.environ.get("AGENTPRINT_UPDATE_GOLDEN"):
        path.write_text(actual)
    saved = path.with_name(name + ".actual")
    if not path.exists() or actual != path.read_text():
        saved.write_text(actual)
        pytest.fail(f"differs from {path.relative_to(ROOT)}; the actual output is in {saved.name}")
    saved.unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # paths stand in the output as they were given


@pytest.mark.parametrize(
    ("recording", "format", "style"),
    [
        ("earlier-empty-in-view.jsonl", "text", Style()),
        ("earlier-empty-in-view.jsonl", "text", Style(width=48)),
        ("earlier-empty-in-view.jsonl", "text", Style(width=100, color=True)),
        ("earlier-empty-in-view.jsonl", "json", Style()),
        ("earlier-empty-in-view.jsonl", "md", Style()),
        ("pause-and-resume.jsonl", "text", Style()),
        ("no-answer.jsonl", "text", Style()),
        ("failed-and-unknown.jsonl", "md", Style()),
        ("capped-result.recording.json", "text", Style()),
    ],
)
def test_explain(recording: str, format: str, style: Style) -> None:
    report = explain(f"recordings/{recording}", declarations=DECLARED)
    width = f"-{style.width}" if style.width else ""
    name = f"explain-{Path(recording).stem}{width}{'-colour' if style.color else ''}.{format}"
    check(name, Output(report.to_dict, lambda: outline(report)), format, style)


@pytest.mark.parametrize("style", [Style(), Style(width=60)])
def test_runs(style: Style) -> None:
    report = runs("recordings/pause-and-resume.jsonl")
    name = f"runs{f'-{style.width}' if style.width else ''}.text"
    check(name, Output(report.to_dict, lambda: runs_document.outline(report)), "text", style)


@pytest.mark.parametrize("format", ["text", "md", "json"])
@pytest.mark.parametrize(
    "catalogue", ["docs/examples/desk-tools.json", "recordings/twin-tools.jsonl"]
)
def test_lint(catalogue: str, format: str) -> None:
    units = "tests.catalogues.test_lint:Units"
    report = lint(catalogue, LintOptions(embedder=units, cache=False, threshold=0.9, watch=0.7))
    name = f"lint-{Path(catalogue).stem}.{format}"
    check(name, Output(report.to_dict, lambda: lint_document.outline(report)), format, Style())
