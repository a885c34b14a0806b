from __future__ import annotations
from collections.abc import Mapping, Sequence


def nameable_ids(served: Sequence[str], standings: Mapping[str, str]) -> list[str]:
    return [s for s in served if standings.get(s) in (None, "fact", "open")]


def undeclared_ids(served: Sequence[str], standings: Mapping[str, str]) -> list[str]:
    return [s for s in served if s not in standings]


def unknown_ids(served: Sequence[str], standings: Mapping[str, str]) -> list[str]:
    return [s for s in standings if s not in served]
