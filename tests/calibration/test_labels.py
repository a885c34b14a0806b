"""Files of labels: what can be read, and which choice a label is of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.errors import UsageError
from agentprint_cli.choices.labels import Labels, match, read_labels
from agentprint_cli.model import Fact, Pointer, recorded

from .fleet import write_labels


def choice(**values: object) -> Fact:
    """A choice with a margin, unless the values say otherwise."""
    given: dict[str, object] = {
        "recording": "runs/a.jsonl",
        "run": "r1",
        "event": 7,
        "stage": "llm#1",
        "call_ids": ["c1"],
        "chosen": ["x"],
        "offered": ["x", "y", "z"],
        "margin": 0.1,
        "flags": [],
    }
    return recorded("choice", [Pointer("", event=7)], given | values)


CHOICES = [
    choice(),
    choice(run="r2", event=20, call_ids=["c2", "c3"], chosen=["x", "y"], stage="llm#2"),
    choice(recording="other/a.jsonl"),
    choice(run="r4", event=30, call_ids=["c4"], margin=None, flags=None, skipped="nothing-chosen"),
    choice(run="r5", event=40, call_ids=["c5"], margin=None),
    choice(run="r6\x1b", event=50, call_ids=["c6", ""], stage=None),
]


def read(folder: Path, *labels: object) -> Labels:
    return read_labels(write_labels(folder, labels))


def right(folder: Path, *labels: object) -> dict[int, bool]:
    """Which choices are labelled how."""
    found = match(read(folder, *labels).labels, CHOICES)
    assert found.problems == []
    return found.right


@pytest.mark.parametrize(
    ("names", "place"),
    [
        ({"recording": "runs/a.jsonl", "event": 7}, 0),
        ({"recording": "./runs/a.jsonl", "event": 7}, 0),
        ({"recording": "runs\\a.jsonl", "event": 7}, 0),
        ({"recording": "other/a.jsonl", "event": 7}, 2),
        ({"recording": "a.jsonl", "event": 20}, 1),
        ({"event": 20}, 1),
        ({"run": "r2"}, 1),
        ({"run": "r2", "call_id": "c3"}, 1),
        ({"call_id": "c2"}, 1),
        ({"stage": "llm#2", "run": "r2"}, 1),
        ({"run": "r6\x1b"}, 5),
        ({"run": "r6\\x1b"}, 5),  # as it is printed
    ],
)
def test_a_label_is_of_the_choice_that_agrees_with_all_it_names(
    tmp_path: Path, names: dict[str, object], place: int
) -> None:
    assert right(tmp_path, {**names, "right": True}) == {place: True}


@pytest.mark.parametrize(
    ("said", "was"),
    [
        (True, True),
        (False, False),
        (["x", "y"], True),
        (["x", "y", "z"], True),
        (["x"], False),  # every chosen tool must be among them
        (["z"], False),
        ([], False),
    ],
)
def test_right(tmp_path: Path, said: object, was: bool) -> None:
    assert right(tmp_path, {"run": "r2", "right": said}) == {1: was}


@pytest.mark.parametrize(
    ("label", "kind", "why"),
    [
        ({"run": "nobody", "right": True}, "unmatched", "no choice agrees"),
        ({"run": "r2", "event": 7, "right": True}, "unmatched", "no choice agrees"),
        ({"recording": "ns/a.jsonl", "event": 7, "right": True}, "unmatched", "no choice"),
        ({"recording": "a.jsonl", "event": 7, "right": True}, "ambiguous", "2 choices agree"),
        ({"run": "r4", "right": True}, "unscored", "nothing-chosen"),
        ({"run": "r5", "right": True}, "unscored", "everything-chosen"),
        ({"run": "r2", "right": ["serch"]}, "not-on-the-menu", "'serch' was not offered"),
        ('{"run": "r2", "right"', "broken", "not valid JSON"),
        ("[1]", "broken", "not a JSON object"),
        ({"right": True}, "broken", "it names no choice"),
        ({"run": 5, "right": True}, "broken", "run must be text"),
        ({"event": True, "right": True}, "broken", "event must be the number"),
        ({"event": -1, "right": True}, "broken", "event must be the number"),
        ({"event": "x", "right": True}, "broken", "event must be the number"),
        ({"run": "r2", "right": 1}, "broken", "right must be"),
        ({"run": "r2", "right": [1]}, "broken", "right must be"),
    ],
)
def test_problems_are_said_with_their_line(
    tmp_path: Path, label: object, kind: str, why: str
) -> None:
    labels = read(tmp_path, {"event": 20, "right": True}, "", label)
    found = match(labels.labels, CHOICES)
    [problem] = [*labels.problems, *found.problems]
    assert (problem.line, problem.kind) == (3, kind)
    assert why in problem.why
    assert found.right == {1: True}


def test_a_label_that_names_an_unknown_tool_beside_a_known_one_is_used(tmp_path: Path) -> None:
    found = match(read(tmp_path, {"run": "r2", "right": ["x", "y", "old"]}).labels, CHOICES)
    assert (found.right, found.names) == ({1: True}, {1: ("x", "y", "old")})
    assert [problem.kind for problem in found.problems] == ["partly-on-the-menu"]


def test_labels_that_say_the_same_and_labels_that_contradict(tmp_path: Path) -> None:
    same = read(
        tmp_path,
        {"run": "r2", "right": True},
        {"call_id": "c2", "right": ["x", "y"]},
        {"call_id": "c3", "right": ["y", "x", "z"]},
    )
    found = match(same.labels, CHOICES)
    assert (found.right, found.repeated, found.problems) == ({1: True}, 2, [])
    assert found.names == {1: ("x", "y", "z")}
    other = read(tmp_path, {"call_id": "c2", "right": True}, {"call_id": "c3", "right": False})
    found = match(other.labels, CHOICES)
    assert found.right == {}
    assert [(p.line, p.kind, p.why) for p in found.problems] == [
        (1, "contradictory", "lines 1, 2 contradict each other"),
        (2, "contradictory", "lines 1, 2 contradict each other"),
    ]


def test_lines_without_a_label_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, {"run": "r1"}, {"run": "r2", "right": None}, {"run": "r2", "right": 0})
    assert (found.empty, len(found.labels), len(found.problems)) == (2, 0, 1)


CSV = """\ufeffrecording,run,event,chosen,right,note
runs/a.jsonl,r1,7,x,TRUE,
,r2,20,x y,x y,"two
lines"
a.jsonl,r1,7,x,false,ambiguous
,r4,,,,not labelled

,r6\\x1b,,x,z,
one,cell,7,x,true,y,too many
"""


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv(tmp_path: Path, delimiter: str, end: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(CSV.replace(",", delimiter).replace("\n", end).encode())
    labels = read_labels(str(path))
    found = match(labels.labels, CHOICES)
    assert found.right == {0: True, 1: True, 5: False}
    assert labels.empty == 1
    problems = [*found.problems, *labels.problems]
    assert [(p.line, p.kind) for p in problems] == [(5, "ambiguous"), (9, "broken")]
    assert "7 cells under 6 columns" in problems[1].why


def test_a_cell_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("run,right\n'=run(),true\n")
    [label] = read_labels(str(path)).labels
    assert label.names == {"run": "=run()"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "cannot be read"),
        (b"", "there are no labels"),
        (b" \n", "there are no labels"),
        (b"\xff\xfe", "not UTF-8"),
        (b"run,event\nr1,7\n", "a column 'right'"),
        (b"right,note\ntrue,x\n", "one of recording, run"),
        (b"run,right,run\n", "two columns 'run'"),
        (b"nonsense\n", "neither JSON Lines nor a CSV"),
        (b"run,right," + b"x" * 200_000 + b"\nr1,true,\n", "first line is not valid CSV"),
        (b'"run,right\nr1,true\n', "first line is not valid CSV"),
    ],
)
def test_files_that_are_no_labels(tmp_path: Path, data: bytes | None, said: str) -> None:
    path = tmp_path / "labels"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError, match=said):
        read_labels(str(path))


def test_broken_csv_goes_on_with_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"run,right\n{'x' * 200_000},true\nr1,true\n")
    found: Any = read_labels(str(path))
    assert [(p.line, p.kind) for p in found.problems] == [(2, "broken")]
    assert [label.line for label in found.labels] == [3]


def test_a_quote_that_is_not_closed_is_said(tmp_path: Path) -> None:
    """It would make one cell of all labels behind it, and that cell a line without a label."""
    path = tmp_path / "labels.csv"
    path.write_text('run,right\nr1,true\n"r2,true\nr5,false\n')
    found: Any = read_labels(str(path))
    assert [(p.line, p.kind) for p in found.problems] == [(3, "broken")]
    assert [label.line for label in found.labels] == [2]
    assert found.empty == 0
