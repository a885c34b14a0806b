"""A catalogue in, a report on which of its tools get confused out: reading, structural findings,
similarity, gates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from ... import __version__
from ...base.errors import EmbedderFailed, UnreadableInput, UsageError
from ...choices import catalogues
from ...choices.catalogues import (
    CONFUSABLE,
    DUPLICATES,
    EVERYTHING,
    TONES,
    WATCH,
    Catalogue,
    Listed,
)
from ...embedding import DEFAULT, VectorCache, embed_all, make_embedder
from ...model import Fact, Outcome, Reason, Recording, Report, Status, Verdict, absent, recorded
from ...rules.choice_text import candidate_text
from ...rules.similarity import closest_pairs, pairs_in
from ...view import Source, View, open_view_or_source
from ...view.source import Progress
from . import document

THRESHOLD = 0.80
"""From which similarity on a pair is called confusable. Measured with the default embedder:
docs/lint.md says how, and how little it proves."""
WATCHED = 0.65
"""From which on a pair below the threshold is listed."""
GATES = (DUPLICATES, CONFUSABLE)
LISTED_PAIRS = 1000
_PLACES = 10

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LintOptions:
    """How to lint."""

    embedder: str = DEFAULT
    scores: bool = True
    """Whether to measure similarity at all."""
    threshold: float | None = None
    """`THRESHOLD` unless given."""
    watch: float | None = None
    """`WATCHED` unless given, but never above the threshold."""
    fail_on: tuple[str, ...] | None = None
    """The ids of the findings that fail; ``("none",)`` for none; `GATES` unless given."""
    cache: bool = True
    allow_download: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """The options, checked and filled in."""

    threshold: float
    watch: float
    gates: tuple[str, ...]
    dropped: tuple[str, ...]
    """Gates that are off because nothing is scored."""


def lint(
    path: str,
    options: LintOptions | None = None,
    *,
    progress: Progress | None = None,
    warn: Warn = lambda message: None,
) -> Report:
    """Say which tools of the catalogue at ``path`` get confused, and what in it is amiss.

    ``path`` is a JSON document that lists tools, or a recording, whose menus are read. When the
    embedder fails, the report says so and the rest of it stands. ``warn`` is told what is wrong
    with the vector cache. Raises `errors.UnreadableInput` when there is no catalogue, and
    `errors.UsageError` for options that make no sense.
    """
    options = options or LintOptions()
    plan = _plan(options)
    with closing(open_view_or_source(path, progress)) as opened:
        catalogue, read, recording = _read(opened)
        facts = [read, *_menus(catalogue), *catalogues.structural(catalogue)]
    facts += _similarity(catalogue, options, plan, warn)
    return Report(
        schema=document.SCHEMA,
        tool_version=__version__,
        recordings=recording,
        facts=tuple(facts),
        shape=document.document,
        verdicts=tuple(_judged(facts, plan)),
    )


def exit_outcome(report: Report) -> Outcome:
    """What all gates come to: one that failed outranks one that was not measured."""
    outcomes = {verdict.outcome for verdict in report.verdicts}
    for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE):
        if outcome in outcomes:
            return outcome
    return Outcome.PASS


def _plan(options: LintOptions) -> _Plan:
    threshold = THRESHOLD if options.threshold is None else options.threshold
    watch = min(WATCHED, threshold) if options.watch is None else options.watch
    for name, value in (("--threshold", threshold), ("--watch", watch)):
        if not 0 < value <= 1:
            raise UsageError(f"{name} {value:g}: a similarity above 0 and at most 1 is expected")
    if watch > threshold:
        raise UsageError(
            f"--watch {watch:g} lies above the threshold {threshold:g}: the watch band is below it"
        )
    gates = GATES if options.fail_on is None else options.fail_on
    if gates == ("none",):
        gates = ()
    for gate in gates:
        if gate not in TONES:
            raise UsageError(
                f"--fail-on: no finding {gate!r}; there is {', '.join(TONES)}, or none"
            )
    scored = tuple(gate for gate in gates if gate in (CONFUSABLE, WATCH))
    if options.scores or not scored:
        return _Plan(threshold, watch, gates, ())
    if options.fail_on is not None:
        raise UsageError(f"--fail-on {scored[0]} needs similarities, and --no-scores measures none")
    return _Plan(threshold, watch, tuple(gate for gate in gates if gate not in scored), scored)


def _read(opened: View | Source) -> tuple[Catalogue, Fact, tuple[Recording, ...]]:
    """The catalogue, the fact ``catalogue-read``, and the recording when it is one."""
    recording: tuple[Recording, ...] = ()
    try:
        if isinstance(opened, View):
            catalogue = catalogues.read_log(opened)
            recording = (opened.recording(),)
            sha256, size = recording[0].sha256, recording[0].bytes
        else:
            catalogue = _read_document(opened)
            sha256, size = opened.sha256, opened.given_size
    except UnreadableInput as error:
        raise UnreadableInput(f"{opened.path}: {error}") from None
    values = {
        "path": opened.path,
        "sha256": sha256,
        "bytes": size,
        "shape": catalogue.shape,
        "menus": len(catalogue.menus),
        "tools": len(catalogue.listed),
        "hosted": [each.tool.called for each in catalogue.listed if each.tool.hosted] or None,
    }
    places = [menu.place for menu in catalogue.menus[:1]]
    return catalogue, recorded("catalogue-read", places, values), recording


def _read_document(source: Source) -> Catalogue:
    try:
        return catalogues.read_document(source.read(0, source.size))
    except UnreadableInput as error:
        if source.damage is None:
            raise
        raise UnreadableInput(f"{source.damage.reason}; {error}") from None


def _menus(catalogue: Catalogue) -> Iterator[Fact]:
    for number, menu in enumerate(catalogue.menus, 1):
        values = {
            "menu": number,
            "tools": len(menu.tools),
            "events": list(menu.events) or None,
            "described": menu.described,
        }
        yield recorded("menu-read", [menu.place], values)


# Similarity -----------------------------------------------------------------------------------


def _similarity(
    catalogue: Catalogue, options: LintOptions, plan: _Plan, warn: Warn
) -> Iterator[Fact]:
    """The fact ``similarity``, the pairs that are close, and what was not measurable of them."""
    values: dict[str, object] = {"threshold": plan.threshold, "watch": plan.watch}
    comparable, missing = _comparable(catalogue)
    if not options.scores:
        values["gates_off"] = list(plan.dropped) or None
        yield absent("similarity", Status.NOT_MEASURABLE, Reason.NOT_ASKED, values)
        yield catalogues.unmeasured(CONFUSABLE, Reason.NOT_ASKED, len(catalogue.listed))
        return
    try:
        yield from _scored(catalogue, comparable, options, plan, warn)
    except EmbedderFailed as error:
        values |= {"embedder": options.embedder, "message": str(error)}
        yield absent("similarity", Status.NOT_MEASURABLE, Reason.EMBEDDER_FAILED, values)
        yield catalogues.unmeasured(
            CONFUSABLE, Reason.EMBEDDER_FAILED, len(comparable), (), {"message": str(error)}
        )
        return
    yield from missing


def _comparable(catalogue: Catalogue) -> tuple[list[Listed], list[Fact]]:
    """The tools whose texts can be compared, and facts about the others."""
    proper = [each for each in catalogue.listed if not each.tool.hosted]
    silent = [menu for menu in catalogue.menus if not menu.described]
    comparable = []
    unreadable: list[Listed] = []
    kept_out: list[Listed] = []
    for each in proper:
        if not catalogue.menus[each.menus[0]].described:
            continue
        if each.tool.name is not None and each.tool.description is not None:
            comparable.append(each)
        else:
            (kept_out if each.tool.kept_out else unreadable).append(each)
    facts = [
        catalogues.unmeasured(CONFUSABLE, reason, len(some), some)
        for reason, some in ((Reason.UNREADABLE, unreadable), (Reason.KEPT_OUT, kept_out))
        if some
    ]
    if silent:
        places = [menu.place for menu in silent[:_PLACES]]
        facts.append(
            catalogues.unmeasured(
                CONFUSABLE, Reason.NO_DESCRIPTIONS, len(silent), (), {"what": "menus"}, places
            )
        )
    return comparable, facts


def _scored(
    catalogue: Catalogue,
    comparable: Sequence[Listed],
    options: LintOptions,
    plan: _Plan,
    warn: Warn,
) -> Iterator[Fact]:
    values: dict[str, object] = {"threshold": plan.threshold, "watch": plan.watch}
    groups = [
        [place for place, each in enumerate(comparable) if number in each.menus]
        for number in range(len(catalogue.menus))
    ]
    pairs = pairs_in(groups)
    if not pairs:
        yield absent("similarity", Status.NOT_APPLICABLE, None, values)
        return
    embedder = make_embedder(options.embedder, allow_download=options.allow_download)
    texts = [candidate_text(each.tool.name or "", each.tool.description) for each in comparable]
    with closing(VectorCache()) as cache:
        embedded = embed_all(embedder, texts, cache if options.cache else None)
        for message in cache.warnings:
            warn(message)
    closest = closest_pairs(
        embedded.vectors[[embedded.rows[text] for text in texts]],
        groups,
        (plan.threshold, plan.watch),
        LISTED_PAIRS,
    )
    confusable, close = closest.counts
    values |= {
        "embedder": embedder.id,
        "fingerprint": embedder.fingerprint,
        "dimensions": embedded.dimensions,
        "input_limit": embedder.input_limit,
        "texts": embedded.distinct,
        "cut": embedded.cut,
        "pairs": pairs,
        "confusable": confusable,
        "watched": close - confusable,
    }
    yield recorded("similarity", [menu.place for menu in catalogue.menus[:_PLACES]], values)
    for low, high, score in closest.pairs:
        id = CONFUSABLE if score >= plan.threshold else WATCH
        yield _pair(comparable[low], comparable[high], score, id)


def _pair(first: Listed, second: Listed, score: float, id: str) -> Fact:
    return recorded(
        "pair",
        [first.tool.place, second.tool.place],
        {
            "id": id,
            "tone": TONES[id],
            "tools": [first.tool.called, second.tool.called],
            "score": score,
            "menus": [number + 1 for number in sorted({*first.menus} & {*second.menus})],
        },
    )


# Gates ----------------------------------------------------------------------------------------


def _judged(facts: Sequence[Fact], plan: _Plan) -> Iterator[Verdict]:
    for gate in plan.gates:
        found = tuple(f for f in facts if f.rule in ("finding", "pair") and f.get("id") == gate)
        left = tuple(
            f for f in facts if f.rule == "not-measurable" and _concerns(f.get("check"), gate)
        )
        if found or _beyond_the_list(facts, gate):
            yield Verdict(gate, Outcome.FAIL, found)
        elif left:
            yield Verdict(gate, Outcome.INCONCLUSIVE, left)
        else:
            yield Verdict(gate, Outcome.PASS)


def _beyond_the_list(facts: Sequence[Fact], gate: str) -> bool:
    """Whether pairs of that kind were counted, listed or not."""
    count = {CONFUSABLE: "confusable", WATCH: "watched"}.get(gate)
    return count is not None and any(
        bool(fact.get(count)) for fact in facts if fact.rule == "similarity"
    )


def _concerns(check: object, gate: str) -> bool:
    return check in (gate, EVERYTHING) or (gate == WATCH and check == CONFUSABLE)
