"""The margins in the baseline's file: its bytes, its schema, and complaints about broken ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprint_cli.base.errors import UsageError
from agentprint_cli.gates.baseline import KnownMargin, KnownMargins, baseline_text, load_baseline
from agentprint_cli.gates.baseline.margins import gather, take
from agentprint_cli.model import Fact, Pointer, recorded
from agentprint_cli.reports.check.pipeline import CheckOptions, check
from agentprint_cli.schemas import Checker
from tests.logs import Log

from . import angles
from .angles import menu
from .logs import asked

REQUEST = "0123456789abcdef"
GOOD: dict[str, Any] = {
    "embedder": "e",
    "scorer": "cosine",
    "menus": {"m": ["a", "b"]},
    "choices": [
        {
            "request": REQUEST,
            "position": 0,
            "chosen": ["a"],
            "menu": "m",
            "lowest": 0.1,
            "highest": 0.2,
            "rivals": ["b"],
            "choices": 2,
        }
    ],
}


def choice(**changes: Any) -> dict[str, Any]:
    """The margins whose one choice has these members, and lacks those that are None."""
    [first] = GOOD["choices"]
    members = {**first, **changes}
    return {**GOOD, "choices": [{k: v for k, v in members.items() if v is not None}]}


def write(file: Path, margins: object) -> str:
    document = {"schema": "agentprint/baseline@1", "findings": [], "margins": margins}
    file.write_text(json.dumps(document))
    return file.read_text()


def update(file: Path, *logs: Log) -> bytes:
    """The file's bytes after an update from an empty one."""
    folder = file.parent / "runs"
    folder.mkdir(exist_ok=True)
    for number, log in enumerate(logs):
        log.save(folder, f"{number}.jsonl")
    file.unlink(missing_ok=True)
    options = CheckOptions(baseline=str(file), update_baseline=True)
    check([str(folder)], embedder=angles.embedder, options=options)
    return file.read_bytes()


LOGS = (
    asked("which?", (menu(a=0.9, b=0.7), ["a"]), (menu(a=0.9, b=0.7), ["a"])),
    asked("which?", (menu(b=0.5, a=0.9), ["a"]), run="run-2"),
    asked("which?", (menu(a=0.9, b=0.4, c=0.2), ["c", "b"]), run="run-3"),
    asked("what?", (menu(a=0.9, b=0.4, c=0.9), ["a", "b"]), run="run-4"),
)


def test_the_file(tmp_path: Path) -> None:
    text = update(tmp_path / "baseline.json", *LOGS).decode()
    document = json.loads(text)
    assert list(Checker.of("baseline@1").check(document)) == []
    margins = document["margins"]
    assert (margins["embedder"], margins["scorer"]) == ("angles:1", "cosine")
    assert sorted(margins["menus"].values()) == [["a", "b"], ["a", "b", "c"]]
    rows = [
        (c["position"], c["chosen"], c["lowest"], c["highest"], c["rivals"], c["choices"])
        for c in margins["choices"]
    ]
    assert sorted(rows) == [
        (0, ["a"], 0.2, 0.4, ["b"], 2),
        (0, ["a", "b"], 0.0, 0.0, ["c"], 1),
        (0, ["b", "c"], -0.5, -0.5, ["a"], 1),
        (1, ["a"], 0.2, 0.2, ["b"], 1),
    ]
    lines = text.split("\n")
    assert [line for line in lines if '"request"' in line and '"position"' in line] == [
        f"      {json.dumps(c)}{',' * (n + 1 < len(rows))}"
        for n, c in enumerate(margins["choices"])
    ]
    assert "run-" not in text
    assert str(tmp_path) not in text


def test_the_order_of_recordings_changes_nothing(tmp_path: Path) -> None:
    first = update(tmp_path / "baseline.json", *LOGS)
    assert update(tmp_path / "baseline.json", *reversed(LOGS)) == first
    assert load_and_write(tmp_path / "baseline.json") == first.decode()


def load_and_write(file: Path) -> str:
    found = load_baseline(str(file))
    return baseline_text(found.findings, found.margins)


def fact(request: str, position: int, chosen: list[str], margin: float, rival: str) -> Fact:
    """A scored choice as the gates see it."""
    values = {
        "request": request,
        "turn_position": position,
        "chosen": chosen,
        "offered": ["a", "b", "c"],
        "margin": margin,
        "rival": rival,
    }
    return recorded("choice", [Pointer("", event=0)], values)


facts = st.lists(
    st.builds(
        fact,
        st.sampled_from(["r", "s"]),
        st.integers(0, 1),
        st.sampled_from([["a"], ["a", "b"], ["b", "a"]]),
        st.floats(-0.01, 0.01) | st.sampled_from([0.0, -0.0, 0.00004, -0.00004]),
        st.sampled_from(["b", "c", "\ud83d"]),
    ),
    max_size=12,
)


@given(facts, st.randoms(use_true_random=False))
def test_gathering_does_not_see_the_order(choices: list[Fact], order: random.Random) -> None:
    shuffled = [*choices]
    order.shuffle(shuffled)
    entries = gather(choices)
    assert baseline_text([], KnownMargins("e", "s", entries)) == baseline_text(
        [], KnownMargins("e", "s", gather(shuffled))
    )
    assert sum(entry.choices for entry in entries) == len(choices)
    assert all(entry.lowest <= entry.highest for entry in entries)


@given(facts)
def test_the_file_comes_back_as_it_was(choices: list[Fact]) -> None:
    margins = KnownMargins("e", "s", gather(choices))
    text = baseline_text([], margins)
    assert "-0.0," not in text
    assert list(Checker.of("baseline@1").check(readable(text))) == []
    assert take(margins, margins).margins == margins


def readable(text: str) -> Any:
    """The document, with requests that look like digests."""
    document = json.loads(text)
    for each in document["margins"]["choices"]:
        each["request"] = REQUEST
    return document


def test_hostile_names_come_back_as_they_were(tmp_path: Path) -> None:
    names = tuple(sorted(("\ud83d\x1b\n\"'", "\u2028", "a")))
    entry = KnownMargin(REQUEST, 0, names[:1], names, -0.1, 0.1, names[1:], 3)
    margins = KnownMargins("e\x1b", "s", (entry,))
    file = tmp_path / "baseline.json"
    file.write_text(baseline_text([], margins))
    assert load_baseline(str(file)).margins == margins
    assert file.read_text().isascii()


def test_no_choice_has_a_file_too(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(baseline_text([], KnownMargins("e", "s")))
    assert load_baseline(str(file)).margins == KnownMargins("e", "s")
    assert list(Checker.of("baseline@1").check(json.loads(file.read_text()))) == []


def test_a_file_of_old_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    old = '{\n  "schema": "agentprint/baseline@1",\n  "findings": [\n    {"gate": "a"}\n  ]\n}\n'
    file.write_text(old)
    assert load_baseline(str(file)).margins is None
    assert load_and_write(file) == old


@pytest.mark.parametrize(
    ("margins", "complaint"),
    [
        (None, "margins is not an object"),
        ([], "margins is not an object"),
        ({**GOOD, "more": 1}, "margins has an unknown member 'more'"),
        ({"embedder": "e"}, "margins has no member 'scorer'"),
        ({**GOOD, "embedder": 5}, "embedder is not a string"),
        ({**GOOD, "scorer": None}, "scorer is not a string"),
        ({**GOOD, "menus": []}, "menus is not an object"),
        ({**GOOD, "menus": {"m": []}}, "menu 'm' is not a list of names"),
        ({**GOOD, "menus": {"m": [1]}}, "menu 'm' is not a list of names"),
        ({**GOOD, "choices": {}}, "choices is not a list"),
        ({**GOOD, "choices": [1]}, "choice 0 is not an object"),
        ({**GOOD, "choices": GOOD["choices"] * 2}, "choice 1 is there twice"),
        (choice(run="r"), "choice 0 has an unknown member 'run'"),
        (choice(lowest=None), "choice 0 has no member 'lowest'"),
        (choice(request=1), "request is not a string"),
        (choice(position=-1), "position is not a whole number from 0 on"),
        (choice(position=True), "position is not a whole number"),
        (choice(choices=0), "choices is not a whole number from 1 on"),
        (choice(menu="x"), "there is no menu 'x' in the table of menus"),
        (choice(menu=["m"]), "menu is not a string"),
        (choice(chosen="a"), "chosen is not a list of names"),
        (choice(rivals=[]), "rivals is not a list of names"),
        (choice(lowest="0.1"), "lowest is not a number"),
        (choice(lowest=True), "lowest is not a number"),
        (choice(lowest=float("nan")), "lowest is not a number"),
        (choice(highest=float("inf")), "highest is not a number"),
        (choice(highest=10**400), "highest is not a number"),
        (choice(lowest=0.3), "lowest is above highest"),
        (choice(chosen=["x"]), "'x' is not on its menu"),
        (choice(rivals=["b", "x"]), "'x' is not on its menu"),
        (choice(rivals=["a"]), "'a' is not on its menu, or both chosen and a rival"),
    ],
)
@pytest.mark.parametrize("updated", [False, True])
def test_broken_margins(tmp_path: Path, margins: object, complaint: str, updated: bool) -> None:
    file = tmp_path / "baseline.json"
    text = write(file, margins)
    path = LOGS[0].save(tmp_path)
    options = CheckOptions(baseline=str(file), update_baseline=updated)
    with pytest.raises(UsageError, match=f"a broken baseline: .*{complaint}"):
        check([path], embedder=angles.embedder, options=options)
    assert file.read_text() == text


def test_a_good_one_is_good(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    write(file, GOOD)
    assert load_baseline(str(file)).margins is not None
