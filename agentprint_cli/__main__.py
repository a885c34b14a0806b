"""The entry point of the ``agentprint`` command."""

from __future__ import annotations

import io
import os
import sys

from .base.errors import EXIT_INTERRUPTED


def _mend_streams() -> None:
    """Give closed standard streams a place, and let no character that the terminal's encoding
    lacks stop the output."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main() -> None:
    """Run the command line and exit with its code."""
    _mend_streams()
    try:
        from .commands import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the imports still run
        code = EXIT_INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
