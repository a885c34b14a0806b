"""Which tool results an answer could name. Rule: "Offered and undeclared ids" in the analyses'
rules.

Only standings count here: a basis that the model declared for a call retires nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

Standings = Mapping[str, str]
"""Tool-call id to its current standing: ``fact``, ``open``, ``noise`` or ``ruled-out``."""

_NAMEABLE = frozenset({"fact", "open"})


def served_ids(messages: Iterable[Mapping[str, object]]) -> list[str]:
    """Ids of the tool results among ``messages``, each once, in order of first appearance.

    A message that the framework settled without running the call (``notDispatched``) is no result.
    """
    return list(
        dict.fromkeys(
            call
            for message in messages
            if message.get("role") == "tool"
            and not message.get("notDispatched")
            and isinstance(call := message.get("toolCallId"), str)
            and call
        )
    )


def fold_standings(rows: Iterable[Mapping[str, object]] | Standings) -> dict[str, str]:
    """The current standing of each id, in the order in which ids were first declared.

    ``rows`` are ledger rows, ``{kind, toolCallId, standing}``, in the order of the record: of the
    rows of kind ``standing`` the last one for an id wins. Standings folded already are taken over.
    """
    if isinstance(rows, Mapping):
        return dict(rows)
    standings: dict[str, str] = {}
    for row in rows:
        call, standing = row.get("toolCallId"), row.get("standing")
        if row.get("kind") == "standing" and isinstance(call, str) and isinstance(standing, str):
            standings[call] = standing
    return standings


def nameable_ids(served: Iterable[str], standings: Standings) -> list[str]:
    """Served ids without a standing or whose current one is ``fact`` or ``open``, as served."""
    return [call for call in served if call not in standings or standings[call] in _NAMEABLE]


def undeclared_ids(served: Iterable[str], standings: Standings) -> list[str]:
    """Served ids that no standing was declared for, as served."""
    return [call for call in served if call not in standings]


def unknown_ids(served: Collection[str], standings: Standings) -> list[str]:
    """Ids that a standing was declared for and that were never served, as first declared."""
    known = set(served)
    return [call for call in standings if call not in known]


def offered_ids(
    messages: Iterable[Mapping[str, object]], rows: Iterable[Mapping[str, object]] | Standings
) -> list[str]:
    """The ids that the model was offered to name: the nameable ones, newest result first."""
    return nameable_ids(served_ids(messages), fold_standings(rows))[::-1]
