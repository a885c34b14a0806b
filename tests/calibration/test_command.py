"""``agentprint calibrate``, installed; and the warning of ``margins`` and ``check`` about a
threshold that was made for other scores."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.schemas import Checker, find
from tests.commands.test_installed_command import run
from tests.conftest import ROOT
from tests.margins.counting import Counting

from .fleet import every_fifth, fleet, write_labels

COUNTING = ("--embedder", "tests.margins.counting:make", "--no-cache")
OTHER = ("--embedder", "tests.calibration.test_command:other", "--no-cache")


def other() -> Counting:
    """The same vectors under another fingerprint."""
    made = Counting()
    made.fingerprint = "counting:2"
    return made


def agentprint(
    *arguments: str, cwd: Path, embedder: tuple[str, ...] = COUNTING
) -> subprocess.CompletedProcess[bytes]:
    return run(*arguments, *embedder, cwd=cwd, PYTHONPATH=str(ROOT))


def printed(*arguments: str, cwd: Path, embedder: tuple[str, ...] = COUNTING) -> Any:
    """The JSON that a command prints, which is as its schema says."""
    done = agentprint(*arguments, "-f", "json", cwd=cwd, embedder=embedder)
    found = json.loads(done.stdout)
    assert list(Checker.of(find(found["schema"])).check(found)) == []
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "recordings").mkdir()
    fleet().save(tmp_path / "recordings")
    return tmp_path


def test_text(folder: Path) -> None:
    done = agentprint("calibrate", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert "40 choices with a margin" in shown
    assert "proposed: -0.95" in shown
    assert list(folder.iterdir()) == [folder / "recordings"]  # nothing is written unasked


def test_labels(folder: Path) -> None:
    labels = write_labels(folder, every_fifth())
    found = printed("calibrate", "--labels", labels, cwd=folder)
    assert found["labels"]["used"] == 40
    again = printed("calibrate", "--labels", labels, cwd=folder)
    assert found == again


def test_the_rows_of_margins_are_labels_once_they_have_a_right(folder: Path) -> None:
    rows = agentprint("margins", "-f", "csv", cwd=folder).stdout.decode().splitlines()
    labelled = [f"{rows[0]},right", *(f"{row},true" for row in rows[1:-1]), f"{rows[-1]},false"]
    (folder / "labels.csv").write_text("\n".join(labelled) + "\n")
    found = printed("calibrate", "--labels", "labels.csv", cwd=folder)["labels"]
    assert (found["used"], found["wrong"], found["problems"]) == (40, 1, [])
    lines = agentprint("margins", "-f", "jsonl", cwd=folder).stdout.decode().splitlines()
    labelled = [json.dumps({**json.loads(line), "right": True}) for line in lines]
    (folder / "labels.json").write_text("\n".join(labelled))
    found = printed("calibrate", "--labels", "labels.json", cwd=folder)["labels"]
    assert (found["used"], found["right"], found["problems"]) == (40, 40, [])


def test_write_and_use(folder: Path) -> None:
    done = agentprint("calibrate", "--write", cwd=folder)
    assert done.returncode == 0
    assert "threshold = -0.95 was written into agentprint.toml" in done.stdout.decode()
    written = (folder / "agentprint.toml").read_bytes()
    done = agentprint("calibrate", "--write", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "is already what stands in agentprint.toml" in done.stdout.decode()
    assert (folder / "agentprint.toml").read_bytes() == written
    found = printed("margins", cwd=folder)
    assert (found["threshold"], found["summary"]["narrow"]) == (-0.95, 2)
    assert found["threshold_made_for"] == {
        "embedder": "counting:1",
        "scorer": "cosine",
        "share": "5%",
        "choices": 40,
        "recordings": 1,
    }
    assert "warnings" not in found


def test_write_into_the_configuration_in_use(folder: Path) -> None:
    text = '[project]\nname = "x"  # mine\n\n[tool.agentprint]\nrecordings = ["recordings"] # all\n'
    (folder / "pyproject.toml").write_text(text)
    assert agentprint("calibrate", "--write", cwd=folder).returncode == 0
    assert (folder / "pyproject.toml").read_text().startswith(f"{text}threshold = -0.95\n\n")
    assert not (folder / "agentprint.toml").exists()
    (folder / "own.toml").write_text("# own\n")
    assert agentprint("calibrate", "--write", "--config", "own.toml", cwd=folder).returncode == 0
    assert (folder / "own.toml").read_text().startswith("# own\nthreshold = -0.95\n")


def test_nothing_to_write(folder: Path) -> None:
    done = agentprint("calibrate", "--write", "--share", "1%", cwd=folder)
    assert done.returncode == 4
    assert b"nothing was written: 40 choices are too few" in done.stderr
    assert b"not measurable" in done.stdout
    assert not (folder / "agentprint.toml").exists()


def test_a_full_disk_ends_with_74(folder: Path) -> None:
    program = (
        "import os, sys\n"
        "def full(*_):\n"
        "    raise OSError(28, 'No space left on device')\n"
        "os.fsync = full\n"
        "from agentprint_cli.commands import run\n"
        f"sys.exit(run(['calibrate', '--write', *{COUNTING!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 74
    assert b"agentprint.toml: cannot be written (No space left on device)" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--share", "5"), "a share is above 0%"),
        (("--labels", "none"), "the labels cannot be read"),
        (("--write", "--threshold", "0.1"), "give one of the two"),
        (("--write", "--config", "recordings"), "cannot be read"),
        (("-f", "csv"), "no format 'csv'"),
        (("none/*.jsonl",), "no file matches"),
    ],
)
def test_usage_errors(folder: Path, options: tuple[str, ...], said: str) -> None:
    done = agentprint("calibrate", *options, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_an_unreadable_recording(folder: Path) -> None:
    (folder / "recordings" / "bad.jsonl").write_text("nothing\n")
    done = agentprint("calibrate", cwd=folder)
    assert done.returncode == 3
    assert b"bad.jsonl" in done.stderr
    assert b"40 choices" in done.stdout
    done = agentprint("calibrate", "--share", "1%", "--write", cwd=folder)
    assert done.returncode == 3
    assert b"nothing was written: 40 choices are too few for a share of 1%" in done.stderr


def test_no_threshold_is_written_for_a_scorer_that_is_not_used(folder: Path) -> None:
    """The next command would say that the threshold says nothing of its scores."""
    config = folder / "agentprint.toml"
    config.write_text('scorer = "cosine"\n')
    done = agentprint("calibrate", "--scorer", "hybrid", "--write", cwd=folder)
    assert done.returncode == 2
    assert b"agentprint.toml: scorer = 'cosine' goes before the scorer" in done.stderr
    assert config.read_text() == 'scorer = "cosine"\n'
    for scorer in ((), ("--scorer", "cosine")):
        assert agentprint("calibrate", *scorer, "--write", cwd=folder).returncode == 0
    assert agentprint("margins", cwd=folder).stderr == b""


# A threshold that was made for other scores --------------------------------------------------


@pytest.mark.parametrize("command", ["margins", "check", "calibrate"])
def test_a_threshold_made_for_another_embedder(folder: Path, command: str) -> None:
    assert agentprint("calibrate", "--write", cwd=folder).returncode == 0
    done = agentprint(command, cwd=folder, embedder=OTHER)
    said = "the threshold -0.95 was made for embedder counting:1, and these scores are of embedder"
    assert f"[warn] {said}" in done.stdout.decode()
    assert done.stderr.decode().startswith(f"agentprint: {said}")
    found = printed(command, cwd=folder, embedder=OTHER)
    assert found["threshold_made_for"]["embedder"] == "counting:1"
    [warning] = found["warnings"]
    assert said in warning
    for options, embedder in ((("--threshold", "0"), OTHER), ((), COUNTING)):
        done = agentprint(command, *options, cwd=folder, embedder=embedder)
        assert b"was made for" not in done.stdout + done.stderr
        assert "warnings" not in printed(command, *options, cwd=folder, embedder=embedder)


def test_a_threshold_made_for_another_scorer(folder: Path) -> None:
    (folder / "agentprint.toml").write_text(
        'threshold = 1\n[calibration]\nembedder = "counting:1"\nscorer = "other\\u001b"\n'
    )
    done = agentprint("margins", cwd=folder)
    assert b"scorer other\\x1b" in done.stdout
    assert b"scorer other\\x1b" in done.stderr
    assert agentprint("margins", "--no-scores", cwd=folder).stderr == b""


@pytest.mark.parametrize("command", ["margins", "check"])
def test_a_threshold_of_a_fleet_for_a_recording_read_alone(folder: Path, command: str) -> None:
    """Where no other conversation has a say, the scores are not those that it was made for."""
    (folder / "agentprint.toml").write_text(
        'threshold = -1\n[calibration]\nembedder = "counting:1"\nscorer = "fleet"\n'
    )
    found = printed(command, cwd=folder)
    assert found["warnings"] == [
        "the threshold -1.0 was made for scorer fleet, and these scores are of scorer hybrid, "
        "since no other conversation had a say: it says nothing of these (agentprint calibrate "
        "finds one for these)"
    ]


def test_what_is_written_is_the_scorer_of_the_scores(folder: Path) -> None:
    done = agentprint("calibrate", "--scorer", "fleet", "--write", cwd=folder)
    assert done.returncode == 0
    assert 'scorer = "hybrid"' in (folder / "agentprint.toml").read_text()
    assert agentprint("margins", cwd=folder).stderr == b""


@pytest.mark.parametrize(
    "own", ["[thresholds.tools]\nccc = 0.02\n", '[thresholds.pairs]\n"ccc|bbb" = 0.02\n']
)
def test_thresholds_of_tools_do_not_change_their_unit_unseen(folder: Path, own: str) -> None:
    config = folder / "agentprint.toml"
    config.write_text(own)
    done = agentprint("calibrate", "--scorer", "hybrid", "--write", cwd=folder)
    assert done.returncode == 2
    assert b"its thresholds of tools and pairs are in the units of cosine" in done.stderr
    assert config.read_text() == own
    assert agentprint("calibrate", "--write", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("calibration = 5", "calibration: it is no table"),
        ("threshold = 1\n[calibration]\nother = 1", "unknown key 'other'; known: choices"),
        ("threshold = 1\n[calibration]\nscorer = 'x'", "calibration.embedder is missing"),
        ("threshold = 1\n[calibration]\nembedder = 'x'", "calibration.scorer is missing"),
        ("threshold = 1\n[calibration]\nembedder = 1\nscorer = 'x'", "embedder must be a string"),
        ("[calibration]\nembedder = 'x'\nscorer = 'x'", "there is no threshold"),
        (
            "threshold = 1\n[calibration]\nembedder = 'x'\nscorer = 'x'\nchoices = -1",
            "calibration.choices must be a whole number",
        ),
        (
            "threshold = 1\n[calibration]\nembedder = 'x'\nscorer = 'x'\nshare = 'x'",
            "calibration.share must be a count",
        ),
        (
            "threshold = 1\n[calibration]\nembedder = ''\nscorer = 'x'",
            "calibration.embedder is empty",
        ),
        # Nothing lies below not-a-number: a gate with that threshold would never find anything.
        ("threshold = nan", "threshold must be a finite number"),
        ("threshold = -inf", "threshold must be a finite number"),
        ("threshold = 1e400", "threshold must be a finite number"),
        ("[thresholds.tools]\naaa = nan", "thresholds.tools.aaa must be a finite number"),
        ("[thresholds.pairs]\n'a|b' = inf", "thresholds.pairs.a|b must be a finite number"),
        (f"threshold = {'9' * 400}", "threshold must be a finite number"),
        (f"threshold = {'9' * 5000}", "not valid TOML"),
        (f"noise = {'9' * 400}", "noise must be a finite number"),
        (f"recordings = {'[' * 100_000}", "not valid TOML: nested too deeply"),
        ("threshold = 1\rscorer = 'fleet'", "not valid TOML"),
        # No margin of cosines is below -2: this one was meant for another scorer.
        ("threshold = -3", "agentprint.toml: threshold -3.0: a margin of cosines lies between"),
        ("scorer = 'cosine'\n[thresholds.tools]\naaa = -3", "thresholds.tools.aaa -3.0: a margin"),
        ("scorer = 'cosine'\n[thresholds.pairs]\n'a|b' = 3", "thresholds.pairs.a|b 3.0: a margin"),
        (
            "threshold = 3\n[calibration]\nembedder = 'x'\nscorer = 'cosine'",
            "threshold 3.0: a margin of cosines",
        ),
    ],
)
def test_bad_configuration(folder: Path, text: str, said: str) -> None:
    (folder / "agentprint.toml").write_text(text)
    done = agentprint("calibrate", cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr.decode()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("threshold = -3\nscorer = 'hybrid'", ()),
        ("threshold = -3", ("--scorer", "hybrid")),
        ("threshold = -3", ("--threshold", "0.1")),
        # What it was made for is known, so it is warned of.
        ("threshold = -3\n[calibration]\nembedder='x'\nscorer='hybrid'", ("--scorer", "cosine")),
    ],
)
def test_a_threshold_beyond_cosines_of_another_scorer(
    folder: Path, text: str, options: tuple[str, ...]
) -> None:
    (folder / "agentprint.toml").write_text(text)
    assert agentprint("margins", *options, cwd=folder).returncode == 0


def test_tomlkit_is_imported_for_writing_only(folder: Path) -> None:
    program = (
        "import sys\n"
        "from agentprint_cli.commands import run\n"
        f"run(['calibrate', *{COUNTING!r}])\n"
        "print('tomlkit' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stderr.strip().splitlines()[-1] == b"False"
