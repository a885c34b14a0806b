"""Runs every benchmark and prints its figures: medians, and ratios taken in one run.

Bars stand beside the figures; nothing is asserted, since machines are noisy.
"""

from __future__ import annotations

import argparse

from . import code_shape, indexing, margins, noise


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", help="which ones (all unless given)")
    names = parser.parse_args().names
    for name in names or _BENCHMARKS:
        print(f"== {name}")
        _BENCHMARKS[name]()


_BENCHMARKS = {
    "indexing": indexing.run,
    "code-shape": code_shape.run,
    "margins": margins.run,
    "noise": noise.run,
}

if __name__ == "__main__":
    main()
