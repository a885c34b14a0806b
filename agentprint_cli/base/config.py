"""The configuration file: ``[tool.agentprint]`` of pyproject.toml, or agentprint.toml.

It holds what a team agrees on: where its recordings are, thresholds, gates. It never names an
embedder: code is loaded, and the network used, only when the command line or the environment
says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .errors import UsageError

FILES = ("agentprint.toml", "pyproject.toml")
_EMPTY: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a threshold was made from: `agentprint calibrate` writes it beside the threshold."""

    embedder: str
    """The fingerprint of the embedder."""
    scorer: str
    share: str | None = None
    """The share of the choices that was to be narrow, such as ``5%``."""
    choices: int | None = None
    """How many choices the threshold was made from."""
    recordings: int | None = None


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Below which margin a choice is narrow."""

    default: float | None = None
    """For all choices; None: as the scorer has it."""
    tools: Mapping[str, float] = field(default_factory=lambda: _EMPTY)
    """Chosen tool -> its own threshold."""
    pairs: Mapping[str, float] = field(default_factory=lambda: _EMPTY)
    """``chosen|rival`` -> the threshold of that pair, which goes before that of the tool."""
    made_for: Calibration | None = None
    """What the default was made from; None when it is nobody's calibration."""

    def of(self, chosen: str, rival: str | None) -> float | None:
        """The threshold for a choice of ``chosen`` over ``rival``; None: as the scorer has it."""
        found = self.pairs.get(f"{chosen}|{rival}")
        return self.tools.get(chosen, self.default) if found is None else found


@dataclass(frozen=True, slots=True)
class Config:
    """What a configuration file says; the defaults where it says nothing."""

    source: str | None = None
    """The file that was read."""
    recordings: tuple[str, ...] = ()
    scorer: str | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    fail_on: tuple[str, ...] | None = None
    warn_on: tuple[str, ...] | None = None
    max_narrow: str | None = None
    """A count such as ``3`` or a share of the scored choices such as ``5%``."""
    max_disagreement: str | None = None
    baseline: str | None = None
    noise: float | None = None
    """By how much a margin may fall below the baseline's; None: what the scorer declares."""
    declare: str | None = None

    @property
    def calibration(self) -> Calibration | None:
        """What the configured threshold was made from, where the file says so."""
        return self.thresholds.made_for


_KEYS = {
    "recordings",
    "scorer",
    "threshold",
    "thresholds",
    "fail_on",
    "warn_on",
    "max_narrow",
    "max_disagreement",
    "baseline",
    "noise",
    "declare",
    "calibration",
}
_CALIBRATION = {"embedder", "scorer", "share", "choices", "recordings"}


def load_config(path: str | None = None) -> Config:
    """Read ``path``, else the first of `FILES` in the working directory that has a section for
    agentprint. Raises `UsageError` that names the key and the mend."""
    if path is not None:
        table = _section(Path(path))
        if table is None:
            raise UsageError(f"{path}: it has no section [tool.agentprint]")
        return parse_config(table, path)
    for name in FILES:
        if Path(name).is_file() and (table := _section(Path(name))) is not None:
            return parse_config(table, name)
    return Config()


def section_of(path: str) -> tuple[str, ...]:
    """The tables that lead to agentprint's section in a file of that name."""
    return ("tool", "agentprint") if Path(path).name == "pyproject.toml" else ()


def read_toml(path: str) -> tuple[str, dict[str, Any]]:
    """The text of a file of TOML, with its line ends, and what it holds. Raises `UsageError`, and
    `FileNotFoundError` when there is no such file."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
        return text, tomllib.loads(text)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UsageError(f"{path}: the configuration cannot be read ({error.strerror})") from None
    except RecursionError:
        raise UsageError(f"{path}: not valid TOML: nested too deeply to be read") from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of more digits than Python reads
        raise UsageError(f"{path}: not valid TOML: {error}") from None


def _section(path: Path) -> Mapping[str, object] | None:
    try:
        _, found = read_toml(str(path))
    except FileNotFoundError as error:
        raise UsageError(f"{path}: the configuration cannot be read ({error.strerror})") from None
    table: object = found
    for key in section_of(str(path)):
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def parse_config(table: Mapping[str, object], where: str) -> Config:
    """The configuration that a decoded section holds. Unknown keys are refused: a misspelt one
    would silently configure nothing."""
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise UsageError(f"{where}: unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}")
    nested = table.get("thresholds", {})
    if not isinstance(nested, dict) or set(nested) - {"tools", "pairs"}:
        raise UsageError(f"{where}: thresholds must be a table with 'tools' and 'pairs'")
    recordings = table.get("recordings", [])
    return Config(
        source=where,
        recordings=_words(
            [recordings] if isinstance(recordings, str) else recordings, where, "recordings"
        )
        or (),
        scorer=_word(table.get("scorer"), where, "scorer"),
        thresholds=Thresholds(
            default=_number(table["threshold"], where, "threshold")
            if "threshold" in table
            else None,
            tools=_numbers(nested.get("tools", {}), where, "thresholds.tools"),
            pairs=_numbers(nested.get("pairs", {}), where, "thresholds.pairs"),
            made_for=_calibration(table, where),
        ),
        fail_on=_words(table.get("fail_on"), where, "fail_on"),
        warn_on=_words(table.get("warn_on"), where, "warn_on"),
        max_narrow=_limit(table.get("max_narrow"), where, "max_narrow"),
        max_disagreement=_limit(table.get("max_disagreement"), where, "max_disagreement"),
        baseline=_word(table.get("baseline"), where, "baseline"),
        noise=_noise(table.get("noise"), where),
        declare=_word(table.get("declare"), where, "declare"),
    )


def _calibration(table: Mapping[str, object], where: str) -> Calibration | None:
    value = table.get("calibration")
    if value is None:
        return None
    if not isinstance(value, dict) or (unknown := sorted(set(value) - _CALIBRATION)):
        what = f"unknown key {unknown[0]!r}" if isinstance(value, dict) else "it is no table"
        known = ", ".join(sorted(_CALIBRATION))
        raise UsageError(f"{where}: calibration: {what}; known: {known}")
    if "threshold" not in table:
        raise UsageError(
            f"{where}: calibration says what the threshold was made from, and there is no "
            "threshold: set one, or remove the table"
        )
    names = {}
    for key in ("embedder", "scorer"):
        if key not in value:
            raise UsageError(f"{where}: calibration.{key} is missing: it says what made the scores")
        names[key] = _word(value[key], where, f"calibration.{key}") or ""
        if not names[key]:
            raise UsageError(f"{where}: calibration.{key} is empty: it says what made the scores")
    return Calibration(
        names["embedder"],
        names["scorer"],
        share=_limit(value.get("share"), where, "calibration.share"),
        choices=_count(value.get("choices"), where, "calibration.choices"),
        recordings=_count(value.get("recordings"), where, "calibration.recordings"),
    )


def _words(value: object, where: str, what: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where}: {what} must be a list of strings")
    return tuple(value)


def _word(value: object, where: str, what: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{where}: {what} must be a string")
    return value


def _number(value: object, where: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where}: {what} must be a number")
    # Nothing lies below not-a-number: a threshold of it would pass every choice. The bounds are
    # looked at before the conversion, since a huge whole number fits no float.
    if not -1e300 < value < 1e300:
        raise UsageError(f"{where}: {what} must be a finite number")
    return float(value)


def _noise(value: object, where: str) -> float | None:
    return None if value is None else parse_noise(_number(value, where, "noise"), f"{where}: noise")


def parse_noise(value: float, what: str) -> float:
    """The noise of margins, which is 0 or more. Raises `UsageError`."""
    if not 0 <= value < float("inf"):
        raise UsageError(f"{what} must be a number from 0 on, not {value!r}")
    return value


def _count(value: object, where: str, what: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{where}: {what} must be a whole number")
    return value


def _numbers(value: object, where: str, what: str) -> Mapping[str, float]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: {what} must be a table of numbers")
    return MappingProxyType({key: _number(v, where, f"{what}.{key}") for key, v in value.items()})


def _limit(value: object, where: str, what: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise UsageError(f"{where}: {what} must be a whole number or a share such as '5%'")
    parse_limit(str(value), f"{where}: {what}")
    return str(value)


def parse_limit(written: str, what: str) -> tuple[float, bool]:
    """``3`` or ``5%`` as (number, whether it is a share in percent). Raises `UsageError`."""
    share = written.endswith("%")
    digits = written.removesuffix("%")
    try:
        number = float(digits) if share else int(digits)
    except ValueError:
        number = -1
    if not 0 <= number < float("inf") or (share and number > 100):
        raise UsageError(f"{what} must be a count such as 3 or a share such as 5%, not {written!r}")
    return number, share
