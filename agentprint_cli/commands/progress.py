"""The progress bar for long reads."""

from __future__ import annotations

import sys
import time

_QUIET_SECONDS = 0.7
_WIDTH = 30


class Bar:
    """Draws itself on standard error once reading takes long; clears itself at the end."""

    def __init__(self, verb: str = "reading") -> None:
        self._verb = verb
        self._since = time.monotonic()
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        """See `view.source.Progress`."""
        if time.monotonic() - self._since < _QUIET_SECONDS:
            return
        megabytes = f"{done / 1e6:,.0f} MB"
        if total:
            filled = min(_WIDTH, _WIDTH * done // total)
            line = f"{self._verb} [{'#' * filled}{'.' * (_WIDTH - filled)}] {megabytes}"
        else:
            line = f"{self._verb} {megabytes}"
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        """Remove the bar."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False
