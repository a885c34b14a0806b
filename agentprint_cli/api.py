"""What scripts may import: documented and stable.

Strings are what the log's JSON holds; lone surrogates are allowed.
"""

from __future__ import annotations

from . import pipeline
from .declarations import Declarations, parse_declarations
from .model import Report
from .rules.choice_text import candidate_text, choice_context
from .rules.offer import nameable_ids, undeclared_ids

__all__ = [
    "Declarations",
    "Report",
    "candidate_text",
    "choice_context",
    "explain",
    "nameable_ids",
    "undeclared_ids",
]


def explain(
    path: str,
    *,
    run: str | None = None,
    declarations: Declarations | dict[str, object] | None = None,
) -> Report:
    """Explain one run of the recording at ``path``: ``run``, else the one of the last answer.

    ``declarations`` may be the decoded content of a declarations file. The report's ``to_dict()``
    is the document that ``agentprint explain --format json`` prints (``agentprint/explain@1``).
    Raises `errors.UnreadableInput` when ``path`` holds no recording and `errors.UsageError` for
    bad declarations.
    """
    if isinstance(declarations, dict):
        declarations = parse_declarations(declarations, "declarations")
    return pipeline.explain(path, run=run, declarations=declarations)
