"""The list of schemas, for ``agentprint schema``."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.outline import Line, Outline, Section, Table


def outline(rows: Iterable[tuple[str, str]]) -> Outline:
    """The schemas by name, each with what it says in a line."""
    note = Line(
        "Each event type has one too: agentprint schema stream.tool_end. A name may be given "
        "without its version.",
        tone="muted",
    )
    table = Table(columns=("name", "what it describes"), rows=tuple(rows))
    return Outline("agentprint schema", (Section("", (table, note)),))
