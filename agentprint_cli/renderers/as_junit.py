"""JUnit XML, from the document of ``agentprint check``.

One suite for each recording, in it one test case for each gate. The names of suites and cases stay
the same when the log is recorded again, so that a CI system can show their history; runs and
events are in the text of the failure. What could not be measured is an error where the gate
fails the build, and skipped where it warns: never a passed test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TextIO

from ..base.safe_text import visible
from .interface import Output, Renderer, Style

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OTHERS = "agentprint check"


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the suites and a line feed."""
    from xml.etree import ElementTree

    document: Any = output.document()
    root = ElementTree.Element("testsuites", name=_OTHERS)
    cells = _Cells(document)
    for recording in document["recordings"]:
        _suite(root, document, cells, recording["path"])
    _other_suite(root, document)
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, 0)) for suite in root)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    stream.write(f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n')


def _safe(text: object) -> str:
    """``text`` on one line, without any character that XML 1.0 cannot hold."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", visible(str(text)))


class _Cells:
    """What there is to say of each gate and recording."""

    def __init__(self, document: Any) -> None:
        self.findings: dict[tuple[str, str], list[Any]] = {}
        self.reasons: dict[tuple[str, str], dict[str, None]] = {}
        self.counts: dict[tuple[str, str], Any] = {}
        for finding in document["findings"]:
            key = finding["gate"], finding["recording"]
            self.findings.setdefault(key, []).append(finding)
        for part in document["not_measured"]:
            key = part["gate"], part["recording"]
            self.reasons.setdefault(key, {})[part["message"]] = None
        for gate in document["gates"]:
            for counts in gate["by_recording"]:
                self.counts[gate["id"], counts["recording"]] = counts

    def why(self, key: tuple[str, str]) -> str:
        """Why it was not measured."""
        told = "; ".join(self.reasons.get(key, ()))
        return _safe(told or "it holds nothing that this gate measures")


def _suite(root: Element, document: Any, cells: _Cells, path: str) -> None:
    suite = _add(root, "testsuite", name=_safe(path))
    for gate in document["gates"]:
        case = _add(suite, "testcase", classname=_safe(path), name=gate["id"], file=_safe(path))
        _result(case, gate, cells, (gate["id"], path))
    _count(suite)


def _result(case: Element, gate: Any, cells: _Cells, key: tuple[str, str]) -> None:
    found = cells.findings.get(key, [])
    counts = cells.counts.get(key, {})
    errors = [finding for finding in found if finding["level"] == "error"]
    others = [finding for finding in found if finding["level"] != "error"]
    if errors:
        message = f"{gate['title']}: {len(errors)} {'finding' if len(errors) == 1 else 'findings'}"
        _add(case, "failure", message=message, type=gate["id"]).text = _lines(errors)
    elif gate["outcome"] == "inconclusive" and gate["severity"] == "fail":
        error = _add(case, "error", message="could not be measured", type="inconclusive")
        error.text = cells.why(key)
    elif not counts.get("measured") and (counts.get("not_measured") or not counts):
        _add(case, "skipped", message=f"not measured: {cells.why(key)}")
    if others:
        _add(case, "system-out").text = _lines(others)


def _other_suite(root: Element, document: Any) -> None:
    """Files that could not be read, and the gates where no recording could be."""
    unreadable, recordings = document["unreadable"], document["recordings"]
    gates = [] if recordings else document["gates"]
    if not unreadable and not gates:
        return
    suite = _add(root, "testsuite", name=_OTHERS)
    for file in unreadable:
        path = _safe(file["path"])
        case = _add(suite, "testcase", classname=path, name="readable", file=path)
        _add(case, "error", message=_safe(file["why"]), type="unreadable")
    for gate in gates:
        case = _add(suite, "testcase", classname=_OTHERS, name=gate["id"])
        kind = "error" if gate["severity"] == "fail" else "skipped"
        _add(case, kind, message="could not be measured: no recording was read")
    _count(suite)


def _count(suite: Element) -> None:
    suite.set("tests", str(len(suite)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in suite)))


def _lines(findings: list[Any]) -> str:
    return "\n".join(
        _safe(
            f"{finding['gate']}: {finding['message']} ({finding['file']}"
            + (f":{finding['line']}" if "line" in finding else "")
            + (f", run {finding['run']}" if "run" in finding else "")
            + (f", event {finding['event']}" if "event" in finding else "")
            + (f", {finding['path']}" if finding.get("path") else "")
            + ("; known" if finding["state"] == "known" else "")
            + ")"
        )
        for finding in findings
    )


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    from xml.etree import ElementTree

    return ElementTree.SubElement(parent, tag, attributes)


RENDERER = Renderer("junit", write)
