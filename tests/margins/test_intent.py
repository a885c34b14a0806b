"""What the model wrote with its calls, from the log to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.choices.scoring import MarginOptions
from agentprint_cli.embedding import make_embedder
from agentprint_cli.reports.margins.pipeline import margins
from agentprint_cli.view import open_view
from tests.logs import Log


def _said(text: str, called: str = "get_user") -> Log:
    log = Log().configured().asked("who?")
    log.called_model(1, "get_user", "list_loans", "desk")
    log.add("stream.llm_end", {"content": text})
    log.started("t1", called)
    return log


def _margins(path: str, **options: Any) -> dict[str, Any]:
    return margins(
        [path],
        embedder=lambda: make_embedder("tests.margins.counting:make"),
        options=MarginOptions(**{"intent": True, "scorer": "hybrid", **options}),
    ).to_dict()


def test_a_text_that_names_another_tool_is_flagged(tmp_path: Path) -> None:
    path = _said("Fine. I will use list_loans.").save(tmp_path)
    found = _margins(path)
    (call,) = found["calls"]
    assert call["intent"]["flags"] == ["says-one-calls-another"]
    assert call["intent"]["named"] == ["list_loans"]
    assert found["intents"] == {"texts": 1, "says_one_calls_another": 1}
    with open_view(path) as view:
        pointer = view.pointer(3, "payload", "content")
    assert call["intent"]["pointer"]["event"] == pointer.event == 3
    assert call["intent"]["pointer"]["path"] == pointer.path == "/payload/content"


def test_a_text_that_names_the_chosen_tool_is_not(tmp_path: Path) -> None:
    found = _margins(_said("Not list_loans but get_user.").save(tmp_path))
    assert found["calls"][0]["intent"]["flags"] == []
    assert found["intents"] == {"texts": 1, "says_one_calls_another": 0}


@pytest.mark.parametrize("text", ["", " \n", "…", "🙂", "---", "```\nlist_loans\n```", "\ufeff"])
def test_text_that_announces_nothing_is_counted_nowhere(tmp_path: Path, text: str) -> None:
    found = _margins(_said(text).save(tmp_path))
    assert found["summary"]["scored"] == 1
    assert "intent" not in found["calls"][0]
    assert "intents" not in found
    # The context and the three tools: nothing was embedded for the text.
    assert found["embedder"]["distinct_texts"] == 4


def test_only_asked_for_with_the_reference(tmp_path: Path) -> None:
    path = _said("I will use list_loans.").save(tmp_path)
    assert "intents" not in _margins(path, scorer="cosine", intent=None)
    assert "intents" in _margins(path, scorer="cosine", intent=True)
    assert "intents" in _margins(path, scorer="hybrid", intent=None)
    assert "intents" not in _margins(path, scorer="hybrid", intent=False)


def test_a_choice_that_is_not_scored_has_no_intent(tmp_path: Path) -> None:
    found = _margins(_said("I will use list_loans.", called="other").save(tmp_path))
    assert found["calls"][0]["skipped"] == "chosen-not-offered"
    assert "intents" not in found
