"""Writing a threshold into the user's configuration file, and changing nothing else in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from .config import Calibration, read_toml, section_of
from .errors import UsageError
from .outputs import check_writable, write_whole

Values = Mapping[str, object]


def write_threshold(path: str, threshold: float, made_from: Calibration) -> bool:
    """Set ``threshold`` and the table ``calibration`` in the file at ``path``, which is made when
    there is none. Comments, order and layout of everything else stay as they are. Whether the
    file had to be changed: when it says so already, no byte of it is.

    Raises `UsageError` for a file that is no TOML or cannot be changed safely, and
    `OutputFailed`.
    """
    check_writable(path)
    try:
        text, wanted = read_toml(path)
    except FileNotFoundError:
        text, wanted = "", {}
    named = {
        "embedder": made_from.embedder,
        "scorer": made_from.scorer,
        "share": made_from.share,
        "choices": made_from.choices,
        "recordings": made_from.recordings,
    }
    calibration = {name: value for name, value in named.items() if value is not None}
    section: Any = wanted
    for name in section_of(path):
        section = section.setdefault(name, {})
        if not isinstance(section, dict):
            raise UsageError(f"{path}: {name} is no table")
    if not isinstance(section.get("calibration", {}), dict):
        raise UsageError(f"{path}: calibration is no table")
    if section.get("threshold") == threshold and section.get("calibration") == calibration:
        return False
    missing = [name for name in ("threshold", "calibration") if name not in section]
    section |= {"threshold": threshold, "calibration": calibration}
    # Lines are put in with the line ends of Unix, so that a file of other ones is edited with
    # these and gets its own back.
    crlf = text.count("\n") == text.count("\r\n") > 0
    plain = text.replace("\r\n", "\n") if crlf else text
    edited = _edited(plain, section_of(path), threshold, calibration, missing)
    if edited is None or tomllib.loads(edited) != wanted:
        # Without the table, the threshold would be taken for one of the reference.
        table = ", ".join(f"{name} = {_written(value)}" for name, value in calibration.items())
        raise UsageError(
            f"{path}: it is laid out in a way that cannot be changed safely; set threshold = "
            f"{threshold!r} and calibration = {{{table}}} in it by hand"
        )
    write_whole(path, edited.replace("\n", "\r\n") if crlf else edited)
    return True


def _edited(
    text: str,
    names: tuple[str, ...],
    threshold: float,
    calibration: Values,
    missing: list[str],
) -> str | None:
    """The text with the new values; None where its layout does not let them in.

    What is there is changed in its place, by tomlkit. What is missing goes in as lines, since
    tomlkit would set it behind the comments that stand above the next table.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    lines = text.removesuffix("\n").split("\n") if text else []
    new = [f"threshold = {_written(threshold)}"] if "threshold" in missing else []
    if "calibration" in missing:
        new += ["", f"[{'.'.join((*names, 'calibration'))}]"]
        new += [f"{name} = {_written(value)}" for name, value in calibration.items()]
    place = _place(lines, names)
    if new and place is None:
        space = [""] if text.strip() else []
        lines += [*space, f"[{'.'.join(names)}]", *new]
    elif new and place is not None:
        space = [""] if place < len(lines) and lines[place].strip() else []
        lines[place:place] = [*new, *space]
    edited = "\n".join(lines) + ("\n" if new or text.endswith("\n") else "")
    try:
        if missing != ["threshold", "calibration"]:
            document = tomlkit.parse(edited)
            if tomlkit.dumps(document) != edited:  # it moves tables that stand apart together
                return None
            section: Any = document
            for name in names:
                section = section[name]
            _set(section, {"threshold": threshold})
            _set(section["calibration"], calibration)
            edited = tomlkit.dumps(document)
        tomllib.loads(edited)
    except (TOMLKitError, tomllib.TOMLDecodeError, RecursionError):
        return None
    return edited


def _written(value: object) -> str:
    """A value as TOML."""
    import tomlkit

    return tomlkit.item(value).as_string()


def _place(lines: list[str], names: tuple[str, ...]) -> int | None:
    """Before which line new lines of the section belong: behind its last line, and before the
    blank lines and the comment above the next table. None when the section has no head.

    A line of a longer value can look like a head: whoever asks compares what came of it.
    """
    start = 0
    if names:
        dotted = r"\s*\.\s*".join(names)
        head = re.compile(rf"\s*\[\s*{dotted}\s*\]\s*(#.*)?")
        start = next((n for n, line in enumerate(lines, 1) if head.fullmatch(line)), 0)
        if start == 0:
            return None
    heads = (number for number in range(start, len(lines)) if lines[number].lstrip()[:1] == "[")
    end = next(heads, len(lines))
    while start < end < len(lines) and lines[end - 1].lstrip()[:1] == "#":
        end -= 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _set(table: Any, values: Values) -> None:
    """Set what differs."""
    for name in [name for name in values if name in table and table[name] != values[name]]:
        table[name] = values[name]
    missing = [name for name in values if name not in table]
    # What ends the table, such as the blank line before the next one, stays at its end.
    body = getattr(getattr(table, "value", None), "body", [])
    tail = []
    while missing and body and body[-1][0] is None:
        tail.append(body.pop())
    for name in missing:
        table[name] = values[name]
    body.extend(reversed(tail))
