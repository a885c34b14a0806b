"""The output formats by name."""

from __future__ import annotations

from . import as_github, as_json, as_junit, as_md, as_sarif, as_text
from .interface import Output, Renderer, Style

RENDERERS: dict[str, Renderer] = {
    "text": as_text.RENDERER,
    "json": as_json.RENDERER,
    "md": as_md.RENDERER,
    "junit": as_junit.RENDERER,
    "sarif": as_sarif.RENDERER,
    "github": as_github.RENDERER,
}

__all__ = ["RENDERERS", "Output", "Renderer", "Style"]
