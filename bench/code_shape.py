"""The shape of hostile code against that of plain code of the same length (bar: 5 times)."""

from __future__ import annotations

import statistics
import time

from agentprint_cli.rules.code_shape import code_shape

ROUNDS = 3
SIZE = 1_000_000
_PLAIN = 'rows = [r for r in load("loans.csv") if r["branch"] == "Harbour"]  # open loans\n'
_HOSTILE = {
    "block openers": "/*",
    "block openers and stars": "/**",
    "single quotes": "'",
    "all quotes": "'\"`",
    "escaped quotes": '"\\',
    "escaped backticks": "`\\`",
    "slashes": "/",
    "hashes": "#",
    "digits and dots": "1.",
    "dollar words": "$a",
    "spaces before a bracket": "a ",
}


def run() -> None:
    """Print the medians and ratios."""
    plain = _median(_PLAIN)
    print(f"plain code, {SIZE:,} characters: median {plain:.2f} s of {ROUNDS}")
    for name, piece in _HOSTILE.items():
        seconds = _median(piece)
        print(f"{name}: median {seconds:.2f} s, {seconds / plain:.2f} of plain (bar 5)")


def _median(piece: str) -> float:
    code = (piece * (SIZE // len(piece) + 1))[:SIZE]
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        code_shape(code)
        found.append(time.perf_counter() - start)
    return statistics.median(found)
