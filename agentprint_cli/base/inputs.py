"""Which recordings the user means by files, folders and patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator

from .errors import UsageError

_ENDINGS = (".jsonl", ".json", ".ndjson", ".log", ".gz", ".zst", ".zstd")


def find_recordings(paths: Iterable[str]) -> list[tuple[str, bool]]:
    """The files that ``paths`` name, each once, with whether it was named itself.

    A folder stands for every file in it, at any depth, whose name has an ending that recordings
    have; hidden files and folders are passed over. A pattern is expanded when no file has its
    name. Raises `UsageError` for a pattern that matches nothing; a missing file is left for the
    reader to report.
    """
    found: dict[str, bool] = {}
    for path in paths:
        for name, named in _expand(path):
            found.setdefault(name, named)
    return list(found.items())


def _expand(path: str) -> Iterator[tuple[str, bool]]:
    if os.path.isdir(path):
        for name in _in_folder(path):
            yield name, False
    elif path != "-" and not os.path.lexists(path) and glob.has_magic(path):
        matches = sorted(glob.glob(path, recursive=True))
        if not matches:
            raise UsageError(f"{path}: no file matches this pattern")
        for match in matches:
            yield from _expand(match)
    else:
        yield path, True


def _in_folder(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(_ENDINGS) and not name.startswith("."):
                yield os.path.join(here, name)
