"""Which scorer ``check`` uses, and that other recordings have no say in what it compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.choices.scorers import hybrid
from agentprint_cli.choices.scoring import MarginOptions
from agentprint_cli.embedding import make_embedder
from agentprint_cli.gates.interface import Severity
from agentprint_cli.reports.check.pipeline import CheckOptions, check
from tests.commands.test_installed_command import run
from tests.conftest import ROOT

from . import angles
from .angles import menu
from .logs import asked, choice
from .test_compared import NAMED, Bench, gate, not_compared

CHECK = MarginOptions(with_others=False)
FLEET = MarginOptions(scorer="fleet")
HYBRID = MarginOptions(scorer="hybrid")
TOOLS = menu(a=0.9, b=0.4)
ABSOLUTE = {"narrow-margin": Severity.FAIL, "proxy-disagreement": Severity.FAIL}
MINILM = ("check", "runs", "--no-cache", "-f", "json", "--warn-on", "none")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def scorer(document: dict[str, Any]) -> str:
    return str(document["embedder"]["scorer"])


def minilm() -> Any:
    return make_embedder("minilm")


# Which one ------------------------------------------------------------------------------------


def test_by_default_it_is_hybrid_with_the_default_embedder_only(bench: Bench) -> None:
    bench.record(choice())
    assert scorer(bench.check(baseline=None, margins=CHECK, embedder=minilm)) == "hybrid"
    assert scorer(bench.check(baseline=None, margins=CHECK)) == "cosine"


CALIBRATION = 'threshold = -0.5\n[calibration]\nembedder = "e"\nscorer = "fleet"\n'


@pytest.mark.parametrize(
    ("configured", "arguments", "used"),
    [
        ("", (), "hybrid"),
        ('scorer = "cosine"', (), "cosine"),
        ("threshold = 0.05", (), "cosine"),
        ("threshold = 0.05", ("--scorer", "hybrid"), "hybrid"),
        ("[thresholds.tools]\nsearch_loans = 0.1", (), "cosine"),
        ("noise = 1.0", (), "hybrid"),
        (CALIBRATION, (), "fleet"),
        (CALIBRATION, ("--scorer", "cosine"), "cosine"),
        ("", ("--threshold", "0.1"), "cosine"),
    ],
)
def test_the_command_takes_the_scorer_of_the_threshold(
    tmp_path: Path, configured: str, arguments: tuple[str, ...], used: str
) -> None:
    (tmp_path / "runs").mkdir()
    choice().save(tmp_path / "runs", "one.jsonl")
    (tmp_path / "agentprint.toml").write_text(configured)
    done = run(*MINILM, "--fail-on", "narrow-margin", *arguments, cwd=tmp_path)
    assert scorer(json.loads(done.stdout)) == used


def test_a_calibration_leaves_the_comparison_alone(tmp_path: Path) -> None:
    """A team compares, then calibrates, which is with fleet: CI goes on as before."""
    (tmp_path / "runs").mkdir()
    choice().save(tmp_path / "runs", "one.jsonl")
    compare = (*MINILM, "--fail-on", "margin-narrowed,new-rival", "--baseline", "known.json")
    assert run(*compare, "--update-baseline", cwd=tmp_path).returncode == 0
    before = (tmp_path / "known.json").read_text()
    assert json.loads(before)["margins"]["scorer"] == "hybrid"
    (tmp_path / "agentprint.toml").write_text(CALIBRATION)
    done = run(*compare, cwd=tmp_path)
    document = json.loads(done.stdout)
    assert (done.returncode, scorer(document)) == (0, "fleet")
    assert document["baseline"]["margins"]["noise"] == hybrid.SCORER.noise
    assert gate(document, "margin-narrowed")["measured"] == 1
    assert run(*compare, "--update-baseline", cwd=tmp_path).returncode == 0
    assert (tmp_path / "known.json").read_text() == before


# Baselines of another -------------------------------------------------------------------------


def test_a_baseline_of_cosines_under_the_default(bench: Bench) -> None:
    bench.record(choice())
    cosine = MarginOptions(scorer="cosine")
    assert bench.check(update=True, margins=cosine, embedder=minilm)["exit_code"] == 0
    document = bench.check(margins=CHECK, embedder=minilm)
    assert not_compared(document) == "other-scorer"
    assert document["not_measured"][0]["message"] == (
        "the baseline's margins were made by the scorer cosine, those of now by hybrid: they "
        "cannot be compared; --update-baseline writes them anew, --scorer cosine scores as before"
    )
    assert bench.check(margins=cosine, embedder=minilm)["exit_code"] == 0
    assert bench.check(update=True, margins=CHECK, embedder=minilm)["exit_code"] == 0
    document = bench.check(margins=CHECK, embedder=minilm)
    assert (document["exit_code"], document["baseline"]["margins"]["scorer"]) == (0, "hybrid")


@pytest.mark.parametrize("before", [None, "cosine"])
def test_an_update_that_has_nothing_to_compare_passes(bench: Bench, before: str | None) -> None:
    """Also with choices that cannot be scored: the gates are named in the configuration of CI."""
    bench.record(asked("which?", (TOOLS, ["a"])), asked("what?", (menu(only=0.5), ["only"])))
    if before is not None:
        bench.check(update=True, margins=MarginOptions(scorer=before))
    document = bench.check(update=True, margins=HYBRID)
    assert document["exit_code"] == 0
    assert {(g["measured"], g["not_measured"], g["idle"]) for g in document["gates"]} == {(0, 0, 2)}
    document = bench.check(margins=HYBRID)
    assert (document["exit_code"], gate(document, "new-rival")["not_measured"]) == (0, 1)


# With a scorer of others ----------------------------------------------------------------------


@pytest.fixture
def habit(bench: Bench) -> Bench:
    """Ten runs that all chose the tool whose text says less of the request."""
    bench.record(*(asked("which?", (TOOLS, ["b"]), run=f"run-{n}") for n in range(10)))
    return bench


def test_the_baseline_is_that_of_the_same_scorer_without_others(habit: Bench) -> None:
    habit.check(update=True, margins=FLEET)
    written = habit.file.read_text()
    assert json.loads(written)["margins"]["scorer"] == "hybrid"
    habit.file.unlink()
    habit.check(update=True, margins=HYBRID)
    assert habit.file.read_text() == written


def test_others_have_a_say_in_the_absolute_gates_only(habit: Bench) -> None:
    habit.check(update=True, margins=HYBRID)
    flagged = habit.check(severities=ABSOLUTE, margins=HYBRID, baseline=None)
    assert len(flagged["findings"]) == 20
    document = habit.check(severities={**ABSOLUTE, **NAMED}, margins=FLEET)
    assert (document["exit_code"], document["findings"]) == (0, [])
    assert gate(document, "margin-narrowed")["measured"] == 10
    assert document["baseline"]["margins"]["noise"] == hybrid.SCORER.noise


def test_a_recording_alone_is_compared_as_among_others(habit: Bench) -> None:
    habit.check(update=True, margins=FLEET)
    habit.record(asked("which?", (TOOLS, ["b"]), run="alone"))
    document = habit.check(margins=FLEET, noise=0.0)
    assert (document["exit_code"], document["findings"]) == (0, [])
    assert gate(document, "margin-narrowed")["measured"] == 1


def test_a_finding_has_the_margin_that_was_compared(habit: Bench) -> None:
    habit.check(update=True, margins=FLEET)
    reworded = menu(a=0.99, b=0.4)
    habit.record(*(asked("which?", (reworded, ["b"]), run=f"run-{n}") for n in range(10)))
    document = habit.check(margins=FLEET)
    assert document["exit_code"] == 1
    first = document["findings"][0]
    assert first["gate"] == "margin-narrowed"
    fall = first["previous_margin"] - first["margin"]
    assert fall == pytest.approx(hybrid.COSINE * 0.09, abs=0.01)
    assert "threshold" not in first  # that of the margin with the others


def test_scores_of_others_that_failed(habit: Bench) -> None:
    habit.check(update=True, margins=FLEET)
    before = habit.file.read_bytes()
    document = habit.check(margins=FLEET, embedder=None, update=True)
    assert document["exit_code"] == 4
    assert habit.file.read_bytes() == before


# What is printed ------------------------------------------------------------------------------


def test_a_threshold_by_rule_is_printed_as_a_person_reads_it(habit: Bench) -> None:
    tools = menu(a=0.9, b=0.4, c=0.1, d=0.1)
    habit.record(asked("which?", (tools, ["b"])))
    document = habit.check(severities=ABSOLUTE, margins=HYBRID, baseline=None)
    first = document["findings"][0]
    assert first["threshold"] == pytest.approx(-0.9239592, abs=1e-6)
    assert first["message"].endswith("; below -0.923959 it is narrow")


def test_a_report_names_the_scorer_of_the_baseline(habit: Bench) -> None:
    from agentprint_cli.reports.check.document import outline

    habit.check(update=True, margins=FLEET)
    options = CheckOptions(baseline=str(habit.file), severities=NAMED, margins=FLEET)
    report = check([str(habit.folder)], embedder=angles.embedder, options=options)
    told = str(outline(report))
    assert "scorer fleet, threshold" in told
    assert "its margins, by the scorer hybrid: 1 entries" in told
    assert f"noise {hybrid.SCORER.noise:g}" in told


def test_the_command_with_an_embedder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    choice().save(tmp_path / "runs", "one.jsonl")
    own = ("--embedder", "tests.margins.counting:make")
    done = run(*MINILM, *own, "--fail-on", "narrow-margin", cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert scorer(json.loads(done.stdout)) == "cosine"
