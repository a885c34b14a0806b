"""Which results a model could still name: the fold of standings over the ids that it was served.

Source of the rules: "Offered and undeclared ids" in the analyses' specification. Only standings
count; a declared basis retires nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_NAMEABLE = frozenset({"fact", "open"})


def nameable_ids(served: Sequence[str], standings: Mapping[str, str]) -> list[str]:
    """Served ids whose current standing is absent, ``fact`` or ``open``, in served order."""
    return [id for id in served if id not in standings or standings[id] in _NAMEABLE]


def undeclared_ids(served: Sequence[str], standings: Mapping[str, str]) -> list[str]:
    """Served ids with no standing, in served order."""
    return [id for id in served if id not in standings]


def unknown_ids(served: Sequence[str], standings: Mapping[str, str]) -> list[str]:
    """Ids that a standing was declared on and that were never served, in declared order."""
    known = set(served)
    return [id for id in standings if id not in known]
