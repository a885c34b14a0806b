"""How far a margin moves when nothing that matters has changed, with the default embedder.

Same request, same menu, same choice; only what a recording made again brings along differs: the
model's own words. The last two rows are for comparison: there the words lose a part of their sense,
or the catalogue changed, by its full stops.

Each scorer has a table. Those that let other recordings have a say have none: there a margin also
moves with those. The noise that a scorer declares rests on these figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from agentprint_cli.choices.questions import question_of
from agentprint_cli.choices.scorers import SCORERS
from agentprint_cli.choices.scorers.interface import Question, Scorer, Vectors, unit_rows
from agentprint_cli.choices.scoring import scorable
from agentprint_cli.embedding import minilm
from agentprint_cli.embedding.once import embed_all
from agentprint_cli.readings.choices import read_choices
from agentprint_cli.readings.runs import list_runs
from agentprint_cli.rules.choice_text import candidate_text, choice_context, context_words
from agentprint_cli.rules.margin import rank
from agentprint_cli.view import open_view

ROOT = Path(__file__).parent.parent
BETWEEN = "\n\nassistant: "
LEVELS: Mapping[str, tuple[float, ...]] = {
    "cosine": (0.01, 0.02, 0.03, 0.05),
    "log share": (0.1, 0.2, 0.3, 0.4, 0.5, 0.75),
}
"""The sizes of moves that are counted, by the unit of the margins."""


def run() -> None:
    """Print how far margins move, for each scorer and each kind of change."""
    cases = [*_labelled(), *_recorded()]
    told = [case for case in cases if BETWEEN in case.context]
    print(f"{len(cases)} choices, {len(told)} with words of the model in their context")
    changes = {name: [_reworded(case, vary) for case in told] for name, vary in _WORDS.items()}
    changes["stop after descriptions"] = [
        replace(case, texts=tuple(map(_end, case.texts))) for case in told
    ]
    scorers = [scorer for scorer in SCORERS if not scorer.uses_others]
    vectors = _embedded(scorers, [told, *changes.values()])
    for scorer in scorers:
        _table(scorer, told, changes, vectors)


def _table(
    scorer: Scorer,
    told: Sequence[Question],
    changes: Mapping[str, Sequence[Question]],
    vectors: Vectors,
) -> None:
    levels = LEVELS[scorer.unit]
    beside = " ".join(f"{f'>{level:g}':>6}" for level in levels)
    print(f"\n{scorer.name}, moves in units of {scorer.unit}; declared noise {scorer.noise:g}")
    print(f"{'change':<28} {'moved':>5} {'median':>7} {'95 %':>7} {'most':>7} {beside}")
    before = _margins(scorer, told, vectors)
    for name, changed in changes.items():
        _print(name, _moves(before, _margins(scorer, changed, vectors)), levels)


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


# Choices --------------------------------------------------------------------------------------


def _reworded(case: Question, vary: Callable[[str], str]) -> Question:
    said = case.context.rpartition(BETWEEN)[2]
    context = case.context.removesuffix(said) + vary(said)
    words = case.words.removesuffix(said) + vary(said)
    return replace(case, context=context, situation=context, words=words)


def _labelled() -> Iterator[Question]:
    """The labelled requests, each with the first of its right tools chosen."""
    folder = Path(__file__).parent / "validity"
    for path in sorted((folder / "requests").glob("*.jsonl")):
        menu = json.loads((folder / "catalogues" / f"{path.stem}.json").read_text("utf-8"))
        names = tuple(tool["name"] for tool in menu["tools"])
        texts = tuple(candidate_text(t["name"], t.get("description")) for t in menu["tools"])
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            told = row["context"]["user"], row["context"].get("assistant")
            context, words = choice_context(*told), context_words(*told)
            yield Question(names, texts, context, context, words, (row["right"][0],))


def _recorded() -> Iterator[Question]:
    """The choices of the shipped recordings."""
    for path in sorted((ROOT / "recordings").glob("*.jsonl")):
        with open_view(str(path)) as view:
            yield from map(question_of, filter(scorable, read_choices(view, list_runs(view))))


# Margins --------------------------------------------------------------------------------------


def _embedded(scorers: Sequence[Scorer], sets: Sequence[Sequence[Question]]) -> Vectors:
    texts = {text for scorer in scorers for case in chain(*sets) for text in scorer.texts(case)}
    result = embed_all(minilm.MiniLm(), sorted(texts))
    return Vectors(unit_rows(result.vectors), result.rows)


def _margins(scorer: Scorer, cases: Sequence[Question], vectors: Vectors) -> list[float | None]:
    scores = scorer.score(cases, vectors).scores
    return [
        rank(case.names, found.values, case.chosen).margin
        for case, found in zip(cases, scores, strict=True)
    ]


def _moves(before: Sequence[float | None], after: Sequence[float | None]) -> list[float]:
    pairs = zip(before, after, strict=True)
    return sorted(abs(b - a) for a, b in pairs if a is not None and b is not None)


def _print(name: str, moves: list[float], levels: Sequence[float]) -> None:
    """The choices whose margin moved at all, and the sizes of these moves."""
    moved = [move for move in moves if move > 1e-6]
    if not moved:
        print(f"{name:<28} {0:>5}")
        return
    sizes = (moved[len(moved) // 2], moved[int(len(moved) * 0.95)], moved[-1])
    shares = (sum(move > level for move in moved) / len(moved) for level in levels)
    print(
        f"{name:<28} {len(moved):>5} {' '.join(f'{size:>7.4f}' for size in sizes)} "
        f"{' '.join(f'{share:>6.1%}' for share in shares)}"
    )
