"""How far a margin moves when nothing that matters has changed, with the default embedder.

Same request, same menu, same choice; only what a recording made again brings along differs: the
model's own words. The last row is for comparison: there the catalogue changed, by its full stops.
The noise that a scorer declares rests on these figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentprint_cli.embedding import minilm
from agentprint_cli.embedding.once import embed_all
from agentprint_cli.readings.choices import read_choices
from agentprint_cli.readings.runs import list_runs
from agentprint_cli.rules.choice_text import candidate_text, choice_context
from agentprint_cli.rules.margin import rank
from agentprint_cli.view import open_view

ROOT = Path(__file__).parent.parent
BETWEEN = "\n\nassistant: "
LEVELS = (0.01, 0.02, 0.03, 0.05)


@dataclass(frozen=True, slots=True)
class Case:
    """One choice: what it was made from and what was chosen."""

    names: tuple[str, ...]
    candidates: tuple[str, ...]
    chosen: tuple[str, ...]
    context: str


def run() -> None:
    """Print how far margins move, for each kind of change."""
    cases = [*_labelled(), *_recorded()]
    told = [case for case in cases if BETWEEN in case.context]
    print(f"{len(cases)} choices, {len(told)} with words of the model in their context")
    embedder = minilm.MiniLm()
    before = _margins(embedder, told)
    beside = " ".join(f"{f'>{level:g}':>6}" for level in LEVELS)
    print(f"{'change':<28} {'moved':>5} {'median':>7} {'95 %':>7} {'most':>7} {beside}")
    for name, vary in _WORDS.items():
        changed = [_reworded(case, vary) for case in told]
        _print(name, _moves(before, _margins(embedder, changed)))
    restopped = [replace(case, candidates=tuple(map(_end, case.candidates))) for case in told]
    _print("stop after descriptions", _moves(before, _margins(embedder, restopped)))


# What is changed ------------------------------------------------------------------------------


def _first_letter(text: str) -> str:
    return text[:1].swapcase() + text[1:]


def _end(text: str) -> str:
    return text[:-1] if text.endswith((".", "!", ":", "…")) else f"{text}."


def _commas(text: str) -> str:
    return text.replace(",", " –")


def _spelled_out(text: str) -> str:
    for short, long in (("I'll", "I will"), ("I'm", "I am"), ("'s ", " is "), ("n't ", " not ")):
        text = text.replace(short, long)
    return text


def _digits(text: str) -> str:
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), text)


_WORDS: dict[str, Callable[[str], str]] = {
    "case of the first letter": _first_letter,
    "stop at the end": _end,
    "dashes for commas": _commas,
    "contractions spelled out": _spelled_out,
    "other digits": _digits,
    "'Okay. ' before": lambda text: f"Okay. {text}",
    "'Sure, let me see. ' before": lambda text: f"Sure, let me see. {text}",
    "last word left out": lambda text: text.rpartition(" ")[0] or text,
}


def _reworded(case: Case, vary: Callable[[str], str]) -> Case:
    start, between, said = case.context.rpartition(BETWEEN)
    return replace(case, context=start + between + vary(said))


# Choices --------------------------------------------------------------------------------------


def _labelled() -> Iterator[Case]:
    """The labelled requests, each with the first of its right tools chosen."""
    folder = Path(__file__).parent / "validity"
    for path in sorted((folder / "requests").glob("*.jsonl")):
        menu = json.loads((folder / "catalogues" / f"{path.stem}.json").read_text("utf-8"))
        names = tuple(tool["name"] for tool in menu["tools"])
        candidates = tuple(candidate_text(t["name"], t.get("description")) for t in menu["tools"])
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            context = choice_context(row["context"]["user"], row["context"].get("assistant"))
            yield Case(names, candidates, (row["right"][0],), context)


def _recorded() -> Iterator[Case]:
    """The choices of the shipped recordings."""
    for path in sorted((ROOT / "recordings").glob("*.jsonl")):
        with open_view(str(path)) as view:
            for choice in read_choices(view, list_runs(view)):
                if choice.skipped is None and choice.not_measurable is None:
                    yield Case(choice.offered, choice.candidates, choice.chosen, choice.context)


# Margins --------------------------------------------------------------------------------------


def _margins(embedder: Any, cases: Sequence[Case]) -> list[float | None]:
    texts = [text for case in cases for text in (case.context, *case.candidates)]
    result = embed_all(embedder, texts)
    vectors, rows = result.vectors.astype("float64"), result.rows
    found = []
    for case in cases:
        menu = vectors[[rows[text] for text in case.candidates]]
        scores = (menu @ vectors[rows[case.context]]).tolist()
        found.append(rank(case.names, scores, case.chosen).margin)
    return found


def _moves(before: Sequence[float | None], after: Sequence[float | None]) -> list[float]:
    pairs = zip(before, after, strict=True)
    return sorted(abs(b - a) for a, b in pairs if a is not None and b is not None)


def _print(name: str, moves: list[float]) -> None:
    """The choices whose margin moved at all, and the sizes of these moves."""
    moved = [move for move in moves if move > 1e-6]
    if not moved:
        print(f"{name:<28} {0:>5}")
        return
    sizes = (moved[len(moved) // 2], moved[int(len(moved) * 0.95)], moved[-1])
    shares = (sum(move > level for move in moved) / len(moved) for level in LEVELS)
    print(
        f"{name:<28} {len(moved):>5} {' '.join(f'{size:>7.4f}' for size in sizes)} "
        f"{' '.join(f'{share:>6.1%}' for share in shares)}"
    )
