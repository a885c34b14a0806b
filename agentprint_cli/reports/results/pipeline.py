"""How large the tool results of a run were, and who filled its contexts."""

from __future__ import annotations

from collections.abc import Sequence

from ...analyzers import RESULTS
from ...analyzers.interface import Context
from ...model import Report
from ...rules.result_cap import cap_tool_result
from ...view.source import Progress
from ..shared.single_runs import RunReport
from .document import SCHEMA, document

_RESULTS = RunReport(SCHEMA, RESULTS, (), document)


def results(
    path: str,
    *,
    run: str | None = None,
    all_runs: bool = False,
    caps: Sequence[int] = (),
    progress: Progress | None = None,
) -> list[Report]:
    """The tool results of a run, who filled its contexts, and what each of ``caps`` would have
    cut; of one run, or of every configured one. Raises `errors.UnreadableInput`, and
    `ValueError` for a cap that is no positive whole number."""
    context = Context(caps=tuple(caps))
    for cap in context.caps:
        cap_tool_result("", cap, "")
    return _RESULTS.of_recording(path, run, all_runs, context, progress)
