"""What scripts may import: documented and stable.

Strings are what the log's JSON holds; lone surrogates are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .base.config import Thresholds
from .choices.scoring import REFERENCE, MarginOptions, check_scorer, check_thresholds
from .model import Report
from .model.declarations import Declarations, parse_declarations
from .reports.explain.pipeline import explain as explain_report
from .reports.margins import pipeline as margins_pipeline
from .rules.choice_text import candidate_text, choice_context
from .rules.code_shape import code_shape, shape_hash
from .rules.margin import Margin, score_margin
from .rules.offer import nameable_ids, offered_ids, served_ids, undeclared_ids
from .rules.result_cap import cap_tool_result

__all__ = [
    "Declarations",
    "Margin",
    "Report",
    "candidate_text",
    "cap_tool_result",
    "choice_context",
    "code_shape",
    "explain",
    "margins",
    "nameable_ids",
    "offered_ids",
    "score_margin",
    "served_ids",
    "shape_hash",
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
    return explain_report(path, run=run, declarations=declarations)


def margins(
    paths: str | Iterable[str],
    *,
    embedder: Any = "minilm",
    threshold: float | None = None,
    scorer: str | None = None,
) -> Report:
    """The margins of every tool choice in the recordings that ``paths`` name (files, folders,
    patterns).

    ``embedder`` is a name as ``--embedder`` takes it, an object with ``id`` and
    ``embed(texts)``, which returns one vector per text, or None for choices without scores.
    ``scorer`` is a name as ``--scorer`` takes it, ``threshold`` a margin below which a choice is
    narrow, in the units of the scorer, or of the reference when none is named; None: as the
    command has them. The report's ``to_dict()`` is the document that ``agentprint margins
    --format json`` prints (``agentprint/margins@1``). A file that cannot be read is in its
    ``unreadable``. Raises `errors.UsageError` for an unknown name or a threshold
    that no margin can lie below, and `errors.EmbedderFailed`.
    """
    check_scorer(scorer)
    if scorer is None and threshold is not None:
        scorer = REFERENCE
    thresholds = Thresholds(default=threshold)
    check_thresholds(thresholds, scorer)

    def make() -> Any:
        from .embedding import make_embedder, wrap_embedder

        if isinstance(embedder, str):
            return make_embedder(embedder)
        return wrap_embedder(embedder)

    return margins_pipeline.margins(
        [paths] if isinstance(paths, str) else paths,
        embedder=None if embedder is None else make,
        options=MarginOptions(thresholds=thresholds, scorer=scorer),
    )
