"""``agentprint calibrate``: how margins lie over recordings, and which threshold fits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ...base.config import Calibration, Thresholds
from ...base.config_file import write_threshold
from ...base.errors import UsageError
from ...choices.calibration.agreement import agreement
from ...choices.calibration.measured import Measured, part_of
from ...choices.labels import Matched, match, read_labels
from ...choices.scoring import MarginOptions
from ...model import Fact, Reason, Report, Status, absent
from ...rules import calibration as rules
from ...rules.margin import NARROW, PROXY_DISAGREEMENT
from ...view.source import Progress
from ..margins.pipeline import margins
from . import document
from .shape import distribution, flag, groups

if TYPE_CHECKING:
    from ...embedding import Embedder, VectorCache

DEFAULT_SHARE = "5%"
_KNOWN_FLAGS = (NARROW, PROXY_DISAGREEMENT)
"""Told of even when no choice has them."""


@dataclass(frozen=True, slots=True)
class CalibrateOptions:
    """How choices are scored, and what is asked of the margins."""

    margins: MarginOptions = field(default_factory=MarginOptions)
    share: str = DEFAULT_SHARE
    """The share of the choices that is to be narrow."""
    labels: str | None = None
    """A file of labels; see `labels`."""


def calibrate(
    paths: Iterable[str],
    *,
    embedder: Callable[[], Embedder] | None = None,
    options: CalibrateOptions | None = None,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Report:
    """The margins of the recordings that ``paths`` name, summed up, with the threshold for a
    wanted share of narrow choices, and how well the flags agree with labels.

    The report holds the facts of `margins_pipeline.margins` and those made of them. Raises what
    `margins` raises, and `errors.UsageError` for a share that is none and for labels that cannot
    be read.
    """
    options = options or CalibrateOptions()
    share = rules.parse_share(options.share)
    if share is None:
        raise UsageError(f"a share is above 0% and below 100%, such as 5%; not {options.share!r}")
    labels = read_labels(options.labels) if options.labels is not None else None
    scored = margins(
        paths, embedder=embedder, options=options.margins, cache=cache, progress=progress
    )
    choices = scored.of("choice")
    matched = match(labels.labels, choices) if labels is not None else Matched()
    measured = [
        Measured(fact, matched.right.get(place), matched.names.get(place))
        for place, fact in enumerate(choices)
        if isinstance(fact.get("margin"), float)
    ]
    flags = list(dict.fromkeys([*_KNOWN_FLAGS, *(f for each in measured for f in each.flags)]))
    proposal = _proposal(measured, options.margins.thresholds, options.share.strip(), share)
    facts = [
        *scored.facts,
        distribution(choices, measured),
        *(flag(name, measured) for name in flags),
        *groups(measured, flags),
        proposal,
    ]
    if labels is not None:
        thresholds = options.margins.thresholds
        facts.extend(agreement(labels, matched, measured, flags, proposal, thresholds))
    return replace(scored, schema=document.SCHEMA, facts=tuple(facts), shape=document.document)


def write(report: Report, path: str) -> Report:
    """Write the proposed threshold, and what it was made from, into the configuration file at
    ``path``; the report with a fact that says so. Without a proposal nothing is written. Raises
    `errors.UsageError` and `errors.OutputFailed`."""
    proposal, embedder = report.one("proposal"), report.one("embedder")
    assert proposal is not None
    assert embedder is not None
    threshold, choices = proposal.get("threshold"), proposal.get("choices")
    if not isinstance(threshold, float) or not isinstance(choices, int):
        return report
    made_from = Calibration(
        embedder.text("fingerprint"),
        embedder.text("scores_of"),
        share=proposal.text("share"),
        choices=choices,
        recordings=len(report.recordings),
    )
    changed = write_threshold(path, threshold, made_from)
    values = {"path": path, "threshold": threshold, "changed": changed}
    fact = absent("written", Status.NOT_APPLICABLE, None, values)
    return replace(report, facts=(*report.facts, fact))


def _proposal(
    measured: Sequence[Measured], thresholds: Thresholds, written: str, share: Fraction
) -> Fact:
    """The threshold for the wanted share of the choices that the default threshold decides."""
    margins = [each.margin for each in measured if not each.own_threshold(thresholds)]
    found = rules.threshold_for(margins, share)
    values: dict[str, object] = {
        "share": written,
        "choices": len(margins),
        "own_threshold": len(measured) - len(margins),
        "needed": rules.fewest(share),
    }
    if isinstance(found, rules.Proposal):
        values["threshold"] = found.threshold
        values["flagged"] = found.flagged
        values["reached"] = part_of(found.flagged, len(margins))
        return absent("proposal", Status.NOT_APPLICABLE, None, values)
    if found is rules.NoThreshold.TIED:
        values["tied"] = margins.count(min(margins))
        return absent("proposal", Status.NOT_MEASURABLE, Reason.TIED, values)
    return absent("proposal", Status.NOT_MEASURABLE, Reason.TOO_FEW, values)
