"""``agentprint/calibration@1``: how margins lie over recordings, and which threshold fits them."""

from __future__ import annotations

from ...model import Fact, Report
from ..margins import document as margins
from ..shared import common

SCHEMA = "agentprint/calibration@1"
GROUPS = {
    "tool": "tools",
    "pair": "pairs",
    "menu_size": "menu_sizes",
    "turn_position": "turn_positions",
}
"""What choices are grouped by, and the member that holds these groups."""
_COUNTS = ("count", "everything_chosen", "turns", "flagged", "top_chosen", "recorded_twice")
_GROUP = (
    "tool",
    "chosen",
    "rival",
    "menu_size",
    "turn_position",
    "choices",
    "flagged",
    "flagged_share",
    "flags",
    "top_chosen",
    "top_chosen_share",
    "median",
)
_PROPOSAL = (
    "share",
    "choices",
    "own_threshold",
    "needed",
    "threshold",
    "flagged",
    "reached",
    "tied",
)
_LABELS = (
    "path",
    "labels",
    "empty",
    "repeated",
    "used",
    "right",
    "wrong",
    "turns",
    "resamples",
    "seed",
    "level",
)
_QUALITY = (
    "flag",
    "proposed",
    "flagged_wrong",
    "flagged_right",
    "precision",
    "recall",
    "right_flagged",
)


_FLAG = ("flag", "flagged", "among", "share")


def document(report: Report) -> dict[str, object]:
    """The JSON contract's form."""
    scores = margins.document(report, margins.Selection(top=0))
    distribution, proposal = report.one("distribution"), report.one("proposal")
    assert distribution is not None
    assert proposal is not None
    members: dict[str, object] = {
        # Who made the scores and what was read, as `margins` has it, without the calls.
        **{name: value for name, value in scores.items() if name != "calls"},
        "margins": common.values(distribution, *_COUNTS, "min", "max", "quantiles", "histogram"),
        "flags": [
            common.values(fact, "flag", "flagged", "among", "share") for fact in report.of("flag")
        ],
    }
    for kind, name in GROUPS.items():
        members[name] = [group(fact) for fact in report.of("group") if fact.get("by") == kind]
    missing = common.status(proposal) if proposal.reason is not None else {}
    members["proposal"] = {**missing, **common.values(proposal, *_PROPOSAL)}
    if (about := report.one("labels")) is not None:
        members["labels"] = _labels(report, about)
    if (written := report.one("written")) is not None:
        members["written"] = common.values(written, "path", "threshold", "changed")
    return members


def group(fact: Fact) -> dict[str, object]:
    """A group of choices, with its lowest margin."""
    lowest = {
        "margin": fact.get("lowest"),
        **common.values(fact, "recording"),
        "pointers": common.pointers(fact.pointers),
    }
    return {**common.values(fact, *_GROUP), "lowest": lowest}


def _labels(report: Report, about: Fact) -> dict[str, object]:
    members = common.values(about, *_LABELS)
    auroc = report.one("auroc")
    assert auroc is not None
    value = auroc.get("value")
    members["auroc"] = value if isinstance(value, dict) else common.status(auroc)
    members["flags"] = [common.values(fact, *_QUALITY) for fact in report.of("flag-quality")]
    first = report.one("ranked-first")
    if first is not None:
        members["ranked_first"] = common.values(first, "choices", "first", "value")
    members["problems"] = [
        common.values(fact, "line", "problem", "why") for fact in report.of("label-problem")
    ]
    return members
