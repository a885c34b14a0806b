"""``agentprint check``."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ..base.config import Config, load_config, parse_limit, parse_noise
from ..base.errors import EXIT_CLEAN, UsageError
from ..base.outputs import check_writable, write_whole
from ..base.safe_text import visible
from ..model import Report
from ..model.declarations import Declarations, load_declarations
from ..renderers import RENDERERS, Output, Style
from ..reports.check import document
from ..reports.check.pipeline import CheckOptions, Limit, Severity, has_margins, severities
from ..reports.check.pipeline import check as run_gates
from . import common
from . import margins as shared

_FORMATS = ("text", "json", "junit", "sarif", "github", "md")


def check(
    paths: shared.PathsArgument = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="ID,...",
            help="Exactly these gates fail; none: no gate does. By default narrow-margin, "
            "proxy-disagreement and unread-lines; with a baseline that has margins, "
            "margin-narrowed and new-rival too.",
        ),
    ] = None,
    warn_on: Annotated[
        list[str] | None,
        typer.Option(
            "--warn-on",
            metavar="ID,...",
            help="Exactly these gates warn; none: no gate does. By default all that do not fail. "
            "A gate that neither fails nor warns is not run.",
        ),
    ] = None,
    max_narrow: Annotated[
        str | None,
        typer.Option(
            "--max-narrow",
            metavar="N",
            help="Bear N new choices whose margin is below the threshold, or a share of the scored "
            "choices such as 5% (0).",
        ),
    ] = None,
    max_disagreement: Annotated[
        str | None,
        typer.Option(
            "--max-disagreement",
            metavar="N",
            help="Bear N new choices that are flagged since another tool scored better, or a share "
            "(0).",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Findings that this file holds are known and pass; choices are compared with the "
            "margins that it holds.",
        ),
    ] = None,
    update_baseline: Annotated[
        bool,
        typer.Option("--update-baseline", help="Write the baseline anew with what is found now."),
    ] = False,
    noise: Annotated[
        float | None,
        typer.Option(
            "--noise",
            metavar="X",
            help="How far a margin may fall below the baseline's for nothing, in the scorer's "
            "units, instead of what the scorer declares (cosine: 0.03, hybrid: 0.4).",
        ),
    ] = None,
    declare: common.DeclareOption = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            "--scorer",
            metavar="NAME",
            help="cosine (the reference), hybrid (with shared words) or fleet (with what other "
            "recordings chose too, but for the gates that compare, which then use hybrid). By "
            "default that of the configuration or of its threshold, else hybrid with the default "
            "embedder and cosine with any other.",
        ),
    ] = None,
    threshold: shared.ThresholdOption = None,
    embedder: shared.EmbedderOption = None,
    no_cache: shared.NoCacheOption = False,
    allow_download: shared.DownloadOption = False,
    config: shared.ConfigOption = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="[FORMAT=]FILE",
            help="Write to FILE too, in FORMAT; may be given several times. Without FORMAT, FILE "
            "gets what --format names, and the terminal gets text.",
        ),
    ] = None,
    format: Annotated[str, common.format_option(*_FORMATS)] = "text",
) -> None:
    """Check recordings against gates, for CI: new findings of a failing gate end with code 1.

    Ends with 1 when a failing gate failed, else with 3 when a file could not be read, else with 4
    when a failing gate could not be measured (for example, when nothing was scored), else with 0.
    Gates that warn are shown and never change the exit code.

    Examples:

      agentprint check

      agentprint check runs/ --baseline agentprint-baseline.json --update-baseline

      agentprint check runs/ --fail-on margin-narrowed,new-rival --baseline agentprint-baseline.json

      agentprint check runs/ --max-narrow 5% --output sarif=out.sarif --output junit=out.xml

      agentprint check runs/ --fail-on undeclared-empty,unread-lines --warn-on none
    """
    common.check_format(format, _FORMATS)
    files = [_target(each, format) for each in output or ()]
    shown = "text" if any(not named for _, _, named in files) else format
    settings = load_config(config)
    known = baseline or settings.baseline
    options = CheckOptions(
        severities=_severities(settings, fail_on, warn_on, has_margins(known)),
        limits=_limits(settings, max_narrow, max_disagreement),
        margins=shared.margin_options(settings, scorer, threshold, with_others=False),
        declarations=_declarations(declare or settings.declare),
        baseline=known,
        noise=settings.noise if noise is None else parse_noise(noise, "--noise"),
        update_baseline=update_baseline,
    )
    bar = common.progress()
    cache = None if no_cache else shared.open_cache()
    report = run_gates(
        shared.chosen_paths(paths, settings),
        embedder=shared.embedder_maker(embedder, allow_download),
        options=options,
        cache=cache,
        progress=bar,
    )
    common.done(bar)
    shared.warn_of_cache(cache)
    shared.warn_of_threshold(report)
    _write(report, shown, files)
    for fact in report.of("unreadable"):
        print(visible(f"agentprint: {fact.text('why')}"), file=sys.stderr)
    code = document.exit_code(report)
    if code != EXIT_CLEAN:
        raise typer.Exit(code)


def _target(written: str, format: str) -> tuple[str, str, bool]:
    """The format and the file of an ``--output``, and whether it names the format itself."""
    name, equals, path = written.partition("=")
    named = bool(equals) and name in _FORMATS
    found = (name, path, True) if named else (format, written, False)
    check_writable(found[1])
    return found


def _write(report: Report, shown: str, files: Sequence[tuple[str, str, bool]]) -> None:
    """The files first: they are complete even when the reader of the output goes away."""
    output = Output(report.to_dict, lambda: document.outline(report))
    for format, path, _ in files:
        stream = io.StringIO()
        RENDERERS[format].write(output, stream, Style())
        write_whole(path, stream.getvalue())
    common.write(output, shown, _FORMATS)


def _severities(
    settings: Config, fail_on: list[str] | None, warn_on: list[str] | None, compares: bool
) -> dict[str, Severity]:
    """The weights, from the flags over the configuration. A list of the configuration gives way
    where a flag names the same gate."""
    flags = {"fail": fail_on, "warn": warn_on}
    configured = {"fail": settings.fail_on, "warn": settings.warn_on}
    try:
        severities(configured["fail"], configured["warn"], compares=compares)
    except UsageError as error:
        raise UsageError(f"{settings.source}: {error}") from None

    def of(one: str, other: str) -> Sequence[str] | None:
        own, named = configured[one], flags[other]
        if flags[one] is not None or own is None:
            return flags[one]
        taken = {id.strip() for word in named or () for id in word.split(",")}
        return tuple(id for id in own if id not in taken) or ("none",)

    return severities(of("fail", "warn"), of("warn", "fail"), compares=compares)


def _limits(settings: Config, narrow: str | None, disagreement: str | None) -> dict[str, Limit]:
    given = {
        "narrow-margin": (narrow, settings.max_narrow, "--max-narrow"),
        "proxy-disagreement": (disagreement, settings.max_disagreement, "--max-disagreement"),
    }
    limits = {}
    for gate, (flag, configured, what) in given.items():
        written = configured if flag is None else flag
        if written is not None:
            limits[gate] = Limit(written, *parse_limit(written, what))
    return limits


def _declarations(path: str | None) -> Declarations | None:
    return load_declarations(path) if path is not None else None
