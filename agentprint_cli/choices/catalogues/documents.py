"""Catalogues in JSON documents: a list of tools, an object that holds one, an MCP response."""

from __future__ import annotations

from collections.abc import Mapping

from ...base.errors import UnreadableInput
from ...base.json_text import BrokenJson, decode
from ...model import Pointer, Reason
from .entries import Catalogue, Gap, Menu, looks_like_a_tool, read_tool, shape_of, what

_EXPECTED = (
    "a list of tools, an object with 'tools' (MCP tools/list, OpenAI, Anthropic), "
    "or a recorded log is expected"
)
_ROOT = Pointer("")


def read_document(text: bytes) -> Catalogue:
    """The catalogue in the JSON document ``text``. Raises `UnreadableInput`, which says what was
    found instead."""
    try:
        value = decode(text)
    except BrokenJson as error:
        raise UnreadableInput(f"{_not_json(text, error)}; {_EXPECTED}") from None
    entries, place, mcp, gaps = _unwrapped(value)
    if not entries:
        raise UnreadableInput("an empty catalogue: it holds no tool")
    tools = tuple(read_tool(entry, place.into(n)) for n, entry in enumerate(entries))
    if not any(looks_like_a_tool(entry) for entry in entries) and not any(
        tool.hosted for tool in tools
    ):
        raise UnreadableInput(
            f"no catalogue of tools: {what(entries)}, and no entry has a name; {_EXPECTED}"
        )
    shape = shape_of(tools)
    return Catalogue("mcp" if mcp and shape == "plain" else shape, (Menu(tools, place),), gaps)


def _unwrapped(value: object) -> tuple[list[object], Pointer, bool, tuple[Gap, ...]]:
    """The list of entries, its place, whether it came in an MCP result, and what is missing."""
    if isinstance(value, list):
        return value, _ROOT, False, ()
    if not isinstance(value, Mapping):
        raise UnreadableInput(f"no catalogue of tools: {what(value)}; {_EXPECTED}")
    holder, place, called = value, _ROOT, ""
    if "tools" not in value and ("result" in value or "jsonrpc" in value):
        if "error" in value and value.get("result") is None:
            raise UnreadableInput(f"a JSON-RPC response that is an error: {_error(value)}")
        result = value.get("result")
        if not isinstance(result, Mapping):
            found = what(result) if "result" in value else "no result"
            raise UnreadableInput(f"a JSON-RPC message with {found} where tools are expected")
        holder, place, called = result, _ROOT.into("result"), " in its result"
    if "tools" not in holder:
        raise UnreadableInput(
            f"no catalogue of tools: {what(holder)}{called}, and none of them is 'tools'; "
            f"{_EXPECTED}"
        )
    entries = holder["tools"]
    if not isinstance(entries, list):
        raise UnreadableInput(f"'tools'{called} is {what(entries)}, not a list")
    gaps = []
    if isinstance(holder.get("nextCursor"), str):  # MCP: the list goes on
        gaps.append(Gap(Reason.INCOMPLETE, "pages", places=(place.into("nextCursor"),)))
    return entries, place.into("tools"), holder is not value, tuple(gaps)


def _error(value: Mapping[str, object]) -> str:
    error = value["error"]
    message = error.get("message") if isinstance(error, Mapping) else error
    return what(message)


def _not_json(text: bytes, error: BrokenJson) -> str:
    head = text[:4096]
    if b"\0" in head:
        return "no catalogue of tools: binary data"
    return f"no catalogue of tools: {error} at byte {error.offset}"
