"""Margins over many recordings against the bare embedder on the distinct texts, cold and warm."""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentprint_cli.embedding import Embedder, VectorCache, make_embedder
from agentprint_cli.reports.margins.pipeline import margins

from .logs import FOLDER, choice_run

ROUNDS = 3


def run() -> None:
    """Print the figures for BENCH_RECORDINGS recordings (2,000 unless set)."""
    count = int(os.environ.get("BENCH_RECORDINGS", "2000"))
    folder = _recordings(count)
    ratios, warm_ratios = [], []
    for _ in range(ROUNDS):
        counting = _Counting(make_embedder())
        with tempfile.TemporaryDirectory() as cache_folder:
            path = Path(cache_folder) / "vectors.sqlite"
            indexed = _seconds(lambda: margins([str(folder)]))
            cold = _seconds(lambda: _margins(folder, counting, path))  # noqa: B023
            asked = list(counting.texts)
            warm = _seconds(lambda: _margins(folder, counting, path))  # noqa: B023
        bare = _seconds(lambda: counting.embedder.embed(asked))  # noqa: B023
        distinct = len(set(asked))
        print(
            f"{count:,} recordings: {distinct:,} distinct texts, {len(asked):,} embedded; "
            f"indexing {indexed:.2f} s, bare embedder {bare:.2f} s, cold {cold:.2f} s, "
            f"warm {warm:.2f} s"
        )
        ratios.append((cold - indexed) / bare)
        warm_ratios.append(warm / cold)
    print(f"margins once indexed / bare embedder: median {_median(ratios):.2f} (bar 1.15)")
    print(f"warm rerun / cold run: median {_median(warm_ratios):.2f} (bar 0.15)")


class _Counting:
    """An embedder that keeps what it was asked for."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.embedder, name)

    def embed(self, texts: Any) -> Any:
        self.texts.extend(texts)
        return self.embedder.embed(texts)


def _margins(folder: Path, embedder: Any, cache: Path) -> None:
    with VectorCache(cache) as store:
        margins([str(folder)], embedder=lambda: embedder, cache=store)


def _recordings(count: int) -> Path:
    folder = FOLDER / f"choices-{count}"
    if folder.exists():
        return folder
    folder.mkdir(parents=True)
    rng = random.Random(11)
    for number in range(count):
        lines = (json.dumps(event) + "\n" for event in choice_run(rng, number))
        (folder / f"{number:05}.jsonl").write_text("".join(lines))
    return folder


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
