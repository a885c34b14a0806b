"""``agentprint check``, installed: exit codes, files, configuration; and what CI runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.test_installed_command import COMMAND, run
from tests.conftest import ROOT
from tests.logs import one_call

from .angles import menu
from .logs import asked, choice

COUNTING = ("--embedder", "tests.margins.counting:make", "--no-cache")
UNREAD = ("--fail-on", "unread-lines", "--warn-on", "none")


def check(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return run("check", *arguments, *COUNTING, cwd=cwd, PYTHONPATH=str(ROOT))


@pytest.fixture
def narrow(tmp_path: Path) -> str:
    choice().save(tmp_path, "narrow.jsonl")
    return "narrow.jsonl"


def test_a_failing_gate(tmp_path: Path, narrow: str) -> None:
    done = check(narrow, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"FAILED: narrow-margin" in done.stdout


def test_clean(tmp_path: Path, narrow: str) -> None:
    assert check(narrow, *UNREAD, cwd=tmp_path).returncode == 0


def test_warnings_do_not_change_the_exit_code(tmp_path: Path, narrow: str) -> None:
    done = check(narrow, "--fail-on", "none", cwd=tmp_path)
    assert done.returncode == 0
    assert b"[warning] narrow-margin" in done.stdout


def test_unreadable_goes_before_inconclusive(tmp_path: Path) -> None:
    one_call([1]).save(tmp_path, "one.jsonl")
    assert check("one.jsonl", cwd=tmp_path).returncode == 4
    done = check("one.jsonl", "missing.jsonl", cwd=tmp_path)
    assert done.returncode == 3
    assert b"missing.jsonl: no such file" in done.stderr


def test_a_failure_goes_before_everything(tmp_path: Path) -> None:
    one_call([1]).save(tmp_path, "one.jsonl")
    with (tmp_path / "one.jsonl").open("ab") as file:
        file.write(b"{broken\n")
    assert check("one.jsonl", cwd=tmp_path).returncode == 1  # unread, and nothing scored
    assert check("one.jsonl", "missing.jsonl", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--fail-on", "nothing"), "no gate 'nothing'; there is narrow-margin"),
        (("--max-narrow", "many"), "--max-narrow must be a count"),
        (("--max-narrow", "101%"), "--max-narrow must be a count"),
        (("--format", "xml"), "no format 'xml'"),
        (("--baseline", "none.json"), "no such baseline"),
        (("--update-baseline",), "--baseline FILE"),
        (("--output", "no/such/folder/x"), "there is no folder"),
        (("--output", "."), "a folder"),
        (("--output", "sarif="), "has no name"),
        (("--config", "none.toml"), "cannot be read"),
    ],
)
def test_usage_errors(
    tmp_path: Path, narrow: str, arguments: tuple[str, ...], complaint: str
) -> None:
    done = check(narrow, *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr.decode()


def test_outputs(tmp_path: Path, narrow: str) -> None:
    done = check(
        narrow, "--output", "sarif=a=b.sarif", "-o", "junit=out.xml", "-f", "github", cwd=tmp_path
    )
    assert done.stdout.startswith(b"::error file=narrow.jsonl,line=")
    assert json.loads((tmp_path / "a=b.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "out.xml").read_text().startswith("<?xml")
    done = check(narrow, "--output", "out.json", "-f", "json", cwd=tmp_path)
    assert done.stdout.startswith(b"agentprint check\n")
    assert json.loads((tmp_path / "out.json").read_text())["exit_code"] == done.returncode == 1
    assert sorted(os.listdir(tmp_path)) == ["a=b.sarif", "narrow.jsonl", "out.json", "out.xml"]


def test_configuration_and_flags_over_it(tmp_path: Path, narrow: str) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.agentprint]\nrecordings = ["*.jsonl"]\nfail_on = ["narrow-margin"]\n'
        'warn_on = ["unread-lines"]\nmax_narrow = 1\nbaseline = "known.json"\n'
    )
    assert check(cwd=tmp_path).returncode == 2
    assert check("--update-baseline", cwd=tmp_path).returncode == 0
    (tmp_path / "known.json").write_text('{"schema": "agentprint/baseline@1", "findings": []}')
    assert check(cwd=tmp_path).returncode == 0
    assert check("--max-narrow", "0", cwd=tmp_path).returncode == 1
    found = json.loads(
        check("--max-narrow", "0", "--warn-on", "narrow-margin", "-f", "json", cwd=tmp_path).stdout
    )
    assert [(gate["id"], gate["severity"]) for gate in found["gates"]] == [
        ("narrow-margin", "warn")
    ]


def test_an_unknown_gate_of_the_configuration_names_the_file(tmp_path: Path, narrow: str) -> None:
    (tmp_path / "agentprint.toml").write_text('fail_on = ["nothing"]\n')
    done = check(narrow, cwd=tmp_path)
    assert done.returncode == 2
    assert b"agentprint.toml: no gate 'nothing'" in done.stderr


def test_with_the_default_embedder(tmp_path: Path, narrow: str) -> None:
    done = run("check", narrow, "--no-cache", "-f", "json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["embedder"]["id"].startswith("minilm")
    assert document["gates"][0]["measured"] == 1
    assert done.returncode in (0, 1)


def test_standard_input(tmp_path: Path) -> None:
    done = run("check", "-", *UNREAD, "-f", "sarif", stdin=b"{broken\n" + choice().lines())
    [result] = json.loads(done.stdout)["runs"][0]["results"]
    assert done.returncode == 1
    assert "physicalLocation" not in result["locations"][0]


# Against the margins of the baseline ----------------------------------------------------------

ANGLES = ("--embedder", "tests.check.angles:make", "--no-cache", "-f", "json")
COMPARED = ("--baseline", "known.json", "--fail-on", "margin-narrowed,new-rival")


def compared(*arguments: str, cwd: Path) -> tuple[int, Any]:
    done = run("check", "runs", *ANGLES, *COMPARED, *arguments, cwd=cwd, PYTHONPATH=str(ROOT))
    return done.returncode, json.loads(done.stdout or b"{}") or done.stderr.decode()


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A folder with a recording, and the baseline that was made of it."""
    (tmp_path / "runs").mkdir()
    rerecord(tmp_path, menu(a=0.9, b=0.7))
    assert compared("--update-baseline", cwd=tmp_path)[0] == 0
    return tmp_path


def rerecord(folder: Path, tools: dict[str, str], run: str = "run-1") -> None:
    asked("which?", (tools, ["a"]), run=run).save(folder / "runs", f"{run}.jsonl")


def test_a_recording_made_again_passes(known: Path) -> None:
    before = (known / "known.json").read_bytes()
    (known / "runs" / "run-1.jsonl").unlink()
    rerecord(known, menu(a=0.9, b=0.7), run="another")
    assert compared(cwd=known)[0] == 0
    assert compared("--update-baseline", cwd=known)[0] == 0
    assert (known / "known.json").read_bytes() == before


def test_a_reworded_description_fails(known: Path) -> None:
    rerecord(known, menu(a=0.9, b=0.8))
    code, document = compared(cwd=known)
    assert code == 1
    assert [finding["gate"] for finding in document["findings"]] == ["margin-narrowed"]
    assert compared("--noise", "0.15", cwd=known)[0] == 0
    (known / "agentprint.toml").write_text("noise = 0.15\n")
    assert compared(cwd=known)[0] == 0
    assert compared("--noise", "0.05", cwd=known)[0] == 1
    assert compared("--update-baseline", cwd=known)[0] == 0
    assert compared("--noise", "0", cwd=known)[0] == 0


def test_a_new_twin_fails_and_is_named(known: Path) -> None:
    rerecord(known, menu(a=0.9, b=0.7, twin=0.88))
    code, document = compared("--fail-on", "new-rival", cwd=known)
    assert code == 1
    [finding] = [f for f in document["findings"] if f["gate"] == "new-rival"]
    assert (finding["rival"], finding["added_tools"]) == ("twin", ["twin"])


def test_another_embedder_is_inconclusive(known: Path) -> None:
    code, document = compared("--embedder", "tests.check.angles:make_other", cwd=known)
    assert code == 4
    assert "made by the embedder angles:1" in document["not_measured"][0]["message"]


def test_they_fail_by_default_once_there_are_margins(known: Path) -> None:
    rerecord(known, menu(a=0.9, b=0.8))
    arguments = ("check", "runs", *ANGLES, "--warn-on", "none")
    for more, code in (((), 0), (("--baseline", "known.json"), 1)):
        assert run(*arguments, *more, cwd=known, PYTHONPATH=str(ROOT)).returncode == code


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--noise", "-0.1"), "--noise must be a number from 0 on"),
        (("--noise", "nan"), "--noise must be a number from 0 on"),
        (("--noise", "inf"), "--noise must be a number from 0 on"),
    ],
)
def test_a_bad_noise(known: Path, arguments: tuple[str, ...], complaint: str) -> None:
    assert compared(*arguments, cwd=known)[0] == 2
    assert complaint in compared(*arguments, cwd=known)[1]


@pytest.mark.parametrize("value", ["-1", "inf", "nan", '"much"', "true"])
def test_a_bad_noise_of_the_configuration(known: Path, value: str) -> None:
    (known / "agentprint.toml").write_text(f"noise = {value}\n")
    code, complaint = compared(cwd=known)
    assert code == 2
    assert "agentprint.toml: noise must be a" in complaint


def test_broken_margins_end_with_a_usage_error(known: Path) -> None:
    text = (known / "known.json").read_text()
    (known / "known.json").write_text(text.replace('"lowest": 0.2', '"lowest": null'))
    code, complaint = compared(cwd=known)
    assert code == 2
    assert "known.json: a broken baseline: margins: choice 0: lowest is not a number" in complaint


# What users' CI runs --------------------------------------------------------------------------


def yaml_blocks(page: str) -> list[Any]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]


def action_steps() -> list[dict[str, Any]]:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert action["runs"]["using"] == "composite"
    steps: list[dict[str, Any]] = action["runs"]["steps"]
    assert all(step["shell"] == "bash" and "${{" not in step["run"] for step in steps)
    return steps


def test_the_workflow_of_the_docs_uses_the_action() -> None:
    workflow, hooks = yaml_blocks("ci.md")
    assert workflow["jobs"]["agentprint"]["steps"][-1] == {"uses": "OWNER/agentprint@VERSION"}
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hooks["repos"][0]["hooks"] == [{"id": hook["id"]}]


def run_step(step: dict[str, Any], cwd: Path, inputs: dict[str, str], **env: str) -> int:
    """Run a step as GitHub does: bash -e, with its env filled in from the inputs."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    values = {name: spec["default"] for name, spec in action["inputs"].items()} | inputs
    filled = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: values[match[1]], text)
        for name, text in step.get("env", {}).items()
    }
    path = os.pathsep.join([env.pop("BIN", ""), str(COMMAND.parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env, **filled, "PATH": path},
        timeout=60,
        check=False,
    )
    return done.returncode


def test_the_action_installs_itself(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > asked\n')
    (tmp_path / "python3").chmod(0o755)
    install = action_steps()[0]
    assert run_step(install, tmp_path, {}, BIN=str(tmp_path), GITHUB_ACTION_PATH=str(ROOT)) == 0
    asked = (tmp_path / "asked").read_text().split("\n")
    assert asked[:3] == ["-m", "pip", "install"]
    assert str(ROOT) in asked
    assert (ROOT / "pyproject.toml").is_file()


@pytest.mark.parametrize(("more", "code"), [("", 1), ("--fail-on none", 0)])
def test_the_action_checks(tmp_path: Path, narrow: str, more: str, code: int) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    summary = temp / "summary.md"
    summary.write_text("before\n")
    inputs = {"paths": "nar*.jsonl", "options": f"{' '.join(COUNTING)} {more}"}
    found = run_step(
        action_steps()[1],
        tmp_path,
        inputs,
        RUNNER_TEMP=str(temp),
        GITHUB_STEP_SUMMARY=str(summary),
    )
    assert found == code
    assert summary.read_text().startswith("before\n### agentprint check")
    assert json.loads((tmp_path / "agentprint.sarif").read_text())["runs"]
    assert (tmp_path / "agentprint.junit.xml").is_file()


def test_an_input_of_the_action_is_no_script(tmp_path: Path) -> None:
    inputs = {"paths": '"; touch owned; $(touch owned) `touch owned`'}
    env = {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    assert run_step(action_steps()[1], tmp_path, inputs, **env) != 0
    assert not (tmp_path / "owned").exists()


def test_the_hook(tmp_path: Path) -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (tmp_path / "recordings").mkdir()
    choice().save(tmp_path / "recordings", "a.jsonl")
    changed = [p for p in ("recordings/a.jsonl", "src/b.py") if re.search(hook["files"], p)]
    assert changed == ["recordings/a.jsonl"]
    program, *arguments = shlex.split(hook["entry"])
    assert program == "agentprint"
    done = run(*arguments, *COUNTING, *changed, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert done.returncode == 1
