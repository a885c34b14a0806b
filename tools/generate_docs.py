"""Writes the generated parts of the documentation, or checks that they are up to date.

Two things are generated: ``docs/commands.md``, from the commands themselves, and every block
between ``<!-- output: agentprint … -->`` and ``<!-- /output -->``, from what that command prints
when it is run in the root of the repository. ``# Title`` at the end of such a command keeps only
the section of the report that has this title; ``# the first lines`` keeps what stands before all
sections.

    python tools/generate_docs.py           write them
    python tools/generate_docs.py --check   change nothing; exit 1 and name what is out of date
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer.main

from agentprint_cli.commands import run
from agentprint_cli.commands.app import app

ROOT = Path(__file__).resolve().parent.parent
COMMANDS_PAGE = Path("docs/commands.md")
WIDTH = 80
FIRST_LINES = "the first lines"

_BLOCK = re.compile(
    r"(?P<open><!-- output: (?P<command>[^\n]+?) -->\n).*?(?P<close><!-- /output -->)", re.DOTALL
)
# What could make a command print something else on another machine.
_ENVIRONMENT = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}


class DocsError(Exception):
    """A page asks for something that cannot be generated."""


def pages(root: Path) -> list[Path]:
    """The pages that may hold output blocks, relative to ``root``."""
    found = [root / "README.md", root / "recordings" / "README.md", *(root / "docs").glob("*.md")]
    return sorted(page.relative_to(root) for page in found if page.is_file())


def generated(root: Path) -> Iterator[tuple[Path, str]]:
    """Each page that holds generated text, with all of its text as it should be."""
    yield COMMANDS_PAGE, commands_page()
    for page in pages(root):
        text = (root / page).read_text("utf-8")
        if page != COMMANDS_PAGE and "<!-- output: " in text:
            yield page, refreshed(text, root, page)


def out_of_date(root: Path) -> list[Path]:
    """The pages whose generated text is not what it should be."""
    return [page for page, text in generated(root) if _read(root / page) != text]


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


# Output blocks --------------------------------------------------------------------------------


def refreshed(text: str, root: Path, page: Path) -> str:
    """``text`` with every output block filled in again. Raises `DocsError` for a bad block."""
    opened, closed = text.count("<!-- output: "), text.count("<!-- /output -->")
    if not opened == closed == len(_BLOCK.findall(text)):
        raise DocsError(f"{page}: an output block is not opened and closed on lines of its own")

    def fill(match: re.Match[str]) -> str:
        shown = output(match["command"], root, page)
        fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall(r"`+", shown)), 0)
        return f"{match['open']}{fence}text\n{shown}{fence}\n{match['close']}"

    return _BLOCK.sub(fill, text)


def output(command: str, root: Path, page: Path) -> str:
    """What ``command`` prints, with its exit code when that is not 0. Raises `DocsError`."""
    words, _, title = command.partition(" # ")
    program, *arguments = shlex.split(words)
    if program != "agentprint":
        raise DocsError(f"{page}: only agentprint's own output is generated, not {program!r}'s")
    printed, complaints, code = printed_by(arguments, root)
    if title:
        printed = _section(printed, title)
        if not printed:
            raise DocsError(f"{page}: {words!r} prints no section {title!r}")
    if code:
        complaints += f"(exit code {code})\n"
    return printed + complaints


def printed_by(arguments: Sequence[str], root: Path) -> tuple[str, str, int]:
    """Standard output, standard error and exit code of a command line, run in this process."""
    out, err = _stream(), _stream()
    before = dict(os.environ)
    os.environ.update(_ENVIRONMENT)
    try:
        with (
            tempfile.TemporaryDirectory() as cache,
            contextlib.chdir(root),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            os.environ["AGENTPRINT_CACHE_DIR"] = cache  # not the vectors of whoever runs this
            code = run(arguments)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return _written(out), _written(err), code


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def _section(report: str, title: str) -> str:
    """The lines under ``title`` up to the next line that is not indented."""
    if title == FIRST_LINES:
        return report.partition("\n\n")[0] + "\n"
    kept: list[str] = []
    for line in report.splitlines(keepends=True):
        if kept and line.strip() and not line.startswith(" "):
            break
        if kept or line.rstrip("\n") == title:
            kept.append(line)
    return "".join(kept).rstrip("\n") + "\n" if kept else ""


# The command reference ------------------------------------------------------------------------


def commands_page() -> str:
    """``docs/commands.md``: every command with its arguments and options.

    The layout is ours, since that of ``--help`` differs from one Typer to the next.
    """
    root = typer.main.get_command(app)
    described = list(_described(root, "agentprint"))
    out = [
        "# Commands",
        "",
        "<!-- Written by tools/generate_docs.py from the commands themselves: do not edit. -->",
        "",
        "`--help` or `-h` behind any command says the same.",
        "",
    ]
    out += [f"- [`{name}`](#{name.replace(' ', '-')})" for name, _ in described]
    for name, lines in described:
        out += ["", f"## {name}", "", "```text", *lines, "```"]
    return "\n".join(out) + "\n"


def _described(command: Any, name: str) -> Iterator[tuple[str, list[str]]]:
    yield name, _help(command, name)
    for key, member in members(command).items():
        if not member.hidden:
            yield from _described(member, f"{name} {key}")


def members(command: Any) -> dict[str, Any]:
    """The commands of a group by name, each loaded; none for a plain command."""
    if not hasattr(command, "list_commands"):
        return {}
    return {key: command.get_command(None, key) for key in command.list_commands(None)}


def _help(command: Any, name: str) -> list[str]:
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    inner = members(command)
    usage = [name, "[OPTIONS]", *(_argument(param) for param in arguments)]
    if inner:
        usage += ["COMMAND", "[ARGS]..."]
    out = _wrapped("Usage: " + " ".join(usage), "", "         ")
    for paragraph in (command.help or "").split("\n\n"):
        out += ["", *_paragraph(paragraph.strip("\n"))]
    for title, params in (("Arguments", arguments), ("Options", options)):
        if params:
            out += ["", f"{title}:"]
        for param in params:
            term = _argument(param) if title == "Arguments" else _option(param)
            out += _wrapped(term, "  ", "    ") + _wrapped(_text(param), "      ", "      ")
    if inner:
        out += ["", "Commands:"]
        for key, member in inner.items():
            out += [f"  {key}", *_wrapped(member.short_help or "", "      ", "      ")]
    return out


def _argument(param: Any) -> str:
    name = str(param.metavar or param.name.upper()).strip("[]{}.")
    name += "..." if param.nargs != 1 else ""
    return name if param.required else f"[{name}]"


def _option(param: Any) -> str:
    names = ", ".join([*sorted(param.opts, key=len), *param.secondary_opts])
    return names if param.is_flag else f"{names} {param.metavar or param.name.upper()}"


def _text(param: Any) -> str:
    default = param.default
    if isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != "":
        return f"{param.help or ''} [default: {default}]"
    return param.help or ""


def _paragraph(text: str) -> list[str]:
    """A paragraph of a help text: wrapped, unless it is indented, which is kept as it is."""
    if text.startswith(" "):
        return ["  " + line for line in text.split("\n")]
    return _wrapped(" ".join(text.split()), "  ", "  ")


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line of this tool."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    wanted = parser.parse_args(arguments)
    try:
        if not wanted.check:
            for page, text in generated(ROOT):
                (ROOT / page).write_text(text, "utf-8", newline="\n")
            return 0
        stale = out_of_date(ROOT)
    except DocsError as error:
        print(error, file=sys.stderr)
        return 1
    for page in stale:
        print(f"{page}: out of date (make docs writes it again)", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
