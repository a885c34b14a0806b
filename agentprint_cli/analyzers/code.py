"""Which programs did tools run, is the recorded code what ran, and what became of the sessions?

Source of the rules: "Code runs and their sessions" in the analyses' specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import Fact, Pointer, Reason, Sourced, Status, absent, recorded, tool_voucher
from ..readings.code_runs import (
    CodeRun,
    ToolSession,
    calls_without_run,
    read_code_runs,
    read_sessions,
)
from ..readings.run import RunReading
from .interface import Analyzer, Context


def ask(reading: RunReading, context: Context) -> Iterator[Fact]:
    """The facts ``code-run``, ``code-call-without-run`` and ``code-session``; none where the
    record holds neither programs nor sessions."""
    runs, calls = read_code_runs(reading)
    for run in runs:
        yield _run(reading, context, run)
    for call in calls_without_run(calls):
        yield absent(
            "code-call-without-run",
            Status.NOT_RECORDED,
            Reason.NO_EVENT,
            {
                "recording": reading.view.path,
                "run": call.run,
                "call_id": call.id,
                "tool": call.tool,
            },
            [reading.view.pointer(call.start, "payload", "toolCallId")],
        )
    for session in read_sessions(reading):
        yield _session(reading, session)


def _run(reading: RunReading, context: Context, run: CodeRun) -> Fact:
    view = reading.view
    event = view.at(run.event)
    payload = event.payload
    stated = payload.get("shapeHash")
    hashed = view.pointer(run.event, "payload", *(("shapeHash",) if "shapeHash" in payload else ()))
    attested, why = _attested(run, stated)
    call = run.call
    code: Pointer | None = None
    pointers = [hashed]
    if call is not None and call.code == "recorded":
        code = view.pointer(call.start, "payload", "args", "code")
        pointers.append(code)
    elif call is not None:
        pointers.append(view.pointer(call.start, "payload", "toolCallId"))
    for other in run.open_calls:
        pointers.append(view.pointer(other.start, "payload", "toolCallId"))
    values: dict[str, object] = {
        "recording": view.path,
        "run": run.run,
        "event": run.event,
        "tool": run.tool,
        "call_id": call.id if call is not None else None,
        "language": payload.get("language"),
        "shape_hash": Sourced(stated, hashed),
        "recomputed_hash": Sourced(call.hash, code) if call is not None else None,
        "attested": attested,
        "attested_why": why,
        "open_calls": len(run.open_calls) or None,
        "output_chars": payload.get("outputChars"),
        "output_cut": payload.get("truncated"),
        "staged_inputs": payload.get("stagedInputs"),
        "identity": _identity(run, event.meta),
    }
    values.update(_outcome(reading, run, payload))
    if run.session is not None:
        opened = view.at(run.session).payload
        values["session_key"] = Sourced(
            opened.get("keyHash"), view.pointer(run.session, "payload", "tool")
        )
        values["session_scope"] = opened.get("scope")
        values["session_new"] = run.session_new
    if run.lost:
        assert run.session is not None
        values["lost_names"] = list(run.lost)
        pointers.append(view.pointer(run.session, "payload", "tool"))
        pointers += [
            view.pointer(number, "payload", "args", "code")
            for number in dict.fromkeys(run.lost.values())
        ]
    if context.show_code and code is not None and call is not None:
        args = view.at(call.start).payload["args"]
        assert isinstance(args, dict)
        values["code"] = Sourced(args["code"], code)
    return recorded("code-run", pointers, values, voucher=tool_voucher(run.tool))


def _attested(run: CodeRun, stated: object) -> tuple[str, str | None]:
    """Whether the code on record is the code that ran: yes, no or unknown, and why not yes."""
    if run.call is None:
        if not run.open_calls:
            return "unknown", "no-call"
        hashes = [call.hash for call in run.open_calls]
        if None in hashes or not isinstance(stated, str):
            return "unknown", "several-calls"
        return "no", "no-match"
    if run.call.code != "recorded":
        return "unknown", "kept-out" if run.call.code == "kept-out" else "missing-code"
    if not isinstance(stated, str):
        return "unknown", "no-hash"
    return ("yes", None) if run.call.hash == stated else ("no", "differs")


def _outcome(
    reading: RunReading, run: CodeRun, payload: Mapping[str, object]
) -> Mapping[str, object]:
    """What became of the program. Without ``ok`` that is unknown, whatever else is there."""
    values: dict[str, object] = {
        "exit_code": payload.get("exitCode"),
        "service_error": payload.get("serviceError"),
        "terminated_by": payload.get("terminatedBy"),
    }
    ok = payload.get("ok")
    if ok is True:
        values["outcome"] = "ok"
    elif ok is not False:
        values["outcome"] = "unknown"
    elif payload.get("serviceError"):
        values["outcome"] = "service-error"
    elif payload.get("terminatedBy"):
        values["outcome"] = "ended-by-signal"
    else:
        values["outcome"] = "program-failed"
        call = run.call
        if "exitCode" not in payload and call is not None and call.exit_note is not None:
            assert call.end is not None
            key = "modelResult" if "modelResult" in reading.view.at(call.end).payload else "result"
            place = reading.view.pointer(call.end, "payload", key)
            values["exit_code_in_result"] = Sourced(call.exit_note, place)
    return values


def _identity(run: CodeRun, meta: Mapping[str, object]) -> str | None:
    """What tells one event from another across recordings of the same run; None: nothing does."""
    if run.run is None or "wallClockMs" not in meta:
        return None
    return f"{run.run} {meta.get('runtimeStageId')} {meta.get('wallClockMs')} {run.tool}"


def _session(reading: RunReading, session: ToolSession) -> Fact:
    view = reading.view
    pointers = []
    for number in (session.started, *session.uses[:1], *session.uses[-1:], *session.failed):
        if number is not None:
            pointers.append(_place(reading, number, "keyHash"))
    closed: object = "no"
    if session.closed is not None:
        reason = view.at(session.closed).payload.get("reason")
        place = _place(reading, session.closed, "reason")
        pointers.append(place)
        closed = Sourced(reason if isinstance(reason, str) else "yes", place)
    if session.restarted is not None:
        pointers.append(_place(reading, session.restarted, "keyHash"))
    failure = view.at(session.failed[-1]).payload if session.failed else {}
    return recorded(
        "code-session",
        pointers,
        {
            "recording": view.path,
            "tool": session.tool,
            "scope": session.scope,
            "key_hash": session.key,
            "runner": session.runner,
            "label": session.label,
            "started": session.started,
            "calls": session.calls,
            "closed": closed,
            "close_failed": len(session.failed) or None,
            "error": failure.get("error") or failure.get("errorClass"),
            "restarted": True if session.restarted is not None else None,
            "runs": list(session.runs),
            "closed_at": session.closed,
            "principals": list(session.principals) or None,
            "tenants": list(session.tenants) or None,
            "session_ids": list(session.session_ids) or None,
            "principal_places": [
                view.pointer(number, "meta", "principal") for number in session.principals.values()
            ],
            "tenant_places": [
                view.pointer(number, "meta", "tenant") for number in session.tenants.values()
            ],
            "open_because": _not_provable(reading, session),
        },
    )


def _place(reading: RunReading, number: int, key: str) -> Pointer:
    payload = reading.view.at(number).payload
    return reading.view.pointer(number, "payload", *((key,) if key in payload else ()))


def _not_provable(reading: RunReading, session: ToolSession) -> Reason | None:
    """Why the record cannot show that a session was never closed; None when it can: what came
    after its last use is readable, and so is the end of the runs that used it."""
    if session.closed is not None or session.failed or session.restarted is not None:
        return None
    if any(entry.event is None or entry.event > session.last for entry in reading.view.unread):
        return Reason.UNREADABLE
    ends = reading.view.of_type("agent.turn_end")
    finished = {run.id for run in reading.runs if run.finished}
    done = finished.issuperset(session.runs) if session.runs else bool(ends)
    if not done or not ends or ends[-1] < session.last:
        return Reason.UNFINISHED
    return None


ANALYZER = Analyzer("code", ask)
