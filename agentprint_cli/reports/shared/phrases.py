"""Every sentence that a person reads about evidence, by rule id. Version 1.

A sentence states what the record shows under a rule; it names no cause. Values are set in as they
were recorded: whoever prints a sentence makes it safe first.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...model import Fact, Reason, Status
from ..calibrate.phrases import made_for_another as made_for_another
from ..calibrate.phrases import no_threshold as no_threshold
from ..check.phrases import GATES as GATES
from ..check.phrases import UNCOMPARED as UNCOMPARED
from ..check.phrases import margin_narrowed, new_rival, signed, uncompared
from ..lint.phrases import LINT_RULES as LINT_RULES
from ..lint.phrases import lint_finding as lint_finding
from ..lint.phrases import lint_not_measurable as lint_not_measurable
from ..lint.phrases import short as short
from .words import as_list
from .words import quoted as quoted

VERSION = 1

REASONS: Mapping[Reason, str] = {
    Reason.NO_EVENT: "the record holds no event that says so",
    Reason.NOT_DECLARED: "it was not declared",
    Reason.KEPT_OUT: "a redaction policy keeps it out of the record",
    Reason.UNREADABLE: "something that it would have to read cannot be read",
    Reason.BEFORE_PAUSE: "it lies before the pause that this run resumes from",
    Reason.DROPPED_FROM_CONTEXT: "something was dropped while the context was composed",
    Reason.NO_COMPOSE: "the record does not hold what was put in front of the model",
    Reason.INCOMPLETE: (
        "the record holds fewer rows than were put in front of the model, "
        "so what the others held is not known"
    ),
    Reason.NOT_IN_HISTORY: "the conversation on record does not hold it",
    Reason.NO_CATALOGUE: "the menu of that model call is not on record",
    Reason.UNFINISHED: "the record ends before an answer",
    Reason.NO_FIELD: "the event has no such field",
    Reason.PLAIN_TEXT: "the result is plain text or a single value, with no rows to count",
    Reason.CUT: "the result was cut short",
    Reason.NO_ID: "the event names no tool-call id",
    Reason.AMBIGUOUS_ID: "several runs of the session used its id, so which is meant is not known",
    Reason.NOT_SCORED: "the choice has no scores",
    Reason.NOT_COMPARED: "there is nothing to compare it with",
    Reason.NO_DESCRIPTIONS: "the menu is on record without any description",
    Reason.NO_SCHEMA: "there is no schema",
    Reason.NOT_ENGLISH: "it holds none of the English words that the rule needs",
    Reason.NOT_ASKED: "it was not asked for",
    Reason.EMBEDDER_FAILED: "the embedder failed",
    Reason.TOO_FEW: "there are too few choices",
    Reason.TIED: "too many choices share the lowest margin",
    Reason.ONE_SIDED: "the labelled choices are all right, or all wrong",
}

OUTCOMES: Mapping[str, str] = {
    "ran": "ran",
    "failed": "FAILED",
    "refused": "was refused before it ran",
    "declined": "was declined by a person",
    "not-dispatched": "was never dispatched",
    "unknown": "has no recorded end: whether it ran is unknown",
}

CHECKS: Mapping[str, str] = {
    "decided-delivered": "whether the skill that was decided on reached the model",
    "existence": "whether a tool left the existence of what was asked unchecked",
    "empty-results-used": "whether an empty result was in front of the model",
    "empty-results-in-view": "whether an earlier empty result was in view",
    "cut-results-used": "whether a cut result was in front of the model",
    "cut-results-in-view": "whether an earlier cut result was in view",
    "failed-calls": "whether a call failed before the answer",
    "offered-tools": "whether a tool was called that was not on the menu",
    "unknown-standings": "whether the model put a standing on an id that was never served",
    "attested-code": "whether the recorded code is the code that ran",
    "closed-sessions": "whether every session that a tool opened was closed",
    "session-keys": "whether each session key was used for one principal only",
    "session-state": "whether code ran in the session that its names were defined in",
}

_SIGNALS: Mapping[str, str] = {
    "decided-not-delivered": (
        "the router decided on {to}, and no recorded compose placed that skill: "
        "every system-prompt compose of the run is on record and complete"
    ),
    "undeclared-empty-used": (
        "{call} returned {rows}, and it did not say what it had searched; "
        "it was in front of the model {when}"
    ),
    "cut-result-used": ("{call} was cut: {cut}; that was in front of the model {when}"),
    "existence-not-checked": (
        "{call} left open whether what was asked for exists at all; it did not check: {what}"
    ),
    "unknown-tool-called": "{call} is not on the menu of the model call that called it",
    "failed-call-before-answer": "{call} failed{before}",
    "unknown-call-before-answer": "{call} has no recorded end{before}",
    "undeclared-empty-in-view": (
        "{call}, from {distance}, returned {rows} and did not say what it had searched; "
        "it was still in view"
    ),
    "cut-result-in-view": "{call}, from {distance}, was cut: {cut}; it was still in view",
    "unknown-standing": (
        "the standing “{standing}” was put on “{call_id}”, and no compose on record served "
        "a result under that id"
    ),
    "unattested-code": "the code on record does not attest what {tool} ran",
    "unclosed-session": "the session {key_hash} of {tool} was not closed",
    "shared-session-key": (
        "the session key {key_hash} of {tool} was used for several {what}: {who}"
    ),
    "session-without-id": (
        "{tool} opened a session of scope session, and the event that says so names no session id"
    ),
    "lost-session-state": (
        "the code of {call} uses {names}, defined by earlier code in the same {scope}, and its "
        "session was new"
    ),
}

# What a signal says where its facts tell in which way it came about (the value ``why``).
_WAYS: Mapping[tuple[str, str], str] = {
    ("unattested-code", "differs"): (
        "the recorded code of {call} hashes to {recomputed_hash}, and its code_run event says "
        "{shape_hash}"
    ),
    ("unattested-code", "missing-code"): (
        "the arguments of {call} hold no code, and a code_run event of hash {shape_hash} belongs "
        "to it"
    ),
    ("unattested-code", "no-call"): (
        "{tool} ran code of hash {shape_hash}, and no call on record was open for it"
    ),
    ("unattested-code", "no-match"): (
        "{tool} ran code of hash {shape_hash}, and the code of none of the {open_calls} calls "
        "then open hashes to it"
    ),
    ("unclosed-session", "never"): (
        "the session {key_hash} of {tool} (scope {scope}) was used, and no event on record closes "
        "it, though the end of the run that used it is on record"
    ),
    ("unclosed-session", "failed"): (
        "closing the session {key_hash} of {tool} (scope {scope}) failed: {error}"
    ),
    ("unclosed-session", "restarted"): (
        "the session {key_hash} of {tool} (scope {scope}) was started again, and no event on "
        "record had closed it"
    ),
}


UNSCORED: Mapping[str, str] = {
    "nothing-chosen": "nothing was chosen",
    "chosen-not-offered": "a chosen tool was not offered",
    "no-catalogue": "the menu is not on record",
    "no-descriptions": "the menu holds names without descriptions",
    "forced-choice": "the request forced the choice",
    "single-candidate": "there was only one tool to choose",
    "duplicate-names": "two tools of the menu have the same name",
    "no-context": "neither the prompt nor any text of the model is on record",
    "no-scores": "the embedder gave no scores",
}


def _number(value: object) -> str:
    """A threshold: one that a rule made has more digits than anybody reads."""
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)


def finding(fact: Fact) -> str:
    """The sentence for what a gate found."""
    gate = fact.text("gate")
    if gate == "narrow-margin":
        return (
            f"the margin of {fact.text('tool')} over {fact.text('rival')} is "
            f"{signed(fact.get('margin'))}; below {_number(fact.get('threshold'))} it is narrow"
        )
    if gate == "proxy-disagreement":
        return (
            f"{fact.text('top')} scored above {fact.text('tool')}, which was chosen: "
            f"the margin is {signed(fact.get('margin'))}"
        )
    if gate == "margin-narrowed":
        return margin_narrowed(fact)
    if gate == "new-rival":
        return new_rival(fact)
    if gate == "unfinished-run":
        how = "a fatal error comes" if fact.get("fatal") else "the record of the run ends"
        return f"{how} before an answer"
    if gate == "unread-lines":
        return f"could not be read: {fact.text('reason')}"
    return signal(fact)


def not_measured(fact: Fact) -> str:
    """Why a part of a gate could not be measured."""
    if fact.get("check") is not None:
        return not_measurable(fact)
    if fact.get("uncompared") is not None:
        return uncompared(fact)
    if fact.get("why") is not None:
        why = fact.text("why")
        return f"a choice has no scores: {UNSCORED.get(why, why)}"
    assert fact.reason is not None
    return REASONS[fact.reason]


def signal(fact: Fact) -> str:
    """The sentence for a signal."""
    id = fact.text("id")
    template = _WAYS.get((id, fact.text("why")), _SIGNALS[id])
    to = fact.get("label") or fact.get("to")
    return template.format_map(
        {
            **{name: _said(sourced.value) for name, sourced in fact.values.items()},
            "to": quoted(to),
            "call": call_name(fact),
            "rows": rows(fact) if fact.get("rows") is not None else "",
            "cut": cut(fact),
            "what": fact.text("what"),
            "before": "" if fact.get("unfinished") else " before the answer was given",
            "when": "for its last call (no answer is recorded)"
            if fact.get("unfinished")
            else "when it answered",
            "distance": distance(fact),
        }
    )


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)


def not_measurable(fact: Fact) -> str:
    """The sentence for a check, or a part of one, that could not run."""
    check = fact.text("check")
    what = CHECKS.get(check, check)
    assert fact.reason is not None
    about = _about(fact)
    why = REASONS[fact.reason]
    if fact.get("places") is not None:
        why = (
            f"{fact.text('places')} place(s) among the run's events could not be read and may have "
            "been part of it"
        )
    if fact.reason is Reason.NOT_DECLARED and check.startswith("empty-results"):
        why = "the shape of the result is not declared"
        tools = [str(tool) for tool in as_list(fact.get("tools"))]
        if fact.get("detail") == "rows-at-missing":
            why = "the declared place of its rows is not in the result"
        elif fact.get("detail") == "not-a-list":
            why = "the declared place of its rows holds no list"
        elif tools:
            keys = ", ".join(f"tools.{tool}.rows_at" for tool in tools[:3])
            why += f" (declare {keys} to have its rows counted)"
    elif fact.reason is Reason.NOT_DECLARED and check == "existence":
        why = "what the tool left unchecked carries no kind, so existence may be among it"
    return f"{what}{about}: {why}"


def _about(fact: Fact) -> str:
    calls = as_list(fact.get("named"))
    if not calls:
        return ""
    more = f" and {len(calls) - 5} more" if len(calls) > 5 else ""
    return f" — {', '.join(str(call) for call in calls[:5])}{more}"


def not_recorded(fact: Fact) -> str:
    """Why a fact is not recorded or not measurable."""
    assert fact.reason is not None
    word = "not measurable" if fact.status is Status.NOT_MEASURABLE else "not recorded"
    return f"{word}: {REASONS[fact.reason]}"


def call_name(fact: Fact) -> str:
    """A call by its tool and its id."""
    tool = fact.get("tool")
    name = str(tool) if tool is not None else "a call whose tool no event names"
    return f"{name} ({fact.text('call_id')})"


def rows(fact: Fact) -> str:
    """How many rows, and on whose word."""
    count = fact.get("rows")
    assert isinstance(count, int)
    many = f"{count} row{'' if count == 1 else 's'}"
    if fact.get("vouched_by") == "app":
        where = "its rows stand where the application's declaration says"
        return f"an empty result ({where})" if count == 0 else f"{many} ({where})"
    return "an empty list" if count == 0 else f"a list of {many}"


def emptiness(fact: Fact) -> str:
    """What is known of a result's emptiness."""
    kind = fact.get("emptiness")
    if kind == "declared-absent":
        return "nothing found, on the tool's own word; it said what it had searched"
    if kind == "undeclared-empty":
        return f"{rows(fact)}; it did not say what it had searched"
    if kind == "non-empty":
        return rows(fact)
    return {
        "text": "plain text; whether it was empty is unknown",
        "scalar": "a single value; whether it was empty is unknown",
        "cut": "whether it was empty is unknown",
        "ambiguous-id": "several runs used its id; whether it was empty is unknown",
        "kept-out": "its result is kept out of the record; whether it was empty is unknown",
        "no-result": "no result is recorded; whether it was empty is unknown",
        "did-not-run": "",
        "rows-at-missing": "the declared place of its rows is not there; "
        "whether it was empty is unknown",
        "not-a-list": "the declared place of its rows holds no list; "
        "whether it was empty is unknown",
    }.get(
        fact.text("emptiness_detail"),
        "an object; where its rows are is not declared, so whether it was empty is unknown",
    )


def cut(fact: Fact) -> str:
    """How much of a cut result the model saw."""
    marker = fact.get("cut")
    if not isinstance(marker, Mapping):
        return "by how much is not recorded"
    shown, true = marker.get("shown_chars"), marker.get("true_chars")
    if isinstance(true, int) and isinstance(shown, int) and true > 0:
        share = f"{100 * shown / true:.1f}".rstrip("0").rstrip(".")
        limit = f", cap {marker['cap']:,}" if isinstance(marker.get("cap"), int) else ""
        return f"{shown:,} of {true:,} characters shown ({share} %{limit})"
    return f"{shown:,} characters shown, its true size is not stated"


def distance(fact: Fact) -> str:
    """How many questions ago an earlier result is from."""
    count = fact.get("distance")
    if not isinstance(count, int):
        return "an earlier turn"
    floor = "at least " if fact.get("at_least") else ""
    return f"{floor}{count} question{'' if count == 1 else 's'} ago"


def deviation(fact: Fact) -> str:
    """Where a recorded value is not as its schema says."""
    found, expected = fact.text("found"), fact.text("expected")
    if fact.get("keyword") == "required":
        return f"{found}, which is required"
    return f"found {found}, expected {expected}"


# Catalogues -----------------------------------------------------------------------------------
