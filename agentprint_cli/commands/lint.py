"""``agentprint lint``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..base.errors import EXIT_CHECK_FAILED, EXIT_NOT_MEASURED
from ..base.safe_text import visible
from ..model import Outcome
from ..renderers import Output
from ..reports.lint import document
from ..reports.lint.pipeline import THRESHOLD, WATCHED, LintOptions, exit_outcome
from ..reports.lint.pipeline import lint as lint_catalogue
from . import common

_DEFAULT = LintOptions()


def lint(
    catalogue: Annotated[
        str,
        typer.Argument(
            metavar="CATALOGUE",
            help="A JSON document that lists tools (a plain list, an MCP tools/list result, "
            "OpenAI's or Anthropic's form), or a recorded log, whose menus are read; - reads "
            "standard input.",
        ),
    ],
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="NAME", help="Which embedder compares the texts.")
    ] = _DEFAULT.embedder,
    no_scores: Annotated[
        bool,
        typer.Option("--no-scores", help="Measure no similarity: structural findings only."),
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            metavar="X",
            help=f"From this similarity on a pair is confusable. [default: {THRESHOLD:g}]",
        ),
    ] = None,
    watch: Annotated[
        float | None,
        typer.Option(
            "--watch",
            metavar="X",
            help=f"From this similarity on a pair is listed. [default: {WATCHED:g}, or the "
            "threshold when that is lower]",
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="ID,…",
            help="The findings that end with exit code 1, or none. [default: "
            "duplicate-names,confusable]",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Neither read nor store vectors on disk.")
    ] = False,
    allow_download: Annotated[
        bool,
        typer.Option("--allow-download", help="Let a model be fetched from the network."),
    ] = False,
    format: Annotated[str, common.format_option("text", "json", "md")] = "text",
) -> None:
    """Say which tools of a catalogue get confused: pairs of similar texts, equal names, and
    descriptions and schemas that leave something open.

    Ends with exit code 1 when there is a finding that --fail-on names, and with 4 when such a
    finding could not be looked for in full.

    Examples:

      agentprint lint tools.json

      agentprint lint run.jsonl --threshold 0.75 --format md

      agentprint lint tools.json --no-scores --fail-on duplicate-names,no-description
    """
    common.check_format(format)
    options = LintOptions(
        embedder=embedder,
        scores=not no_scores,
        threshold=threshold,
        watch=watch,
        fail_on=_ids(fail_on),
        cache=not no_cache,
        allow_download=allow_download,
    )
    bar = common.progress()
    report = lint_catalogue(catalogue, options, progress=bar, warn=_warn)
    common.done(bar)
    common.write(Output(report.to_dict, lambda: document.outline(report)), format)
    outcome = exit_outcome(report)
    if outcome is Outcome.FAIL:
        raise typer.Exit(EXIT_CHECK_FAILED)
    if outcome is Outcome.INCONCLUSIVE:
        raise typer.Exit(EXIT_NOT_MEASURED)


def _ids(given: list[str] | None) -> tuple[str, ...] | None:
    """The ids of all ``--fail-on`` options, each once."""
    if given is None:
        return None
    ids = (id.strip() for each in given for id in each.split(","))
    return tuple(dict.fromkeys(id for id in ids if id))


def _warn(message: str) -> None:
    print(visible(f"agentprint: {message}"), file=sys.stderr)
