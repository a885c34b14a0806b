"""Which catalogues are read, from what, and what is said of everything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentprint_cli.base.errors import UnreadableInput
from agentprint_cli.choices.catalogues import Catalogue, read_document, read_log
from agentprint_cli.model import Reason
from tests.conftest import OpenBytes
from tests.logs import Log

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
PLAIN = {"name": "find", "description": "Finds.", "inputSchema": SCHEMA}
ANTHROPIC = {"name": "find", "description": "Finds.", "input_schema": SCHEMA}
RESPONSES = {"type": "function", "name": "find", "description": "Finds.", "parameters": SCHEMA}
CHAT = {
    "type": "function",
    "function": {"name": "find", "description": "Finds.", "parameters": SCHEMA},
}


def read(value: Any) -> Catalogue:
    return read_document(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("value", "shape", "place", "inside", "member"),
    [
        ([PLAIN], "plain", "/0", "", "inputSchema"),
        ({"tools": [PLAIN]}, "plain", "/tools/0", "", "inputSchema"),
        ({"result": {"tools": [PLAIN]}}, "mcp", "/result/tools/0", "", "inputSchema"),
        (
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [PLAIN]}},
            "mcp", "/result/tools/0", "", "inputSchema",
        ),
        ([ANTHROPIC], "anthropic", "/0", "", "input_schema"),
        ({"model": "m", "tools": [ANTHROPIC]}, "anthropic", "/tools/0", "", "input_schema"),
        ([RESPONSES], "openai-responses", "/0", "", "parameters"),
        ([CHAT], "openai-chat", "/0", "/function", "parameters"),
    ],
)  # fmt: skip
def test_shapes(value: Any, shape: str, place: str, inside: str, member: str) -> None:
    catalogue = read(value)
    assert catalogue.shape == shape
    [menu] = catalogue.menus
    [tool] = menu.tools
    assert (tool.name, tool.description, tool.schema) == ("find", "Finds.", SCHEMA)
    assert tool.problems == ()
    assert tool.place.path == place
    assert tool.name_place.path == f"{place}{inside}/name"
    assert tool.description_place.path == f"{place}{inside}/description"
    assert tool.schema_place.path == f"{place}{inside}/{member}"
    assert catalogue.gaps == ()


@pytest.mark.parametrize(
    ("entries", "shape"),
    [
        ([CHAT, RESPONSES], "mixed"),
        ([PLAIN, ANTHROPIC], "mixed"),
        ([ANTHROPIC, {"name": "now", "description": "Now."}], "anthropic"),
        ([CHAT, {"type": "custom", "custom": {"name": "now"}}], "openai-chat"),
        ([RESPONSES, {"type": "web_search"}], "openai-responses"),
        ([{"type": "custom", "name": "now", "description": "Now."}], "plain"),
        ([{"type": "function", "name": "now"}], "openai-responses"),
    ],
)
def test_mixed_entries(entries: list[Any], shape: str) -> None:
    assert read(entries).shape == shape


def test_a_providers_own_tools_are_no_broken_ones() -> None:
    entries = [{"type": "web_search"}, {"type": "bash_20250124", "name": "bash"}, ANTHROPIC]
    tools = read(entries).menus[0].tools
    assert [(tool.name, tool.hosted) for tool in tools] == [
        ("web_search", True),
        ("bash", True),
        ("find", False),
    ]
    assert all(tool.problems == () for tool in tools)


@pytest.mark.parametrize(
    ("entry", "why", "found", "path"),
    [
        (None, "not-an-object", "null", "/1"),
        ("find", "not-an-object", "the text 'find'", "/1"),
        ([], "not-an-object", "an array of 0", "/1"),
        ({}, "no-name", "nothing", "/1"),
        ({"name": ""}, "no-name", "an empty text", "/1/name"),
        ({"name": " "}, "no-name", "white space", "/1/name"),
        ({"name": 5}, "no-name", "the number 5", "/1/name"),
        ({"type": "function", "function": {}}, "no-name", "nothing", "/1/function"),
        (
            {"name": "x", "description": ["a"]},
            "description-not-text", "an array of 1: the first is the text 'a'", "/1/description",
        ),
        (
            {"name": "x", "inputSchema": "s"},
            "schema-not-an-object", "the text 's'", "/1/inputSchema",
        ),
    ],
)  # fmt: skip
def test_broken_entries_are_kept_and_located(entry: Any, why: str, found: str, path: str) -> None:
    tool = read([PLAIN, entry]).menus[0].tools[1]
    [problem] = tool.problems
    assert (problem.why, problem.found, problem.place.path) == (why, found, path)


def test_names_with_slashes_and_tildes_are_escaped() -> None:
    schema: dict[str, Any] = {"properties": {"a/b~c": {}}}
    [listed] = read([{"name": "x", "inputSchema": schema}]).listed
    place = listed.tool.schema_place.into("properties", "a/b~c")
    assert place.path == "/0/inputSchema/properties/a~1b~0c"


def test_a_page_of_a_longer_list_is_said_to_be_one() -> None:
    [gap] = read({"result": {"tools": [PLAIN], "nextCursor": "x"}}).gaps
    assert (gap.reason, gap.what) == (Reason.INCOMPLETE, "pages")
    assert gap.places[0].path == "/result/nextCursor"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[]", "an empty catalogue"),
        (b'{"tools": []}', "an empty catalogue"),
        (b"{}", "an object with no members, and none of them is 'tools'"),
        (b'{"name": "x"}', "an object with the member 'name', and none of them is 'tools'"),
        (b"5", "the number 5"),
        (b'"x"', "the text 'x'"),
        (b"[1, 2]", "an array of 2: the first is the number 1, and no entry has a name"),
        (b'[{"a": 1}]', "the first is an object with the member 'a', and no entry has a name"),
        (b'{"tools": {"x": {}}}', "'tools' is an object with the member 'x', not a list"),
        (b'{"tools": null}', "'tools' is null, not a list"),
        (b'{"result": {"tools": 3}}', "'tools' in its result is the number 3, not a list"),
        (b'{"jsonrpc": "2.0"}', "a JSON-RPC message with no result"),
        (b'{"jsonrpc": "2.0", "result": 5}', "a JSON-RPC message with the number 5"),
        (b'{"jsonrpc": "2.0", "error": {"message": "no"}}', "that is an error: the text 'no'"),
        (b'{"result": {"a": 1}}', "the member 'a' in its result, and none of them is 'tools'"),
        (b"hello", "not valid JSON"),
        (b'[{"name": "x"}', "not valid JSON"),
        (b"\xff\xfe", "not valid UTF-8"),
        (b"\x00\x01", "binary data"),
        (b"[" * 100_000, "no catalogue of tools"),
    ],
)
def test_what_is_no_catalogue(data: bytes, said: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        read_document(data)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_deeply_nested_schema_is_read() -> None:
    deep: Any = {}
    for _ in range(400):
        deep = {"properties": {"a": deep}}
    assert read([{"name": "x", "inputSchema": deep}]).listed[0].tool.schema == deep


# Recorded menus ------------------------------------------------------------------------------


def tool(name: str, description: str | None = "Does it.") -> dict[str, Any]:
    return {"name": name} if description is None else {"name": name, "description": description}


def offered(log: Log, *tools: Any, count: int | None = None) -> int:
    return log.add(
        "stream.llm_start",
        {
            "iteration": 1,
            "tools": list(tools),
            "toolsCount": len(tools) if count is None else count,
        },
    )


def test_each_distinct_menu_with_its_model_calls(open_bytes: OpenBytes) -> None:
    log = Log().configured()
    first = offered(log, tool("a"), tool("b"))
    again = offered(log, tool("b"), tool("a"))
    other = offered(log, tool("a"), tool("c"))
    offered(log)
    catalogue = read_log(open_bytes(log.lines()))
    assert catalogue.shape == "recorded"
    assert [menu.events for menu in catalogue.menus] == [(first, again), (other,)]
    assert [(each.tool.name, each.menus) for each in catalogue.listed] == [
        ("a", (0, 1)),
        ("b", (0,)),
        ("c", (1,)),
    ]
    place = catalogue.listed[2].tool.description_place
    assert (place.event, place.path) == (other, "/payload/tools/1/description")
    assert (place.type, place.line) == ("stream.llm_start", other + 1)
    assert catalogue.gaps == ()


def test_what_a_log_does_not_hold_is_a_gap(open_bytes: OpenBytes) -> None:
    log = Log().configured()
    offered(log, tool("a"), count=3)
    log.add("stream.llm_start", {"iteration": 2, "toolsCount": 3})
    log.add("stream.llm_start", {"iteration": 2, "toolsCount": 0})
    gaps = read_log(open_bytes(log.lines() + b'{"broken')).gaps
    assert [(gap.reason, gap.what, gap.count) for gap in gaps] == [
        (Reason.NO_CATALOGUE, "calls", 1),
        (Reason.INCOMPLETE, "menus", 1),
        (Reason.UNREADABLE, "unread", 1),
    ]


def test_a_menu_without_descriptions_is_not_called_undescribed(open_bytes: OpenBytes) -> None:
    log = Log().configured()
    offered(log, tool("a", None), tool("b", None))
    offered(log, tool("a", None), tool("c"))
    catalogue = read_log(open_bytes(log.lines()))
    assert [menu.described for menu in catalogue.menus] == [False, True]
    assert [(each.tool.name, each.menus) for each in catalogue.listed] == [
        ("a", (0,)),
        ("b", (0,)),
        ("a", (1,)),
        ("c", (1,)),
    ]


def test_redacted_values_are_kept_out_and_not_judged(open_bytes: OpenBytes) -> None:
    log = Log().configured()
    offered(log, tool("[REDACTED]"), tool("b", "[REDACTED]"))
    snapshot = {"recorders": [{"id": "agentfootprint.redaction"}]}
    tools = read_log(open_bytes(log.document(snapshot))).menus[0].tools
    assert [(t.name, t.description, t.kept_out) for t in tools] == [
        (None, "Does it.", True),
        ("b", None, True),
    ]
    assert all(t.problems == () for t in tools)
    plain = read_log(open_bytes(log.lines())).menus[0].tools
    assert [(t.name, t.kept_out) for t in plain] == [("[REDACTED]", False), ("b", False)]


@pytest.mark.parametrize(
    ("payloads", "said"),
    [
        ([], "without a model call"),
        ([{"toolsCount": 0, "tools": []}], "1 model call, and none of them was offered a tool"),
        ([{"toolsCount": 2}] * 2, "2 model calls, and the menu of none of them is on record"),
    ],
)
def test_a_log_without_a_menu(
    open_bytes: OpenBytes, payloads: list[dict[str, Any]], said: str
) -> None:
    log = Log().configured()
    for payload in payloads:
        log.add("stream.llm_start", {"iteration": 1, **payload})
    with pytest.raises(UnreadableInput, match=said):
        read_log(open_bytes(log.lines()))
