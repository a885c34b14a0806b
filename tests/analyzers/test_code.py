"""Code runs: outcomes, attestation, shapes across recordings, and sessions to their ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.readings.code_names import names_of
from agentprint_cli.reports.code.pipeline import code as code_report
from agentprint_cli.reports.explain.pipeline import explain as explain_report
from agentprint_cli.rules.code_shape import shape_hash
from agentprint_cli.view import open_view
from tests.analyzers.log_builder import Log, assert_resolves

PROGRAM = "console.log(rows.length)"
HASH = shape_hash(PROGRAM)


def _code(*paths: str, **options: Any) -> dict[str, Any]:
    report = code_report(paths, **options)
    if len(paths) == 1:
        with open_view(paths[0]) as view:
            assert_resolves(view, report)
    return report.to_dict()


def _findings(document: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(f["id"], f["values"].get("why")) for f in document["findings"]]


def _program(
    log: Log, id: str, code: object = PROGRAM, hash: str | None = HASH, **more: Any
) -> Log:
    """One call that ran one program."""
    log.start(id, "run_code", {"code": code} if code is not None else {})
    log.code(hash, **more)
    log.add("stream.tool_end", {"toolCallId": id, "result": "1"})
    return log


def test_the_shipped_recording(recordings: Path) -> None:
    document = _code(str(recordings / "code-runs.jsonl"))
    runs = document["runs"]
    hashes = ["a61da8c8", "69bd63b6", "69bd63b6", "ed4524bf"]
    assert [run["shape_hash"] for run in runs] == hashes
    assert [run["recomputed_hash"] for run in runs] == hashes
    assert {run["attested"] for run in runs} == {"yes"}
    assert [run["outcome"] for run in runs] == ["ok", *["program-failed"] * 3]
    assert [run.get("exit_code_in_result") for run in runs] == [None, 1, 1, 1]
    assert all("exit_code" not in run for run in runs), "the events state none"
    shapes = [(shape["hash"], shape["count"]) for shape in document["shapes"]]
    assert shapes == [("69bd63b6", 2), ("a61da8c8", 1), ("ed4524bf", 1)]
    (session,) = document["sessions"]
    assert (session["calls"], session["closed"], session["started"]) == (4, "run-end", 15)
    assert document["findings"] == []
    assert document["not_measurable"] == []


@pytest.mark.parametrize(
    ("ok", "more", "outcome"),
    [
        (True, {}, "ok"),
        (False, {"exitCode": 3}, "program-failed"),
        (False, {}, "program-failed"),
        (False, {"serviceError": "timeout"}, "service-error"),
        (False, {"terminatedBy": "SIGKILL"}, "ended-by-signal"),
        (False, {"serviceError": "x", "terminatedBy": "SIGKILL"}, "service-error"),
        (None, {"exitCode": 0}, "unknown"),
        ("yes", {}, "unknown"),
    ],
)
def test_outcomes(tmp_path: Path, ok: object, more: dict[str, Any], outcome: str) -> None:
    log = _program(Log().begin(), "t1", ok=ok, **more)
    (run,) = _code(log.save(tmp_path))["runs"]
    assert run["outcome"] == outcome
    assert run.get("exit_code") == more.get("exitCode")


# Attestation ------------------------------------------------------------------------------------


def test_a_mismatch_is_a_finding_and_counts_by_the_code_on_record(tmp_path: Path) -> None:
    log = _program(Log().begin(), "t1", hash="deadbeef")
    document = _code(log.save(tmp_path))
    (run,) = document["runs"]
    assert (run["attested"], run["attested_why"]) == ("no", "differs")
    assert document["shapes"][0]["hash"] == HASH
    (finding,) = document["findings"]
    assert (finding["id"], finding["tone"]) == ("unattested-code", "bad")
    assert finding["text"] == (
        f"the recorded code of run_code (t1) hashes to {HASH}, and its code_run event says deadbeef"
    )


def test_missing_code_is_a_finding(tmp_path: Path) -> None:
    for code in (None, 7):
        document = _code(_program(Log().begin(), "t1", code).save(tmp_path))
        assert document["runs"][0]["attested"] == "unknown"
        assert _findings(document) == [("unattested-code", "missing-code")]


def test_a_run_that_no_call_owns_is_a_finding(tmp_path: Path) -> None:
    log = _program(Log().begin(), "t1")
    log.code(HASH)
    document = _code(log.save(tmp_path))
    assert [run["attested"] for run in document["runs"]] == ["yes", "unknown"]
    assert "call_id" not in document["runs"][1]
    assert _findings(document) == [("unattested-code", "no-call")]


def test_a_run_recorded_after_its_end_belongs_to_it(tmp_path: Path) -> None:
    log = Log().begin()
    for type, payload in (
        (
            "stream.tool_start",
            {"toolName": "run_code", "toolCallId": "t1", "args": {"code": PROGRAM}},
        ),
        ("stream.tool_end", {"toolCallId": "t1", "result": "1"}),
        ("tools.code_run", {"tool": "run_code", "ok": True, "shapeHash": HASH}),
    ):
        log.add(type, payload, runtimeStageId="tool-calls#1")
    (run,) = _code(log.save(tmp_path))["runs"]
    assert (run["call_id"], run["attested"]) == ("t1", "yes")


def test_a_run_of_no_tool_and_no_hash_is_said(tmp_path: Path) -> None:
    log = Log().begin()
    log.add("tools.code_run", {"ok": True})
    (finding,) = _code(log.save(tmp_path))["findings"]
    assert finding["text"] == (
        "(unnamed) ran code of hash (not stated), and no call on record was open for it"
    )


def test_parallel_calls_are_told_apart_by_their_code(tmp_path: Path) -> None:
    log = Log().begin()
    other = "throw new Error('x')"
    for id, code in (("t1", PROGRAM), ("t2", other)):
        log.start(id, "run_code", {"code": code})
    for hash in (shape_hash(other), HASH, "deadbeef"):
        log.code(hash)
    runs = _code(log.save(tmp_path))["runs"]
    assert [run.get("call_id") for run in runs] == ["t2", "t1", None]
    assert [run["attested"] for run in runs] == ["yes", "yes", "no"]
    assert runs[2]["attested_why"] == "no-match"


def test_the_same_ids_in_other_runs_do_not_mix(tmp_path: Path) -> None:
    log = Log()
    for run in ("run-1", "run-2"):
        log.as_run(run).begin()
        code = PROGRAM if run == "run-1" else "f(1)"
        _program(log, "t1", code, shape_hash(code))
        log.answer()
    path = log.save(tmp_path)
    assert [run["attested"] for run in _code(path)["runs"]] == ["yes", "yes"]
    assert [run["run"] for run in _code(path, run="run-2")["runs"]] == ["run-2"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"hash": None}, "no-field"), ({"code": "REDACTED"}, "kept-out")],
)
def test_what_cannot_be_attested_is_not_measurable(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    log = _program(Log().begin(), "t1", **change)
    policy = [{"id": "agentfootprint.redaction"}]
    document = _code(log.save_document(tmp_path, {}, recorders=policy))
    assert document["runs"][0]["attested"] == "unknown"
    assert document["findings"] == []
    assert [entry["reason"] for entry in document["not_measurable"]] == [reason]


def test_a_call_without_a_code_run_is_said(tmp_path: Path) -> None:
    log = _program(Log().begin(), "t1")
    log.call("t2", "run_code", {"code": "1"})
    log.call("t3", "run_code", {"code": "1"}, error=True)
    document = _code(log.save(tmp_path))
    assert [call["call_id"] for call in document["calls_without_run"]] == ["t2"]
    assert [entry["reason"] for entry in document["not_measurable"]] == ["no-event"]


# Shapes -----------------------------------------------------------------------------------------


def test_shapes_go_across_recordings_most_repeated_first(tmp_path: Path) -> None:
    log = _program(Log("run-1").begin(), "t1", "f(1)", shape_hash("f(1)"))
    first = log.save(tmp_path, "a.jsonl")
    log = _program(Log("run-2").begin(), "t1", ok=False)
    second = _program(log, "t2").save(tmp_path, "b.jsonl")
    third = _program(Log("run-3").begin(), "t1").save(tmp_path, "c.jsonl")
    shapes = _code(first, second, third)["shapes"]
    assert [(shape["hash"], shape["count"]) for shape in shapes] == [
        (HASH, 3),
        (shape_hash("f(1)"), 1),
    ]
    assert shapes[0]["recordings"] == [second, third]
    assert shapes[0]["outcomes"] == {"program-failed": 1, "ok": 2}
    assert shapes[0]["example"]["file"] == second
    assert shapes[0]["example"]["path"] == "/payload/args/code"


def test_the_same_events_in_two_recordings_count_once(tmp_path: Path) -> None:
    log = Log()
    log.as_run("run-1", None, wallClockMs=1).begin()
    _program(log, "t1")
    document = _code(log.save(tmp_path), log.save_document(tmp_path, {}))
    assert [shape["count"] for shape in document["shapes"]] == [1]
    assert [run.get("recorded_twice") for run in document["runs"]] == [None, True]


def test_code_is_quoted_on_request_only(recordings: Path) -> None:
    path = str(recordings / "code-runs.jsonl")
    assert all("code" not in run for run in _code(path)["runs"])
    assert _code(path, show_code=True)["runs"][3]["code"] == "throw new Error('x')"


# Sessions ---------------------------------------------------------------------------------------


def _session_log(
    scope: str = "run", *, close: str | None = None, session: str | None = None
) -> Log:
    log = Log("run-1", session).begin()
    log.session("started", scope=scope)
    log.answer()
    if close is not None:
        log.session(close, scope=scope, reason="run-end", error="boom")
    return log


def test_a_session_that_nothing_closes(tmp_path: Path) -> None:
    document = _code(_session_log().save(tmp_path))
    assert document["sessions"][0]["closed"] == "no"
    (finding,) = document["findings"]
    assert (finding["id"], finding["tone"], finding["values"]["why"]) == (
        "unclosed-session", "bad", "never"
    )  # fmt: skip


def test_a_close_that_failed(tmp_path: Path) -> None:
    document = _code(_session_log(close="close_failed").save(tmp_path))
    assert (document["sessions"][0]["closed"], document["sessions"][0]["close_failed"]) == ("no", 1)
    assert _findings(document) == [("unclosed-session", "failed")]


def test_a_close_may_come_in_another_run(tmp_path: Path) -> None:
    log = _session_log("session", session="s")
    log.as_run("run-2", "s", principal="bob").begin()
    log.session("closed", scope="session", reason="session-end")
    document = _code(log.save(tmp_path), run="run-1")
    assert document["sessions"][0]["closed"] == "session-end"
    assert document["findings"] == [], "a teardown is no use of the key"


def test_a_conversations_session_may_be_closed_later(tmp_path: Path) -> None:
    document = _code(_session_log("session", session="s").save(tmp_path))
    assert [finding["tone"] for finding in document["findings"]] == ["warn"]


def test_an_unfinished_run_proves_nothing_of_its_sessions(tmp_path: Path) -> None:
    log = _session_log()
    log.events.pop()
    document = _code(log.save(tmp_path))
    assert document["findings"] == []
    assert [entry["reason"] for entry in document["not_measurable"]] == ["unfinished"]


def test_an_unread_place_after_the_last_use_proves_nothing(tmp_path: Path) -> None:
    path = Path(_session_log().save(tmp_path))
    path.write_text(path.read_text() + "{broken\n")
    document = _code(str(path))
    assert document["findings"] == []
    assert [entry["reason"] for entry in document["not_measurable"]] == ["unreadable"]


def test_a_key_that_starts_again_was_not_closed(tmp_path: Path) -> None:
    log = _session_log()
    log.session("started")
    log.session("closed", reason="run-end")
    document = _code(log.save(tmp_path))
    assert [session["closed"] for session in document["sessions"]] == ["no", "run-end"]
    assert _findings(document) == [("unclosed-session", "restarted")]


def test_a_session_whose_start_is_not_on_record(tmp_path: Path) -> None:
    log = Log().begin()
    log.session("reused", calls=7)
    log.session("closed", reason="idle")
    (session,) = _code(log.save(tmp_path))["sessions"]
    assert "started" not in session
    assert (session["calls"], session["closed"]) == (7, "idle")


@pytest.mark.parametrize("what", ["principal", "tenant"])
def test_one_key_for_two_principals_or_tenants(tmp_path: Path, what: str) -> None:
    log = Log()
    for run, who in (("run-1", "ada"), ("run-2", "bob")):
        log.as_run(run, "s", **{what: who}).begin()
        log.session("started" if run == "run-1" else "reused", scope="session")
        log.answer()
    log.session("closed", scope="session", reason="shutdown")
    (finding,) = _code(log.save(tmp_path))["findings"]
    assert (finding["id"], finding["values"]["who"]) == ("shared-session-key", ["ada", "bob"])
    assert [p["path"] for p in finding["pointers"][1:]] == [f"/meta/{what}"] * 2


def test_a_session_scope_needs_a_session_id(tmp_path: Path) -> None:
    document = _code(_session_log("session", close="closed").save(tmp_path))
    assert _findings(document) == [("session-without-id", None)]


# State that was lost ----------------------------------------------------------------------------


def _lost(second: str, *, kind: str = "started", scope: str = "run", ok: bool = True) -> Log:
    log = Log("run-1", "s").begin()
    for id, session, code, good in (
        ("t1", "started", "globalThis.rows = [1]; const kept = 2", ok),
        ("t2", kind, second, True),
    ):
        log.start(id, "run_code", {"code": code})
        log.session(session, scope=scope)
        log.code(shape_hash(code), good)
        log.add("stream.tool_end", {"toolCallId": id, "result": "1"})
        if session == "started" and id == "t1" and kind == "started":
            log.session("closed", scope=scope, reason="idle")
    log.answer()
    log.session("closed", scope=scope, reason="run-end")
    return log


def test_state_that_a_new_session_does_not_hold(tmp_path: Path) -> None:
    document = _code(_lost("console.log(rows.length + kept)").save(tmp_path))
    (finding,) = document["findings"]
    assert finding["id"] == "lost-session-state"
    assert finding["values"]["names"] == ["kept", "rows"]
    assert finding["text"] == (
        "the code of run_code (t2) uses kept, rows, defined by earlier code in the same run, "
        "and its session was new"
    )


@pytest.mark.parametrize(
    "log",
    [
        _lost("console.log(rows)", kind="reused"),
        _lost("console.log(rows)", scope="call"),
        _lost("console.log(rows)", ok=False),
        _lost("const rows = [2]; console.log(rows)"),
        _lost("console.log('rows', x.rows, {rows: 1})"),
        _lost("list.map(rows => rows + 1)"),
    ],
    ids=["reused", "scope call", "it failed", "defined here", "other things", "a parameter"],
)
def test_no_state_was_lost(tmp_path: Path, log: Log) -> None:
    assert "lost-session-state" not in [kind for kind, _ in _findings(_code(log.save(tmp_path)))]


def test_names_of_python() -> None:
    first = names_of("import numpy as np\nrows = [1]  # late\ndef f(a):\n    return a", "python")
    assert first.defined >= {"np", "rows", "f"}
    second = names_of("print(rows, np.sum(1), '''f''')\nfor x in rows:\n    print(x)", "python")
    assert second.used >= {"rows", "np"}
    assert not second.used & {"f", "x"}


def test_names_are_read_in_linear_time() -> None:
    hostile = [
        "(" * 400_000,
        "for " * 100_000,
        "'\\" * 200_000,
        "let " * 100_000,
        "\n" * 400_000,
        "a" * 400_000,
    ]
    for code in hostile:
        names_of(code, "javascript")
        names_of(code, "python")


# The same in `explain` --------------------------------------------------------------------------


def test_explain_gates_on_code_only_where_code_ran(tmp_path: Path, recordings: Path) -> None:
    ran = explain_report(str(recordings / "code-runs.jsonl")).to_dict()
    idle = explain_report(str(recordings / "twin-tools.jsonl")).to_dict()
    added = {"attested-code", "closed-sessions", "session-keys", "session-state"}
    checks = [{c["id"]: c["outcome"] for c in d["checks"]} for d in (ran, idle)]  # type: ignore[attr-defined]
    assert {checks[0][id] for id in added} == {"clean"}
    assert not added & set(checks[1])
    bad = _program(Log().begin(), "t1", hash="deadbeef")
    bad.session("started")
    bad.answer()
    explained = explain_report(bad.save(tmp_path)).to_dict()
    signals = explained["signals"]
    assert isinstance(signals, list)
    assert [s["id"] for s in signals] == ["unattested-code", "unclosed-session"]
