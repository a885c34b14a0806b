"""Scores for the choices of any number of recordings, from one embedding of every distinct text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..base.config import Thresholds
from ..base.errors import UsageError
from ..model import Fact, Pointer, Recording, Status, absent
from ..readings.choices import Choice
from ..rules import intent as intents
from ..rules.margin import Margin, rank
from .questions import announcement_of, announces, content_order, conversations_of, question_of
from .scorers import REFERENCE as REFERENCE
from .scorers import SCORERS, default_scorer, scorer_of
from .scorers.interface import Question, Scorer, Scores, Vectors, context_and_menu, unit_rows

if TYPE_CHECKING:
    from ..embedding import Embedder, EmbeddingResult, VectorCache


@dataclass(frozen=True, slots=True)
class MarginOptions:
    """How choices are scored."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    scorer: str | None = None
    """One of `scorers.SCORERS`; None: the one that measured best with the embedder."""
    with_others: bool = True
    """Whether, when no scorer is named, other recordings may have a say in a choice's scores."""
    intent: bool | None = None
    """Whether what the model wrote with its calls is scored too; None: unless the scorer is the
    reference, which scores what the specification says and nothing else."""
    run: str | None = None
    """Only choices of this run."""
    show_context: bool = False


@dataclass(frozen=True, slots=True)
class Log:
    """The choices of one recording."""

    recording: Recording
    choices: tuple[Choice, ...]
    runs: tuple[str, ...] = ()
    """The ids of its runs."""


@dataclass(frozen=True, slots=True)
class ScoredChoice:
    """One choice with its scores."""

    margin: Margin
    threshold: float
    """The one in force for it."""
    neighbours: int | None
    """How many choices of other conversations had a say; None when the scorer asks none."""
    alone: Margin | None
    """The margin without a say of theirs; None when the scorer asks none."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What the model wrote with its calls, against the menu."""

    margin: Margin
    threshold: float
    named: tuple[str, ...]
    """The tools that the text calls by their exact name."""
    flagged: bool
    pointer: Pointer


_Key = tuple[str, int]


def _key(log: Log, choice: Choice) -> _Key:
    return log.recording.path, choice.event


def listed(choice: Choice, options: MarginOptions) -> bool:
    """Whether the choice is asked for: one of another run may only have a say in its scores."""
    return options.run is None or choice.run == options.run


def is_scorer(name: str) -> bool:
    """Whether there is a scorer of that name."""
    return any(scorer.name == name for scorer in SCORERS)


def check_scorer(name: str | None) -> None:
    """Raises `UsageError` when there is no scorer of that name."""
    if name is not None and not is_scorer(name):
        names = ", ".join(scorer.name for scorer in SCORERS)
        raise UsageError(f"there is no scorer {name!r}; there is {names}")


def check_thresholds(given: Thresholds, scorer: str | None, where: str = "") -> None:
    """Raises `UsageError` for a threshold that is no finite number, and for one of cosines that no
    margin lies below, or each: it is of another scorer. One that was calibrated for another is
    warned of instead. ``where`` stands before its name in the message."""
    named = {} if given.default is None else {"threshold": given.default}
    named |= {f"thresholds.tools.{name}": value for name, value in given.tools.items()}
    named |= {f"thresholds.pairs.{name}": value for name, value in given.pairs.items()}
    of_cosines = scorer == REFERENCE and (
        given.made_for is None or given.made_for.scorer == REFERENCE
    )
    for name, value in named.items():
        if not math.isfinite(value):
            raise UsageError(f"{where}{name} {value}: a margin is a finite number")
        if of_cosines and not -2 <= value <= 2:
            raise UsageError(
                f"{where}{name} {value}: a margin of cosines lies between -2 and 2; a threshold "
                "of another scorer needs its name (scorer)"
            )


def scorable(choice: Choice) -> bool:
    """Whether the choice can be scored."""
    return choice.skipped is None and choice.not_measurable is None


class Scoring:
    """All scores."""

    def __init__(
        self,
        logs: Sequence[Log],
        make: Callable[[], Embedder] | None,
        options: MarginOptions,
        cache: VectorCache | None,
    ) -> None:
        """``make`` makes the embedder; it is called once, and only when there is something to
        score. Raises `errors.EmbedderFailed`."""
        self._options = options
        self._asked = make is not None
        self._embedder: Embedder | None = None
        self._result: EmbeddingResult | None = None
        self._scorer: Scorer | None = scorer_of(options.scorer) if options.scorer else None
        self._about: Mapping[str, object] = {}
        self._choices: dict[_Key, ScoredChoice] = {}
        self._intents: dict[_Key, Intent] = {}
        found = [(log, choice) for log in logs for choice in log.choices if scorable(choice)]
        # By content, so that no score hangs on how the recordings are named or in which order.
        found.sort(key=lambda each: content_order(each[1]))
        if make is not None and any(listed(choice, options) for _, choice in found):
            self._embedder = make()
            self._score(self._embedder, found, cache)

    def _score(
        self,
        embedder: Embedder,
        found: Sequence[tuple[Log, Choice]],
        cache: VectorCache | None,
    ) -> None:
        from ..embedding import embed_all

        options = self._options
        name = options.scorer or default_scorer(embedder.id, options.with_others)
        scorer = self._scorer = scorer_of(name)
        if not scorer.uses_others:
            found = [(log, choice) for log, choice in found if listed(choice, options)]
        asks_intent = scorer.scores_intent if options.intent is None else options.intent
        said = [
            (log, choice)
            for log, choice in found
            if asks_intent and listed(choice, options) and announces(choice)
        ]
        conversations = conversations_of([(log.recording.path, choice) for log, choice in found])
        questions = [
            question_of(choice, conversation)
            for (_, choice), conversation in zip(found, conversations, strict=True)
        ]
        announced = [announcement_of(choice) for _, choice in said]
        texts = [text for question in questions for text in scorer.texts(question)]
        texts += [text for question in announced for text in context_and_menu(question)]
        self._result = embed_all(embedder, texts, cache)
        vectors = Vectors(unit_rows(self._result.vectors), self._result.rows)
        scored = scorer.score(questions, vectors)
        self._about = scored.about
        for (log, choice), question, scores in zip(found, questions, scored.scores, strict=True):
            self._choices[_key(log, choice)] = self._margin(choice, question, scores, scorer)
        of_words = scorer.score_alone(announced, vectors).scores
        for (log, choice), question, scores in zip(said, announced, of_words, strict=True):
            self._intents[_key(log, choice)] = _intent(choice, question, scores, scorer)

    def _margin(
        self, choice: Choice, question: Question, scores: Scores, scorer: Scorer
    ) -> ScoredChoice:
        plain = rank(choice.offered, scores.values, choice.chosen)
        given = self._options.thresholds.of(plain.chosen, plain.rival)
        threshold = scorer.threshold(question, scores) if given is None else given
        margin = rank(
            choice.offered,
            scores.values,
            choice.chosen,
            threshold,
            flags_every_disagreement=scorer.flags_every_disagreement,
        )
        alone = None
        if scores.alone is not None:
            alone = rank(choice.offered, scores.alone, choice.chosen)
        return ScoredChoice(margin, threshold, scores.neighbours, alone)

    def choice(self, log: Log, choice: Choice) -> ScoredChoice | None:
        """The choice's margin; None when it cannot or should not be scored."""
        return self._choices.get(_key(log, choice))

    def intent(self, log: Log, choice: Choice) -> Intent | None:
        """What the model wrote with the choice's calls; None when it wrote nothing that
        could announce one, or when that was not scored."""
        return self._intents.get(_key(log, choice))

    def _scores_of(self) -> str | None:
        """The scorer whose scores these are: where others could have had a say and none had, the
        one that scores without them."""
        scorer = self._scorer
        if scorer is None or not scorer.uses_others:
            return scorer.name if scorer is not None else None
        asked = any(found.neighbours for found in self._choices.values())
        return scorer.name if asked else scorer.alone

    def fact(self) -> Fact:
        """Who made the scores."""
        thresholds, scorer = self._options.thresholds, self._scorer
        values: dict[str, object] = {
            "scorer": scorer.name if scorer is not None else None,
            "unit": scorer.unit if scorer is not None else None,
            "noise": scorer.noise if scorer is not None else None,
            "alone": scorer.alone if scorer is not None and scorer.uses_others else None,
            "scores_of": self._scores_of(),
            "threshold": thresholds.default,
            "tool_thresholds": dict(thresholds.tools) or None,
            "pair_thresholds": dict(thresholds.pairs) or None,
        }
        if scorer is not None and thresholds.default is None:
            values["threshold"] = scorer.fixed_threshold
            values["threshold_rule"] = scorer.threshold_rule
        if self._embedder is None or self._result is None:
            values["why"] = "nothing-to-score" if self._asked else "not-asked"
            return absent("embedder", Status.NOT_APPLICABLE, None, values)
        values.update(
            id=self._embedder.id,
            dimensions=self._result.dimensions,
            fingerprint=self._embedder.fingerprint,
            input_limit=self._embedder.input_limit,
            distinct_texts=self._result.distinct,
            embedded=self._result.embedded,
            cut_texts=self._result.cut,
            others={name: x for name, x in self._about.items() if x is not None} or None,
        )
        return absent("embedder", Status.NOT_APPLICABLE, None, values)


def _intent(choice: Choice, question: Question, scores: Scores, scorer: Scorer) -> Intent:
    assert choice.said is not None
    assert choice.said_at is not None
    threshold = scorer.intent_threshold(question, scores)
    margin = rank(choice.offered, scores.values, choice.chosen, threshold)
    named = intents.named_tools(choice.said, choice.offered)
    flagged = intents.intent_flag(margin, named, choice.chosen, threshold)
    return Intent(margin, threshold, tuple(named), flagged, choice.said_at)
