"""GitHub annotations, from the document of ``agentprint check``: workflow commands, one a line.

GitHub shows the first ten errors and the first ten warnings of a step, so errors come first.
Findings that the baseline knows, or that are within a limit, are counted only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from ..base.safe_text import visible
from .interface import Output, Renderer, Style


def write(output: Output, stream: TextIO, style: Style) -> None:
    """Write the annotations and a last line that sums up."""
    document: Any = output.document()
    for line in _lines(document):
        stream.write(line + "\n")


def escape_data(text: object) -> str:
    """A command's message: what GitHub asks to be escaped is, and other controls are shown."""
    escaped = str(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(escaped)


def escape_property(text: object) -> str:
    """A command's property, in which colons and commas mean something too."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _command(kind: str, message: object, **properties: object) -> str:
    set_in = ",".join(
        f"{name}={escape_property(value)}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{kind} {set_in}::{escape_data(message)}"


def _lines(document: Any) -> Iterator[str]:
    for level in ("error", "warning"):
        for finding in document["findings"]:
            if finding["level"] == level:
                run = f" (run {finding['run']})" if "run" in finding else ""
                yield _command(
                    level,
                    finding["message"] + run,
                    file=finding["file"] if finding["file"] != "-" else None,
                    line=finding.get("line"),
                    title=f"agentprint {finding['gate']}",
                )
        if level == "error":
            yield from _trouble(document)
    counts = document["summary"]
    yield (
        f"agentprint check: {counts['errors']} errors, {counts['warnings']} warnings, "
        f"{counts['known']} known, {counts['gone']} gone; exit code {document['exit_code']}"
    )


def _trouble(document: Any) -> Iterator[str]:
    """Files that could not be read, and gates that could not be measured."""
    for file in document["unreadable"]:
        yield _command("error", file["why"], file=file["path"], title="agentprint unreadable")
    for gate in document["gates"]:
        if gate["outcome"] == "inconclusive":
            kind = "error" if gate["severity"] == "fail" else "notice"
            yield _command(
                kind,
                f"{gate['id']} could not be measured: {gate['not_measured']} not measured, "
                f"{gate['measured']} measured",
                title=f"agentprint {gate['id']}",
            )


RENDERER = Renderer("github", write)
