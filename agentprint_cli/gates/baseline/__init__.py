"""The baseline: what is known, so that only what is new fails.

It holds known findings and the margins as they were. Neither says where or when: the same log
recorded again, with other run ids, times and paths, has the same entries.
"""

from __future__ import annotations

from .entries import Entry as Entry
from .entries import digest as digest
from .file import Baseline as Baseline
from .file import baseline_text as baseline_text
from .file import load_baseline as load_baseline
from .margins import KnownMargin as KnownMargin
from .margins import KnownMargins as KnownMargins
