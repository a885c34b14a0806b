"""Choice margins over any number of recordings: choices, one embedding pass, scores, facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from . import __version__
from .config import Thresholds
from .documents import margins as document
from .errors import UnreadableInput
from .inputs import find_recordings
from .model import Fact, Reason, Recording, Report, Status, absent, recorded
from .readings.choices import Choice, read_choices
from .readings.runs import list_runs
from .rules import js_text
from .rules.margin import NARROW, PROXY_DISAGREEMENT, Margin, rank
from .scorers import SCORERS
from .scorers.interface import unit_rows
from .view import View, open_view
from .view.source import Progress

if TYPE_CHECKING:
    from .embedding import Embedder, EmbeddingResult, VectorCache
    from .scorers.interface import Vectors

T = TypeVar("T")
_LOG_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst", ".jsonl.zstd")


@dataclass(frozen=True, slots=True)
class MarginOptions:
    """How choices are scored."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    scorer: str = "cosine"
    run: str | None = None
    """Only choices of this run."""
    show_context: bool = False


@dataclass(frozen=True, slots=True)
class Log:
    """The choices of one recording."""

    recording: Recording
    choices: tuple[Choice, ...]
    runs: int


def margins(
    paths: Iterable[str],
    *,
    embedder: Callable[[], Embedder] | None = None,
    options: MarginOptions | None = None,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Report:
    """The margins of every tool choice in the recordings that ``paths`` name.

    ``embedder`` makes the embedder; it is called once, and only when there is a choice to score.
    None: choices are listed without scores, and nothing of any embedder is imported. A file that
    cannot be read becomes a fact of the report and stops none of the others. Raises
    `errors.UsageError` for a pattern without a match and `errors.EmbedderFailed`.
    """
    options = options or MarginOptions()
    logs, facts = read_logs(paths, lambda view: _read(view, options.run), progress)
    facts.extend(score(logs, embedder, options, cache))
    return Report(
        schema=document.SCHEMA,
        tool_version=__version__,
        recordings=tuple(log.recording for log in logs),
        facts=tuple(facts),
        shape=document.document,
    )


def score(
    logs: Sequence[Log],
    embedder: Callable[[], Embedder] | None,
    options: MarginOptions,
    cache: VectorCache | None,
) -> list[Fact]:
    """A fact for each choice, one that sums up, one about the embedder, and one about what the
    threshold was made for, where that is known. Raises `errors.EmbedderFailed`."""
    scored = _Scores(logs, embedder, options, cache)
    facts = [
        _fact(log.recording.path, choice, scored.margin(choice), options)
        for log in logs
        for choice in log.choices
    ]
    about = scored.fact()
    return [*facts, _summary(logs, facts), about, *_made_for(options, about)]


def read_logs(
    paths: Iterable[str], read: Callable[[View], T], progress: Progress | None = None
) -> tuple[list[T], list[Fact]]:
    """What ``read`` makes of each recording, and a fact for each file that cannot be read.

    A file of a folder that is no recording, such as another JSON document, is passed over and
    counted; one whose name says that it is a log of lines is unreadable.
    """
    found: list[T] = []
    facts: list[Fact] = []
    for path, named in find_recordings(paths):
        try:
            with open_view(path, progress) as view:
                found.append(read(view))
        except UnreadableInput as error:
            is_log = named or path.lower().endswith(_LOG_ENDINGS)
            rule = "unreadable" if is_log else "passed-over"
            facts.append(
                absent(
                    rule,
                    Status.NOT_MEASURABLE,
                    Reason.UNREADABLE,
                    {"path": path, "why": str(error)},
                )
            )
    return found, facts


def _read(view: View, run: str | None) -> Log:
    runs = list_runs(view)
    choices = tuple(c for c in read_choices(view, runs) if run is None or c.run == run)
    return Log(view.recording(), choices, len({c.run for c in choices}))


def _scorable(choice: Choice) -> bool:
    return choice.skipped is None and choice.not_measurable is None


class _Scores:
    """All scores, from one embedding of every distinct text."""

    def __init__(
        self,
        logs: Sequence[Log],
        make: Callable[[], Embedder] | None,
        options: MarginOptions,
        cache: VectorCache | None,
    ) -> None:
        self._options = options
        self._scorer = next(s for s in SCORERS if s.name == options.scorer)
        self._embedder: Embedder | None = None
        self._result: EmbeddingResult | None = None
        self._units: Vectors | None = None
        self._asked = make is not None
        texts = [
            text
            for log in logs
            for choice in log.choices
            if _scorable(choice)
            for text in (choice.context, *choice.candidates)
        ]
        if make is not None and texts:
            from .embedding import embed_all

            self._embedder = make()
            self._result = embed_all(self._embedder, texts, cache)
            self._units = unit_rows(self._result.vectors)

    def margin(self, choice: Choice) -> Margin | None:
        """The choice's margin; None when it cannot or should not be scored."""
        if self._units is None or self._result is None or not _scorable(choice):
            return None
        rows = self._result.rows
        scores = self._scorer.score(
            self._units, rows[choice.context], [rows[text] for text in choice.candidates]
        )
        thresholds = self._options.thresholds
        found = rank(choice.offered, scores, choice.chosen, thresholds.default)
        own = thresholds.of(found.chosen, found.rival)
        if own != thresholds.default:
            found = rank(choice.offered, scores, choice.chosen, own)
        return found

    def fact(self) -> Fact:
        """Who made the scores."""
        values: dict[str, object] = {
            "scorer": self._options.scorer,
            "threshold": self._options.thresholds.default,
            "tool_thresholds": dict(self._options.thresholds.tools) or None,
            "pair_thresholds": dict(self._options.thresholds.pairs) or None,
        }
        if self._embedder is None or self._result is None:
            why = "nothing-to-score" if self._asked else "not-asked"
            values["why"] = why
            return absent("embedder", Status.NOT_APPLICABLE, None, values)
        values.update(
            id=self._embedder.id,
            dimensions=self._result.dimensions,
            fingerprint=self._embedder.fingerprint,
            input_limit=self._embedder.input_limit,
            distinct_texts=self._result.distinct,
            embedded=self._result.embedded,
            cut_texts=self._result.cut,
        )
        return absent("embedder", Status.NOT_APPLICABLE, None, values)


def _made_for(options: MarginOptions, embedder: Fact) -> list[Fact]:
    """What the threshold was calibrated for, and what of that differs from who made the scores."""
    made_for = options.thresholds.made_for
    if made_for is None:
        return []
    used = {"embedder": embedder.text("fingerprint"), "scorer": embedder.text("scorer")}
    meant = {"embedder": made_for.embedder, "scorer": made_for.scorer}
    scored = embedder.get("why") is None
    values: dict[str, object] = {
        **meant,
        "share": made_for.share,
        "choices": made_for.choices,
        "recordings": made_for.recordings,
        "threshold": options.thresholds.default,
        "differs": [name for name in meant if scored and meant[name] != used[name]],
        "used": used if scored else None,
    }
    return [absent("threshold-made-for", Status.NOT_APPLICABLE, None, values)]


def _fact(path: str, choice: Choice, margin: Margin | None, options: MarginOptions) -> Fact:
    values: dict[str, object] = {
        "recording": path,
        "run": choice.run,
        "session": choice.session,
        "stage": choice.stage,
        "event": choice.event,
        "line": choice.pointers[0].line,
        "iteration": choice.iteration,
        "turn_position": choice.turn_position,
        "offered": list(choice.offered),
        "chosen": list(choice.chosen),
        "call_ids": list(choice.call_ids),
        "prompt": choice.prompt,
        "context_chars": js_text.length(choice.context),
        "context": choice.context if options.show_context else None,
        "skipped": choice.skipped,
        "not_measurable": choice.not_measurable,
    }
    if margin is not None:
        values.update(
            margin=margin.margin,
            top=margin.top,
            best_chosen=margin.chosen,
            rival=margin.rival,
            scores=[{"tool": tool, "score": score} for tool, score in margin.scores],
            flags=list(margin.flags),
            threshold=options.thresholds.of(margin.chosen, margin.rival),
        )
    return recorded("choice", choice.pointers, values)


def _summary(logs: Sequence[Log], facts: Iterable[Fact]) -> Fact:
    choices = [fact for fact in facts if fact.rule == "choice"]
    scored = [fact for fact in choices if fact.get("flags") is not None]
    flagged = [fact for fact in scored if fact.get("flags")]

    def flags(name: str) -> int:
        return sum(name in _list(fact.get("flags")) for fact in scored)

    return absent(
        "summary",
        Status.NOT_APPLICABLE,
        None,
        {
            "recordings": len(logs),
            "runs": sum(log.runs for log in logs),
            "llm_calls_with_tools": len(choices),
            "choices": sum(bool(fact.get("chosen")) for fact in choices),
            "scored": len(scored),
            "flagged": len(flagged),
            "narrow": flags(NARROW),
            "proxy_disagreement": flags(PROXY_DISAGREEMENT),
            "skipped": sum(fact.get("skipped") is not None for fact in choices),
            "not_measurable": sum(fact.get("not_measurable") is not None for fact in choices),
        },
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
