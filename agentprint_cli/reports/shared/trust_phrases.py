"""Sentences about how far margins are to be trusted, and about what the model announced."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import Fact
from .words import as_list, quoted

_REASONS: Mapping[str, str] = {
    "few-choices": "fewer than 20 choices have a margin",
    "low-agreement": "the best-scored tool was chosen in less than 60% of the choices",
    "texts-disagree": (
        "by the menu's texts alone, the best-scored tool was chosen in less than half of the "
        "choices, so that something else decides, and an unusual choice need not be a wrong one"
    ),
    "deep-in-run": (
        "more than half of the choices were made after the model had written text in the turn, "
        "and no other conversation had a say in them"
    ),
}
"""Why flags are weak or nothing is known of them."""


_PLACES: Mapping[str, str] = {
    "single": "before any text of the model in the turn",
    "in_run": "after such text",
}


def agreement(fact: Fact) -> str:
    """How often the best-scored tool was chosen, over all choices and by whether the model
    had written text in the turn."""
    parts = [
        f"{name} {fact.text(f'{key}_agreed')} of {fact.text(key)}"
        for key, name in _PLACES.items()
        if fact.get(key)
    ]
    compared = fact.get("compared")
    beside = (
        f"; other conversations had a say in {compared} of these; by the menu's texts "
        f"alone it would be {fact.text('agreed_by_texts')}"
        if compared
        else ""
    )
    word = "choice" if fact.get("choices") == 1 else "choices"
    return (
        f"The best-scored tool was chosen in {fact.text('agreed')} of {fact.text('choices')} "
        f"{word} ({', '.join(parts)}){beside}."
    )


def level(fact: Fact) -> str:
    """What the flags are worth, and why."""
    why = "; ".join(_reason(str(reason), fact) for reason in as_list(fact.get("reasons")))
    return {
        "unknown": f"How far flags are to be trusted here is not known: {why}. More recordings of "
        "the same agent, read together, would tell.",
        "weak": f"Flags are weak here: {why}. A flag is then a place to look at, not a finding.",
        "fair": "Flags are fair evidence here, as on the labelled requests that agree as often.",
    }[fact.text("level")]


def _reason(reason: str, fact: Fact) -> str:
    asked = fact.get("asks_others") or reason != "deep-in-run"
    return _REASONS[reason] + ("" if asked else ", since this scorer asks none")


def helps(fact: Fact, calibrated: bool = False) -> list[str]:
    """What would make flags worth more. ``calibrated``: the threshold was fitted already."""
    found = []
    pairs = [pair for pair in as_list(fact.get("pairs")) if isinstance(pair, dict)]
    if pairs:
        named = ", ".join(
            f"{quoted(pair['top'])} over {quoted(pair['chosen'])} ({pair['calls']})"
            for pair in pairs
        )
        found.append(
            f"descriptions that tell these apart, where a tool scored better than the chosen one: "
            f"{named}"
        )
    if not fact.get("asks_others"):
        found.append("a scorer that asks other recordings of the same agent (--scorer fleet)")
    elif not fact.get("compared"):
        found.append("more recordings of the same agent, read together with these")
    if not calibrated:
        found.append("a threshold fitted to your recordings (agentprint calibrate)")
    found.append("a baseline, so that each request is compared with itself (agentprint check)")
    return found


def announced(fact: Fact) -> str:
    """What the model wrote with its calls, against what it called."""
    said = fact.get("intent")
    intent: Mapping[str, object] = said if isinstance(said, dict) else {}
    chosen = ", ".join(str(name) for name in as_list(fact.get("chosen")))
    named = as_list(intent.get("named"))
    if named:
        names = ", ".join(str(name) for name in named)
        return f"called {chosen}; the text that came with it names {names}"
    return f"called {chosen}; the text that came with it fits {intent.get('top')} better"
