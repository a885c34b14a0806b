"""How well margins tell wrong choices from right ones: each scorer, each embedder, each set.

    python -m bench.validity [--data FOLDER] [--embedder NAME ...] [--write FILE]

``--data`` adds labelled sets converted from public ones (JSON Lines, see data.py). ``--write``
puts the tables into FILE, between the lines ``<!-- validity -->`` and ``<!-- /validity -->``.
Figures:

- first: the share of requests in which a right tool scored best
- AUROC: the chance that a wrong choice has a lower margin than a right one, with a 95 % interval
  from a bootstrap over conversations
- right flagged, wrong caught: the shares of right and of wrong choices that the scorer flags at
  its own threshold
- trust: what a report on these choices says of its flags (right choices, where a set has labels
  only), without a look at any label
- ms: scoring a choice once its texts are embedded

Wrong choices are real ones where a set has them. Elsewhere they are made up, which each set says:
tools that the writer of the request found plausible, or the tool most like a right one.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import sys
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from agentprint_cli.choices.questions import announcement_question
from agentprint_cli.choices.scorers import FITTED_FOR, SCORERS
from agentprint_cli.choices.scorers.interface import (
    Question,
    Scorer,
    Scores,
    Vectors,
    cosines,
    unit_rows,
)
from agentprint_cli.embedding import Embedder, VectorCache, embed_all, make_embedder
from agentprint_cli.rules import intent as intents
from agentprint_cli.rules import statistics
from agentprint_cli.rules.margin import rank
from agentprint_cli.rules.trust import Judged, trust

from . import lint
from .data import LabelledSet, Row, outside_sets, own_sets

CACHE = Path(".bench") / "validity.sqlite"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A choice that was judged."""

    wrong: bool
    margin: float
    flagged: bool
    group: Hashable


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.validity")
    parser.add_argument("--data", type=Path, help="a folder of labelled sets")
    parser.add_argument("--embedder", action="append", help="embedders (minilm unless given)")
    parser.add_argument("--write", type=Path, help="a page to put the tables into")
    options = parser.parse_args()
    if options.data is not None and not options.data.is_dir():
        sys.exit(f"{options.data}: no such folder")
    outside = outside_sets(options.data) if options.data is not None else ()
    told = []
    for line in _report([*outside, *own_sets()], options.embedder or ["minilm"]):
        print(line, flush=True)
        told.append(line)
    if options.write is not None:
        _write(options.write, "\n".join(told))


def _write(page: Path, tables: str) -> None:
    before, start, rest = page.read_text("utf-8").partition("<!-- validity -->\n")
    _, end, after = rest.partition("<!-- /validity -->")
    if not start or not end:
        sys.exit(f"{page}: it has no lines <!-- validity --> and <!-- /validity -->")
    page.write_text(f"{before}{start}{tables}\n{end}{after}", "utf-8")


def _report(sets: Sequence[LabelledSet], embedders: Sequence[str]) -> Iterator[str]:
    yield from (_versions(), "", *_sets(sets), "")
    yield "| embedder | scorer | set | first | AUROC | right flagged | wrong caught | trust | ms |"
    yield "|---|---|---|---|---|---|---|---|---|"
    measured: dict[tuple[str, str, str], Figures] = {}
    for name in embedders:
        embedder = make_embedder(name)
        vectors = {part.name: _embedded(embedder, part) for part in sets}
        for scorer in SCORERS:
            for part in sets:
                found = _measure(scorer, part, vectors[part.name])
                measured[embedder.id, scorer.name, part.name] = found
                yield f"| {embedder.id} | {scorer.name} | {part.name} | {found.cells()} |"
    yield from ("", "What the default had to reach, and what it reaches:", "")
    yield from _bars(sets, measured)
    yield ""
    yield "What the model wrote with its call (`intent`), against a call of the tool most like it:"
    yield ""
    yield "| scorer | set | texts | fits best | AUROC | flagged | swapped call flagged |"
    yield "|---|---|---|---|---|---|---|"
    embedder = make_embedder(FITTED_FOR)
    for part in (part for part in sets if part.intent):
        for scorer in SCORERS:
            if not scorer.uses_others:
                yield _intent_line(embedder, scorer, part)
    yield from ("", "Which tools get confused, by how similar they are (`agentprint lint`):", "")
    yield from lint.report(sets, {part.name: _embedded(embedder, part) for part in sets})


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of a scorer on a set."""

    first: float
    auroc: float | None
    interval: statistics.Interval | statistics.NoInterval
    right_flagged: float | None
    wrong_caught: float | None
    trust: str
    """What the choices themselves say of the flags."""
    cost: float
    """Milliseconds a choice."""

    def cells(self) -> str:
        """As cells of a table."""
        shares = (self.right_flagged, self.wrong_caught)
        auroc = _with_interval(self.auroc, self.interval)
        measured = (_number(self.first), auroc, *map(_number, shares))
        cells = (*measured, self.trust, f"{self.cost:.2f}")
        return " | ".join(cells)


def _bars(
    sets: Sequence[LabelledSet], measured: dict[tuple[str, str, str], Figures]
) -> Iterator[str]:
    """The bars, by the default embedder: of margins over many recordings (`fleet`), and of one
    recording alone (`hybrid`)."""
    yield "| set | scorer | figure | bar | reached | |"
    yield "|---|---|---|---|---|---|"
    for part in sets:
        within = 2 * sum(row.in_run for row in part.rows) > len(part.rows)
        for scorer in ("fleet", "hybrid"):
            found = measured.get((FITTED_FOR, scorer, part.name))
            if found is None:
                continue
            bars = [("right flagged", found.right_flagged, "≤", 0.20 if within else 0.10)]
            if not within:
                bars.append(("wrong caught", found.wrong_caught, "≥", 0.60))
            if part.name == "tau_airline" and scorer == "fleet":
                bars.append(("first", found.first, "≥", 0.70))
            if part.name == "livemcp":
                bars.append(("AUROC", found.auroc, "≥", 0.72))
            for figure, value, sign, bar in bars:
                if value is None:
                    continue
                met = value <= bar if sign == "≤" else value >= bar
                yield (
                    f"| {part.name} | {scorer} | {figure} | {sign} {_number(bar)} | "
                    f"{_number(value)} | {'met' if met else 'not met'} |"
                )


def _versions() -> str:
    names = ("agentprint", "numpy", "onnxruntime", "tokenizers")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return f"{today}; Python {platform.python_version()}, {versions}; {platform.machine()}."


def _sets(sets: Sequence[LabelledSet]) -> Iterator[str]:
    yield "| set | requests | tools, median | within a turn | wrong choices | what they are |"
    yield "|---|---|---|---|---|---|"
    for part in sets:
        sizes = sorted(len(row.menu) for row in part.rows)
        within = sum(row.in_run for row in part.rows) / len(part.rows)
        real = [row for row in part.rows if row.chosen is not None]
        wrong = f"{sum(not row.chosen_right for row in real)} of {len(real)}" if real else "made up"
        yield (
            f"| {part.name} | {len(part.rows)} | {sizes[len(sizes) // 2]} | {within:.0%} | "
            f"{wrong} | {part.about} |"
        )


# Choices --------------------------------------------------------------------------------------


def _embedded(embedder: Embedder, part: LabelledSet) -> Vectors:
    texts = [
        text
        for row in part.rows
        for text in (row.question(()).context, *(text for _, text in row.menu))
    ]
    CACHE.parent.mkdir(exist_ok=True)
    with VectorCache(CACHE) as cache:
        result = embed_all(embedder, texts, cache)
    return Vectors(unit_rows(result.vectors), result.rows)


def _measure(scorer: Scorer, part: LabelledSet, vectors: Vectors) -> Figures:
    # What the others chose is what a fleet's log would hold: the real choice, else the right one.
    questions = [row.question(row.chosen or row.right) for row in part.rows]
    start = time.perf_counter()
    scored = scorer.score(questions, vectors).scores
    cost = (time.perf_counter() - start) / len(questions) * 1000
    first: list[bool] = []
    outcomes: list[Outcome] = []
    judged: list[Judged] = []
    for row, question, scores in zip(part.rows, questions, scored, strict=True):
        if row.right:
            best = max(scores.values)
            first.append(row.names[scores.values.index(best)] in row.right)
        outcomes.extend(_outcomes(row, question, scores, scorer, vectors))
        if question.chosen and set(question.chosen) < set(row.names):
            judged.append(_seen(question, scores))
    wrong = [outcome.wrong for outcome in outcomes]
    right = [not bad for bad in wrong]
    doubt = [-outcome.margin for outcome in outcomes]
    flagged = [outcome.flagged for outcome in outcomes]
    groups = [outcome.group for outcome in outcomes]
    return Figures(
        first=sum(first) / len(first),
        auroc=statistics.auroc(wrong, doubt),
        interval=statistics.bootstrap(groups, statistics.auroc_of(wrong, doubt)),
        right_flagged=statistics.share(flagged, right),
        wrong_caught=statistics.share(flagged, wrong),
        trust=trust(judged).level,
        cost=cost,
    )


def _seen(question: Question, scores: Scores) -> Judged:
    """The choice as a report sees it."""
    margin = rank(question.names, scores.values, question.chosen)
    by_texts = rank(question.names, scores.alone or scores.values, question.chosen)
    return Judged(
        chosen=margin.chosen,
        top=margin.top,
        agreed=margin.top == margin.chosen,
        agreed_by_texts=by_texts.top in question.chosen,
        in_run=question.in_run,
        neighbours=scores.neighbours,
    )


def _outcomes(
    row: Row, question: Question, scores: Scores, scorer: Scorer, vectors: Vectors
) -> Iterator[Outcome]:
    for chosen, wrong in _judged(row, vectors):
        threshold = scorer.threshold(question, scores)
        margin = rank(
            row.names,
            scores.values,
            chosen,
            threshold,
            flags_every_disagreement=scorer.flags_every_disagreement,
        )
        if margin.margin is not None:
            yield Outcome(wrong, margin.margin, bool(margin.flags), row.conversation)


def _judged(row: Row, vectors: Vectors) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The choices of a row, and whether they are wrong."""
    if row.chosen is not None:
        if set(row.chosen) <= set(row.names):
            yield row.chosen, not row.chosen_right
        return
    if not row.right:
        return
    yield row.right, False
    if row.wrong:
        yield from ((choice, True) for choice in row.wrong)
    elif (twin := _most_like(row, row.right, vectors)) is not None:
        yield (twin,), True


def _most_like(row: Row, chosen: Sequence[str], vectors: Vectors) -> str | None:
    """The tool whose text is closest to that of a chosen one."""
    texts = dict(row.menu)
    others = [name for name in row.names if name not in chosen]
    best: tuple[float, str] | None = None
    for name in chosen:
        near = cosines(vectors, texts[name], [texts[other] for other in others])
        for cosine, other in zip(near, others, strict=True):
            if best is None or cosine > best[0]:
                best = (cosine, other)
    return best[1] if best is not None else None


def _auroc(wrong: Sequence[bool], doubt: Sequence[float], groups: Sequence[Hashable]) -> str:
    value = statistics.auroc(wrong, doubt)
    return _with_interval(value, statistics.bootstrap(groups, statistics.auroc_of(wrong, doubt)))


def _with_interval(
    value: float | None, interval: statistics.Interval | statistics.NoInterval
) -> str:
    if value is None or not isinstance(interval, statistics.Interval):
        return _number(value)
    return f"{_number(value)} [{_number(interval.low)}, {_number(interval.high)}]"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


# Stated intent --------------------------------------------------------------------------------


def _intent_line(embedder: Embedder, scorer: Scorer, part: LabelledSet) -> str:
    rows = [row for row in part.rows if row.said and (row.chosen or row.right)]
    questions = [
        announcement_question(
            row.said, row.names, tuple(text for _, text in row.menu), row.chosen or row.right
        )
        for row in rows
    ]
    texts = [text for question in questions for text in (question.context, *question.texts)]
    with VectorCache(CACHE) as cache:
        result = embed_all(embedder, texts, cache)
    vectors = Vectors(unit_rows(result.vectors), result.rows)
    fits: list[bool] = []
    flagged: list[bool] = []
    swapped: list[bool] = []
    wrong: list[bool] = []
    doubt: list[float] = []
    groups: list[Hashable] = []
    scored = scorer.score_alone(questions, vectors).scores
    for row, question, scores in zip(rows, questions, scored, strict=True):
        called = row.chosen or row.right
        twin = _most_like(row, called, vectors)
        if twin is None:
            continue
        threshold = scorer.intent_threshold(question, scores)
        named = intents.named_tools(row.said, row.names)
        for chosen, is_swap in ((called, False), ((twin,), True)):
            margin = rank(row.names, scores.values, chosen, threshold)
            if margin.margin is None:
                continue
            flag = intents.intent_flag(margin, named, chosen, threshold)
            (swapped if is_swap else flagged).append(flag)
            if not is_swap:
                fits.append(margin.top in chosen)
            wrong.append(is_swap)
            doubt.append(-margin.margin)
            groups.append(row.conversation)
    cells = (
        str(len(flagged)),
        _number(sum(fits) / len(fits)),
        _auroc(wrong, doubt, groups),
        _number(sum(flagged) / len(flagged)),
        _number(sum(swapped) / len(swapped)),
    )
    return f"| {scorer.name} | {part.name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
