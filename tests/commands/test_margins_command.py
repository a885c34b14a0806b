"""``agentprint margins``, installed: what it prints and how it exits."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_installed_command import in_terminal, run
from tests.conftest import ROOT
from tests.logs import Log

COUNTING = ("--embedder", "tests.margins.counting:make", "--no-cache")
ON_PATH = str(ROOT)
"""What PYTHONPATH must hold for the plugin of the tests."""
TWIN = "recordings/twin-tools.jsonl"


def test_text() -> None:
    done = run("margins", TWIN, *COUNTING, PYTHONPATH=ON_PATH)
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "search_loans" in text
    assert "-0.006" in text
    assert "narrow, proxy-disagreement" in text
    assert "[13]" in text
    assert "never the reason for it" in text
    assert "Embedder counting" in text


def test_folder_of_the_working_directory_by_default(tmp_path: Path) -> None:
    found = json.loads(run("margins", "--no-scores", "-f", "json").stdout)
    assert found["summary"]["recordings"] == len(list((ROOT / "recordings").glob("*.json*")))
    done = run("margins", "--no-scores", cwd=tmp_path)
    assert done.returncode == 2
    assert b"no folder 'recordings'" in done.stderr


CALIBRATED = 'threshold = -1.0\n[calibration]\nembedder = "counting:1"\nscorer = "fleet"'


def test_configured_folder_and_thresholds(tmp_path: Path) -> None:
    (tmp_path / "agentprint.toml").write_text(
        f'recordings = "{ROOT / "recordings" / "twin-tools.jsonl"}"\nthreshold = -0.5\n'
    )
    found = json.loads(
        run("margins", "-f", "json", *COUNTING, cwd=tmp_path, PYTHONPATH=ON_PATH).stdout
    )
    assert (found["threshold"], found["summary"]["narrow"]) == (-0.5, 0)
    found = json.loads(
        run(
            "margins", "-f", "json", "--threshold", "1", *COUNTING, cwd=tmp_path, PYTHONPATH=ON_PATH
        ).stdout
    )
    assert (found["threshold"], found["summary"]["narrow"]) == (1.0, 2)


@pytest.mark.parametrize(
    ("configured", "options", "used"),
    [
        ("", (), "cosine"),
        ('scorer = "hybrid"', (), "hybrid"),
        (CALIBRATED, (), "fleet"),
        (CALIBRATED, ("--scorer", "hybrid"), "hybrid"),
        ('scorer = "hybrid"\n' + CALIBRATED, (), "hybrid"),
    ],
)
def test_a_threshold_is_of_the_scorer_named_or_calibrated(
    tmp_path: Path, configured: str, options: tuple[str, ...], used: str
) -> None:
    (tmp_path / "agentprint.toml").write_text(configured + "\n")
    done = run(
        *("margins", str(ROOT / TWIN), "-f", "json", "--threshold", "0.25", *options, *COUNTING),
        cwd=tmp_path,
        PYTHONPATH=ON_PATH,
    )
    found = json.loads(done.stdout)
    assert (found["scorer"], found["threshold"]) == (used, 0.25)
    assert "threshold_made_for" not in found
    assert done.stderr == b""


def test_a_run_that_no_recording_has(tmp_path: Path) -> None:
    done = run("margins", TWIN, "--run", "nosuch", *COUNTING, PYTHONPATH=ON_PATH)
    assert done.returncode == 2
    assert b"no recording has a run 'nosuch'" in done.stderr
    done = run("margins", TWIN, "--run", "run-1796079185442-3", *COUNTING, PYTHONPATH=ON_PATH)
    assert (done.returncode, done.stderr) == (0, b"")


def test_flagged_keeps_only_flagged_calls_but_counts_all() -> None:
    found = json.loads(
        run("margins", TWIN, "--flagged", "-f", "json", *COUNTING, PYTHONPATH=ON_PATH).stdout
    )
    assert [call["event"] for call in found["calls"]] == [13, 40]
    assert found["summary"]["llm_calls_with_tools"] == 3


def test_selection_and_order() -> None:
    def events(*options: str) -> list[int]:
        out = run("margins", TWIN, "-f", "jsonl", *options, *COUNTING, PYTHONPATH=ON_PATH).stdout
        return [json.loads(line)["event"] for line in out.splitlines()]

    assert events() == [13, 40, 70]
    assert events("--sort", "margin") == [13, 40, 70]
    assert events("--sort", "tool")[-1] == 13
    assert events("--top", "1") == [13]
    assert events("--tool", "list_shelves") == [40]
    assert events("--run", "nobody") == []


def test_pairs() -> None:
    out = run("margins", TWIN, "--pairs", "-f", "jsonl", *COUNTING, PYTHONPATH=ON_PATH).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(r["chosen"], r["rival"], r["calls"], r["flagged"]) for r in rows] == [
        ("search_loan_history", "list_shelves", 1, 1),
        ("search_loans", "search_loan_history", 1, 1),
    ]


def test_csv_is_safe_for_spreadsheets(tmp_path: Path) -> None:
    log = Log("=run()", "s").configured().asked("q")
    log.called_model(1, "=cmd|' /C calc'!A0", "b")
    log.started("t1", "=cmd|' /C calc'!A0")
    out = run(
        "margins", log.save(tmp_path), "-f", "csv", *COUNTING, PYTHONPATH=ON_PATH
    ).stdout.decode()
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["run"] == "'=run()"
    assert row["chosen"].startswith("'=")
    assert float(row["margin"]) <= 1


def test_csv_has_what_the_model_said_at_the_end_of_the_line(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "get_user", "list_loans", "=sum_of")
    log.started("t1", "get_user")
    log.called_model(2, "get_user", "list_loans", "=sum_of")
    log.add("stream.llm_end", {"content": "I use =sum_of and list_loans."})
    log.started("t2", "get_user")
    options = (log.save(tmp_path), "-f", "csv", *COUNTING)
    plain = run("margins", *options, PYTHONPATH=ON_PATH).stdout.decode()
    out = run("margins", *options, "--intent", PYTHONPATH=ON_PATH).stdout.decode()
    columns = next(csv.reader(io.StringIO(plain)))
    assert next(csv.reader(io.StringIO(out))) == [
        *columns,
        "intent_margin",
        "intent_threshold",
        "intent_flags",
        "intent_named",
        "intent_top",
    ]
    first, second = csv.DictReader(io.StringIO(out))
    assert {first[name] for name in first if name.startswith("intent")} == {""}
    assert float(second["intent_margin"]) <= 1
    assert second["intent_threshold"] == "-0.25"
    assert second["intent_flags"] == "says-one-calls-another"
    assert second["intent_named"] == "list_loans =sum_of"
    assert second["intent_top"] in ("get_user", "list_loans", "'=sum_of")
    _, without = csv.DictReader(io.StringIO(plain))
    assert without == {name: second[name] for name in columns}


def test_csv_of_pairs_has_nothing_of_what_the_model_said(tmp_path: Path) -> None:
    log = Log().configured().asked("q")
    log.called_model(1, "get_user", "list_loans")
    log.add("stream.llm_end", {"content": "I use list_loans."})
    log.started("t1", "get_user")
    options = (log.save(tmp_path), "-f", "csv", "--pairs", "--intent", *COUNTING)
    out = run("margins", *options, PYTHONPATH=ON_PATH).stdout.decode()
    assert next(csv.reader(io.StringIO(out))) == ["chosen", "rival", "calls", "flagged"]


def test_unreadable_file_is_reported_and_the_exit_code_says_so(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    done = run("margins", TWIN, str(tmp_path), *COUNTING, PYTHONPATH=ON_PATH)
    assert done.returncode == 3
    assert b"bad.jsonl" in done.stderr
    assert "2 scored" in done.stdout.decode()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--embedder", "nonsense"), "there is no embedder"),
        (("--embedder", "no.such.module:make"), "no.such"),
        (("--sort", "size"), "no order"),
        (("--threshold", "9"), "between -2 and 2"),
        (("--scorer", "hybrid", "--threshold", "nan"), "--threshold nan: a margin is a finite"),
        (("--scorer", ""), "there is no scorer ''"),
        (("--config", "none.toml"), "cannot be read"),
        (("-f", "xml"), "no format"),
    ],
)
def test_errors_are_one_line(options: tuple[str, ...], said: str) -> None:
    done = run("margins", TWIN, *options)
    assert done.returncode in (2, 4)
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope = 1", "unknown key 'nope'"),
        ("threshold = 'x'", "threshold must be a number"),
        ("recordings = 7", "recordings must be a list"),
        ("max_narrow = '7x'", "a count such as 3"),
        ("[thresholds]\nother = 1", "thresholds must be a table"),
        ("embedder = 'evil.module:make'", "unknown key 'embedder'"),
        ("nonsense", "not valid TOML"),
    ],
)
def test_bad_configuration(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "agentprint.toml").write_text(text)
    done = run("margins", str(ROOT / TWIN), "--no-scores", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.decode()


def test_without_scores_no_embedder_is_imported() -> None:
    program = (
        "import sys\n"
        "from agentprint_cli.commands import run\n"
        f"code = run(['margins', {TWIN!r}, '--no-scores'])\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)), code, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=True, timeout=60
    )
    assert done.stderr.decode().strip().splitlines()[-1] == "[] 0"


def test_cache_is_used_and_gives_the_same_report(tmp_path: Path) -> None:
    def run_here(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return run(*arguments, PYTHONPATH=ON_PATH, AGENTPRINT_CACHE_DIR=str(tmp_path))

    options = ("margins", TWIN, "--embedder", "tests.margins.counting:make", "-f", "json")
    cold, warm = (json.loads(run_here(*options).stdout) for _ in range(2))
    assert (cold["embedder"].pop("embedded"), warm["embedder"].pop("embedded")) == (6, 0)
    assert cold == warm
    info = run_here("cache", "info").stdout.decode()
    assert "6 vectors" in info
    assert run_here("cache", "clear").returncode == 0
    assert "0 vectors" in run_here("cache", "info").stdout.decode()


def test_narrow_terminal() -> None:
    shown = in_terminal("margins", TWIN, "--no-scores", columns=50, NO_COLOR="1").decode()
    assert max(len(line) for line in shown.splitlines()) <= 50
