"""The labelled sets that validity is measured on.

The project's own requests are always there. Sets converted from public ones are read from a
folder of JSON Lines; the project holds none of them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentprint_cli.choices.scorers.interface import Question
from agentprint_cli.rules.choice_text import candidate_text, choice_context, context_words

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled request, with the choices that it is judged by."""

    menu: tuple[tuple[str, str], ...]
    """Name and text of each tool."""
    user: str
    said: str
    """The model's text before the call, or nothing."""
    right: tuple[str, ...]
    chosen: tuple[str, ...] | None
    """What a model really chose; None where there are labels only."""
    chosen_right: bool
    wrong: tuple[tuple[str, ...], ...]
    """Wrong choices that somebody wrote down; empty where there are none."""
    before: tuple[str, ...]
    in_run: bool
    conversation: Hashable
    """What a fleet must not learn from: the same run, or the same request asked again."""

    @property
    def names(self) -> tuple[str, ...]:
        """The menu's names."""
        return tuple(name for name, _ in self.menu)

    def question(self, chosen: tuple[str, ...]) -> Question:
        """The request as a scorer gets it; a fleet sees ``chosen`` of the others."""
        context = choice_context(self.user, self.said or None)
        return Question(
            names=self.names,
            texts=tuple(text for _, text in self.menu),
            context=context,
            situation=context,
            words=context_words(self.user, self.said or None),
            chosen=chosen,
            before=self.before,
            in_run=self.in_run,
            conversation=self.conversation,
        )


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Rows of one kind."""

    name: str
    rows: tuple[Row, ...]
    about: str
    """Whether its choices are real, and what stands in for wrong ones where they are not."""
    intent: bool = False
    """Whether the model's text came with the very call."""


def own_sets() -> Iterator[LabelledSet]:
    """The project's own requests: both halves, single requests and the middles of runs apart."""
    split = json.loads((FOLDER / "split.json").read_text("utf-8"))
    for half in ("tune", "report"):
        rows = [row for name in split[half] for row in _catalogue(name)]
        for kind, mid in (("single", False), ("mid-run", True)):
            chosen = tuple(row for row, is_mid in rows if is_mid is mid)
            about = "labels; wrong choices written down as plausible"
            yield LabelledSet(f"own {half}, {kind}", chosen, about, intent=mid)


def _catalogue(name: str) -> Iterator[tuple[Row, bool]]:
    catalogue = json.loads((FOLDER / "catalogues" / f"{name}.json").read_text("utf-8"))
    menu = _menu(catalogue["tools"])
    with (FOLDER / "requests" / f"{name}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            said = entry["context"].get("assistant") or ""
            row = Row(
                menu=menu,
                user=entry["context"]["user"],
                said=said,
                right=tuple(entry["right"]),
                chosen=None,
                chosen_right=False,
                wrong=tuple((tool,) for tool in entry.get("wrong_but_plausible", ())),
                before=tuple(entry.get("calls_before", ())),
                in_run=bool(said),
                # Stages of one run begin with nearly the same words.
                conversation=(name, entry["context"]["user"][:60]),
            )
            yield row, entry["kind"] == "mid-run"


def outside_sets(folder: Path) -> Iterator[LabelledSet]:
    """The sets in ``folder``, one for each file and kind of menu."""
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        parts: dict[str, list[dict[str, Any]]] = {}
        for entry in entries:
            # The same requests over menus of two sizes would be a fleet that knows the answers.
            part = entry["source"] if entry["source"].startswith("metatool/") else path.stem
            parts.setdefault(part, []).append(entry)
        for name, of_part in parts.items():
            rows = _outside_rows(path.stem, of_part)
            real = any(row.chosen is not None for row in rows)
            about = "real choices" if real else "labels; the tool most like a right one as wrong"
            yield LabelledSet(name, tuple(rows), about, intent=path.stem == "livemcp")


def _outside_rows(kind: str, entries: list[dict[str, Any]]) -> list[Row]:
    found = []
    earlier: dict[Hashable, list[str]] = {}
    order = sorted(range(len(entries)), key=lambda place: _step(kind, entries[place], place))
    for place in order:
        entry = entries[place]
        menu = _menu(entry["menu"])
        names = [name for name, _ in menu]
        if len(set(names)) < len(names) or len(names) < 2:
            continue
        user, said = entry["context"]["user"] or "", entry["context"].get("assistant") or ""
        conversation = _conversation(kind, entry)
        turn = (conversation, user)
        chosen = tuple(entry["chosen"]) if entry["chosen"] is not None else None
        called = earlier.setdefault(turn, [])
        found.append(
            Row(
                menu=menu,
                user=user,
                said=said,
                right=tuple(name for name in entry["right"] if name in names),
                chosen=chosen,
                chosen_right=bool(entry["chosen_right"]),
                wrong=(),
                before=tuple(called),
                in_run=bool(said),
                conversation=conversation,
            )
        )
        if kind in ("tau_airline", "livemcp"):
            called.extend(chosen or ())
    return found


def _conversation(kind: str, entry: dict[str, Any]) -> Hashable:
    """The run that a row is of, as far as its id says."""
    parts = entry["id"].split("-")
    if kind == "tau_airline":
        return tuple(parts[1:3])  # task and trial
    if kind == "livemcp":
        return str(entry["extra"]["task"])
    if kind == "apibank":
        return "-".join(parts[:-1])
    if kind == "tooltalk":
        return "-".join(parts[:-2])
    if kind == "toolalpaca":
        return "-".join(parts[2:])  # the same request to both models
    return str(entry["context"]["user"])


def _step(kind: str, entry: dict[str, Any], place: int) -> tuple[Any, ...]:
    """The order of the rows: as in the file, but by step within a run."""
    parts = entry["id"].split("-")
    if kind == "tau_airline":
        return (parts[1], parts[2], int(parts[3]))
    if kind == "livemcp":
        return (parts[1], "", int(parts[2]))
    return ("", "", place)


def _menu(tools: list[dict[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (tool["name"], candidate_text(tool["name"], tool.get("description"))) for tool in tools
    )
