"""``agentprint margins``."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.config import Config, Thresholds, load_config
from ..base.errors import EXIT_UNREADABLE, EXIT_USAGE, UsageError
from ..base.safe_text import visible
from ..choices.scoring import REFERENCE, MarginOptions, check_scorer, check_thresholds, is_scorer
from ..model import Report
from ..renderers import Output
from ..renderers.as_json import dumps
from ..reports.margins import document
from ..reports.margins.outline import outline
from ..reports.margins.pipeline import margins as score
from ..reports.shared import made_for
from . import common

if TYPE_CHECKING:
    from ..embedding import Embedder, VectorCache

_FORMATS = ("text", "json", "jsonl", "csv", "md")

PathsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATHS]...",
        help="Recordings, folders of them or patterns; by default those of the configuration, "
        "else recordings/.",
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="minilm (the default), sentence-transformers:<name or path>, "
        "openai:<model>@<base-url>, or <package.module>:<factory>. AGENTPRINT_EMBEDDER sets it "
        "too; a file never does.",
    ),
]
ScorerOption = Annotated[
    str | None,
    typer.Option(
        "--scorer",
        metavar="NAME",
        help="cosine (the reference), hybrid (with shared words) or fleet (with what other "
        "recordings chose too). By default, with the default embedder, the one that measured best; "
        "with any other, cosine.",
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="X",
        help="Margins below this are narrow, in the units of the scorer that is named or "
        "calibrated, else of cosine. By default each scorer's own (cosine: 0.05).",
    ),
]
IntentOption = Annotated[
    bool | None,
    typer.Option(
        "--intent/--no-intent",
        help="Score what the model wrote with its calls too. By default unless the scorer is "
        "cosine.",
    ),
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Neither read nor write the cache of vectors.")
]
DownloadOption = Annotated[
    bool,
    typer.Option("--allow-download", help="Let sentence-transformers fetch a model it lacks."),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The configuration; by default agentprint.toml or pyproject.toml here.",
    ),
]


def margins(
    paths: PathsArgument = None,
    flagged: Annotated[bool, typer.Option("--flagged", help="List flagged calls only.")] = False,
    top: Annotated[
        int | None, typer.Option("--top", min=0, metavar="N", help="List the first N calls only.")
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option("--tool", metavar="NAME", help="Only where this tool was chosen or close."),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Only calls of this run.")
    ] = None,
    sort: Annotated[
        str, typer.Option("--sort", metavar="margin|time|tool", help="The order of the list.")
    ] = "time",
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Which pairs of tools compete, instead of the calls.")
    ] = False,
    show_context: Annotated[
        bool, typer.Option("--show-context", help="Print the context text of each call too.")
    ] = False,
    no_scores: Annotated[
        bool, typer.Option("--no-scores", help="List the choices without any embedder.")
    ] = False,
    intent: IntentOption = None,
    scorer: ScorerOption = None,
    threshold: ThresholdOption = None,
    embedder: EmbedderOption = None,
    no_cache: NoCacheOption = False,
    allow_download: DownloadOption = False,
    config: ConfigOption = None,
    format: Annotated[str, common.format_option(*_FORMATS)] = "text",
) -> None:
    """Show how close each choice of tool was, over one recording or many.

    A margin is the score of the best tool that was chosen, less that of the best one that was
    not. It is a stand-in for the model's choice, never its reason. The report says how far its
    flags are to be trusted.

    Examples:

      agentprint margins --flagged

      agentprint margins runs/ --sort margin --top 20

      agentprint margins run.jsonl --pairs --format md
    """
    common.check_format(format, _FORMATS)
    if sort not in ("margin", "time", "tool"):
        raise UsageError(f"no order {sort!r}; there is margin, time, tool")
    settings = load_config(config)
    bar = common.progress()
    cache = None if no_cache or no_scores else open_cache()
    report = score(
        chosen_paths(paths, settings),
        embedder=None if no_scores else embedder_maker(embedder, allow_download),
        options=margin_options(
            settings, scorer, threshold, intent=intent, run=run, show_context=show_context
        ),
        cache=cache,
        progress=bar,
    )
    common.done(bar)
    warn_of_cache(cache)
    warn_of_threshold(report)
    selection = document.Selection(flagged=flagged, tool=tool, top=top, sort=sort)
    _write(report, selection, pairs, format)
    end_with_unreadable(report)
    _end_with_unknown_run(report)


def _end_with_unknown_run(report: Report) -> None:
    """A run id that is in none of the recordings is the caller's mistake."""
    asked = report.one("run-asked")
    if asked is not None and not asked.get("known"):
        run = asked.text("run")
        said = f"agentprint: no recording has a run {run!r} (agentprint runs lists them)"
        print(visible(said), file=sys.stderr)
        raise typer.Exit(EXIT_USAGE)


def _write(report: Report, selection: document.Selection, pairs: bool, format: str) -> None:
    if format in ("csv", "jsonl"):
        rows = (
            document.pairs(report)
            if pairs
            else [document.call(fact) for fact in document.selected(report, selection)]
        )
        sys.stdout.write(_csv(rows) if format == "csv" else _jsonl(rows))
        return

    def as_json() -> dict[str, object]:
        found = document.document(report, selection)
        return {**found, "pairs": document.pairs(report)} if pairs else found

    common.write(
        Output(as_json, lambda: outline(report, selection, by_pairs=pairs)), format, _FORMATS
    )


def _jsonl(rows: list[dict[str, object]]) -> str:
    return "".join(dumps(row, indent=False) + "\n" for row in rows)


def _csv(rows: list[dict[str, object]]) -> str:
    """Rows with one column for each simple member; lists are joined, pointers left out. A cell
    that a spreadsheet would run as a formula is set behind an apostrophe."""
    rows = [_with_intent(row) for row in rows]
    names = dict.fromkeys(
        name for row in rows for name in row if name not in ("pointers", "scores", "narrowest")
    )
    # A column that some rows lack stands where it first came up; these stand at the end.
    names.update({name: names.pop(name) for name in _INTENT_COLUMNS if name in names})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in names])
    return out.getvalue()


_INTENT_COLUMNS = tuple(
    f"intent_{name}" for name in ("margin", "threshold", "flags", "named", "top")
)


def _with_intent(row: dict[str, object]) -> dict[str, object]:
    """The row with a member for each column of what the model wrote with its calls."""
    said = row.get("intent")
    if not isinstance(said, dict):
        return row
    kept = {name: value for name, value in row.items() if name != "intent"}
    columns = {name: said.get(name.removeprefix("intent_")) for name in _INTENT_COLUMNS}
    return {**kept, **columns}


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    text = visible(" ".join(map(str, value)) if isinstance(value, list) else str(value))
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def chosen_paths(paths: list[str] | None, settings: Config) -> list[str]:
    """The paths given, else those of the configuration, else the folder ``recordings``."""
    if paths:
        return paths
    if settings.recordings:
        return list(settings.recordings)
    if not os.path.isdir("recordings"):
        raise UsageError(
            "no paths were given, none are configured (recordings = […]), and there is no folder "
            "'recordings' here"
        )
    return ["recordings"]


def margin_options(
    settings: Config,
    scorer: str | None,
    threshold: float | None,
    *,
    with_others: bool = True,
    intent: bool | None = None,
    run: str | None = None,
    show_context: bool = False,
) -> MarginOptions:
    """How choices are scored, from the command line over the configuration.

    A threshold is in the units of a scorer: of the one that is named here, else in the
    configuration, else of the one that was calibrated. Where there is none of these it is of the
    reference. Raises `UsageError`.
    """
    given, made_for = settings.thresholds, settings.thresholds.made_for
    if threshold is not None:
        given = Thresholds(default=threshold)
    named = settings.scorer if scorer is None else scorer
    if named is None and made_for is not None and is_scorer(made_for.scorer):
        named = made_for.scorer
    if named is None and (given.default is not None or given.tools or given.pairs):
        named = REFERENCE
    check_scorer(named)
    check_thresholds(given, named, "--" if threshold is not None else f"{settings.source}: ")
    return MarginOptions(
        thresholds=given,
        scorer=named,
        with_others=with_others,
        intent=intent,
        run=run,
        show_context=show_context,
    )


def embedder_maker(name: str | None, allow_download: bool) -> Callable[[], Embedder]:
    """Makes the embedder that the command line or the environment names."""

    def make() -> Embedder:
        from ..embedding import DEFAULT, make_embedder

        chosen = name or os.environ.get("AGENTPRINT_EMBEDDER") or DEFAULT
        return make_embedder(chosen, allow_download=allow_download)

    return make


def open_cache() -> VectorCache:
    """The cache of vectors, which is opened when it is first used."""
    from ..embedding import VectorCache

    return VectorCache()


def warn_of_cache(cache: VectorCache | None) -> None:
    """Say on standard error what was wrong with the cache; results do not depend on it."""
    for warning in cache.warnings if cache is not None else ():
        print(visible(f"agentprint: {warning}"), file=sys.stderr)


def warn_of_threshold(report: Report) -> None:
    """Say on standard error when the threshold was made for other scores."""
    for warning in made_for.warnings(report):
        print(visible(f"agentprint: {warning}"), file=sys.stderr)


def end_with_unreadable(report: Report) -> None:
    """Exit 3 when a file could not be read, after everything else was reported."""
    count = len(report.of("unreadable"))
    if count:
        for fact in report.of("unreadable"):
            print(visible(f"agentprint: {fact.text('why')}"), file=sys.stderr)
        raise typer.Exit(EXIT_UNREADABLE)
