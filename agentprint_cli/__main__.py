"""The entry point of the ``agentprint`` command."""

from __future__ import annotations

import sys

from .errors import EXIT_INTERRUPTED


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from .commands import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the imports still run
        code = EXIT_INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
