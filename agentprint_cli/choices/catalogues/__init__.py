"""Catalogues of tools: read from the documents that list them or from a recorded log, and what
their names, descriptions and schemas show."""

from __future__ import annotations

from .documents import read_document
from .entries import Catalogue, Gap, Listed, Menu, Tool
from .findings import CONFUSABLE, DUPLICATES, EVERYTHING, TONES, WATCH, structural, unmeasured
from .recorded import read_log

__all__ = [
    "CONFUSABLE",
    "DUPLICATES",
    "EVERYTHING",
    "TONES",
    "WATCH",
    "Catalogue",
    "Gap",
    "Listed",
    "Menu",
    "Tool",
    "read_document",
    "read_log",
    "structural",
    "unmeasured",
]
