"""Choice margins over any number of recordings: choices, one embedding pass, scores, facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from ... import __version__
from ...base.errors import UnreadableInput
from ...base.inputs import find_recordings
from ...choices.scoring import Intent, Log, MarginOptions, Scoring, listed
from ...model import Fact, Reason, Report, Status, absent, recorded
from ...readings.choices import Choice, read_choices
from ...readings.runs import list_runs
from ...rules import js_text
from ...rules.intent import SAYS_ONE_CALLS_ANOTHER
from ...rules.margin import NARROW, PROXY_DISAGREEMENT, Margin
from ...rules.trust import Judged, trust
from ...view import View, open_view
from ...view.source import Progress
from . import document

if TYPE_CHECKING:
    from ...embedding import Embedder, VectorCache

T = TypeVar("T")
_LOG_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst", ".jsonl.zstd")


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
    logs, facts = read_logs(paths, _read, progress)
    facts.extend(score(logs, embedder, options, cache))
    if options.run is not None:
        known = any(options.run in log.runs for log in logs)
        values = {"run": options.run, "known": known}
        facts.append(absent("run-asked", Status.NOT_APPLICABLE, None, values))
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
    """A fact for each choice that is asked for, one that sums up, one about how far flags are to
    be trusted, one about the embedder, and one about what the threshold was made for, where that
    is known. Raises `errors.EmbedderFailed`."""
    scored = Scoring(logs, embedder, options, cache)
    facts = [
        _fact(log, choice, scored, options)
        for log in logs
        for choice in log.choices
        if listed(choice, options)
    ]
    about = scored.fact()
    told = [_summary(logs, facts), *_intents(facts), _trust(facts), about]
    return [*facts, *told, *_made_for(options, about)]


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


def _read(view: View) -> Log:
    runs = list_runs(view)
    names = tuple(run.id for run in runs)
    return Log(view.recording(), tuple(read_choices(view, runs)), names)


def _made_for(options: MarginOptions, embedder: Fact) -> list[Fact]:
    """What the threshold was calibrated for, and what of that differs from who made the scores."""
    made_for = options.thresholds.made_for
    if made_for is None:
        return []
    used = {"embedder": embedder.text("fingerprint"), "scorer": embedder.text("scores_of")}
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
        "named": embedder.get("scorer"),
    }
    return [absent("threshold-made-for", Status.NOT_APPLICABLE, None, values)]


def _fact(log: Log, choice: Choice, scored: Scoring, options: MarginOptions) -> Fact:
    values: dict[str, object] = {
        "recording": log.recording.path,
        "run": choice.run,
        "session": choice.session,
        "stage": choice.stage,
        "event": choice.event,
        "line": choice.pointers[0].line,
        "iteration": choice.iteration,
        "turn_position": choice.turn_position,
        "in_run": choice.in_run,
        "offered": list(choice.offered),
        "chosen": list(choice.chosen),
        "call_ids": list(choice.call_ids),
        "prompt": choice.prompt,
        "context_chars": js_text.length(choice.context),
        "context": choice.context if options.show_context else None,
        "skipped": choice.skipped,
        "not_measurable": choice.not_measurable,
    }
    found = scored.choice(log, choice)
    if found is not None:
        margin = found.margin
        values.update(
            margin=margin.margin,
            top=margin.top,
            best_chosen=margin.chosen,
            rival=margin.rival,
            scores=_scores(margin),
            flags=list(margin.flags),
            threshold=found.threshold,
            neighbours=found.neighbours,
            alone=_alone(found.alone) if found.alone is not None else None,
        )
    pointers = choice.pointers
    said = scored.intent(log, choice)
    if said is not None:
        values["intent"] = _intent(said)
        pointers = (*pointers, said.pointer)
    return recorded("choice", pointers, values)


def _alone(margin: Margin) -> dict[str, object]:
    """What the choice has in place of these when no other recording has a say."""
    return {
        "margin": margin.margin,
        "top": margin.top,
        "best_chosen": margin.chosen,
        "rival": margin.rival,
        "scores": _scores(margin),
    }


def _intent(said: Intent) -> dict[str, object]:
    margin = said.margin
    return {
        "margin": margin.margin,
        "threshold": said.threshold,
        "top": margin.top,
        "rival": margin.rival,
        "named": list(said.named),
        "scores": _scores(margin),
        "flags": [SAYS_ONE_CALLS_ANOTHER] if said.flagged else [],
        "pointer": said.pointer,
    }


def _scores(margin: Margin) -> list[dict[str, object]]:
    return [{"tool": tool, "score": score} for tool, score in margin.scores]


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
            "runs": len({(fact.get("recording"), fact.get("run")) for fact in choices}),
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


def _top_alone(fact: Fact) -> object:
    """The best-scored tool when no other recording has a say."""
    alone = fact.get("alone")
    return alone["top"] if isinstance(alone, dict) else fact.get("top")


def _intents(facts: Iterable[Fact]) -> Iterator[Fact]:
    """How many texts came with calls, and how many announced another; none where none was
    scored."""
    found = [fact.get("intent") for fact in facts]
    said = [intent for intent in found if isinstance(intent, dict)]
    if said:
        values = {
            "texts": len(said),
            "says_one_calls_another": sum(bool(intent["flags"]) for intent in said),
        }
        yield absent("intents", Status.NOT_APPLICABLE, None, values)


def _trust(facts: Iterable[Fact]) -> Fact:
    """How far the flags are to be trusted, from the choices that have a margin."""
    scored = [fact for fact in facts if fact.get("margin") is not None]
    found = trust(
        [
            Judged(
                chosen=fact.text("best_chosen"),
                top=fact.text("top"),
                agreed=fact.get("top") == fact.get("best_chosen"),
                agreed_by_texts=_top_alone(fact) in _list(fact.get("chosen")),
                in_run=bool(fact.get("in_run")),
                neighbours=int(fact.text("neighbours")) if fact.get("neighbours") else None,
            )
            for fact in scored
        ]
    )
    values: dict[str, object] = {
        "level": found.level,
        "reasons": list(found.reasons),
        "choices": found.choices,
        "agreed": found.agreed,
        "agreed_by_texts": found.agreed_by_texts,
        "single": found.single,
        "single_agreed": found.single_agreed,
        "in_run": found.in_run,
        "in_run_agreed": found.in_run_agreed,
        "compared": found.compared,
        "asks_others": any(fact.get("neighbours") is not None for fact in scored),
        "pairs": [
            {"chosen": chosen, "top": top, "calls": calls} for chosen, top, calls in found.pairs
        ],
    }
    return absent("trust", Status.NOT_APPLICABLE, None, values)
