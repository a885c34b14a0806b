"""What can be seen in a tool's name, description and schema without any model.

Each function is one rule over plain values; `phrases.LINT_RULES` states the rules to people. The
rules that read sentences know English cues only; `is_english` says where they have no say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .choice_text import candidate_text

FEWEST_WORDS = 4

# Words ---------------------------------------------------------------------------------------

# Scripts that set no space between words: Thai, Lao, Khmer, kana, Han.
_UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\W_{_UNSPACED}]+(?:['’][^\W_{_UNSPACED}]+)*")
_FILLERS = frozenset(
    [
        "a",
        "an",
        "and",
        "all",
        "any",
        "by",
        "for",
        "from",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "the",
        "this",
        "that",
        "to",
        "with",
        "tool",
        "function",
        "api",
        "endpoint",
        "method",
        "call",
    ]
)
_ENGLISH = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "in",
        "into",
        "is",
        "it",
        "its",
        "not",
        "of",
        "on",
        "one",
        "or",
        "that",
        "the",
        "their",
        "this",
        "to",
        "with",
        "you",
        "your",
    ]
)


def words(text: str) -> list[str]:
    """The words of ``text``, in lower case. In scripts without spaces between words every two
    characters count as one."""
    return [match.group().casefold() for match in _WORD.finditer(text)]


def short_description(name: str, description: str) -> str | None:
    """Why ``description`` is too short to tell the tool by: ``few-words`` (fewer than four), or
    ``repeats-name`` (every word of it is a filler or stands in the name). None otherwise."""
    said = words(description)
    if len(said) < FEWEST_WORDS:
        return "few-words"
    named = {_stem(word) for word in words(candidate_text(name))}
    if all(word in _FILLERS or _stem(word) in named for word in said):
        return "repeats-name"
    return None


def _stem(word: str) -> str:
    """``word`` without the ending of a plural or of "he gets"."""
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


def is_english(text: str) -> bool:
    """Whether ``text`` holds one of the commonest English words. A weak test: it only keeps the
    cues below from being looked for where they cannot be."""
    return not _ENGLISH.isdisjoint(words(text))


_WHEN = re.compile(
    r"\b(?:when|whenever|if|unless|before|after|until|once|instead|rather than|only"
    r"|prefer|prefers|preferred|use (?:this|it|to|for|only)|used (?:to|for|when|if)"
    r"|useful (?:to|for|when|if)|call (?:this|it)|(?:do not|don['’]t|never) (?:use|call)"
    r"|not (?:for|to be used))\b",
    re.IGNORECASE,
)


def says_when(description: str) -> bool:
    """Whether ``description`` holds a cue of when to use the tool (or not to)."""
    return _WHEN.search(description) is not None


# Names ---------------------------------------------------------------------------------------

_SEPARATORS = re.compile(r"[\s_\-./:]+")


@dataclass(frozen=True, slots=True)
class Namesakes:
    """Tools whose names are equal, or differ in nothing but case and separators."""

    equal: bool
    """The names are equal to the letter."""
    members: tuple[int, ...]
    """Which of the names: positions, rising."""


def duplicate_names(names: Sequence[str | None]) -> Iterator[Namesakes]:
    """The groups of names that are the same but for case and separators (white space, ``_``,
    ``-``, ``.``, ``/``, ``:``), by first appearance. Where some of such a group are equal to the
    letter, those are a group of their own, before it. None is no name."""
    folded: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name is not None:
            folded.setdefault(_SEPARATORS.sub("", name).casefold() or name, []).append(place)
    for places in folded.values():
        spelt: dict[str, list[int]] = {}
        for place in places:
            spelt.setdefault(str(names[place]), []).append(place)
        for same in spelt.values():
            if len(same) > 1:
                yield Namesakes(True, tuple(same))
        if len(spelt) > 1:
            yield Namesakes(False, tuple(same[0] for same in spelt.values()))


# Schemas -------------------------------------------------------------------------------------


def properties(schema: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """The parameters that ``schema`` names at its top, those that are described by an object."""
    found = schema.get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {name: each for name, each in found.items() if isinstance(each, Mapping)}


def undocumented_optional(schema: Mapping[str, object]) -> list[str]:
    """The parameters at the top of ``schema`` that are not required and have no description."""
    required = schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    return [
        name
        for name, each in properties(schema).items()
        if name not in needed
        and not any(_text(part, "description") for part in _parts(each, schema))
    ]


def _text(schema: Mapping[str, object], member: str) -> str:
    value = schema.get(member)
    return value.strip() if isinstance(value, str) else ""


def _parts(
    schema: Mapping[str, object], root: Mapping[str, object]
) -> Iterator[Mapping[str, object]]:
    """``schema`` and the schemas that describe the same value, or an item of it: what a local
    ``$ref`` names, what ``anyOf``, ``oneOf`` and ``allOf`` hold, and ``items``. Each once."""
    waiting: list[object] = [schema]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop(0)
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting += [_referred(part.get("$ref"), root), part.get("items")]
        for member in ("anyOf", "oneOf", "allOf"):
            listed = part.get(member)
            waiting += listed if isinstance(listed, list) else []


def _referred(reference: object, root: Mapping[str, object]) -> object:
    """What a ``$ref`` of the form ``#/a/b`` names in ``root``; None for any other."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    here: object = root
    for token in reference[2:].split("/"):
        if not isinstance(here, Mapping):
            return None
        here = here.get(token.replace("~1", "/").replace("~0", "~"))
    return here


# Enumerations in prose ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProseValues:
    """Values that a description lists for a parameter whose schema does not."""

    parameter: str
    values: tuple[str, ...]
    in_parameter: bool
    """The parameter's own description lists them; otherwise the tool's does."""


_QUOTED = r"(?:\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|`[^`\n]{1,40}`|“[^”\n]{1,40}”|‘[^’\n]{1,40}’)"
_BARE = r"[A-Za-z0-9][\w.+-]{0,39}"
_BETWEEN = r"(?: ?, ?(?:and |or )?| or | and | ?\| ?| ?/ ?)"
_INTRODUCED = (
    r"\b(?:(?:one|any) of(?: the)?(?: following)?(?: values| options)?"
    r"|(?:values|options)(?: are| include)?|either)"
)
# Two or more quoted words; bare words behind an introduction, the last of them behind "or" or all
# with bars between them; bare words with commas behind an introduction that ends in a colon; bare
# words in brackets with bars between them.
# White space is a single blank by then, so that no pattern has two ways to read it.
_LISTS = (
    re.compile(rf"{_QUOTED}(?:{_BETWEEN}{_QUOTED})+"),
    re.compile(
        rf"{_INTRODUCED} ?:? ?\(?(?P<list>{_BARE}(?: ?, ?{_BARE})*,? or {_BARE}"
        rf"|{_BARE}(?: ?\| ?{_BARE})+)(?!\w)",
        re.IGNORECASE,
    ),
    re.compile(rf"{_INTRODUCED} ?: ?(?P<list>{_BARE}(?: ?, ?{_BARE})+)", re.IGNORECASE),
    re.compile(rf"[(\[{{] ?(?P<list>{_BARE}(?: ?\| ?{_BARE})+) ?[)\]}}]"),
)
_QUOTES = "\"'`“‘"
_JOINTS = ("or", "and")
_PART = re.compile(rf"{_QUOTED}|{_BARE}")
_EXAMPLES = re.compile(
    r"(?:\be\.?\s?g\.?,?|\bfor (?:example|instance),?|\bsuch as|\blike|\bincluding|\bexamples?:?)"
    r" ?[(:]? ?$",
    re.IGNORECASE,
)
_NOT_VALUES = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "not",
        "no",
        "of",
        "in",
        "on",
        "at",
        "by",
        "to",
        "be",
        "used",
        "set",
        "given",
        "before",
        "after",
        "above",
        "below",
        "null",
        "none",
        "empty",
        "omitted",
        "left",
    ]
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_LONGEST_READ = 4000


def listed_values(text: str) -> Iterator[tuple[str, ...]]:
    """The lists of values in ``text``, in order. Lists behind "e.g.", "such as" and their like
    are examples and none of them. Only the first 4,000 characters are read."""
    found: dict[int, tuple[int, tuple[str, ...]]] = {}
    text = " ".join(text[:_LONGEST_READ].split())
    for pattern in _LISTS:
        for match in pattern.finditer(text):
            start, end = match.span("list") if "list" in pattern.groupindex else match.span()
            if any(start < other_end and other < end for other, (other_end, _) in found.items()):
                continue
            if _EXAMPLES.search(text[max(0, start - 24) : start]):
                continue
            found_parts = (each.group() for each in _PART.finditer(text, start, end))
            parts = [part for part in found_parts if part not in _JOINTS]
            bare = [part for part in parts if part[0] not in _QUOTES]
            values = tuple(dict.fromkeys(map(_value, parts)))
            if len(values) >= 2 and not any(part.casefold() in _NOT_VALUES for part in bare):
                found[start] = (end, values)
    for start in sorted(found):
        yield found[start][1]


def _value(part: str) -> str:
    return part[1:-1].strip() if part[0] in _QUOTES else part.rstrip(".")


def enumerations_in_prose(description: str, schema: Mapping[str, object]) -> Iterator[ProseValues]:
    """The lists of values that a tool's description or a parameter's own names for a parameter at
    the top of ``schema`` that declares neither ``enum`` nor ``const`` and is no boolean.

    In the tool's description a list belongs to the parameter that its sentence names; a list in a
    sentence that names none, or several that could be meant, is passed over.
    """
    parameters = properties(schema)
    open_ones = [name for name, each in parameters.items() if not _declares(each, schema)]
    for name in open_ones:
        for part in _parts(parameters[name], schema):
            for values in listed_values(_text(part, "description")):
                if not _covered(values, parameters, schema):
                    yield ProseValues(name, values, True)
    for sentence in _SENTENCE_END.split(description[:_LONGEST_READ]):
        named = [name for name in parameters if _names(sentence, name)]
        if len(named) != 1 or named[0] not in open_ones:
            continue
        for values in listed_values(sentence):
            rest = tuple(value for value in values if value not in parameters)
            if len(rest) >= 2 and not _covered(rest, parameters, schema):
                yield ProseValues(named[0], rest, False)


def _names(sentence: str, parameter: str) -> bool:
    """Whether ``sentence`` holds the name as a word of its own."""
    return bool(parameter) and bool(
        re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", sentence, re.IGNORECASE)
    )


def _declares(schema: Mapping[str, object], root: Mapping[str, object]) -> bool:
    """Whether the values are declared, or can be nothing but true and false."""
    return any(
        "enum" in part or "const" in part or part.get("type") == "boolean"
        for part in _parts(schema, root)
    )


def _covered(
    values: tuple[str, ...],
    parameters: Mapping[str, Mapping[str, object]],
    root: Mapping[str, object],
) -> bool:
    """Whether some parameter's schema declares all of ``values``."""
    wanted = {value.casefold() for value in values}
    for each in parameters.values():
        declared: set[str] = set()
        for part in _parts(each, root):
            listed = part.get("enum")
            declared |= (
                {str(item).casefold() for item in listed} if isinstance(listed, list) else set()
            )
            if "const" in part:
                declared.add(str(part["const"]).casefold())
        if wanted <= declared:
            return True
    return False
