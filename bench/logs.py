"""Generated logs to measure on: the shipped recordings' events, repeated under new run ids."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".bench"


def big_log(megabytes: int) -> Path:
    """A log of about that size. It is made once and kept under ``.bench``."""
    path = FOLDER / f"log-{megabytes}.jsonl"
    if path.exists():
        return path
    FOLDER.mkdir(exist_ok=True)
    lines = [
        line
        for source in sorted((ROOT / "recordings").glob("*.jsonl"))
        for line in source.read_bytes().splitlines()
    ]
    written = round_ = 0
    with path.open("wb") as out:
        while written < megabytes * 1_000_000:
            for line in lines:
                event = json.loads(line)
                run = event["meta"].get("runId")
                event["meta"]["runId"] = f"{run}-{round_}"
                event["meta"]["sessionId"] = f"session-{round_ % 97}"
                data = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()
                written += out.write(data + b"\n")
            round_ += 1
    return path
