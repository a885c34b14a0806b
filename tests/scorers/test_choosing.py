"""Which scorer is used when none is named."""

from __future__ import annotations

import pytest

from agentprint_cli.choices.scorers import REFERENCE, SCORERS, default_scorer, scorer_of


def test_names_are_known_and_distinct() -> None:
    assert [scorer.name for scorer in SCORERS] == ["cosine", "hybrid", "fleet"]
    assert [scorer_of(scorer.name) for scorer in SCORERS] == list(SCORERS)
    with pytest.raises(KeyError):
        scorer_of("none")


@pytest.mark.parametrize(
    ("embedder", "with_others", "expected"),
    [
        ("minilm", True, "fleet"),
        ("minilm", False, "hybrid"),
        ("openai:text-embedding-3-small", True, REFERENCE),
        ("counting", False, REFERENCE),
    ],
)
def test_fitted_weights_are_used_with_their_embedder_only(
    embedder: str, with_others: bool, expected: str
) -> None:
    assert default_scorer(embedder, with_others) == expected


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.name)
def test_what_is_compared_over_time_asks_no_others(scorer: object) -> None:
    alone = scorer_of(scorer.alone)  # type: ignore[attr-defined]
    assert not alone.uses_others
    assert alone.score is scorer.score_alone  # type: ignore[attr-defined]
    assert alone.noise == scorer.noise  # type: ignore[attr-defined]
