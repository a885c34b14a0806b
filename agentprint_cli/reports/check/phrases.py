"""What each gate of ``agentprint check`` finds, and what to do about it. Version 1."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import Fact
from ..shared.words import as_list, quoted

GATES: Mapping[str, tuple[str, str]] = {
    "narrow-margin": (
        "A tool was chosen by a narrow margin",
        "The margin is below the threshold: to the scorer, the context fits another tool of the "
        "menu too well beside the chosen one. Tell the two apart in their descriptions: what each "
        "is for, and when to use the other.",
    ),
    "proxy-disagreement": (
        "Another tool scored better than the chosen one",
        "To the scorer, the context fits a tool better that was not called. With cosine every such "
        "choice is told, with the other scorers one whose margin is below the threshold. Read the "
        "call: either the description of the chosen tool says too little, or the choice was off.",
    ),
    "margin-narrowed": (
        "A choice became closer than the baseline knew it",
        "The same request chose the same tool, and another tool came closer to it by more than "
        "the noise. Look for a description that was reworded, or a tool that was added. If the "
        "change is meant, --update-baseline accepts the new margin.",
    ),
    "new-rival": (
        "Another tool became the closest rival of a choice",
        "For the same request, a tool that was no rival before is now the closest of those that "
        "were not chosen. Tell the two apart in their descriptions, or accept it with "
        "--update-baseline.",
    ),
    "undeclared-empty": (
        "An empty result did not say what had been searched",
        "A tool returned nothing and did not say what it had looked at, and that was in front of "
        "the model when it answered. Have the tool say what it searched.",
    ),
    "failed-call-before-answer": (
        "A call failed, or has no recorded end, before the answer",
        "The answer was given although a tool call had failed or never ended. Read the call and "
        "what the answer makes of it.",
    ),
    "unknown-tool": (
        "A tool was called that was not on the menu",
        "The model named a tool that the model call had not been offered. Look for a stale name "
        "in the prompt or in earlier turns.",
    ),
    "cut-result-used": (
        "A result that had been cut was in front of the model",
        "The model was given only the beginning of a result. Have the tool return less, or ask "
        "it for less.",
    ),
    "existence-not-checked": (
        "A tool left open whether what was asked for exists",
        "The tool itself says that it did not check existence. An answer that there is none does "
        "not follow from it.",
    ),
    "decided-not-delivered": (
        "The skill that was decided on did not reach the model",
        "The router decided on a skill, and no recorded system prompt held it.",
    ),
    "unknown-standing": (
        "The model judged a result that it was never served",
        "The model put a standing on an id that no compose on record served to it. Its words about "
        "its results do not fit the results.",
    ),
    "unattested-code": (
        "The code on record does not attest what a tool ran",
        "The shape of the recorded code hashes to something else than the run's event says, or "
        "there is no code for the run. The record and the run are not of one piece.",
    ),
    "unclosed-session": (
        "A code session was left open",
        "A sandbox was started and never closed, or closing it failed. It may still be running.",
    ),
    "unfinished-run": (
        "A run ends before an answer",
        "The record holds no answer of the run, and the run did not pause to ask a person. Look "
        "for an error at its end, or for a log that was cut.",
    ),
    "unread-lines": (
        "A place of the recording could not be read",
        "What stood there is not known, and other gates did not see it. agentprint validate "
        "lists what is wrong with a file.",
    ),
}
"""Gate -> what it finds in one line, and what to do about it."""

UNCOMPARED: Mapping[str, str] = {
    "no-baseline": "there is no baseline to compare with; --baseline FILE --update-baseline "
    "writes one",
    "no-margins": "the baseline holds no margins; --update-baseline writes them",
    "other-embedder": "the baseline's margins were made by the embedder {was}, those of now by "
    "{now}: they cannot be compared; --update-baseline writes them anew",
    "other-scorer": "the baseline's margins were made by the scorer {was}, those of now by {now}: "
    "they cannot be compared; --update-baseline writes them anew, --scorer {was} scores as before",
    "not-in-baseline": "the baseline does not know the request, or no choice at this place of "
    "its turn; --update-baseline takes it in",
    "other-choice": "at this place of the request the baseline knows another choice: {was}, and "
    "not {now}; --update-baseline takes it in",
    "no-request": "the record does not hold what was asked, so the baseline cannot know it",
}
"""Why a choice cannot be compared with the baseline."""


def uncompared(fact: Fact) -> str:
    """Why this choice cannot be compared with the baseline."""
    was = fact.get("was")
    told = " or ".join(map(str, was)) if isinstance(was, list) else was
    return UNCOMPARED[fact.text("uncompared")].format(was=told, now=fact.text("now"))


def margin_narrowed(fact: Fact) -> str:
    """The sentence for a margin that fell."""
    over = (fact.text("previous_rival"), fact.text("rival"))
    return (
        f"the margin of {fact.text('tool')} fell from {signed(fact.get('previous_margin'))} "
        f"(over {over[0]}) to {signed(fact.get('margin'))} (over {over[1]}), by more than the "
        f"noise of {fact.text('noise')}{_menu(fact)}"
    )


def new_rival(fact: Fact) -> str:
    """The sentence for a tool that became the closest."""
    rivals = as_list(fact.get("known_rivals"))
    return (
        f"{fact.text('rival')} is now the closest rival of {fact.text('tool')}, with a margin of "
        f"{signed(fact.get('margin'))}; in the baseline it was {_some(rivals, ' or ')}, with "
        f"{signed(fact.get('previous_margin'))}{_menu(fact)}"
    )


def _menu(fact: Fact) -> str:
    """What the menu has and lacks since then."""
    added, removed = (as_list(fact.get(f"{name}_tools")) for name in ("added", "removed"))
    told = [
        f"the menu {words[len(tools) > 1]}: {_some([quoted(name) for name in tools], ', ')}"
        for words, tools in (
            (("has a tool that it did not have", "has tools that it did not have"), added),
            (("lacks a tool that it had", "lacks tools that it had"), removed),
        )
        if tools
    ]
    return "".join(f"; {each}" for each in told)


def _some(names: list[object] | list[str], between: str) -> str:
    """The first three of them, and how many more there are."""
    first = between.join(map(str, names[:3]))
    return f"{first} and {len(names) - 3} more" if len(names) > 3 else first


def signed(value: object) -> str:
    """A margin."""
    return f"{value:+.3f}" if isinstance(value, int | float) else "not known"
