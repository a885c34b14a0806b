"""How a choice's context and its menu become scores, by name."""

from __future__ import annotations

from . import cosine
from .interface import Scorer

SCORERS: tuple[Scorer, ...] = (cosine.SCORER,)
DEFAULT = cosine.SCORER.name
