"""Recorded choices as the questions that scorers answer, and which of them are one conversation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..readings.choices import Choice
from ..rules import intent
from .scorers.interface import Question


def question_of(choice: Choice, conversation: Hashable = None) -> Question:
    """The choice as a question; ``conversation``: see `conversations_of`."""
    return Question(
        names=choice.offered,
        texts=choice.candidates,
        context=choice.context,
        situation=choice.situation,
        words=choice.words,
        chosen=choice.chosen,
        before=choice.before,
        in_run=choice.in_run,
        conversation=conversation,
        identity=_identity(choice),
    )


def announces(choice: Choice) -> bool:
    """Whether the model wrote anything with its calls that may announce one."""
    return choice.said is not None and bool(intent.announcement(choice.said))


def announcement_of(choice: Choice) -> Question:
    """What the model wrote with its calls as a question of its own."""
    assert choice.said is not None
    return announcement_question(choice.said, choice.offered, choice.candidates, choice.chosen)


def announcement_question(
    said: str, names: tuple[str, ...], texts: tuple[str, ...], chosen: tuple[str, ...]
) -> Question:
    """The text ``said`` with a call as a question to the menu of ``names`` and ``texts``, alone in
    its conversation."""
    context = intent.intent_context(said)
    return Question(
        names=names,
        texts=texts,
        context=context,
        situation=context,
        words=intent.announcement(said),
        chosen=chosen,
        in_run=True,
    )


def content_order(choice: Choice) -> tuple[object, ...]:
    """A key to sort by that does not hang on the names of recordings."""
    return (choice.run or "", choice.session or "", choice.event, choice.context, choice.chosen)


def conversations_of(found: Sequence[tuple[str, Choice]]) -> list[Hashable]:
    """The conversation of each choice, which comes with the path of its recording: a session of
    the recording; where none is recorded, the whole recording.

    One whose choices are all copies of another's, as of a log and the recording made of it or of
    its beginning, is the same conversation: it must not vote on itself.
    """
    members: dict[tuple[str, str | None], list[Hashable]] = {}
    for path, choice in found:
        members.setdefault((path, choice.session), []).append(_identity(choice))
    same_start: dict[Hashable, list[tuple[frozenset[Hashable], Hashable]]] = {}
    names: dict[tuple[str, str | None], Hashable] = {}
    for conversation, choices in sorted(members.items(), key=lambda item: -len(item[1])):
        identities = frozenset(choices)
        names[conversation] = conversation
        if None not in identities:
            longer = same_start.setdefault(choices[0], [])
            original = next((other for of, other in longer if identities <= of), None)
            if original is None:
                longer.append((identities, conversation))
            else:
                names[conversation] = original
    return [names[path, choice.session] for path, choice in found]


def _identity(choice: Choice) -> Hashable:
    """What copies of a choice have in common; None without a run or an id of each call. Programs
    that count their runs from 1 at every start use run ids again, but ids of calls are new."""
    if choice.run is None or not all(choice.call_ids):
        return None
    return choice.run, choice.stage, choice.call_ids, choice.context
