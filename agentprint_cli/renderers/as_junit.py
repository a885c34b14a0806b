"""JUnit XML, from the document of ``agentprint check``.

One suite for each recording, in it one test case for each gate. The names of suites and cases stay
the same when the log is recorded again, so that a CI system can show their history; runs and
events are in the text of the failure. What could not be measured is an error where the gate
fails the build, and skipped where it warns: never a passed test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TextIO

from ..safe_text import visible
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
    for recording in document["recordings"]:
        _suite(root, document, recording["path"])
    _other_suite(root, document)
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, 0)) for suite in root)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    stream.write(f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n')


def _safe(text: object) -> str:
    """``text`` on one line, without any character that XML 1.0 cannot hold."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", visible(str(text)))


def _suite(root: Element, document: Any, path: str) -> None:
    suite = _add(root, "testsuite", name=_safe(path))
    for gate in document["gates"]:
        case = _add(suite, "testcase", classname=_safe(path), name=gate["id"], file=_safe(path))
        _result(case, document, gate, path)
    _count(suite)


def _result(case: Element, document: Any, gate: Any, path: str) -> None:
    found = [f for f in document["findings"] if (f["gate"], f["recording"]) == (gate["id"], path)]
    counts: dict[str, Any] = next(
        (counts for counts in gate["by_recording"] if counts["recording"] == path), {}
    )
    errors = [finding for finding in found if finding["level"] == "error"]
    others = [finding for finding in found if finding["level"] != "error"]
    unmeasured = not counts.get("measured") and (counts.get("not_measured") or not counts)
    if errors:
        message = f"{gate['title']}: {len(errors)} {'finding' if len(errors) == 1 else 'findings'}"
        _add(case, "failure", message=message, type=gate["id"]).text = _lines(errors)
    elif gate["outcome"] == "inconclusive" and gate["severity"] == "fail":
        _add(case, "error", message="could not be measured", type="inconclusive").text = _reasons(
            document, gate, path
        )
    elif unmeasured:
        _add(case, "skipped", message=f"not measured: {_reasons(document, gate, path)}")
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
            f"{finding['message']} ({finding['file']}"
            + (f":{finding['line']}" if "line" in finding else "")
            + (f", run {finding['run']}" if "run" in finding else "")
            + (f", event {finding['event']}" if "event" in finding else "")
            + (f", {finding['path']}" if finding.get("path") else "")
            + ("; known" if finding["state"] == "known" else "")
            + ")"
        )
        for finding in findings
    )


def _reasons(document: Any, gate: Any, path: str) -> str:
    reasons = dict.fromkeys(
        part["message"]
        for part in document["not_measured"]
        if (part["gate"], part["recording"]) == (gate["id"], path)
    )
    return _safe("; ".join(reasons) or "it holds nothing that this gate measures")


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    from xml.etree import ElementTree

    return ElementTree.SubElement(parent, tag, attributes)


RENDERER = Renderer("junit", write)
