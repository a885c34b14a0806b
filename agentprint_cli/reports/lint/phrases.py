"""What ``agentprint lint`` says of a catalogue. Version 1."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import Fact, Reason
from ..shared.words import as_list, quoted

LINT_RULES: Mapping[str, str] = {
    "broken-tool": "an entry is no object, has no name, or has a description or a schema of the "
    "wrong kind",
    "duplicate-names": "names are equal, or differ in nothing but case and separators",
    "confusable": "the texts of two tools that are offered together are at least as similar as the "
    "threshold",
    "watch": "the texts of two tools that are offered together lie in the band below the threshold",
    "no-description": "there is no description, or it is blank",
    "short-description": "the description has fewer than 4 words, or none that is not in the name",
    "enumeration-in-prose": "a description lists the values of a parameter, and the schema "
    "declares no enum for it",
    "undocumented-parameters": "a parameter that is not required has no description",
    "what-not-when": "no English cue of when to use the tool (when, if, before, instead, only, "
    "use this, …); a hint, since many good descriptions need none",
}
_LINT_NAME = 80
_LINT_LISTED = 8


def short(value: object, limit: int = _LINT_NAME) -> str:
    """A recorded word, clipped when it is long."""
    text = str(value)
    return text if len(text) <= limit else f"{text[:limit]}…"


def _some(values: object, limit: int = _LINT_LISTED) -> str:
    """A list in words, with how many more there are."""
    listed = as_list(values)
    shown = ", ".join(short(value) for value in listed[:limit])
    more = len(listed) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def lint_finding(fact: Fact) -> str:
    """The sentence for what was found in a catalogue."""
    tools = fact.get("tools")
    name = _some(tools)
    id = fact.text("id")
    if id == "broken-tool":
        found = short(fact.get("found"), 200)
        why = {
            "not-an-object": f"is {found}, not an object",
            "no-name": f"has no name: {found} stands there",
            "description-not-text": f"has a description that is {found}, not a text",
            "schema-not-an-object": f"has a schema that is {found}, not an object",
        }[fact.text("why")]
        return f"{name} {why}"
    if id == "duplicate-names":
        if fact.get("kind") == "equal":
            return f"{short(as_list(tools)[0])} is the name of {len(as_list(tools))} tools"
        return f"{name} differ in nothing but case and separators"
    if id == "short-description":
        said = quoted(short(fact.get("said")))
        if fact.get("why") == "few-words":
            count = fact.get("words")
            return f"{name} says {said}: {count} word{'' if count == 1 else 's'}"
        return f"{name} says {said}: nothing that is not in its name"
    if id == "enumeration-in-prose":
        listed, parameter = _some(fact.get("listed")), short(fact.get("parameter"))
        return f"{name} lists values of {parameter} in prose, with no enum: {listed}"
    if id == "undocumented-parameters":
        return f"{name} does not describe {_some(fact.get('parameters'))}"
    if id == "no-description":
        return f"{name} has no description"
    return f"{name} has no cue of when to use it"


def lint_not_measurable(fact: Fact) -> str:
    """The sentence for what could not be looked at in a catalogue."""
    assert fact.reason is not None
    count = fact.get("count")
    assert isinstance(count, int)
    check, what = fact.text("check"), fact.text("what")
    if check == "everything":
        calls = f"{count:,} model call{'' if count == 1 else 's'}"
        return {
            "pages": "all checks: the list goes on (it has a nextCursor), and the rest of it is "
            "not in this file",
            "calls": f"all checks: the menu of {calls} is not on record",
            "menus": f"all checks: the menu of {calls} is on record with fewer tools than were "
            "offered",
            "unread": f"all checks: {count:,} place{'' if count == 1 else 's'} of the recording "
            "could not be read",
        }[what]
    if fact.reason is Reason.NOT_ASKED:
        return f"{check}: no similarity was measured, since --no-scores was given"
    if fact.reason is Reason.EMBEDDER_FAILED:
        return f"{check}: no similarity was measured: {short(fact.text('message'), 500)}"
    if what == "menus":
        many = f"{count:,} menu{'' if count == 1 else 's'}"
        return f"{check}: {many} on record without any description"
    why = {
        Reason.UNREADABLE: "broken",
        Reason.KEPT_OUT: "kept out of the record by a redaction policy",
        Reason.NO_SCHEMA: "without a schema",
        Reason.NOT_ENGLISH: "described in none of the English words that the rule knows",
    }[fact.reason]
    more = f" and {count - 5:,} more" if count > 5 else ""
    named = ", ".join(short(tool) for tool in as_list(fact.get("tools"))[:5])
    return f"{check}: {count:,} tool{'' if count == 1 else 's'} {why}: {named}{more}"
