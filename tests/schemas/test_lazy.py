"""jsonschema costs more at start than most commands do: it comes in when a value is checked."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "code",
    [
        "import agentprint_cli.schemas",
        "import agentprint_cli.reports.explain.pipeline",
        "from agentprint_cli.schemas import EventChecker; "
        "EventChecker().check('agentfootprint.agent.turn_start', "
        "{'type': 'agentfootprint.agent.turn_start', "
        "'payload': {'turnIndex': 0, 'userPrompt': 'x'}})",
    ],
)
def test_jsonschema_is_not_imported(code: str) -> None:
    code += "; import sys; sys.exit('jsonschema' in sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
