"""``agentprint calibrate``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..base.config import Config, load_config
from ..base.errors import EXIT_NOT_MEASURED, UsageError
from ..base.outputs import check_writable
from ..base.safe_text import visible
from ..choices.scoring import REFERENCE
from ..renderers import Output
from ..reports.calibrate.outline import outline
from ..reports.calibrate.pipeline import DEFAULT_SHARE, CalibrateOptions
from ..reports.calibrate.pipeline import calibrate as measure
from ..reports.calibrate.pipeline import write as write_threshold
from ..reports.shared import phrases
from . import common
from . import margins as shared

NEW_FILE = "agentprint.toml"
"""What is made where there is no configuration yet."""


def calibrate(
    paths: shared.PathsArgument = None,
    share: Annotated[
        str,
        typer.Option(
            "--share",
            metavar="N%",
            help="Propose the threshold below which at most this share of the choices lies.",
        ),
    ] = DEFAULT_SHARE,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Write the proposed threshold into the configuration, with the embedder and the "
            "scorer that it holds for; into agentprint.toml where there is none.",
        ),
    ] = False,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="Which choices were right (JSON Lines or CSV): how well the flags agree.",
        ),
    ] = None,
    scorer: shared.ScorerOption = None,
    threshold: shared.ThresholdOption = None,
    embedder: shared.EmbedderOption = None,
    no_cache: shared.NoCacheOption = False,
    allow_download: shared.DownloadOption = False,
    config: shared.ConfigOption = None,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """Show how the margins of your recordings lie, and find a threshold for them.

    The margins of all choices, how many are flagged, and how often the best-scored tool was the
    chosen one, by tool, pair, size of the menu and place in the turn. With --labels, how well
    margins and flags tell wrong choices from right ones.

    Examples:

      agentprint calibrate runs/

      agentprint calibrate runs/ --share 2% --write

      agentprint calibrate runs/ --labels labels.csv --format json
    """
    common.check_format(format)
    if write and threshold is not None:
        raise UsageError(
            "--write writes the threshold for --share, and --threshold names another one: give "
            "one of the two"
        )
    settings = load_config(config)
    target = config or settings.source or NEW_FILE
    if write:
        check_writable(target)
        if scorer is not None and settings.scorer not in (None, scorer):
            raise UsageError(
                f"{settings.source}: scorer = {settings.scorer!r} goes before the scorer that a "
                f"threshold was made for, so one for {scorer!r} would never be used: change or "
                "remove that line, or leave out --write"
            )
        _check_own_thresholds(settings, scorer)
    bar = common.progress()
    cache = None if no_cache else shared.open_cache()
    report = measure(
        shared.chosen_paths(paths, settings),
        embedder=shared.embedder_maker(embedder, allow_download),
        options=CalibrateOptions(
            margins=shared.margin_options(settings, scorer, threshold),
            share=share,
            labels=labels,
        ),
        cache=cache,
        progress=bar,
    )
    common.done(bar)
    shared.warn_of_cache(cache)
    shared.warn_of_threshold(report)
    if write:
        report = write_threshold(report, target)
    common.write(Output(report.to_dict, lambda: outline(report)), format)
    proposal = report.one("proposal")
    unwritten = write and proposal is not None and proposal.reason is not None
    if unwritten and proposal is not None:
        why = phrases.no_threshold(proposal)
        print(visible(f"agentprint: nothing was written: {why}"), file=sys.stderr)
    shared.end_with_unreadable(report)
    if unwritten:
        raise typer.Exit(EXIT_NOT_MEASURED)


def _check_own_thresholds(settings: Config, scorer: str | None) -> None:
    """Raises `UsageError` when thresholds of tools or pairs, which are in the units of the scorer
    in use, would be taken for those of another one after the writing."""
    given = settings.thresholds
    made_for = given.made_for.scorer if given.made_for is not None else REFERENCE
    used = settings.scorer or made_for
    if scorer not in (None, used) and (given.tools or given.pairs):
        raise UsageError(
            f"{settings.source}: its thresholds of tools and pairs are in the units of {used}, and "
            f"would be read in those of {scorer}: remove or change them first, or leave out --write"
        )
