"""Bytes -> index -> View: the one pass over a recording, and what is read again from it."""

from .source import Source
from .view import View, open_view, open_view_or_source

__all__ = ["Source", "View", "open_view", "open_view_or_source"]
