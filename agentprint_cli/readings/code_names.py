"""Which names a program defines and which it uses, read without running or parsing it.

This serves one question only: does a program use a name that an earlier program of its session
defined? Where a rule cannot tell, the name counts as defined here, so that nothing is claimed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Every pattern runs in time linear in the code: names and spaces are taken whole, once.
_NAME = r"[A-Za-z_$][A-Za-z0-9_$]*+"
_SCRIPT_NOISE = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?",
    re.DOTALL,
)
_PYTHON_NOISE = re.compile(
    r"#[^\n]*+|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+(?:\"\"\")?|'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
    r"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?",
    re.DOTALL,
)
# A name on a global object is the same name as the bare one.
_GLOBAL = re.compile(r"\b(?:globalThis|global|window|self)\s*\.\s*(?=[A-Za-z_$])")
_DECLARED = re.compile(rf"\b(?:var|let|const|function|class|def|import|as)\b\s*+\*?\s*+({_NAME})")
_ASSIGNED = re.compile(rf"(?:^|[;{{}}\n(,])[ \t]*+({_NAME})[ \t]*+=(?![=>])")
# Anything that binds a name inside the program: parameters, loop variables, patterns.
_BOUND = re.compile(
    rf"(?<![\w$])({_NAME})[ \t]*+=>"
    r"|\bfor\b([^\n:;{]{0,200}?)\b(?:in|of)\b"
    r"|\b(?:lambda|catch|except|from|import|global|nonlocal)\b([^\n:;{]{0,200}+)"
    r"|\(([^()]{0,400}+)\)\s*+(?:=>|\{|:)"
    r"|\b(?:var|let|const)\b\s*+[{\[]([^}\]]{0,400}+)"
)
_WORD = re.compile(_NAME)
_USED = re.compile(rf"(?<![\w$.])({_NAME})(?![ \t]*+:(?!:))(?![ \t]*+=(?![=>]))")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one program."""

    defined: frozenset[str]
    """Those that a later program of the same session could use."""
    used: frozenset[str]
    """Those that it uses without binding them itself."""


def names_of(code: str, language: str | None) -> Names:
    """The names of ``code``."""
    noise = _PYTHON_NOISE if language is not None and "py" in language.lower() else _SCRIPT_NOISE
    bare = _GLOBAL.sub("", noise.sub(" ", code))
    defined = {match[1] for match in _DECLARED.finditer(bare)}
    defined |= {match[1] for match in _ASSIGNED.finditer(bare)}
    bound = set(defined)
    for match in _BOUND.finditer(bare):
        for group in match.groups():
            bound.update(_WORD.findall(group or ""))
    used = {match[1] for match in _USED.finditer(bare)}
    return Names(frozenset(defined), frozenset(used - bound))
