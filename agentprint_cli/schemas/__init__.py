"""JSON Schemas (2020-12) of what agentprint reads and writes.

The schemas are the files in ``data/``; each is named as users say it. Nothing here imports
jsonschema before a value is really checked: importing it costs more than most commands do.
"""

from __future__ import annotations

from .catalogue import EVENT_TYPES_IN, SCHEMAS, Schema, bundled, event_types, find
from .validation import Checker, Deviation, EventChecker

__all__ = [
    "EVENT_TYPES_IN",
    "SCHEMAS",
    "Checker",
    "Deviation",
    "EventChecker",
    "Schema",
    "bundled",
    "event_types",
    "find",
]
