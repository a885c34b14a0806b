"""``agentprint schema``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..renderers import RENDERERS, Output
from ..renderers.as_json import dumps
from ..reports.schema import outline as document
from ..reports.schema.pipeline import schema as load_schema
from ..reports.schema.pipeline import schema_list
from . import common


def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help="A schema, such as explain or event-log, or an event type, such as "
            "stream.tool_end. Without a name, the schemas are listed.",
        ),
    ] = "",
) -> None:
    """Print the JSON Schema of something that agentprint reads or writes, or list them.

    A printed schema holds everything that it refers to.

    Examples:

      agentprint schema

      agentprint schema explain

      agentprint schema stream.tool_end
    """
    if name:
        sys.stdout.write(dumps(load_schema(name)) + "\n")
        return
    rows = [(known.name, known.about) for known in schema_list()]
    output = Output(dict, lambda: document.outline(rows))
    RENDERERS["text"].write(output, sys.stdout, common.style())
