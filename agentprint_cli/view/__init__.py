"""Bytes -> index -> View: the one pass over a recording, and what is read again from it."""

from .view import View, open_view

__all__ = ["View", "open_view"]
