"""The log dialects that agentprint reads, in the order in which they are asked."""

from __future__ import annotations

from . import native_document, native_log
from .interface import Format

FORMATS: tuple[Format, ...] = (native_document.FORMAT, native_log.FORMAT)
