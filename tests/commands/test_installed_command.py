"""The installed command, end to end: what it prints and how it exits."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.logs import Log, one_call

COMMAND = Path(sys.executable).with_name("agentprint")
EMPTY = "recordings/earlier-empty-in-view.jsonl"


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **env},
        timeout=60,
        check=False,
    )


def in_terminal(*arguments: str, columns: int = 80, **env: str) -> bytes:
    """What the command writes to a terminal of that width."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *arguments],
        stdout=slave,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color", **env},
    )
    os.close(slave)
    out = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:
            break
        if not block:
            break
        out += block
    process.wait(timeout=60)
    os.close(master)
    return out


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, b"agentprint 0.1.0\n")


def test_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentprint_cli", "--version"], capture_output=True, check=True
    )
    assert done.stdout == b"agentprint 0.1.0\n"


def test_explain_as_text_in_a_pipe() -> None:
    done = run("explain", EMPTY)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "\x1b" not in text
    assert "  │ Nobody borrowed from Harbour this week.\n  [103 /payload/finalContent]\n" in text


def test_same_bytes_in_same_bytes_out() -> None:
    for format in ("text", "json", "md"):
        outputs = {
            run("explain", EMPTY, "-f", format, PYTHONHASHSEED=seed).stdout for seed in "123"
        }
        assert len(outputs) == 1


def test_standard_input_compressed_or_not() -> None:
    data = (ROOT / EMPTY).read_bytes()
    plain = run("explain", "-", "-f", "json", stdin=data)
    packed = run("explain", "-", "-f", "json", stdin=gzip.compress(data, mtime=0))
    assert plain.returncode == packed.returncode == 0
    first, second = json.loads(plain.stdout), json.loads(packed.stdout)
    assert first.pop("recording") != second.pop("recording")
    assert first == second


def test_declarations(tmp_path: Path) -> None:
    toml = tmp_path / "d.toml"
    toml.write_text('[tools.list_shelves]\nrows_at = "shelves"\n')
    as_json = tmp_path / "d.json"
    as_json.write_text('{"tools": {"list_shelves": {"rows_at": "shelves"}}}')
    for path in (toml, as_json):
        found = json.loads(run("explain", EMPTY, "--declare", str(path), "-f", "json").stdout)
        assert [s["id"] for s in found["signals"]] == [
            "undeclared-empty-used",
            "undeclared-empty-in-view",
        ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tools.x]\nrows = 'y'", "tools.x has an unknown key 'rows'"),
        ("[tools.x]\nrows_at = 7", "tools.x.rows_at must be a non-empty string"),
        ("tools = 3", "tools must be a table"),
        ("app_decides = 2", "app_decides"),
        ("nonsense", "not valid TOML"),
        ('{"tools": ', "byte"),
        ("other = 1", "unknown key 'other'"),
    ],
)
def test_bad_declarations(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "d"
    path.write_text(text)
    done = run("explain", EMPTY, "--declare", str(path))
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("explain", "no/such/file"), 3, "no such file"),
        (("explain", "recordings"), 3, "a folder"),
        (("explain", "pyproject.toml"), 3, "not a recording of an agent's run"),
        (("explain", "uv-nothing", "--format", "yaml"), 2, "no format 'yaml'"),
        (("explain", EMPTY, "--run", "nobody"), 2, "owns no event"),
        (("explain", EMPTY, "--run", "x", "--all"), 2, "exclude each other"),
        (("explain",), 2, "Missing argument"),
        (("explain", EMPTY, "--nope"), 2, "No such option"),
        (("nope",), 2, "No such command"),
        (("show", EMPTY, "105"), 2, "its numbers run from 0 to 104"),
        (("show", EMPTY, "-7"), 2, "-7"),
        (("show", EMPTY, "abc"), 2, "no event number"),
        (("show", EMPTY, "9" * 30), 2, "its numbers run"),
        (("show", EMPTY, "0", "payload"), 2, "bad path"),
        (("show", EMPTY, "0", "/payload/none"), 2, "no member 'none'"),
        (("show", EMPTY, "-", "/snapshot"), 2, "no document root"),
        (("events", EMPTY, "--range", "x:y"), 2, "--range"),
        (("events", EMPTY, "--range", "9:1"), 2, "ends before it begins"),
    ],
)
def test_errors_are_one_clear_line(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = run(*arguments)
    assert done.returncode == code
    message = done.stderr.decode()
    assert message.startswith("agentprint: ")
    assert said in message
    assert message.count("\n") == 1
    assert "Traceback" not in message


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02" * 99, b"plain text\n", b"[]", b"{}"])
def test_what_is_no_recording(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    for command in (("explain",), ("runs",), ("events",)):
        done = run(*command, str(path))
        assert (done.returncode, done.stdout) == (3, b"")
        assert done.stderr.count(b"\n") == 1


def test_unread_places_are_said(tmp_path: Path) -> None:
    lines = one_call([1]).lines().split(b"\n")
    lines[2] = b'{"broken'
    path = tmp_path / "x"
    path.write_bytes(b"\n".join(lines))
    done = run("explain", str(path))
    assert done.returncode == 0
    assert "line 3, byte" in done.stdout.decode()
    assert "1 place of the recording unread" in done.stdout.decode()
    assert json.loads(run("explain", str(path), "-f", "json").stdout)["recording"]["unread"] == 1
    assert b"line 3" in run("events", str(path)).stderr
    assert run("show", str(path), "2").stdout == b'{"broken\n'


def test_show_prints_the_very_bytes() -> None:
    lines = (ROOT / EMPTY).read_bytes().split(b"\n")
    assert run("show", EMPTY, "64").stdout == lines[64] + b"\n"
    assert run("show", EMPTY, "103", "/payload/finalContent").stdout == (
        b'"Nobody borrowed from Harbour this week."\n'
    )
    around = run("show", EMPTY, "1", "-C", "1").stdout.split(b"\n")
    assert [line[:4] for line in around[:3]] == [b"  0 ", b"> 1 ", b"  2 "]


def test_show_follows_a_path_of_the_document() -> None:
    done = run(
        "show",
        "recordings/earlier-empty-in-view.recording.json",
        "-",
        "/snapshot/sharedState/history/2/content",
    )
    assert done.stdout == b'"{\\"branch\\":\\"Harbour\\",\\"shelves\\":[]}"\n'


def test_every_pointer_of_a_report_can_be_shown() -> None:
    found = json.loads(run("explain", EMPTY, "-f", "json").stdout)
    signal_found = found["signals"][0]
    for place in signal_found["pointers"]:
        done = run("show", EMPTY, str(place["event"]), place["path"])
        assert done.returncode == 0
        assert done.stdout.strip()


def test_events_are_filtered() -> None:
    def numbers(*options: str) -> list[int]:
        out = run("events", EMPTY, *options).stdout.decode()
        return [int(line.split()[0]) for line in out.splitlines()]

    assert numbers("--type", "stream.tool_*") == [20, 21, 73, 74]
    assert (
        numbers("--type", "agentfootprint.agent.turn_end") == [47 - 1, 103]
        or numbers("--type", "agent.turn_end")[-1] == 103
    )
    assert numbers("--call", "t2") == [73, 74]
    assert numbers("--range", "100:102") == [100, 101, 102]
    assert numbers("--range", "103:") == [103, 104]
    assert numbers("--type", "stream.tool_start", "--text", "Harbour") == [20, 73]
    assert numbers("--type", "agent.turn_end", "--text", "Nobody borrowed") == [103]
    assert all(n >= 48 for n in numbers("--run", "run-1796079185273-2"))
    lines = (ROOT / EMPTY).read_bytes().split(b"\n")
    assert run("events", EMPTY, "--call", "t2", "-f", "jsonl").stdout == (
        lines[73] + b"\n" + lines[74] + b"\n"
    )


def test_runs() -> None:
    found = json.loads(run("runs", EMPTY, "-f", "json").stdout)
    assert [entry["id"] for entry in found["runs"]] == [
        "run-1796079185196-1",
        "run-1796079185273-2",
    ]
    assert found["runs"][1]["explained"] is True


def test_colour_and_width_in_a_terminal() -> None:
    coloured = in_terminal("explain", EMPTY, columns=60)
    assert b"\x1b[" in coloured
    plain = in_terminal("explain", EMPTY, columns=60, NO_COLOR="1")
    assert b"\x1b" not in plain
    assert max(len(line) for line in plain.decode().splitlines()) <= 60
    narrow = in_terminal("explain", EMPTY, columns=20, NO_COLOR="1").decode()
    assert "Nobody" in narrow


HOSTILE = "\x1b[2J\x1b]0;title\x07[bold]x[/bold] \u202egnp.exe \x9b31m \r\ud83d\x00"


def _hostile_log() -> Log:
    log = Log(HOSTILE, HOSTILE).configured().asked(HOSTILE)
    log.composed(1, ("user", None, HOSTILE))
    log.called_model(1, HOSTILE)
    log.started(HOSTILE, HOSTILE, {HOSTILE: HOSTILE})
    log.ended(HOSTILE, HOSTILE)
    log.composed(2, ("user", None, HOSTILE), ("tool-result", HOSTILE, HOSTILE))
    log.called_model(2, HOSTILE)
    log.answered(HOSTILE)
    return log


def test_nothing_that_a_log_says_moves_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(_hostile_log().lines() + b'{"broken \x1b[2J \x9b')
    for arguments in (
        ("explain", str(path)),
        ("explain", str(path), "-f", "md"),
        ("explain", str(path), "-f", "json"),
        ("explain", str(path), "--run", "\x1b[2J"),
        ("runs", str(path)),
        ("events", str(path)),
        ("events", str(path), "-f", "jsonl"),
        ("show", str(path), "1"),
        ("show", str(path), "10"),
        ("show", str(path), "1", "/payload/userPrompt"),
    ):
        shown = in_terminal(*arguments, columns=200, NO_COLOR="1").decode("utf-8")
        assert not [c for c in shown.replace("\r\n", "\n") if c != "\n" and ord(c) < 32], arguments
        assert not any(0x7F <= ord(c) < 0xA0 or c in "\u202e" for c in shown), arguments
        errors = run(*arguments).stderr.decode("utf-8")
        assert not [c for c in errors if c != "\n" and ord(c) < 32], arguments


def test_recorded_markup_is_printed_as_it_is(tmp_path: Path) -> None:
    shown = run("explain", _hostile_log().save(tmp_path)).stdout.decode()
    assert "[bold]x[/bold]" in shown
    assert "\\x1b[2J" in shown


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    log = Log().configured()
    for number in range(20_000):
        log.ended(f"t{number}", number)
    path = log.save(tmp_path)
    process = subprocess.Popen(
        [COMMAND, "events", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), errors) == (141, b"")


def test_interrupt_is_quiet() -> None:
    process = subprocess.Popen(
        [COMMAND, "explain", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    # More than a pipe holds: once it is written, the command is reading.
    process.stdin.write(Log().configured().lines() * 2000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors) == (130, b"", b"")


def test_completion_script_is_offered() -> None:
    done = run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0
    assert b"_AGENTPRINT_COMPLETE" in done.stdout


@pytest.mark.parametrize("arguments", [("--help",), ("explain", EMPTY), ("runs", EMPTY)])
def test_heavy_modules_are_not_imported(arguments: tuple[str, ...]) -> None:
    program = (
        "import sys\n"
        "from agentprint_cli.commands import run\n"
        f"code = run({list(arguments)!r})\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'jsonschema', 'torch', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)), code, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=True, timeout=60
    )
    assert done.stderr.decode().strip().splitlines()[-1] == "[] 0"


def test_closed_standard_streams() -> None:
    def shell(redirect: str) -> subprocess.CompletedProcess[bytes]:
        line = f"'{COMMAND}' explain {redirect}"
        return subprocess.run(["sh", "-c", line], capture_output=True, cwd=ROOT, timeout=60)

    assert shell("- <&-").returncode == 3
    assert shell(f"{EMPTY} >&-").returncode == 0
    assert shell("no/such/file 2>&-").returncode == 3
    assert shell("no/such/file 2>/dev/full").returncode == 3
    full = shell(f"{EMPTY} > /dev/full")
    assert full.returncode == 74
    assert full.stderr.count(b"\n") == 1


def test_terminal_without_utf8() -> None:
    done = run("explain", EMPTY, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 0
    assert b"Nobody borrowed" in done.stdout


@pytest.mark.parametrize("format", ["text", "md", "json"])
def test_deep_nesting_is_no_crash(tmp_path: Path, format: str) -> None:
    log = one_call("@")
    data = log.lines().replace(b'"@"', b"[" * 990 + b"]" * 990)
    path = tmp_path / "deep.jsonl"
    path.write_bytes(data)
    for command in (("explain", "-f", format), ("validate",), ("events",)):
        done = run(command[0], str(path), *command[1:])
        assert done.returncode in (0, 1), done.stderr


def test_all_runs_as_one_json_document() -> None:
    found = json.loads(run("explain", EMPTY, "--all", "-f", "json").stdout)
    assert found["schema"] == "agentprint/explain-all@1"
    assert [report["run"]["id"] for report in found["reports"]] == [
        "run-1796079185196-1",
        "run-1796079185273-2",
    ]


def test_events_of_a_run_that_owns_nothing() -> None:
    done = run("events", EMPTY, "--run", "nobody")
    assert done.returncode == 2
    assert b"owns no event" in done.stderr
