"""Which run this is, what was asked, what was answered, and by which model call."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Reason, Sourced, Status, Voucher, absent, recorded
from ..readings.run import RunReading
from .interface import Analyzer, Context


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The facts ``run``, ``question``, ``answer`` and ``answering``."""
    yield _run(reading)
    yield _question(reading)
    yield _answer(reading)
    yield _answering(reading)
    yield from _unread(reading)


def _run(reading: RunReading) -> Fact:
    numbers = reading.scope.numbers
    values: dict[str, object] = {
        "id": reading.run,
        "session": reading.scope.session,
        "sessions": list(reading.scope.sessions) if len(reading.scope.sessions) > 1 else None,
        "scope": "unfiltered" if reading.run is None else "own-run",
        "finished": reading.finished,
        "resumed": reading.resumed,
        "other_runs": list(reading.other_runs),
        "runs_read_together": len(reading.runs) if reading.run is None else None,
    }
    if not numbers:
        return absent("run", Status.NOT_RECORDED, Reason.NO_EVENT, values)
    end = reading.answering.turn_end
    early = reading.view.at(end).payload.get("stoppedEarly") if end is not None else None
    values["paused"] = True if reading.paused is not None else None
    fatal = reading.scope.last_of_type("error.fatal") if not reading.finished else None
    if fatal is not None:
        said = reading.view.pointer(fatal, "payload", "error")
        values["error"] = Sourced(reading.view.at(fatal).payload.get("error"), said)
    values["stopped_early"] = early or None
    later = reading.scope.last_of_type("agent.turn_start")
    if end is not None and later is not None and later > end:
        values["later_turn"] = Sourced(later, reading.view.pointer(later, "payload", "userPrompt"))
    values["first_event"] = numbers[0]
    values["last_event"] = numbers[-1]
    configured = reading.scope.of_type("agent.run_configured")
    place = configured[0] if configured and reading.run is not None else numbers[0]
    own = reading.view.owner_of(place)[0] is not None
    pointer = reading.view.pointer(place, *(("meta", "runId") if own else ()))
    pointers = [pointer]
    if fatal is not None:
        pointers.append(reading.view.pointer(fatal, "payload", "error"))
    if reading.paused is not None:
        pointers.append(reading.view.pointer(reading.paused, "payload"))
    return recorded("run", pointers, values)


def _unread(reading: RunReading) -> Iterator[Fact]:
    """Places among the run's events, or at a cut end, that could not be read: what stood there
    may have been this run's."""
    if not reading.scope.numbers:
        return
    first, last = reading.scope.numbers[0], reading.scope.numbers[-1]
    for entry in reading.view.unread:
        inside = entry.event is not None and first < entry.event < last
        if inside or (entry.cut and not reading.finished):
            yield absent(
                "unread-inside",
                Status.NOT_RECORDED,
                Reason.UNREADABLE,
                {"event": entry.event, "line": entry.line, "offset": entry.offset},
            )


def _question(reading: RunReading) -> Fact:
    view = reading.view
    if reading.turn_start is not None:
        pointer = view.pointer(reading.turn_start, "payload", "userPrompt")
        if reading.keeper.kept_out(reading.prompt):
            return absent("question", Status.NOT_RECORDED, Reason.KEPT_OUT, pointers=[pointer])
        if reading.prompt is not None:
            return recorded(
                "question",
                [pointer],
                {"text": Sourced(reading.prompt, pointer)},
                voucher=Voucher.PERSON,
            )
    conversation = reading.conversation
    if conversation.kept_out:
        return absent(
            "question", Status.NOT_RECORDED, Reason.KEPT_OUT, pointers=[conversation.pointer]
        )
    if conversation.question_at is None:
        reason = Reason.BEFORE_PAUSE if reading.resumed else Reason.NO_EVENT
        return absent("question", Status.NOT_RECORDED, reason)
    message = conversation.messages[conversation.question_at]
    if message.content is None:
        return absent("question", Status.NOT_RECORDED, Reason.NO_FIELD, pointers=[message.pointer])
    if reading.keeper.kept_out(message.content):
        return absent(
            "question", Status.NOT_RECORDED, Reason.KEPT_OUT, pointers=[message.content_pointer]
        )
    return recorded(
        "question",
        [message.content_pointer],
        {
            "text": Sourced(message.content, message.content_pointer),
            "from": conversation.source,
            "before_pause": reading.resumed or None,
        },
        voucher=Voucher.PERSON,
    )


def _answer(reading: RunReading) -> Fact:
    end = reading.answering.turn_end
    if end is None:
        return absent("answer", Status.NOT_RECORDED, Reason.UNFINISHED)
    payload = reading.view.at(end).payload
    if payload.get("finalContent") is None:
        return absent(
            "answer", Status.NOT_RECORDED, Reason.NO_FIELD, pointers=[reading.view.pointer(end)]
        )
    pointer = reading.view.pointer(end, "payload", "finalContent")
    if reading.keeper.kept_out(payload["finalContent"]):
        return absent("answer", Status.NOT_RECORDED, Reason.KEPT_OUT, pointers=[pointer])
    return recorded(
        "answer",
        [pointer],
        {"text": Sourced(payload["finalContent"], pointer)},
        voucher=Voucher.MODEL,
    )


def _answering(reading: RunReading) -> Fact:
    view, answering = reading.view, reading.answering
    if answering.llm_start is None:
        return absent("answering", Status.NOT_RECORDED, Reason.NO_EVENT)
    pointer = view.pointer(answering.llm_start, "payload", "iteration")
    if answering.iteration is None:
        return absent(
            "answering",
            Status.NOT_RECORDED,
            Reason.UNREADABLE,
            {"llm_start": answering.llm_start},
            [view.pointer(answering.llm_start)],
        )
    compose = answering.compose
    pointers = [pointer]
    stage: object = None
    if compose is not None:
        pointers.append(view.pointer(compose, "payload", "iteration"))
    if compose is not None and answering.stage is not None:
        place = view.pointer(compose, "meta", "runtimeStageId")
        pointers.append(place)
        stage = Sourced(answering.stage, place)
    return recorded(
        "answering",
        pointers,
        {
            "iteration": Sourced(answering.iteration, pointer),
            "llm_start": answering.llm_start,
            "compose": compose,
            "stage": stage,
            "complete": answering.complete if compose is not None else None,
            "model_calls": len(reading.scope.of_type("stream.llm_start")),
        },
    )


ANALYZER = Analyzer("turn", ask)
