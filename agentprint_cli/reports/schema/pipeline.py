"""The schemas of what is read and written."""

from __future__ import annotations

from collections.abc import Sequence

from ... import schemas


def schema_list() -> Sequence[schemas.Schema]:
    """The schemas of what is read and written."""
    return schemas.SCHEMAS


def schema(name: str) -> dict[str, object]:
    """The schema that users call ``name``, complete in itself. Raises `errors.UsageError`."""
    return schemas.bundled(schemas.find(name))
