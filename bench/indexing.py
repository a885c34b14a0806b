"""The index's memory per event, and ``explain`` against ``orjson.loads`` on every line."""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from agentprint_cli.model.outline import Outline
from agentprint_cli.renderers import RENDERERS, Output, Style
from agentprint_cli.reports.explain.pipeline import explain
from agentprint_cli.view import open_view

from .logs import big_log

ROUNDS = 3
_ARRAYS = ("starts", "lengths", "types", "owners", "calls")


def run() -> None:
    """Print the figures for a log of BENCH_MB megabytes (200 unless set)."""
    path = big_log(int(os.environ.get("BENCH_MB", "200")))
    size = path.stat().st_size
    with open_view(str(path)) as view:
        events = len(view)
        arrays = sum(getattr(view._index, name).itemsize * events for name in _ARRAYS)
    print(f"log: {size / 1e6:,.0f} MB, {events:,} events, mean {size / events:,.0f} bytes")
    print(f"index arrays: {arrays / events:.0f} bytes an event")
    grown = _memory_of(path)
    print(f"resident memory of the index, all told: {grown / events:.0f} bytes an event")
    timings: dict[str, list[float]] = {"lines": [], "orjson": [], "explain": []}
    for _ in range(ROUNDS):
        timings["lines"].append(_seconds(lambda: _read_lines(path)))
        timings["orjson"].append(_seconds(lambda: _loads_every_line(path)))
        timings["explain"].append(_seconds(lambda: _explain(path)))
    for name, seconds in timings.items():
        print(f"{name}: median {statistics.median(seconds):.2f} s of {ROUNDS}")
    ratios = [e / o for e, o in zip(timings["explain"], timings["orjson"], strict=True)]
    print(f"explain / orjson.loads on every line: median {statistics.median(ratios):.2f}")


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _read_lines(path: Path) -> None:
    with path.open("rb", buffering=1 << 20) as file:
        for _ in file:
            pass


def _loads_every_line(path: Path) -> None:
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            orjson.loads(line)


def _explain(path: Path) -> None:
    report = explain(str(path))
    RENDERERS["json"].write(Output(report.to_dict, _no_outline), io.StringIO(), Style())


def _no_outline() -> Outline:
    raise AssertionError("JSON needs no outline")


_PROBE = """
import sys
from agentprint_cli.view import open_view
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
before = resident()
view = open_view(sys.argv[1])
print(resident() - before)
"""


def _memory_of(path: Path) -> int:
    """Growth of a fresh process's resident memory, in bytes, by opening the log."""
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, str(path)], capture_output=True, check=True, text=True
    )
    return int(done.stdout)
