"""``agentprint cache``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..base.errors import UsageError
from ..base.safe_text import visible
from .margins import open_cache, warn_of_cache


def cache(
    action: Annotated[
        str, typer.Argument(metavar="info|clear", help="Say what is stored, or remove it all.")
    ],
) -> None:
    """Say what the cache of vectors holds, or clear it.

    It holds vectors and hashes of the texts that they were made from, never a text.
    """
    if action not in ("info", "clear"):
        raise UsageError(f"no action {action!r}; there is info, clear")
    store = open_cache()
    held = store.info() if action == "info" else store.clear()
    word = "holds" if action == "info" else "held"
    typer.echo(visible(f"{held.path} {word} {held.vectors} vectors, {held.bytes:,} bytes"))
    for space in held.spaces:
        typer.echo(visible(f"  {space.key}: {space.vectors}"))
    warn_of_cache(store)
