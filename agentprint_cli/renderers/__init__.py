"""The output formats by name."""

from __future__ import annotations

from . import as_json, as_md, as_text
from .interface import Output, Renderer, Style

RENDERERS: dict[str, Renderer] = {
    "text": as_text.RENDERER,
    "json": as_json.RENDERER,
    "md": as_md.RENDERER,
}

__all__ = ["RENDERERS", "Output", "Renderer", "Style"]
