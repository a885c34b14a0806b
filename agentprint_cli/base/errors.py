"""The error tree. Each error carries the exit code that the command line ends with."""

from __future__ import annotations

EXIT_CLEAN = 0
EXIT_CHECK_FAILED = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_NOT_MEASURED = 4
EXIT_BUG = 70
EXIT_OUTPUT_FAILED = 74
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141


class AgentprintError(Exception):
    """Something that the user can act on: one message that says what was found, where, and
    what to do. Never raised for a bug of ours."""

    exit_code: int = EXIT_BUG


class UsageError(AgentprintError):
    """The request itself is wrong: an option, a run id, an index, a path, a declaration."""

    exit_code = EXIT_USAGE


class UnreadableInput(AgentprintError):
    """The input cannot be read as a recording at all."""

    exit_code = EXIT_UNREADABLE


class UnreadEvent(AgentprintError):
    """The place that was asked for holds no event that can be read."""

    exit_code = EXIT_UNREADABLE


class UnresolvedPointer(AgentprintError):
    """A pointer names a place that the recording does not hold."""

    exit_code = EXIT_USAGE


class OutputFailed(AgentprintError):
    """A file that was to be written could not be."""

    exit_code = EXIT_OUTPUT_FAILED


class EmbedderFailed(AgentprintError):
    """The embedder that was asked for cannot be loaded or gave no usable vectors, so that
    nothing can be scored. Not a bug of ours: a missing package, a service, a plugin."""

    exit_code = EXIT_NOT_MEASURED
