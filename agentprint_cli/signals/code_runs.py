"""Programs that tools ran: is the record true to them, and were their sessions closed?"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fact, Pointer, Reason
from .interface import BAD, WARN, Facts, SignalCheck, grouped, not_applicable, signal, unmeasured

ATTESTED_ID = "attested-code"
CLOSED_ID = "closed-sessions"
KEYS_ID = "session-keys"
STATE_ID = "session-state"

_UNMEASURED = {
    "kept-out": Reason.KEPT_OUT,
    "no-hash": Reason.NO_FIELD,
    "several-calls": Reason.NO_ID,
}


def attested(facts: Facts) -> Iterator[Fact]:
    """Code that does not hash to what its event says, code that is not there, and runs that no
    call on record asked for."""
    unclear = []
    for run in facts.of("code-run"):
        why = run.text("attested_why")
        if why in _UNMEASURED:
            unclear.append((_UNMEASURED[why], run, None))
        elif run.get("attested") != "yes":
            yield signal(
                ATTESTED_ID,
                "unattested-code",
                BAD if run.get("attested") == "no" else WARN,
                run.pointers,
                {
                    "why": why,
                    "call_id": run.get("call_id"),
                    "tool": run.text("tool") or "(unnamed)",
                    "run": run.get("run"),
                    "shape_hash": run.text("shape_hash") or "(not stated)",
                    "recomputed_hash": run.get("recomputed_hash"),
                    "open_calls": run.get("open_calls"),
                },
            )
    for call in facts.of("code-call-without-run"):
        unclear.append((Reason.NO_EVENT, call, None))
    yield from grouped(ATTESTED_ID, unclear)


def closed(facts: Facts) -> Iterator[Fact]:
    """Sessions whose close failed, or that were used to the end and never closed."""
    unproven: dict[Reason, list[Fact]] = {}
    for session in facts.of("code-session"):
        if session.get("closed_at") is not None:
            continue
        reason = session.get("open_because")
        if isinstance(reason, Reason):
            unproven.setdefault(reason, []).append(session)
            continue
        why = "never"
        if session.get("close_failed"):
            why = "failed"
        elif session.get("restarted"):
            why = "restarted"
        # What a conversation holds open may be closed after the record's end.
        later = why == "never" and session.get("scope") == "session"
        yield signal(
            CLOSED_ID,
            "unclosed-session",
            WARN if later else BAD,
            session.pointers,
            {
                "why": why,
                "tool": session.text("tool") or "(unnamed)",
                "scope": session.text("scope") or "(not recorded)",
                "key_hash": session.text("key_hash") or "(not recorded)",
                "calls": session.get("calls"),
                "error": session.text("error") or "no reason is recorded",
            },
        )
    for reason, sessions in unproven.items():
        keys = [session.text("key_hash") for session in sessions]
        places = [session.pointers[-1] for session in sessions]
        yield unmeasured(CLOSED_ID, reason, places, {"keys": keys})


def keys(facts: Facts) -> Iterator[Fact]:
    """One key used for two principals or tenants; a session's key without a session."""
    by_key: dict[tuple[str, str], list[Fact]] = {}
    for session in facts.of("code-session"):
        if session.get("key_hash") is not None:
            key = (session.text("tool"), session.text("key_hash"))
            by_key.setdefault(key, []).append(session)
        if session.get("scope") == "session" and not session.get("session_ids"):
            yield signal(
                KEYS_ID,
                "session-without-id",
                WARN,
                session.pointers[:1],
                {"tool": session.text("tool") or "(unnamed)", "key_hash": session.get("key_hash")},
            )
    for (tool, key_hash), sessions in by_key.items():
        for what, places in (("principals", "principal_places"), ("tenants", "tenant_places")):
            who: dict[str, Pointer] = {}
            for session in sessions:
                for name, place in zip(
                    _list(session.get(what)), _list(session.get(places)), strict=True
                ):
                    if isinstance(place, Pointer):
                        who.setdefault(str(name), place)
            if len(who) > 1:
                yield signal(
                    KEYS_ID,
                    "shared-session-key",
                    BAD,
                    [*(session.pointers[0] for session in sessions), *who.values()],
                    {"tool": tool, "key_hash": key_hash, "what": what, "who": list(who)},
                )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def state(facts: Facts) -> Iterator[Fact]:
    """Code that uses a name which earlier code in its run or session defined, in a session that
    had just been opened."""
    placed = [run for run in facts.of("code-run") if run.get("session_new") is not None]
    if not placed:
        yield not_applicable(STATE_ID, "no code run is placed in a session")
    for run in placed:
        if run.get("lost_names"):
            yield signal(
                STATE_ID,
                "lost-session-state",
                WARN,
                run.pointers,
                {
                    "call_id": run.get("call_id"),
                    "tool": run.get("tool"),
                    "names": run.get("lost_names"),
                    "scope": run.get("session_scope"),
                },
            )


CHECKS = (
    SignalCheck(ATTESTED_ID, attested, needs="code-run"),
    SignalCheck(CLOSED_ID, closed, needs="code-session"),
    SignalCheck(KEYS_ID, keys, needs="code-session"),
    SignalCheck(STATE_ID, state, needs="code-run"),
)
