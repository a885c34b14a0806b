"""The house rules: who may import whom, and what the rooms' members look like."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import agentprint_cli
from agentprint_cli.analyzers import EXPLAIN
from agentprint_cli.formats import FORMATS
from agentprint_cli.gates import CHECKS
from agentprint_cli.renderers import RENDERERS
from agentprint_cli.signals import SIGNAL_CHECKS

PACKAGE = Path(agentprint_cli.__file__).parent
# Room -> the rooms that it may import. `__init__` holds the version only.
MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "model": {"base"},
    "rules": {"base"},
    "formats": {"base", "model"},
    "schemas": {"base", "model"},
    "embedding": {"base", "model"},
    "view": {"base", "formats", "model"},
    "readings": {"base", "model", "rules", "view"},
    "analyzers": {"base", "model", "readings", "rules"},
    "signals": {"base", "model", "rules"},
    "choices": {"base", "embedding", "model", "readings", "rules", "view"},
    "gates": {"base", "choices", "model", "signals"},
    "reports": {
        "__init__",
        "analyzers",
        "base",
        "choices",
        "embedding",
        "formats",
        "gates",
        "model",
        "readings",
        "rules",
        "schemas",
        "signals",
        "view",
    },
    "renderers": {"base", "model"},
    "commands": {
        "__init__",
        "base",
        "choices",
        "embedding",
        "model",
        "renderers",
        "reports",
        "view",
    },
    "api": {"base", "choices", "embedding", "model", "readings", "reports", "rules"},
    "__main__": {"base", "commands"},
    "__init__": set(),
}
# Third-party module -> the only rooms that may import it.
ONLY_IN = {
    "typer": {"commands"},
    "rich": {"renderers", "commands"},
    "orjson": {"base", "renderers"},
    "msgspec": {"formats"},
    "jsonschema": {"schemas"},
    "tomlkit": {"base"},
    "zstandard": {"view"},
    "sentence_transformers": {"embedding"},
    "onnxruntime": {"embedding"},
    "tokenizers": {"embedding"},
}
# Rooms whose members import the room's interface, never each other.
ROOMS_OF_MEMBERS = ("formats", "analyzers", "signals", "gates", "renderers")


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _name(path: Path) -> tuple[str, ...]:
    return path.relative_to(PACKAGE).with_suffix("").parts


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """(level, dotted module) of each import of a module; ``from . import x`` names x."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, alias.name
        elif isinstance(node, ast.ImportFrom):
            if node.module is None:
                for alias in node.names:
                    yield node.level, alias.name
            else:
                yield node.level, node.module


def _own_imports(path: Path) -> Iterator[tuple[str, ...]]:
    """What a module imports of the package, as parts from the package's root."""
    name = _name(path)
    for level, module in _imports(path):
        if level == 0:
            parts = tuple(module.split("."))
            if parts[0] == "agentprint_cli":
                yield parts[1:]
            continue
        base = name[: len(name) - level]
        target = (*base, *module.split("."))
        # `from .. import __version__` names something of the package itself.
        yield ("__init__",) if target[0].startswith("__") and len(target) == 1 else target


@pytest.mark.parametrize("path", _modules(), ids=lambda path: "/".join(_name(path)))
def test_imports_follow_the_house(path: Path) -> None:
    room = _name(path)[0]
    for target in _own_imports(path):
        other = target[0]
        if other != room:
            assert other in MAY_IMPORT[room], f"{room} must not import {'.'.join(target)}"
    for level, module in _imports(path):
        top = module.split(".")[0]
        if level == 0 and top in ONLY_IN:
            assert room in ONLY_IN[top], f"{room} must not import {top}"


@pytest.mark.parametrize("room", ROOMS_OF_MEMBERS)
def test_members_import_their_interface_and_no_sibling(room: str) -> None:
    for path in (PACKAGE / room).glob("*.py"):
        if path.name == "__init__.py":
            continue
        for target in _own_imports(path):
            if target[0] == room:
                assert target[1:2] == ("interface",), f"{path.name} imports {'.'.join(target)}"


def test_no_cycles_between_rooms() -> None:
    edges: dict[str, set[str]] = {}
    for path in _modules():
        room = _name(path)[0]
        edges.setdefault(room, set()).update(
            target[0] for target in _own_imports(path) if target[0] not in (room, "__init__")
        )

    def visit(room: str, trail: tuple[str, ...]) -> None:
        assert room not in trail, " -> ".join((*trail, room))
        for other in sorted(edges.get(room, ())):
            visit(other, (*trail, room))

    for room in edges:
        visit(room, ())


def test_every_room_is_in_the_rules() -> None:
    assert {_name(path)[0] for path in _modules()} <= set(MAY_IMPORT)


def test_every_public_thing_has_a_docstring() -> None:
    missing = []
    for path in _modules():
        tree = ast.parse(path.read_text())
        if ast.get_docstring(tree) is None:
            missing.append(f"{path.name}: module")
        for node in tree.body:
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
                and ast.get_docstring(node) is None
            ):
                missing.append(f"{'/'.join(_name(path))}: {node.name}")
    assert missing == []


def test_names_in_the_rooms_are_unique() -> None:
    for names in (
        [format.name for format in FORMATS],
        [analyzer.name for analyzer in EXPLAIN],
        [check.id for check in SIGNAL_CHECKS],
        [gate.id for gate in CHECKS],
        [renderer.name for renderer in RENDERERS.values()],
    ):
        assert len(names) == len(set(names))


def test_modules_stay_small() -> None:
    long = {
        "/".join(_name(path)): count
        for path in _modules()
        if (count := len(path.read_text().splitlines())) > 500
    }
    assert long == {}
