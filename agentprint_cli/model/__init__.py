"""The vocabulary: what every room of the house speaks in. No I/O, no third-party imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from ..base import rfc6901


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded event, decoded."""

    index: int
    """0-based: the physical line of a log, or the position in a document's ``events``."""
    type: str
    """The event's type with its prefix, as recorded."""
    run: str | None
    session: str | None
    call: str | None
    """``payload.toolCallId``, when there is one."""
    payload: Mapping[str, object]
    """Empty when the record holds no payload object."""
    meta: Mapping[str, object]
    """Empty when the record holds no ``meta`` object."""
    missing: frozenset[str] = frozenset()
    """Which of ``payload`` and ``meta`` the event does not have at all."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A place in the recording. It can be resolved again to the very bytes."""

    path: str
    """RFC 6901, from the event's root, or from the document's root when ``event`` is None."""
    event: int | None = None
    type: str | None = None
    """The event's type: checked again when the pointer is resolved."""
    line: int | None = None
    """1-based physical line of the file, where the recording is made of lines."""
    file: str | None = None

    def into(self, *tokens: str | int) -> Pointer:
        """The place that ``tokens`` lead to from this one."""
        return replace(self, path=self.path + rfc6901.join(*tokens))


class Status(StrEnum):
    """What the record says of a question."""

    RECORDED = "recorded"
    NOT_RECORDED = "not-recorded"
    NOT_APPLICABLE = "not-applicable"
    NOT_MEASURABLE = "not-measurable"


class Reason(StrEnum):
    """Why something is not recorded or not measurable."""

    NO_EVENT = "no-event"
    NOT_DECLARED = "not-declared"
    KEPT_OUT = "kept-out"
    UNREADABLE = "unreadable"
    BEFORE_PAUSE = "before-pause"
    DROPPED_FROM_CONTEXT = "dropped-from-context"
    NO_COMPOSE = "no-compose"
    INCOMPLETE = "incomplete"
    NOT_IN_HISTORY = "not-in-history"
    NO_CATALOGUE = "no-catalogue"
    UNFINISHED = "unfinished"
    NO_FIELD = "no-field"
    PLAIN_TEXT = "plain-text"
    NO_ID = "no-id"
    AMBIGUOUS_ID = "ambiguous-id"
    CUT = "cut"
    NOT_SCORED = "not-scored"
    NOT_COMPARED = "not-compared"
    NO_DESCRIPTIONS = "no-descriptions"
    NO_SCHEMA = "no-schema"
    NOT_ENGLISH = "not-english"
    NOT_ASKED = "not-asked"
    EMBEDDER_FAILED = "embedder-failed"
    TOO_FEW = "too-few"
    TIED = "tied"
    ONE_SIDED = "one-sided"


class Voucher(StrEnum):
    """Who vouches for a fact. A tool vouches as ``tool:<name>``: see `tool_voucher`."""

    PERSON = "person"
    LIBRARY = "library"
    MODEL = "model"
    APP = "app"


def tool_voucher(name: str | None) -> str:
    """The voucher that stands for a tool's own word."""
    return f"tool:{name}" if name is not None else "tool:(unnamed)"


@dataclass(frozen=True, slots=True)
class Sourced:
    """A value and the place that it was read from (None for a count or a derived value)."""

    value: object
    pointer: Pointer | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the record says, or says nothing about. It holds no prose."""

    rule: str
    """Which rule produced it; `phrases` has the sentence for it."""
    status: Status
    reason: Reason | None = None
    voucher: str = Voucher.LIBRARY
    values: Mapping[str, Sourced] = field(default_factory=lambda: MappingProxyType({}))
    pointers: tuple[Pointer, ...] = ()

    def __post_init__(self) -> None:
        if self.status is Status.RECORDED and not self.pointers:
            raise ValueError(f"{self.rule}: a recorded fact needs a pointer")
        if self.status is Status.NOT_RECORDED and self.reason is None:
            raise ValueError(f"{self.rule}: what is not recorded needs a reason")
        if self.status is Status.NOT_MEASURABLE and self.reason is None:
            raise ValueError(f"{self.rule}: what is not measurable needs a reason")

    def get(self, name: str, default: object = None) -> object:
        """The plain value called ``name``, or ``default`` when the fact has none."""
        sourced = self.values.get(name)
        return default if sourced is None else sourced.value

    def text(self, name: str) -> str:
        """The value called ``name`` as text; empty when the fact has none."""
        value = self.get(name)
        return "" if value is None else str(value)

    def pointer_of(self, name: str) -> Pointer | None:
        """Where the value called ``name`` was read, when it was read from one place."""
        sourced = self.values.get(name)
        return None if sourced is None else sourced.pointer


def recorded(
    rule: str,
    pointers: Iterable[Pointer | None],
    values: Mapping[str, object] | None = None,
    *,
    voucher: str = Voucher.LIBRARY,
) -> Fact:
    """A recorded fact. Values may be plain or `Sourced`; ``None`` values are left out, since
    None never stands for "not recorded". Pointers that are None are left out too."""
    return Fact(
        rule,
        Status.RECORDED,
        voucher=voucher,
        values=_sourced(values or {}),
        pointers=distinct(pointers),
    )


def absent(
    rule: str,
    status: Status,
    reason: Reason | None = None,
    values: Mapping[str, object] | None = None,
    pointers: Iterable[Pointer | None] = (),
) -> Fact:
    """A fact about something that the record does not hold, or that cannot be measured."""
    return Fact(rule, status, reason, values=_sourced(values or {}), pointers=distinct(pointers))


def _sourced(values: Mapping[str, object]) -> Mapping[str, Sourced]:
    kept = {
        name: value if isinstance(value, Sourced) else Sourced(value)
        for name, value in values.items()
        if value is not None and not (isinstance(value, Sourced) and value.value is None)
    }
    return MappingProxyType(kept)


def distinct(pointers: Iterable[Pointer | None]) -> tuple[Pointer, ...]:
    """The pointers in order, each once, without the missing ones."""
    return tuple(dict.fromkeys(pointer for pointer in pointers if pointer is not None))


@dataclass(frozen=True, slots=True)
class Unread:
    """A place in the input that could not be read as an event, and why."""

    reason: str
    offset: int
    """Byte offset in the (decompressed) input."""
    line: int | None = None
    """1-based physical line, where the recording is made of lines."""
    event: int | None = None
    """The event number that this place keeps, when it has one."""
    cut: bool = False
    """The input ends in the middle of this."""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How much of what analyses need the recording holds."""

    catalogue: str
    """``full``, ``names-only``, ``partial`` or ``absent``."""
    prompt: str
    """``recorded`` or ``absent``: whether the text of system prompts is in the record."""
    results: str
    """``verbatim``, ``preview`` or ``absent``."""
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """What was read."""

    path: str
    sha256: str
    bytes: int
    format: str
    events: int
    fidelity: Fidelity
    unread: tuple[Unread, ...] = ()
    foreign: int = 0
    """Events that belong to runs other than the one explained."""


class Outcome(StrEnum):
    """What a check found."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A check's outcome and the facts behind it."""

    check: str
    outcome: Outcome
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one command found."""

    schema: str
    """Name and version of the JSON contract, such as ``agentprint/explain@1``."""
    tool_version: str
    recordings: tuple[Recording, ...]
    facts: tuple[Fact, ...]
    shape: Callable[[Report], dict[str, object]]
    """How the facts become the published JSON; set by the pipeline."""
    verdicts: tuple[Verdict, ...] = ()

    def of(self, *rules: str) -> tuple[Fact, ...]:
        """The facts of these rules, in order."""
        return tuple(fact for fact in self.facts if fact.rule in rules)

    def one(self, rule: str) -> Fact | None:
        """The first fact of this rule, or None."""
        return next((fact for fact in self.facts if fact.rule == rule), None)

    def to_dict(self) -> dict[str, object]:
        """The report in the shape of its JSON contract."""
        return self.shape(self)


Json = dict[str, object]
Strings = Sequence[str]
