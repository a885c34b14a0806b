"""Check the labelled requests in this folder and print a table of counts.

    python bench/validity/validate.py [FOLDER]

Exits with 1 if anything is wrong, and says what and where. Standard library only.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

MIN_CATALOGUES: Final = 14
MIN_TOOLS: Final = 6
MAX_TOOLS: Final = 60
MIN_REQUESTS: Final = 640
MIN_MID_SHARE: Final = 1 / 3
LONG: Final = 1500
MIN_LONG: Final = 12
NEAR_DUPLICATE: Final = 0.5

TOOL_KEYS: Final = {"name", "description", "inputSchema"}
REQUEST_KEYS: Final = {
    "id",
    "catalogue",
    "context",
    "right",
    "kind",
    "calls_before",
    "last_result_head",
    "wrong_but_plausible",
    "note",
}
KINDS: Final = ("single", "mid-run")
TOOL_NAME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9_.\-]*$")


@dataclass
class Request:
    where: str
    catalogue: str
    user: str
    assistant: str | None
    right: list[str]
    wrong: list[str]
    mid: bool
    calls_before: list[str]
    last_result_head: str | None


@dataclass
class Findings:
    problems: list[str] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        self.problems.append(f"{where}: {what}")


def load_json(path: Path, found: Findings) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        found.add(path.name, f"cannot be read: {error}")
        return None


def text(value: Any) -> str | None:
    """The value if it is a text with something in it and no space around it."""
    return value if isinstance(value, str) and value and value == value.strip() else None


def names(value: Any) -> list[str] | None:
    """The value if it is a list of texts, else None."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return list(value)
    return None


def check_schema(where: str, schema: Any, found: Findings) -> None:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        found.add(where, "inputSchema is not of type object")
        return
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        found.add(where, "inputSchema has no properties")
        return
    required = names(schema.get("required", []))
    if required is None or not set(required) <= set(properties):
        found.add(where, "required names a parameter that is not among the properties")


def load_catalogue(path: Path, found: Findings) -> list[str]:
    """The names of the tools in a catalogue file, in order."""
    data = load_json(path, found)
    if not isinstance(data, dict) or not isinstance(data.get("tools"), list):
        found.add(path.name, "is not an object with tools")
        return []
    if data.get("catalogue") != path.stem:
        found.add(path.name, "catalogue differs from the file's name")
    if text(data.get("about")) is None:
        found.add(path.name, "about is missing")
    tools: list[str] = []
    for index, tool in enumerate(data["tools"]):
        where = f"{path.name} tool {index + 1}"
        if not isinstance(tool, dict):
            found.add(where, "is not an object")
            continue
        if extra := set(tool) - TOOL_KEYS:
            found.add(where, f"unknown keys {sorted(extra)}")
        name = text(tool.get("name"))
        if name is None or not TOOL_NAME.match(name):
            found.add(where, f"bad name {tool.get('name')!r}")
            continue
        if name in tools:
            found.add(where, f"name {name} occurs twice")
        if text(tool.get("description")) is None:
            found.add(where, "description is missing")
        if "inputSchema" in tool:
            check_schema(where, tool["inputSchema"], found)
        tools.append(name)
    if not MIN_TOOLS <= len(tools) <= MAX_TOOLS:
        found.add(path.name, f"{len(tools)} tools, wanted {MIN_TOOLS} to {MAX_TOOLS}")
    return tools


def check_request(where: str, data: Any, tools: list[str], found: Findings) -> Request | None:
    if not isinstance(data, dict):
        found.add(where, "is not an object")
        return None
    if extra := set(data) - REQUEST_KEYS:
        found.add(where, f"unknown keys {sorted(extra)}")
    context = data.get("context")
    if not isinstance(context, dict) or set(context) - {"user", "assistant"}:
        found.add(where, "context must hold user and perhaps assistant")
        return None
    user = text(context.get("user"))
    if user is None:
        found.add(where, "context.user is missing or has space around it")
        return None
    if "assistant" in context and text(context["assistant"]) is None:
        found.add(where, "context.assistant is empty")
    kind = data.get("kind")
    if kind not in KINDS:
        found.add(where, f"kind {kind!r} is unknown")
    right, wrong = names(data.get("right")), names(data.get("wrong_but_plausible"))
    if not right:
        found.add(where, "right is empty")
        return None
    if wrong is None or not 1 <= len(wrong) <= 3:
        found.add(where, "wrong_but_plausible must name one to three tools")
        return None
    before = names(data.get("calls_before", []))
    if before is None:
        found.add(where, "calls_before is not a list of names")
        before = []
    head = text(data.get("last_result_head"))
    if kind == "mid-run" and (not before or head is None):
        found.add(where, "a mid-run request needs calls_before and last_result_head")
    if kind == "single" and ("calls_before" in data or "last_result_head" in data):
        found.add(where, "a single request has no run before it")
    for what, listed in (("right", right), ("wrong_but_plausible", wrong)):
        if len(set(listed)) != len(listed):
            found.add(where, f"{what} names a tool twice")
    if both := set(right) & set(wrong):
        found.add(where, f"both right and wrong: {sorted(both)}")
    if unknown := {*right, *wrong, *before} - set(tools):
        found.add(where, f"not in the catalogue: {sorted(unknown)}")
    if leaked := [name for name in right if re.search(r"[._\-A-Z]", name[1:]) and name in user]:
        found.add(where, f"the request spells the right tool's name: {leaked}")
    return Request(
        where=where,
        catalogue=str(data.get("catalogue")),
        user=user,
        assistant=context.get("assistant"),
        right=right,
        wrong=wrong,
        mid=kind == "mid-run",
        calls_before=before,
        last_result_head=head,
    )


def load_requests(
    path: Path, tools: list[str], seen_ids: set[str], found: Findings
) -> list[Request]:
    requests: list[Request] = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        found.add(path.name, f"cannot be read: {error}")
        return []
    if lines and lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        where = f"{path.name}:{number}"
        try:
            data = json.loads(line)
        except ValueError as error:
            found.add(where, f"is not JSON: {error}")
            continue
        request = check_request(where, data, tools, found)
        if request is None:
            continue
        if request.catalogue != path.stem:
            found.add(where, "catalogue differs from the file's name")
        request_id = text(data.get("id"))
        if request_id is None or not re.fullmatch(rf"{re.escape(path.stem)}-\d{{3}}", request_id):
            found.add(where, f"bad id {data.get('id')!r}")
        elif request_id in seen_ids:
            found.add(where, f"id {request_id} occurs twice")
        else:
            seen_ids.add(request_id)
        requests.append(request)
    for name in tools:
        if not any(name in request.right for request in requests):
            found.add(path.name, f"{name} is never the right tool")
    return requests


def shingles(words: str) -> frozenset[str]:
    """Pairs of neighbouring words, lower case (the words themselves in a very short text)."""
    split = re.findall(r"\w+", words.lower())
    if len(split) < 4:
        return frozenset(split)
    return frozenset(f"{a} {b}" for a, b in pairwise(split))


def stages_of_a_run(a: Request, b: Request) -> bool:
    """Two moments of one run, or of two runs that began alike and went apart."""
    return (
        a.mid
        and b.mid
        and a.catalogue == b.catalogue
        and (a.calls_before, a.last_result_head) != (b.calls_before, b.last_result_head)
        and not set(a.right) & set(b.right)
    )


def check_duplicates(requests: list[Request], found: Findings) -> int:
    """Report near-identical requests; returns how many belong to a run seen more than once."""
    cut = [shingles(request.user) for request in requests]
    repeated: set[int] = set()
    for i, a in enumerate(requests):
        for j in range(i):
            union = len(cut[i] | cut[j])
            if not union or len(cut[i] & cut[j]) / union < NEAR_DUPLICATE:
                continue
            if stages_of_a_run(a, requests[j]):
                repeated.update((i, j))
            else:
                found.add(a.where, f"nearly the same request as {requests[j].where}")
    return len(repeated)


def check_split(
    path: Path, by_catalogue: dict[str, list[Request]], sizes: dict[str, int], found: Findings
) -> dict[str, str]:
    """Which half each catalogue belongs to."""
    data = load_json(path, found)
    if not isinstance(data, dict):
        return {}
    halves = {half: names(data.get(half)) or [] for half in ("tune", "report")}
    listed = halves["tune"] + halves["report"]
    if sorted(listed) != sorted(by_catalogue):
        found.add(path.name, "does not name every catalogue exactly once")
        return {}
    if abs(len(halves["tune"]) - len(halves["report"])) > 1:
        found.add(path.name, "the halves differ in their number of catalogues")
    figures: dict[str, tuple[int, int, float]] = {}
    for half, members in halves.items():
        requests = [request for name in members for request in by_catalogue[name]]
        mid = sum(request.mid for request in requests)
        tools = sum(sizes[name] for name in members)
        figures[half] = (tools, len(requests), mid / max(1, len(requests)))
    (tools_a, count_a, mid_a), (tools_b, count_b, mid_b) = figures["tune"], figures["report"]
    if abs(tools_a - tools_b) > 0.15 * max(tools_a, tools_b):
        found.add(path.name, f"unbalanced: {tools_a} tools against {tools_b}")
    if abs(count_a - count_b) > 0.1 * max(count_a, count_b):
        found.add(path.name, f"unbalanced: {count_a} requests against {count_b}")
    if abs(mid_a - mid_b) > 0.03:
        found.add(path.name, f"unbalanced: mid-run {mid_a:.2f} against {mid_b:.2f}")
    return {name: half for half, members in halves.items() for name in members}


def row(label: str, half: str, tools: int, requests: list[Request]) -> str:
    mid = sum(request.mid for request in requests)
    share = mid / len(requests) if requests else 0.0
    several = sum(len(request.right) > 1 for request in requests)
    silent = sum(request.mid and request.assistant is None for request in requests)
    long = sum(len(request.user) >= LONG for request in requests)
    return (
        f"{label:12} {half:7} {tools:5} {len(requests):8} {len(requests) - mid:6} {mid:7}"
        f" {share:5.2f} {silent:6} {several:7} {long:5}"
    )


def main(argv: list[str]) -> int:
    folder = Path(argv[1]) if len(argv) > 1 else Path(__file__).resolve().parent
    found = Findings()
    sizes: dict[str, int] = {}
    by_catalogue: dict[str, list[Request]] = {}
    seen_ids: set[str] = set()
    for path in sorted((folder / "catalogues").glob("*.json")):
        tools = load_catalogue(path, found)
        sizes[path.stem] = len(tools)
        by_catalogue[path.stem] = load_requests(
            folder / "requests" / f"{path.stem}.jsonl", tools, seen_ids, found
        )
    for path in sorted((folder / "requests").glob("*.jsonl")):
        if path.stem not in by_catalogue:
            found.add(path.name, "has no catalogue")
    requests = [request for listed in by_catalogue.values() for request in listed]
    repeated = check_duplicates(requests, found)
    halves = check_split(folder / "split.json", by_catalogue, sizes, found)

    mid = sum(request.mid for request in requests)
    if len(by_catalogue) < MIN_CATALOGUES:
        found.add("catalogues", f"{len(by_catalogue)}, wanted {MIN_CATALOGUES}")
    if len(requests) < MIN_REQUESTS:
        found.add("requests", f"{len(requests)}, wanted {MIN_REQUESTS}")
    if mid < MIN_MID_SHARE * len(requests):
        found.add("requests", f"only {mid} of {len(requests)} are mid-run")
    if sum(len(request.user) >= LONG for request in requests) < MIN_LONG:
        found.add("requests", f"fewer than {MIN_LONG} of {LONG} characters or more")

    print("catalogue    half    tools requests single mid-run share silent several  long")
    for name, listed in by_catalogue.items():
        print(row(name, halves.get(name, "?"), sizes[name], listed))
    for half in ("tune", "report"):
        members = [name for name in by_catalogue if halves.get(name) == half]
        together = [request for name in members for request in by_catalogue[name]]
        print(row("", half, sum(sizes[name] for name in members), together))
    print(row("all", "", sum(sizes.values()), requests))
    print(f"{repeated} mid-run requests are stages of a run that is seen more than once.")
    print("silent: mid-run, no narration; several: more than one right tool;", end=" ")
    print(f"long: {LONG} characters or more.")

    for problem in found.problems:
        print(f"problem: {problem}", file=sys.stderr)
    if found.problems:
        print(f"{len(found.problems)} problems", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
