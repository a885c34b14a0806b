"""From a catalogue to a report: findings with their places, similarity, gates."""

from __future__ import annotations

import gzip
import io
import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base import rfc6901
from agentprint_cli.base.errors import UnreadableInput, UsageError
from agentprint_cli.model import Outcome, Report
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.lint.document import outline
from agentprint_cli.reports.lint.pipeline import LintOptions, exit_outcome, lint
from agentprint_cli.rules.choice_text import candidate_text
from tests.conftest import ROOT
from tests.logs import Log

UNITS = f"{__name__}:Units"
Save = Callable[..., str]


class Units:
    """Counts UTF-16 units, modulo 32."""

    id = "units"
    fingerprint = "units:1"
    asked: list[str] = []  # noqa: RUF012 - what all of them were given

    def embed(self, texts: list[str]) -> list[list[int]]:
        type(self).asked += texts
        return [[units(text)[n] for n in range(32)] for text in texts]


class Broken:
    """Fails."""

    id = "broken"

    def embed(self, texts: list[str]) -> list[list[int]]:
        raise OSError("no model")


def units(text: str) -> Counter[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return Counter((low + 256 * high) % 32 for low, high in zip(data[::2], data[1::2], strict=True))


def cosine(first: str, second: str) -> float:
    a, b = units(first), units(second)
    length = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(n * b[key] for key, n in a.items()) / length


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Writes a catalogue; its path."""

    def write(value: Any, name: str = "tools.json") -> str:
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return str(path)

    return write


def run(path: str, *, embedder: str = UNITS, **options: Any) -> Report:
    return lint(path, LintOptions(embedder=embedder, cache=False, **options))


def findings(report: Report) -> list[tuple[str, list[str]]]:
    return [(f.text("id"), [p.path for p in f.pointers]) for f in report.of("finding")]


def outcomes(report: Report) -> dict[str, str]:
    return {verdict.check: str(verdict.outcome) for verdict in report.verdicts}


GOOD = {
    "name": "renew_loan",
    "description": "Extends a loan. Use this only when nobody waits for the title.",
    "inputSchema": {"properties": {"id": {"description": "Of the loan"}}},
}


def test_a_clean_catalogue(save: Save) -> None:
    report = run(save([GOOD]))
    assert findings(report) == []
    assert report.of("not-measurable") == ()
    assert exit_outcome(report) is Outcome.PASS
    similarity = report.to_dict()["similarity"]
    assert similarity == {
        "status": "not-applicable", "threshold": 0.8, "watch": 0.65, "pointers": [],
    }  # fmt: skip


def test_every_finding_points_to_its_place(save: Save) -> None:
    entries = [
        GOOD,
        {"name": "Renew-Loan", "description": "  "},
        {"name": "close", "description": "Closes up."},
        {
            "name": "open",
            "description": "Opens the desk of one branch",
            "inputSchema": {
                "properties": {
                    "mode": {"description": "One of full or quiet"},
                    "note": {"type": "string"},
                }
            },
        },
        7,
        {"name": "close", "description": "Closes the desk of a branch, if nobody is there."},
    ]
    path = save({"tools": entries})
    report = run(path, threshold=1.0)
    schema = "/tools/3/inputSchema/properties"
    assert findings(report) == [
        ("broken-tool", ["/tools/4"]),
        ("duplicate-names", ["/tools/0/name", "/tools/1/name"]),
        ("duplicate-names", ["/tools/2/name", "/tools/5/name"]),
        ("no-description", ["/tools/1/description"]),
        ("short-description", ["/tools/2/description"]),
        ("enumeration-in-prose", [f"{schema}/mode/description"]),
        ("undocumented-parameters", [f"{schema}/note"]),
        ("what-not-when", ["/tools/3/description"]),
    ]
    document = json.loads(Path(path).read_bytes())
    for fact in (*report.of("finding"), *report.of("pair")):
        for pointer in fact.pointers:
            rfc6901.follow(document, rfc6901.parse(pointer.path))
    assert outcomes(report) == {"duplicate-names": "fail", "confusable": "inconclusive"}


def test_similarities_are_exact_and_sorted(save: Save) -> None:
    entries = [
        {"name": "search_loans", "description": "Search current loans by member."},
        {"name": "searchLoanHistory", "description": "Search past loans by member, oldest first."},
        {"name": "zz", "description": "QQQQ 0000"},
        {"name": "searchLoans", "description": "Search current loans by member."},
    ]
    report = run(save(entries), threshold=0.95, watch=0.3)
    texts = [candidate_text(entry["name"], entry["description"]) for entry in entries]
    expected = sorted(
        (-cosine(texts[low], texts[high]), low, high)
        for low in range(4)
        for high in range(low + 1, 4)
        if cosine(texts[low], texts[high]) >= 0.3
    )
    pairs: Any = report.to_dict()["pairs"]
    assert [tuple(p["path"] for p in pair["pointers"]) for pair in pairs] == [
        (f"/{low}", f"/{high}") for _, low, high in expected
    ]
    for pair, (negative, _, _) in zip(pairs, expected, strict=True):
        assert abs(pair["score"] + negative) < 1e-9
        assert pair["id"] == ("confusable" if pair["score"] >= 0.95 else "watch")


def test_equal_texts_are_confusable_at_any_threshold_and_embedded_once(save: Save) -> None:
    Units.asked.clear()
    twin = {"description": "Searches all loans of one member."}
    report = run(save([{"name": "a_b", **twin}, {"name": "aB", **twin}, {"name": "c"}]))
    assert sorted(Units.asked) == ["a B: Searches all loans of one member.",
                                   "a b: Searches all loans of one member.", "c"]  # fmt: skip
    Units.asked.clear()
    same = {"name": "a", **twin}
    report = run(save([same, same, same]), threshold=1.0)
    assert Units.asked == ["a: Searches all loans of one member."]
    assert [pair.get("score") for pair in report.of("pair")] == [1.0] * 3
    assert report.to_dict()["counts"]["confusable"] == 3  # type: ignore[index]


def test_menus_of_a_log_are_compared_each_by_itself(tmp_path: Path) -> None:
    log = Log().configured()
    for names in (["find_a", "find_b"], ["find_c"], ["find_b", "find_a"], ["find_b", "find_d"]):
        log.called_model(1, *names)
    report = run(log.save(tmp_path), threshold=0.5, watch=0.5)
    pairs: Any = report.to_dict()["pairs"]
    assert {(tuple(pair["tools"]), tuple(pair["menus"])) for pair in pairs} == {
        (("find_a", "find_b"), (1,)),
        (("find_b", "find_d"), (3,)),
    }
    place = {"event": 1, "type": "stream.llm_start", "line": 2}
    pointers = next(pair["pointers"] for pair in pairs if "find_a" in pair["tools"])
    assert pointers == [{**place, "path": f"/payload/tools/{number}"} for number in (0, 1)]
    assert outcomes(report) == {"duplicate-names": "pass", "confusable": "fail"}
    shown = outline(report).sections[1].blocks
    assert "2 tools, offered to 2 model calls: events 1, 3" in str(shown[0])


def test_a_log_without_descriptions_is_not_measurable(tmp_path: Path) -> None:
    log = Log().configured()
    log.add("stream.llm_start", {"toolsCount": 2, "tools": [{"name": "a"}, {"name": "b"}]})
    report = run(log.save(tmp_path))
    assert findings(report) == []
    assert outcomes(report) == {"duplicate-names": "pass", "confusable": "inconclusive"}
    reasons = {(f.text("check"), str(f.reason)) for f in report.of("not-measurable")}
    assert ("confusable", "no-descriptions") in reasons
    assert ("no-description", "no-descriptions") in reasons


def test_a_failing_embedder_leaves_the_rest_of_the_report(save: Save) -> None:
    path = save([GOOD, {**GOOD, "name": "other"}])
    report = run(path, embedder=f"{__name__}:Broken")
    assert outcomes(report) == {"duplicate-names": "pass", "confusable": "inconclusive"}
    document: Any = report.to_dict()
    assert document["similarity"]["reason"] == "embedder-failed"
    assert "raised OSError: no model" in document["similarity"]["message"]
    assert "confusable" not in document["counts"]
    assert "embedder" not in document
    assert exit_outcome(run(path, embedder=f"{__name__}:Broken", fail_on=())) is Outcome.PASS
    doubled = run(save([GOOD, GOOD]), embedder=f"{__name__}:Broken")
    assert exit_outcome(doubled) is Outcome.FAIL  # 1 outranks 4


def test_without_scores_only_the_structure_gates(save: Save) -> None:
    report = run(save([GOOD, {**GOOD, "name": "other"}]), scores=False)
    assert outcomes(report) == {"duplicate-names": "pass"}
    assert report.to_dict()["checks_off"] == ["confusable"]
    assert "confusable: off, since --no-scores measures no similarity" in str(outline(report))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threshold": 0.0}, "--threshold 0"),
        ({"threshold": 1.1}, "--threshold 1.1"),
        ({"threshold": math.nan}, "--threshold nan"),
        ({"watch": -1.0}, "--watch -1"),
        ({"watch": 0.9}, "--watch 0.9 lies above the threshold 0.8"),
        ({"fail_on": ("nope",)}, "no finding 'nope'; there is broken-tool, duplicate-names,"),
        ({"fail_on": ("none", "watch")}, "no finding 'none'"),
        ({"fail_on": ("watch",), "scores": False}, "--fail-on watch needs similarities"),
        ({"embedder": "nobody"}, "there is no embedder 'nobody'"),
    ],
)
def test_options_that_make_no_sense(save: Save, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run(save([GOOD, {**GOOD, "name": "other"}]), **options)


def test_a_low_threshold_takes_the_watch_band_with_it(save: Save) -> None:
    similarity: Any = run(save([GOOD, GOOD]), threshold=0.4).to_dict()["similarity"]
    assert (similarity["threshold"], similarity["watch"]) == (0.4, 0.4)


@pytest.mark.parametrize(
    ("gate", "outcome"),
    [
        ("broken-tool", "fail"),
        ("no-description", "fail"),
        ("watch", "inconclusive"),
        ("what-not-when", "pass"),
        ("undocumented-parameters", "inconclusive"),
    ],
)
def test_any_finding_can_be_a_gate(save: Save, gate: str, outcome: str) -> None:
    # Of three tools one is broken, one has no description and no schema.
    report = run(save([GOOD, {"name": "zz"}, {"name": 5}]), fail_on=(gate,), watch=0.8)
    assert outcomes(report) == {gate: outcome}


@pytest.mark.parametrize(
    ("change", "gates"),
    [
        ({"description": 5}, ["no-description", "short-description", "what-not-when"]),
        ({"inputSchema": "s"}, ["undocumented-parameters", "enumeration-in-prose"]),
        ({"name": None}, ["duplicate-names", "confusable"]),
    ],
)
def test_what_a_broken_tool_keeps_from_being_looked_at_is_not_clean(
    save: Save, change: dict[str, Any], gates: list[str]
) -> None:
    others = ("duplicate-names", "undocumented-parameters", "what-not-when")
    report = run(save([GOOD, {**GOOD, "name": "zz", **change}]), fail_on=(*gates, *others))
    expected = {gate: "inconclusive" if gate in gates else "pass" for gate in (*gates, *others)}
    assert outcomes(report) == expected


def test_a_page_of_a_list_is_not_clean(save: Save) -> None:
    report = run(save({"result": {"tools": [GOOD], "nextCursor": "more"}}))
    assert outcomes(report) == {"duplicate-names": "inconclusive", "confusable": "inconclusive"}


def test_pairs_that_are_not_listed_are_counted_and_judged(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentprint_cli.reports.lint.pipeline.LISTED_PAIRS", 1)
    entries = [{"name": name, "description": "Finds a loan by id"} for name in ("a", "b", "c")]
    report = run(save([*entries, {"name": "zz", "description": "0 1 2 3 4"}]), watch=0.1,
                 fail_on=("watch",))  # fmt: skip
    counts: Any = report.to_dict()["counts"]
    assert (counts["pairs_listed"], counts["confusable"]) == (1, 3)
    assert counts["watch"] >= 1
    assert outcomes(report) == {"watch": "fail"}
    left = counts["confusable"] + counts["watch"] - 1
    assert f"and {left} pairs more, less similar" in str(outline(report))


def test_a_hosted_tool_is_named_and_not_judged(save: Save) -> None:
    report = run(save([GOOD, {"type": "web_search"}]))
    assert findings(report) == []
    assert outcomes(report) == {"duplicate-names": "pass", "confusable": "pass"}
    assert "A provider's own, with no text to judge: web_search" in str(outline(report))


def test_hostile_texts_never_act(save: Save) -> None:
    name = "\x1b[31m[bold]x\u202e\ud83d"
    entries = [
        {"name": name, "description": "\x1b]0;x\x07"},
        {"name": name.upper(), "description": 5, "inputSchema": {"properties": {name: {}}}},
        {"name": "n" * 10_000, "description": name},
    ]
    report = run(save(entries), threshold=0.1, watch=0.1)
    for format in ("text", "json", "md"):
        out = io.StringIO()
        RENDERERS[format].write(Output(report.to_dict, lambda: outline(report)), out, Style())
        assert not set("\x1b\x07\u202e\ud83d") & set(out.getvalue())
    assert len(max(out.getvalue().split("\n"), key=len)) < 1000


def test_a_damaged_archive_says_so(save: Save) -> None:
    data = gzip.compress(json.dumps([GOOD] * 50).encode())
    with pytest.raises(UnreadableInput, match="compressed data is cut off"):
        run(save(data[:-30]))
    assert findings(run(save(gzip.compress(json.dumps([GOOD]).encode())))) == []


def test_a_document_that_looks_like_a_recording_but_lists_tools(save: Save) -> None:
    assert run(save({"format": "x", "tools": [GOOD]})).to_dict()["catalogue"]["shape"] == "plain"  # type: ignore[index]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "recordings").glob("*.json*")), ids=lambda p: p.name
)
def test_shipped_recordings(path: Path) -> None:
    report = run(str(path))
    assert report.of("menu-read")
    assert report.recordings


def test_the_cache_is_used_and_its_trouble_is_told(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTPRINT_CACHE_DIR", str(tmp_path / "cache"))
    path = save([GOOD, {**GOOD, "name": "other"}])
    options = LintOptions(embedder=UNITS)
    first = lint(path, options)
    Units.asked.clear()
    second = lint(path, options)
    assert Units.asked == []
    assert first.to_dict() == second.to_dict()
    next((tmp_path / "cache").iterdir()).write_bytes(b"no database" * 100)
    told: list[str] = []
    assert lint(path, options, warn=told.append).to_dict() == first.to_dict()
    assert len(told) == 1
    assert "agentprint cache clear" in told[0]


def test_the_default_embedder(minilm_report: Report) -> None:
    document: Any = minilm_report.to_dict()
    assert document["embedder"]["id"] == "minilm"
    assert document["embedder"]["fingerprint"].startswith("all-MiniLM-L6-v2-onnx-int8:sha256:")
    assert document["similarity"]["cut"] == 0
    [pair] = document["pairs"]
    assert pair["tools"] == ["search_loans", "search_loan_history"]
    assert pair["score"] == pytest.approx(0.839, abs=0.01)


@pytest.fixture(scope="module")
def minilm_report() -> Report:
    path = ROOT / "recordings" / "twin-tools.jsonl"
    return lint(str(path), LintOptions(cache=False))
