"""What each gate of ``agentprint check`` finds, and what to do about it. Version 1."""

from __future__ import annotations

from collections.abc import Mapping

GATES: Mapping[str, tuple[str, str]] = {
    "narrow-margin": (
        "A tool was chosen by a narrow margin",
        "The context is about as similar to the description of another tool as to that of the "
        "chosen one. Tell the two apart in their descriptions: what each is for, and when to use "
        "the other.",
    ),
    "proxy-disagreement": (
        "Another tool scored better than the chosen one",
        "The context is more similar to the description of a tool that was not called. Read the "
        "call: either the description of the chosen tool says too little, or the choice was off.",
    ),
    "undeclared-empty": (
        "An empty result did not say what had been searched",
        "A tool returned nothing and did not say what it had looked at, and that was in front of "
        "the model when it answered. Have the tool say what it searched.",
    ),
    "failed-call-before-answer": (
        "A call failed, or has no recorded end, before the answer",
        "The answer was given although a tool call had failed or never ended. Read the call and "
        "what the answer makes of it.",
    ),
    "unknown-tool": (
        "A tool was called that was not on the menu",
        "The model named a tool that the model call had not been offered. Look for a stale name "
        "in the prompt or in earlier turns.",
    ),
    "cut-result-used": (
        "A result that had been cut was in front of the model",
        "The model was given only the beginning of a result. Have the tool return less, or ask "
        "it for less.",
    ),
    "existence-not-checked": (
        "A tool left open whether what was asked for exists",
        "The tool itself says that it did not check existence. An answer that there is none does "
        "not follow from it.",
    ),
    "decided-not-delivered": (
        "The skill that was decided on did not reach the model",
        "The router decided on a skill, and no recorded system prompt held it.",
    ),
    "unknown-standing": (
        "The model judged a result that it was never served",
        "The model put a standing on an id that no compose on record served to it. Its words about "
        "its results do not fit the results.",
    ),
    "unattested-code": (
        "The code on record does not attest what a tool ran",
        "The shape of the recorded code hashes to something else than the run's event says, or "
        "there is no code for the run. The record and the run are not of one piece.",
    ),
    "unclosed-session": (
        "A code session was left open",
        "A sandbox was started and never closed, or closing it failed. It may still be running.",
    ),
    "unfinished-run": (
        "A run ends before an answer",
        "The record holds no answer of the run, and the run did not pause to ask a person. Look "
        "for an error at its end, or for a log that was cut.",
    ),
    "unread-lines": (
        "A place of the recording could not be read",
        "What stood there is not known, and other gates did not see it. agentprint validate "
        "lists what is wrong with a file.",
    ),
}
"""Gate -> what it finds in one line, and what to do about it."""
