"""Bars made of block characters: a picture that needs no colour and fits a narrow terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WIDTH = 24
"""Cells of the longest bar."""
FILLS = "█▓▒░▞▌▄"
"""What the largest parts are drawn with, in this order."""
REST = "·"
"""What all other parts together are drawn with."""


def fills(totals: Mapping[str, int]) -> dict[str, str]:
    """A fill for each part: the largest ones get their own, all others share `REST`."""
    largest = sorted(totals, key=lambda name: -totals[name])
    return {
        name: FILLS[place] if place < len(FILLS) else REST for place, name in enumerate(largest)
    }


def stacked(parts: Sequence[tuple[str, int]], scale: int, width: int = WIDTH) -> str:
    """The parts (fill and size) side by side, where ``scale`` is as long as ``width`` cells.

    Cells are given out by largest remainder, so that the bar as a whole is as long as its sum
    asks for, and a bar that stands for anything at all has at least one cell.
    """
    total = sum(size for _, size in parts)
    if scale <= 0 or total <= 0:
        return ""
    cells = max(1, round(width * total / scale))
    exact = [cells * size / total for _, size in parts]
    given = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda i: (given[i] - exact[i], i))
    for i in by_remainder[: cells - sum(given)]:
        given[i] += 1
    return "".join(fill * count for (fill, _), count in zip(parts, given, strict=True))
