"""SARIF 2.1.0, from the document of ``agentprint check``.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO
from urllib.parse import quote

from ..base.safe_text import visible
from .interface import Output, Renderer, Style

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_BASE = "%SRCROOT%"
_FINGERPRINT = "agentprintBaseline/v1"
_STATES = {"new": "new", "known": "unchanged"}
_PROPERTIES = (
    "run",
    "event",
    "tool",
    "rival",
    "margin",
    "previous_rival",
    "previous_margin",
    "noise",
    "menu_changed",
    "added_tools",
    "removed_tools",
    "signal",
    "state",
)
_DRIVE = re.compile("^[A-Za-z]:/")


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the log and a line feed."""
    document: Any = output.document()
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(document)]}
    stream.write(json.dumps(log, indent=2, ensure_ascii=False) + "\n")


def _run(document: Any) -> dict[str, object]:
    rules = {gate["id"]: number for number, gate in enumerate(document["gates"])}
    return {
        "tool": {
            "driver": {
                "name": document["tool"]["name"],
                "version": document["tool"]["version"],
                "semanticVersion": document["tool"]["version"],
                "rules": [_rule(gate) for gate in document["gates"]],
            }
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {
            _BASE: {"description": {"text": "The folder in which agentprint was run."}}
        },
        "invocations": [
            {
                "executionSuccessful": document["exit_code"] in (0, 1),
                "exitCode": document["exit_code"],
                "toolExecutionNotifications": list(_notifications(document, rules)),
            }
        ],
        "results": [
            _result(finding, rules, "baseline" in document) for finding in document["findings"]
        ],
    }


def _rule(gate: Any) -> dict[str, object]:
    return {
        "id": gate["id"],
        "name": "".join(word.capitalize() for word in gate["id"].split("-")),
        "shortDescription": {"text": f"{gate['title']}."},
        "fullDescription": {"text": f"{gate['title']}. {gate['help']}"},
        "help": {"text": gate["help"], "markdown": f"**{gate['title']}.** {gate['help']}"},
        "defaultConfiguration": {"level": "error" if gate["severity"] == "fail" else "warning"},
        "properties": {"tags": ["agent", "tool-choice" if gate["unit"] == "choice" else "record"]},
    }


def _result(finding: Any, rules: dict[str, int], has_baseline: bool) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding["gate"],
        "ruleIndex": rules[finding["gate"]],
        "level": finding["level"],
        "message": {"text": _plain(finding["message"])},
        "locations": [_location(finding)],
        "partialFingerprints": {_FINGERPRINT: finding["fingerprint"]},
    }
    if has_baseline:
        result["baselineState"] = _STATES[finding["state"]]
    result["properties"] = {
        name: _property(finding[name]) for name in _PROPERTIES if name in finding
    }
    return result


def _property(value: Any) -> object:
    if isinstance(value, list):
        return [_property(item) for item in value]
    return _plain(value) if isinstance(value, str) else value


def _location(finding: Any) -> dict[str, object]:
    location: dict[str, object] = {}
    if finding["file"] != "-":  # standard input has no place that a viewer could open
        physical: dict[str, object] = {"artifactLocation": _artifact(finding["file"])}
        if "line" in finding:
            physical["region"] = {"startLine": finding["line"]}
        location["physicalLocation"] = physical
    path = finding.get("path", "")
    logical: dict[str, object] = {"fullyQualifiedName": _plain(path), "kind": "value"}
    if path:
        logical["name"] = _plain(path.rpartition("/")[2])
        location["logicalLocations"] = [logical]
    return location


def _artifact(path: str) -> dict[str, object]:
    uri = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    if path.startswith("/"):
        return {"uri": f"file://{uri}"}
    if _DRIVE.match(path):
        return {"uri": f"file:///{uri.replace('%3A', ':', 1)}"}
    return {"uri": uri, "uriBaseId": _BASE}


def _notifications(document: Any, rules: dict[str, int]) -> Iterator[dict[str, object]]:
    for file in document["unreadable"]:
        yield {
            "level": "error",
            "message": {"text": _plain(file["why"])},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(file["path"])}}],
        }
    for gate in document["gates"]:
        if gate["outcome"] == "inconclusive":
            yield {
                "level": "error" if gate["severity"] == "fail" else "note",
                "message": {
                    "text": f"{gate['id']} could not be measured: {gate['not_measured']} not "
                    f"measured, {gate['measured']} measured."
                },
                "associatedRule": {"id": gate["id"], "index": rules[gate["id"]]},
            }


def _plain(text: str) -> str:
    """Recorded text that no viewer takes for a link, and no terminal for a command."""
    return visible(text).replace("](", "] (")


RENDERER = Renderer("sarif", write)
