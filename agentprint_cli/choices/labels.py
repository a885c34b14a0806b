"""The file of labels: which choices were right, in the eyes of whoever looked at them.

JSON Lines or CSV, known by its first character. A line names one choice by what it knows of it
(``recording``, ``run``, ``event``, ``call_id``, ``stage``) and says in ``right`` whether it was
right, or which tools would have been. Other members and columns are the user's own: the rows that
``agentprint margins`` prints as JSON Lines or CSV are labels once they have a ``right``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base.errors import UsageError
from ..base.json_text import BrokenJson, decode
from ..base.safe_text import visible
from ..model import Fact

NAMES = ("recording", "run", "event", "call_id", "stage")
"""What a line may name a choice by."""
RIGHT = "right"
_WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Label:
    """One label, as it was given."""

    line: int
    """1-based."""
    names: Mapping[str, str]
    """What it names its choice by."""
    right: bool | tuple[str, ...]
    """Whether the choice was right, or the names of the tools that were."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that is not used, or not as it may have been meant."""

    line: int
    kind: str
    """``broken``, ``unmatched``, ``ambiguous``, ``unscored``, ``contradictory``,
    ``not-on-the-menu`` (not used) or ``partly-on-the-menu`` (used)."""
    why: str


@dataclass(frozen=True, slots=True)
class Labels:
    """What a file holds."""

    path: str
    labels: tuple[Label, ...]
    empty: int
    """Lines without a ``right``: choices that nobody has labelled yet."""
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Matched:
    """Labels and the choices that they are of."""

    right: dict[int, bool] = field(default_factory=dict)
    """Choice (its place in the sequence) -> whether it was right."""
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Choice -> the tools that were right, where a label names them."""
    repeated: int = 0
    """Lines that say again what another line says."""
    problems: list[Problem] = field(default_factory=list)


# Reading --------------------------------------------------------------------------------------


def read_labels(path: str) -> Labels:
    """The labels in the file at ``path``. A line that cannot be read is a problem of the result.
    Raises `UsageError` for a file that cannot be read at all, for a CSV file without the columns
    that it needs, and for one that holds no line."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: the labels cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the labels are not UTF-8 (byte {error.start})") from None
    if not text.strip():
        raise UsageError(f"{path}: there are no labels in it")
    rows = _of_json(text) if text.lstrip().startswith("{") else _of_csv(text, path)
    labels: list[Label] = []
    problems: list[Problem] = []
    empty = 0
    for line, row in rows:
        try:
            label = row if isinstance(row, str) else _label(line, row)
        except ValueError as error:
            label = str(error)
        if isinstance(label, str):
            problems.append(Problem(line, "broken", label))
        elif label is None:
            empty += 1
        else:
            labels.append(label)
    return Labels(path, tuple(labels), empty, tuple(problems))


def _of_json(text: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    """Each line that is not blank, with its members, or with what is wrong with it."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = decode(line.encode())
        except BrokenJson as error:
            yield number, str(error)
            continue
        yield number, row if isinstance(row, dict) else "not a JSON object"


def _of_csv(text: str, path: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)  # spreadsheets write what their country uses
    # Strict: a quote that is never closed would make one cell of all lines behind it.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [name.strip() for name in next(reader)]
    except csv.Error as error:
        raise UsageError(f"{path}: its first line is not valid CSV ({error})") from None
    if RIGHT not in columns or not set(columns) & set(NAMES):
        raise UsageError(
            f"{path}: neither JSON Lines nor a CSV file with a column 'right' and one of "
            f"{', '.join(NAMES)}"
        )
    if twice := sorted(name for name in (RIGHT, *NAMES) if columns.count(name) > 1):
        raise UsageError(f"{path}: there are two columns {twice[0]!r}")
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"not valid CSV ({error})"
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(columns):
            yield line, f"{len(cells)} cells under {len(columns)} columns"
            continue
        yield line, {name: _plain(cell) for name, cell in zip(columns, cells, strict=False)}


def _plain(cell: str) -> str:
    """A cell without the apostrophe that `agentprint margins` sets before what a spreadsheet
    would run."""
    return cell[1:] if cell.startswith(("'=", "'+", "'-", "'@")) else cell.strip()


def _label(line: int, row: Mapping[str, object]) -> Label | None:
    """The label of a row; None when it has no ``right``. Raises `ValueError`."""
    right = row.get(RIGHT)
    if right is None or right == "":
        return None
    names = {name: _name(name, row[name]) for name in NAMES if row.get(name) not in (None, "")}
    if not names:
        raise ValueError(f"it names no choice: it needs one of {', '.join(NAMES)}")
    return Label(line, names, _right(right))


def _name(name: str, value: object) -> str:
    if name != "event":
        if not isinstance(value, str):
            raise ValueError(f"{name} must be text")
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return str(int(value))
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("event must be the number of an event")
    return str(value)


def _right(value: object) -> bool | tuple[str, ...]:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):  # of a CSV file, where margins writes lists with spaces
        word = _WORDS.get(value.lower())
        return tuple(value.split()) if word is None else word
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise ValueError("right must be true, false or a list of tools")


# Matching -------------------------------------------------------------------------------------


def match(labels: Sequence[Label], choices: Sequence[Fact]) -> Matched:
    """Which choice each label is of: the one that agrees with everything that the label names.

    A label of no choice, of several, or of one without a margin is a problem, and so are labels
    that contradict each other: none of these is used. A choice whose tools the label names was
    right when each chosen tool is one of them.
    """
    found = Matched()
    index = _Index(choices)
    said: dict[int, list[tuple[Label, bool]]] = {}
    for label in labels:
        places = index.of(label)
        if len(places) != 1:
            kind = "ambiguous" if places else "unmatched"
            why = f"{len(places):,} choices agree with it" if places else "no choice agrees with it"
            found.problems.append(Problem(label.line, kind, why))
            continue
        (place,) = places
        choice = choices[place]
        problem = _unusable(label, choice)
        if problem is not None:
            found.problems.append(problem)
        if problem is None or problem.kind == "partly-on-the-menu":
            said.setdefault(place, []).append((label, _was_right(label, choice)))
    for place, all_said in said.items():
        right = all_said[0][1]
        if any(other != right for _, other in all_said):
            lines = ", ".join(str(label.line) for label, _ in all_said)
            why = f"lines {lines} contradict each other"
            found.problems.extend(
                Problem(label.line, "contradictory", why) for label, _ in all_said
            )
            continue
        found.repeated += len(all_said) - 1
        found.right[place] = right
        named = [label.right for label, _ in all_said if not isinstance(label.right, bool)]
        if named:
            found.names[place] = tuple(dict.fromkeys(name for each in named for name in each))
    found.problems.sort(key=lambda problem: problem.line)
    return found


class _Index:
    """Choices by what labels name them by."""

    def __init__(self, choices: Sequence[Fact]) -> None:
        self._choices = choices
        self._places: dict[tuple[str, str], set[int]] = {}
        for place, choice in enumerate(choices):
            for name in NAMES:
                for value in _values(choice, name):
                    self._places.setdefault((name, value), set()).add(place)

    def of(self, label: Label) -> list[int]:
        """The places of the choices that agree with everything that ``label`` names."""
        found = [
            self._places.get((name, _path(value) if name == "recording" else value), set())
            for name, value in label.names.items()
        ]
        # From the fewest on: a recording can have thousands of choices, and as many labels.
        return sorted(set.intersection(*sorted(found, key=len)))


def _values(choice: Fact, name: str) -> Iterable[str]:
    """Everything that a label may call ``name`` of this choice: as recorded, or as printed."""
    if name == "call_id":
        ids = choice.get("call_ids")
        values = [str(id) for id in ids if id] if isinstance(ids, list) else []
    else:
        values = [choice.text(name)] if choice.get(name) is not None else []
    if name == "recording":
        # A path may be given from its last parts on: as the file's name, for one.
        parts = _path(values[0]).split("/")
        values = ["/".join(parts[start:]) for start in range(len(parts))]
    return dict.fromkeys([*values, *map(visible, values)])


def _path(written: str) -> str:
    return written.replace("\\", "/").removeprefix("./")


def _unusable(label: Label, choice: Fact) -> Problem | None:
    """Why ``label`` says nothing of a choice that it is of, or is to be read with care."""
    if choice.get("margin") is None:
        why = choice.text("skipped") or choice.text("not_measurable")
        if not why:
            why = "everything-chosen" if choice.get("flags") is not None else "not-scored"
        return Problem(label.line, "unscored", why)
    if isinstance(label.right, bool) or not label.right:
        return None
    offered = choice.get("offered")
    strange = [name for name in label.right if not isinstance(offered, list) or name not in offered]
    if not strange:
        return None
    kind = "not-on-the-menu" if len(strange) == len(label.right) else "partly-on-the-menu"
    return Problem(label.line, kind, f"{strange[0]!r} was not offered")


def _was_right(label: Label, choice: Fact) -> bool:
    if isinstance(label.right, bool):
        return label.right
    chosen = choice.get("chosen")
    return isinstance(chosen, list) and set(chosen) <= set(label.right)
