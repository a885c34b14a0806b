"""The runs of a recording, as facts."""

from __future__ import annotations

from ... import __version__
from ...model import Fact, Report, Sourced, recorded
from ...readings.keeping import Keeper
from ...readings.runs import RunInfo, choose_run, list_runs
from ...view import View, open_view
from ...view.source import Progress
from .document import SCHEMA, document


def runs(path: str, *, progress: Progress | None = None) -> Report:
    """List the runs of a recording. Raises `errors.UnreadableInput`."""
    with open_view(path, progress) as view:
        listed = list_runs(view)
        chosen = choose_run(view, listed, None)
        keeper = Keeper(view)
        return Report(
            schema=SCHEMA,
            tool_version=__version__,
            recordings=(view.recording(),),
            facts=tuple(_listed(view, run, run.id == chosen, keeper) for run in listed),
            shape=document,
        )


def _listed(view: View, run: RunInfo, explained: bool, keeper: Keeper) -> Fact:
    question: object = None
    place = view.pointer(run.first, "meta", "runId")
    pointers = [place]
    if run.turn_start is not None:
        value = view.at(run.turn_start).payload.get("userPrompt")
        if value is not None and not keeper.kept_out(value):
            place = view.pointer(run.turn_start, "payload", "userPrompt")
            question = Sourced(value, place)
            pointers = [place, *pointers]
    return recorded(
        "run-listed",
        pointers,
        {
            "id": run.id,
            "session": run.session,
            "question": question,
            "configured": run.configured,
            "model_calls": run.model_calls,
            "tool_calls": run.tool_calls,
            "finished": run.finished,
            "explained": explained or None,
            "events": run.events,
            "first": run.first,
            "last": run.last,
        },
    )
