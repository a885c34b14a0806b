"""A choice that has a margin, with what its label says."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from ...base.config import Thresholds
from ...model import Fact
from ...rules.intent import SAYS_ONE_CALLS_ANOTHER


@dataclass(frozen=True, slots=True)
class Measured:
    """A choice with a margin."""

    fact: Fact
    right: bool | None
    """What its label says; None without a label."""
    right_names: tuple[str, ...] | None
    """The tools that its label names."""

    @property
    def margin(self) -> float:
        """Best chosen less best not chosen, in the scorer's units."""
        margin = self.fact.get("margin")
        assert isinstance(margin, float)
        return margin

    @property
    def flags(self) -> list[str]:
        """The names of its flags."""
        return [*as_list(self.fact.get("flags")), *as_list(self._intent.get("flags"))]

    @property
    def flagged(self) -> bool:
        """Whether the choice itself is flagged. What the model wrote with its calls is told
        apart, as in every report of margins."""
        return bool(self.fact.get("flags"))

    @property
    def _intent(self) -> Mapping[str, object]:
        """What the model wrote with its calls, where that was scored."""
        intent = self.fact.get("intent")
        return intent if isinstance(intent, dict) else {}

    def may_have(self, flag: str) -> bool:
        """Whether the flag could be measured: one of what the model wrote needs such a text."""
        return flag != SAYS_ONE_CALLS_ANOTHER or bool(self._intent)

    @property
    def top_chosen(self) -> bool:
        """Whether the best-scored tool is one of the chosen."""
        return self.fact.get("top") in as_list(self.fact.get("chosen"))

    @property
    def pair(self) -> tuple[str, str]:
        """The best-scored chosen tool and its rival."""
        return self.fact.text("best_chosen"), self.fact.text("rival")

    def own_threshold(self, thresholds: Thresholds) -> bool:
        """Whether a threshold of its tool or its pair goes before the default."""
        return "|".join(self.pair) in thresholds.pairs or self.pair[0] in thresholds.tools

    @property
    def turn(self) -> Hashable:
        """The turn that it is part of, as far as the record tells turns apart."""
        return tuple(self.fact.get(name) for name in ("recording", "run", "prompt"))


def as_list(value: object) -> list[str]:
    """``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def part_of(part: int, whole: int) -> float | None:
    """A share; None of nothing."""
    return part / whole if whole else None
