"""Which results the model could name, by run."""

from __future__ import annotations

from ...analyzers import IDS
from ...analyzers.interface import Context
from ...model import Report
from ...signals import checks_called
from ...view.source import Progress
from ..shared.single_runs import RunReport
from .document import SCHEMA, document

_IDS = RunReport(SCHEMA, IDS, checks_called("unknown-standings"), document)


def ids(
    path: str,
    *,
    run: str | None = None,
    all_runs: bool = False,
    each: bool = False,
    end_state: bool = False,
    progress: Progress | None = None,
) -> list[Report]:
    """The results served to the answering model call of a run (to every one with ``each``) and
    what the model had said of them; of one run, or of every configured one with ``all_runs``.
    Raises `errors.UnreadableInput`."""
    context = Context(each=each, end_state=end_state)
    return _IDS.of_recording(path, run, all_runs, context, progress)
