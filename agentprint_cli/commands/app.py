"""The Typer app, its commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer

from .. import __version__
from ..base.errors import (
    EXIT_BUG,
    EXIT_CLEAN,
    EXIT_CLOSED_PIPE,
    EXIT_INTERRUPTED,
    EXIT_OUTPUT_FAILED,
    EXIT_USAGE,
    AgentprintError,
)
from ..base.safe_text import visible

COMMANDS: dict[str, str] = {
    "explain": "Explain one run: what the model saw, what each call returned.",
    "ids": "List the results that the model could still name, and what it had said of them.",
    "results": "List how large the results were, what was cut, and who filled the context.",
    "code": "List the programs that tools ran, and what became of their sessions.",
    "runs": "List the runs and sessions of a recording.",
    "show": "Print the recorded bytes of an event or of a value in it.",
    "events": "List events, one line each, or as JSONL.",
    "margins": "Show how close each choice of tool was.",
    "calibrate": "Show how margins lie over your recordings, and find a threshold for them.",
    "cache": "Say what the cache of vectors holds, or clear it.",
    "check": "Fail a build on changed or narrow choices and on signals of the record.",
    "lint": "Say which tools of a catalogue get confused.",
    "validate": "Check the events against the JSON Schemas of the package.",
    "schema": "Print a JSON Schema of what is read or written.",
}
"""Each command and its line in the overview. A command is the function of the same name in the
module of the same name, which is imported when the command is asked for: `--version` and a
mistyped name load nothing else."""


class _Commands(typer.core.TyperGroup):
    """The commands, loaded one by one."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the overview."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        function = getattr(import_module(f".{cmd_name}", __package__), cmd_name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name, short_help=COMMANDS[cmd_name], context_settings=_HELP_OPTIONS)(
            function
        )
        return typer.main.get_command(single)


_HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    name="agentprint",
    cls=_Commands,
    help="Explain recorded runs of tool-using agents, offline, with a pointer for every line.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=_HELP_OPTIONS,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agentprint {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run the command line with ``arguments``; the exit code, as documented in ``errors``."""
    try:
        _invoke(list(arguments))
        sys.stdout.flush()
        return EXIT_CLEAN
    except typer.Exit as stop:
        sys.stdout.flush()
        return stop.exit_code
    except AgentprintError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return EXIT_CLOSED_PIPE
    except OSError as error:
        # Files that are read are guarded where they are read: this is the output.
        _drop_output()
        _complain(f"the output cannot be written ({error.strerror or error})")
        return EXIT_OUTPUT_FAILED
    except Exception as error:
        return _unexpected(error)


def _invoke(arguments: list[str]) -> None:
    """Parse and run. The parser's own entry point would turn a closed pipe and an interrupt
    into exit code 1, which means "a check failed" here; it is used for shell completion only."""
    if "_AGENTPRINT_COMPLETE" in os.environ:
        app(args=arguments, prog_name="agentprint")
        return
    command = typer.main.get_command(app)
    with command.make_context("agentprint", arguments) as context:
        command.invoke(context)


def _complain(message: str) -> None:
    with suppress(OSError):  # nobody may be listening; the exit code still says it
        print(f"agentprint: {visible(message)}", file=sys.stderr, flush=True)


def _drop_output() -> None:
    """Point standard output at nothing, so that the interpreter's last flush stays quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected(error: Exception) -> int:
    """A usage error of the option parser, or a bug of ours."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error, file=sys.stderr)
        return EXIT_USAGE
    show_message = getattr(error, "format_message", None)
    if show_message is not None:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "agentprint"
        if message := show_message():
            _complain(f"{message.rstrip('.')} (see '{command} --help')")
        return EXIT_USAGE
    if type(error).__name__ == "Abort":
        return EXIT_INTERRUPTED
    _complain(
        f"a bug of agentprint: {type(error).__name__}: {error}. Please report it; "
        "AGENTPRINT_DEBUG=1 shows where it happened."
    )
    if os.environ.get("AGENTPRINT_DEBUG"):
        print(visible_traceback(error), file=sys.stderr)
    return EXIT_BUG


def visible_traceback(error: Exception) -> str:
    """The traceback, safe to print."""
    lines = "".join(traceback.format_exception(error)).split("\n")
    return "\n".join(visible(line) for line in lines)
