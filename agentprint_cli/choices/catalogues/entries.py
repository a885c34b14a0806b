"""What a catalogue is made of, whatever it was read from, and how one entry of it is read.

The shapes of an entry: plain or MCP (``inputSchema``), Anthropic (``input_schema``), OpenAI's
Responses (``parameters``) and Chat Completions (the same inside ``function`` or ``custom``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ...base.json_text import compact
from ...model import Pointer, Reason

_OWN_TYPES = frozenset({"function", "custom"})
_SCHEMA_MEMBERS = ("inputSchema", "input_schema", "parameters")
_SHAPES = {"inputSchema": "plain", "input_schema": "anthropic", "parameters": "openai-responses"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an entry is no proper tool, and where."""

    why: str
    """``not-an-object``, ``no-name``, ``description-not-text`` or ``schema-not-an-object``."""
    found: str
    """What stands there instead."""
    place: Pointer


@dataclass(frozen=True, slots=True)
class Tool:
    """One entry of a menu."""

    place: Pointer
    name: str | None
    """None when it has none, or when the record keeps it out."""
    name_place: Pointer
    description: str | None
    """Empty when it has none; None when what it is cannot be known."""
    description_place: Pointer
    schema: Mapping[str, object] | None
    """None when the entry holds none."""
    schema_place: Pointer
    shape: str
    """``plain``, ``anthropic``, ``openai-responses``, ``openai-chat`` or ``hosted``: one of a
    provider's own, whose description is not in the catalogue."""
    content: str
    """Equal for entries that say the same."""
    problems: tuple[Problem, ...] = ()
    kept_out: bool = False
    """A redaction policy keeps its name or its description out."""

    @property
    def called(self) -> str:
        """The name, or the place of a tool that has none."""
        return self.name if self.name is not None else f"(no name at {self.place.path or '/'})"

    @property
    def hosted(self) -> bool:
        """Whether it is one of a provider's own."""
        return self.shape == "hosted"


@dataclass(frozen=True, slots=True)
class Menu:
    """Tools that are offered together."""

    tools: tuple[Tool, ...]
    place: Pointer
    events: tuple[int, ...] = ()
    """For a recorded menu the model calls that it was offered to."""
    described: bool = True
    """False for a recorded menu in which no tool has a description: it was recorded without, or
    there was none; the record cannot tell."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something of the catalogue that is not there to be looked at."""

    reason: Reason
    what: str
    """``pages``, ``calls``, ``menus`` or ``unread``."""
    count: int = 1
    places: tuple[Pointer, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool with all that it is offered beside: entries that say the same are one, unless they
    stand in the same menu."""

    tool: Tool
    """Where it is found first."""
    menus: tuple[int, ...]
    """Which menus hold it: positions."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All menus that one input holds."""

    shape: str
    """A tool's shape, ``mcp``, ``mixed``, or ``recorded`` for the menus of a log."""
    menus: tuple[Menu, ...]
    gaps: tuple[Gap, ...] = ()
    listed: tuple[Listed, ...] = field(init=False)
    """The distinct tools, by first appearance."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "listed", tuple(_distinct(self.menus)))


def _distinct(menus: Sequence[Menu]) -> Iterator[Listed]:
    found: dict[tuple[str, int], tuple[Tool, list[int]]] = {}
    for number, menu in enumerate(menus):
        times: dict[str, int] = {}
        for tool in menu.tools:
            nth = times[tool.content] = times.get(tool.content, 0) + 1
            # Whether a description is missing or was not recorded is the menu's to say.
            key = (f"{tool.content} {menu.described}", nth)
            found.setdefault(key, (tool, []))[1].append(number)
    for tool, numbers in found.values():
        yield Listed(tool, tuple(numbers))


def read_tool(
    entry: object, place: Pointer, kept_out: Callable[[object], bool] = lambda value: False
) -> Tool:
    """The tool that ``entry`` describes, with what is wrong with it. ``kept_out`` tells values
    that stand for something that a redaction policy keeps out."""
    if not isinstance(entry, Mapping):
        problem = Problem("not-an-object", what(entry), place)
        return Tool(
            place, None, place, None, place, None, place, "plain", _content(entry), (problem,)
        )
    inner, inside, shape = entry, place, "plain"
    for wrapper in ("function", "custom"):
        if isinstance(entry.get(wrapper), Mapping) and "name" not in entry:
            inner, inside, shape = entry[wrapper], place.into(wrapper), "openai-chat"
    member = next((name for name in _SCHEMA_MEMBERS if inner.get(name) is not None), None)
    if shape == "plain":
        shape = _SHAPES.get(member or "", "plain")
        kind = entry.get("type")
        if isinstance(kind, str) and not isinstance(entry.get("description"), str):
            hosted = kind not in _OWN_TYPES and member is None
            shape = "hosted" if hosted else shape
        if kind == "function" and shape == "plain":
            shape = "openai-responses"
    problems: list[Problem] = []
    name = _name(inner, inside, shape, kept_out, problems)
    description = _description(inner, inside, shape, kept_out, problems)
    schema = inner.get(member) if member is not None else None
    schema_place = inside.into(member) if member is not None else inside
    if schema is not None and not isinstance(schema, Mapping):
        problems.append(Problem("schema-not-an-object", what(schema), schema_place))
        schema = None
    return Tool(
        place=place,
        name=name,
        name_place=inside.into("name") if "name" in inner else inside,
        description=description,
        description_place=inside.into("description") if "description" in inner else inside,
        schema=schema,
        schema_place=schema_place,
        shape=shape,
        content=_content(entry),
        problems=tuple(problems),
        kept_out=kept_out(inner.get("name")) or kept_out(inner.get("description")),
    )


def _name(
    inner: Mapping[str, object],
    inside: Pointer,
    shape: str,
    kept_out: Callable[[object], bool],
    problems: list[Problem],
) -> str | None:
    value = inner.get("name")
    if kept_out(value):
        return None
    if isinstance(value, str) and value.strip():
        return value
    if shape != "hosted":
        place = inside.into("name") if "name" in inner else inside
        found = "nothing" if "name" not in inner else what(value)
        problems.append(Problem("no-name", found, place))
    elif isinstance(inner.get("type"), str):
        return str(inner["type"])  # by which its provider knows it
    return None


def _description(
    inner: Mapping[str, object],
    inside: Pointer,
    shape: str,
    kept_out: Callable[[object], bool],
    problems: list[Problem],
) -> str | None:
    value = inner.get("description")
    if shape == "hosted" or kept_out(value):
        return None
    if value is None:
        return ""
    if not isinstance(value, str):
        problems.append(Problem("description-not-text", what(value), inside.into("description")))
        return None
    return value


def _content(entry: object) -> str:
    """A digest that is equal for entries that are equal, whatever the order of their members."""
    try:
        text = compact(_ordered(entry))
    except RecursionError:
        text = f"nested too deeply: {id(entry)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _ordered(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    return value


def looks_like_a_tool(entry: object) -> bool:
    """Whether ``entry`` has what tells a tool from other things."""
    if not isinstance(entry, Mapping):
        return False
    named = [entry, *(entry.get(wrapper) for wrapper in ("function", "custom"))]
    if any(isinstance(each, Mapping) and isinstance(each.get("name"), str) for each in named):
        return True
    return any(member in entry for member in _SCHEMA_MEMBERS)


def what(value: object) -> str:
    """What ``value`` is, in a few words, for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        if not value.strip():
            return "an empty text" if not value else "white space"
        return f"the text {value!r}" if len(value) <= 40 else f"a text of {len(value)} characters"
    if isinstance(value, int | float):
        return f"the number {value}" if len(str(value)) <= 40 else "a long number"
    if isinstance(value, list):
        return f"an array of {len(value)}" + (f": {_kinds(value)}" if value else "")
    if isinstance(value, Mapping):
        return f"an object with {_members(value)}"
    return type(value).__name__


def _kinds(values: Sequence[object]) -> str:
    first = values[0]
    return f"the first is {what(first) if not isinstance(first, list) else 'an array'}"


def _members(value: Mapping[str, object]) -> str:
    if not value:
        return "no members"
    names = [name if len(name) <= 30 else f"{name[:30]}…" for name in list(value)[:6]]
    more = len(value) - len(names)
    listed = ", ".join(map(repr, names)) + (f" and {more} more" if more > 0 else "")
    return f"the member{'s' if len(value) > 1 else ''} {listed}"


def shape_of(tools: Iterator[Tool] | Sequence[Tool]) -> str:
    """The shape that the tools share, hosted ones aside, or ``mixed``. A plain entry, which has
    no schema, goes with any other."""
    shapes = {tool.shape for tool in chain(tools)} - {"hosted"}
    marked = shapes - {"plain"}
    if len(marked) == 1 and not any(t.shape == "plain" and t.schema is not None for t in tools):
        return marked.pop()
    return "mixed" if marked else "plain"
