"""Sentences about thresholds and labels."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import Fact, Reason

PROBLEMS: Mapping[str, str] = {
    "broken": "cannot be read",
    "unmatched": "is of no choice in these recordings",
    "ambiguous": "could be of several choices",
    "unscored": "is of a choice without a margin",
    "contradictory": "contradicts another",
    "not-on-the-menu": "names no tool of the menu",
    "partly-on-the-menu": "is used, but names a tool that is not on the menu",
}
"""What is wrong with a line of labels, by kind."""

NO_INTERVAL: Mapping[str, str] = {
    "few-groups": "there are fewer than 10 turns",
    "often-undefined": "most resamples have no value",
    "constant": "every resample has the same value",
}
"""Why there is no interval."""


def made_for_another(fact: Fact) -> str:
    """The warning that a threshold was made for other scores."""
    used, differs = fact.get("used"), fact.get("differs")
    own: Mapping[str, object] = used if isinstance(used, dict) else {}
    names = [str(name) for name in differs] if isinstance(differs, list) else []
    made = " and ".join(f"{name} {fact.text(name)}" for name in names)
    these = " and ".join(f"{name} {own.get(name)}" for name in names)
    alone = "scorer" in names and fact.get("named") != own.get("scorer")
    why = ", since no other conversation had a say" if alone else ""
    return (
        f"the threshold {fact.text('threshold')} was made for {made}, and these scores are of "
        f"{these}{why}: it says nothing of these (agentprint calibrate finds one for these)"
    )


def no_threshold(fact: Fact) -> str:
    """Why there is no threshold for the wanted share."""
    choices, share, needed = (fact.text(name) for name in ("choices", "share", "needed"))
    if fact.reason is Reason.TIED:
        return (
            f"no threshold flags some of {choices} choices and at most {share}: "
            f"{fact.text('tied')} of them share the lowest margin"
        )
    noun = "choice is" if choices == "1" else "choices are"
    return f"{choices} {noun} too few for a share of {share}: it takes at least {needed}"
