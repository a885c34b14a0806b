"""The documentation is up to date, names everything that exists, and its links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from agentprint_cli.base import errors
from agentprint_cli.choices.catalogues import TONES
from agentprint_cli.choices.scorers import SCORERS, cosine, hybrid, scorer_of
from agentprint_cli.choices.scorers.interface import Scorer
from agentprint_cli.commands.app import app
from agentprint_cli.model import Reason, Status
from agentprint_cli.model.declarations import load_declarations
from agentprint_cli.reports.explain.document import SCHEMA
from agentprint_cli.reports.lint import pipeline as linting
from agentprint_cli.reports.shared import phrases
from agentprint_cli.signals import SIGNAL_CHECKS
from tools import generate_docs

ROOT = generate_docs.ROOT
PAGES = generate_docs.pages(ROOT)
EXAMPLES = ROOT / "docs" / "examples"
_LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
_FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1\n", re.DOTALL | re.MULTILINE)


def _page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def _commands() -> list[str]:
    commands = generate_docs.members(typer.main.get_command(app))
    assert commands
    return list(commands)


def test_generated_docs_are_up_to_date() -> None:
    stale = [str(page) for page in generate_docs.out_of_date(ROOT)]
    assert stale == [], "make docs writes them again"


def test_the_check_names_what_is_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_docs, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text(
        "before\n<!-- output: agentprint --version -->\n<!-- /output -->\nafter\n", "utf-8"
    )
    assert generate_docs.main(["--check"]) == 1
    assert set(re.findall(r"^\S+(?=:)", capsys.readouterr().err, re.MULTILINE)) == {
        "docs/commands.md",
        "docs/page.md",
    }
    assert generate_docs.main([]) == 0
    assert "```text\nagentprint " in page.read_text("utf-8")
    assert generate_docs.main(["--check"]) == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<!-- output: agentprint --version -->\n", "not opened and closed"),
        ("<!-- output: ls -->\n<!-- /output -->\n", "'ls'"),
        ("<!-- output: agentprint --version # No such part -->\n<!-- /output -->\n", "No such"),
    ],
)
def test_a_bad_block_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(generate_docs.DocsError, match=complaint):
        generate_docs.refreshed(text, ROOT, Path("page.md"))


def test_an_output_with_fences_gets_a_longer_fence() -> None:
    text = (
        "<!-- output: agentprint explain recordings/code-runs.jsonl --format md -->\n"
        "<!-- /output -->\n"
    )
    assert generate_docs.refreshed(text, ROOT, Path("page.md")).split("\n")[1] == "````text"


@pytest.mark.parametrize("command", _commands())
def test_every_command_is_in_the_reference_and_in_the_readme(command: str) -> None:
    assert f"\n## agentprint {command}\n" in _page("docs/commands.md")
    assert f"`agentprint {command} " in _page("README.md")


@pytest.mark.parametrize(
    "word",
    [
        *(check.id for check in SIGNAL_CHECKS),
        *phrases._SIGNALS,
        *phrases.OUTCOMES,
        *Status,
        *Reason,
        SCHEMA,
    ],
)
def test_every_word_of_a_report_is_explained(word: str) -> None:
    pages = _page("docs/explain.md")
    if word in tuple(Reason):
        pages += _page("docs/lint.md") + _page("docs/calibrate.md")
    assert f"`{word}`" in pages


@pytest.mark.parametrize("id", phrases.LINT_RULES)
def test_every_finding_of_lint_is_explained(id: str) -> None:
    assert list(phrases.LINT_RULES) == list(TONES)
    assert f"`{id}`" in _page("docs/lint.md")


def test_the_default_thresholds_are_those_of_the_docs() -> None:
    page = _page("docs/lint.md")
    assert f"(`--threshold`, {linting.THRESHOLD:g})" in page
    assert f"`--watch` ({linting.WATCHED:g})" in page


@pytest.mark.parametrize("word", [*phrases.GATES, *phrases.UNCOMPARED])
def test_every_gate_and_every_reason_not_to_compare_is_explained(word: str) -> None:
    assert f"`{word}`" in _page("docs/checks.md")


def test_the_declared_noise_is_that_of_the_docs() -> None:
    own, mixed = cosine.SCORER.noise, hybrid.SCORER.noise
    words = re.sub(r"\s+", " ", _page("docs/checks.md"))
    assert f"(`cosine`: {own:g}, `hybrid`: {mixed:g};" in words
    assert f"(cosine: {own:g}, hybrid: {mixed:g})" in re.sub(r"\s+", " ", _page("docs/commands.md"))
    assert f"**`cosine` declares a noise of {own:g}, `hybrid` one of {mixed:g}.**" in _page(
        "docs/decisions.md"
    )


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.name)
def test_every_scorer_of_check_is_explained(scorer: Scorer) -> None:
    row = next(
        line for line in _page("docs/checks.md").splitlines() if f"| `{scorer.name}` |" in line
    )
    if scorer.uses_others:
        assert scorer.noise == scorer_of(scorer.alone).noise
        assert row.endswith(f"| that of `{scorer.alone}` |")
    else:
        rule = scorer.threshold_rule.partition(" when no other")[0]
        assert row.endswith(f"| {rule} | {scorer.noise:g} |")
        assert f"\n{scorer.name}, moves in units of {scorer.unit};" in _page("docs/decisions.md")


def test_every_exit_code_is_in_the_readme() -> None:
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    table = _page("README.md").partition("## Exit codes")[2].partition("\n## ")[0]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == codes


def test_every_recording_and_example_is_mentioned() -> None:
    shipped = _page("recordings/README.md")
    for path in (ROOT / "recordings").glob("*.json*"):
        assert f"`{path.name.partition('.')[0]}" in shipped, path.name
    docs = "".join(_page(str(page)) for page in PAGES)
    for path in EXAMPLES.iterdir():
        assert path.name in docs


def test_both_forms_of_the_declarations_say_the_same() -> None:
    toml, json = (load_declarations(str(EXAMPLES / f"library.{form}")) for form in ("toml", "json"))
    assert toml == json
    assert toml.rows_at
    assert toml.skill_labels
    assert toml.app_decides


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_relative_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in _links(_page(str(page))):
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        if not path.exists() or (anchor and anchor not in _anchors(path.read_text("utf-8"))):
            broken.append(target)
    assert broken == []


def _links(text: str) -> Iterator[str]:
    for match in _LINK.finditer(_FENCED.sub("", text)):
        if "://" not in match["target"]:
            yield match["target"]


def _anchors(text: str) -> set[str]:
    """The anchors that a forge gives to the heads of a page."""
    heads = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
