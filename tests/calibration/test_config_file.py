"""A threshold goes into the user's file, and nothing else changes in it."""

from __future__ import annotations

import os
import stat
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.base.config import Calibration, load_config
from agentprint_cli.base.config_file import _edited, write_threshold
from agentprint_cli.base.errors import OutputFailed, UsageError

MADE_FROM = Calibration("counting:1", "cosine", "5%", 120, 3)
TABLE = 'embedder = "counting:1"\nscorer = "cosine"\nshare = "5%"\nchoices = 120\nrecordings = 3\n'
NEW = f"threshold = -0.07\n\n[calibration]\n{TABLE}"
NEW_IN_PYPROJECT = f"threshold = -0.07\n\n[tool.agentprint.calibration]\n{TABLE}"

PLAIN = [
    ("", NEW),
    ("# ours\n", f"# ours\n{NEW}"),
    ('recordings = ["x"]', f'recordings = ["x"]\n{NEW}'),
    ("threshold = 0.05 # ours\n", NEW.replace("\n", " # ours\n", 1)),
    (
        'recordings = [\n  "x", # a\n]\n\n# by tool\n[thresholds.tools]\na = 1 # keep\n',
        f'recordings = [\n  "x", # a\n]\n{NEW}\n# by tool\n[thresholds.tools]\na = 1 # keep\n',
    ),
    ("[thresholds.tools]\na = 1\n", f"{NEW}\n[thresholds.tools]\na = 1\n"),
    (
        'threshold=1\n[calibration] # c\nscorer="x"\nembedder = "old" # who\n\n'
        "# pairs\n[thresholds.pairs]\n",
        'threshold=-0.07\n[calibration] # c\nscorer="cosine"\nembedder = "counting:1" # who\n'
        'share = "5%"\nchoices = 120\nrecordings = 3\n\n# pairs\n[thresholds.pairs]\n',
    ),
    (
        'threshold = 1\ncalibration = {embedder = "a", scorer = "b"} # inline\n',
        'threshold = -0.07\ncalibration = {embedder = "counting:1", scorer = "cosine", '
        'share = "5%", choices = 120, recordings = 3} # inline\n',
    ),
]
PYPROJECT = [
    ("", f"[tool.agentprint]\n{NEW_IN_PYPROJECT}"),
    (
        '[project]\nname = "x" # n\n',
        f'[project]\nname = "x" # n\n\n[tool.agentprint]\n{NEW_IN_PYPROJECT}',
    ),
    (
        '[tool.agentprint] # us\nrecordings = ["x"]\n\n# types\n[tool.mypy]\nstrict = true\n',
        f'[tool.agentprint] # us\nrecordings = ["x"]\n{NEW_IN_PYPROJECT}\n'
        "# types\n[tool.mypy]\nstrict = true\n",
    ),
    (
        "[tool.agentprint.thresholds.tools]\na = 1\n",
        f"[tool.agentprint.thresholds.tools]\na = 1\n\n[tool.agentprint]\n{NEW_IN_PYPROJECT}",
    ),
]
CASES = [
    *(("agentprint.toml", *case) for case in PLAIN),
    *(("pyproject.toml", *case) for case in PYPROJECT),
]


def test_tables_that_stand_apart_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    text = "[[tool.x]]\na = 1\n\n[tool.y]\nb = 1\n\n[[tool.x]]\na = 2\n"
    path.write_text(text)
    assert write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_text() == f"{text}\n[tool.agentprint]\n{NEW_IN_PYPROJECT}"
    with pytest.raises(UsageError, match="cannot be changed safely"):
        write_threshold(str(path), -0.08, MADE_FROM)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_written(tmp_path: Path, name: str, before: str, after: str, end: str) -> None:
    path = tmp_path / name
    path.write_bytes(before.replace("\n", end).encode())
    assert write_threshold(str(path), -0.07, MADE_FROM)
    # A file without a line end has none to go by.
    wanted = after if "\n" not in before else after.replace("\n", end)
    assert path.read_bytes().decode() == wanted
    found = load_config(str(path))
    assert (found.thresholds.default, found.calibration) == (-0.07, MADE_FROM)
    assert not write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_bytes().decode() == wanted
    assert write_threshold(str(path), 0.5, replace(MADE_FROM, scorer="other"))
    assert write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_bytes().decode() == wanted


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "agentprint.toml"
    assert write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_text() == NEW


def test_a_name_with_quotes_is_written_as_toml(tmp_path: Path) -> None:
    made_from = replace(MADE_FROM, embedder='a "b" \\ \x1b\n[x]\n☃')
    path = tmp_path / "agentprint.toml"
    assert write_threshold(str(path), 1e-07, made_from)
    found = load_config(str(path))
    assert (found.thresholds.default, found.calibration) == (1e-07, made_from)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", '[tool]\nagentprint = {recordings = "r"}\n', "cannot be changed safely"),
        ("pyproject.toml", '[tool]\nagentprint.recordings = "r"\n', "cannot be changed safely"),
        ("pyproject.toml", "tool = 5\n", "tool is no table"),
        ("agentprint.toml", "threshold = 1\n[calibration]\nx = 1\n", "cannot be changed safely"),
        ("agentprint.toml", "nonsense", "not valid TOML"),
        ("agentprint.toml", "a = '\xff'", "not valid TOML"),
        ("agentprint.toml", f"a = {'9' * 5000}\n", "not valid TOML"),
        ("agentprint.toml", f"a = {'[' * 100_000}\n", "nested too deeply"),
        # tomlkit gives up at fewer levels than tomllib.
        (
            "agentprint.toml",
            f"threshold = 1\na = {'[' * 200}{']' * 200}\n",
            "cannot be changed safely",
        ),
        ("agentprint.toml", "calibration = 5\n", "calibration is no table"),
        ("agentprint.toml", "[[calibration]]\n", "calibration is no table"),
    ],
)
def test_what_cannot_be_changed_is_left_alone(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=said):
        write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_bytes() == text.encode("latin-1")


def test_what_to_set_by_hand_names_the_scorer(tmp_path: Path) -> None:
    """A threshold alone would be taken for one of the reference."""
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool]\nagentprint = {}\n")
    with pytest.raises(UsageError) as caught:
        write_threshold(str(path), -0.07, replace(MADE_FROM, scorer="hybrid"))
    by_hand = str(caught.value).split("set ")[1].removesuffix(" in it by hand")
    threshold, calibration = by_hand.split(" and ", 1)
    (tmp_path / "agentprint.toml").write_text(f"{threshold}\n{calibration}\n")
    found = load_config(str(tmp_path / "agentprint.toml"))
    assert found.thresholds.default == -0.07
    assert found.calibration == replace(MADE_FROM, scorer="hybrid")


def test_a_head_inside_a_text_is_no_head(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    text = '[a]\nb = """\n[tool.agentprint]\n"""\n\n[tool.agentprint]\nrecordings = "r"\n'
    path.write_text(text)
    with pytest.raises(UsageError, match="cannot be changed safely"):
        write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_text() == text


def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="a folder"):
        write_threshold(str(tmp_path), -0.07, MADE_FROM)
    path = tmp_path / "agentprint.toml"
    path.write_text("# ours\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputFailed, match="No space left"):
        write_threshold(str(path), -0.07, MADE_FROM)
    assert path.read_text() == "# ours\n"
    assert os.listdir(tmp_path) == ["agentprint.toml"]


def test_the_rights_of_the_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "agentprint.toml"
    path.write_text("")
    path.chmod(0o600)
    write_threshold(str(path), -0.07, MADE_FROM)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


LINE = st.sampled_from(
    [
        "# a comment",
        "",
        'recordings = ["x"]',
        "threshold = 1 # t",
        "[thresholds.tools]",
        "a = 1",
        "[calibration]",
        'embedder = "e" # who',
        "[[aot]]",
        'text = """',
        '"""',
    ]
)


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_any_file_says_the_same_afterwards_with_every_comment(text: str) -> None:
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    missing = [name for name in ("threshold", "calibration") if name not in before]
    edited = _edited(text, (), -0.07, {"embedder": "f", "scorer": "s"}, missing)
    if edited is None:
        return
    # What would say something else is never written: `write_threshold` compares.
    if tomllib.loads(edited) == {
        **before,
        "threshold": -0.07,
        "calibration": {"embedder": "f", "scorer": "s"},
    }:
        assert edited.count("#") == text.count("#")
        kept = [line for line in text.split("\n") if line.startswith(("#", "["))]
        left = [line for line in edited.split("\n") if line.startswith(("#", "["))]
        assert [line for line in left if line != "[calibration]"] == [
            line for line in kept if line != "[calibration]"
        ]
