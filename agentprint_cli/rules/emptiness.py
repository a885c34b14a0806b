from __future__ import annotations
from dataclasses import dataclass
from ..json_text import BrokenJson, decode


@dataclass(frozen=True, slots=True)
class Emptiness:
    emptiness: str
    rows: int | None = None
    voucher: str | None = None
    detail: str | None = None

    @staticmethod
    def unknown(detail: str) -> Emptiness:
        return Emptiness("unknown", detail=detail)


def judge_emptiness(
    value: object, *, declared_absent: bool, may_declare_itself: bool, rows_at: str | None
) -> Emptiness:
    if declared_absent:
        return Emptiness("declared-absent", voucher="tool")
    if isinstance(value, str):
        if value[:1] not in ("{", "["):
            return Emptiness.unknown("text")
        try:
            value = decode(value.encode("utf-8", "surrogatepass"))
        except BrokenJson:
            return Emptiness.unknown("text")
    inside = False
    if isinstance(value, dict) and isinstance(value.get("af_coverage"), dict) and "result" in value:
        value = value["result"]
        inside = True
    if may_declare_itself and isinstance(value, dict) and value.get("af_absent") is True:
        return Emptiness("declared-absent", voucher="tool")
    if isinstance(value, list):
        n = len(value)
        if n == 0 and inside:
            return Emptiness("declared-absent", rows=0, voucher="tool")
        return Emptiness("non-empty" if n else "undeclared-empty", rows=n, voucher="library")
    if isinstance(value, dict):
        if rows_at is None:
            return Emptiness.unknown("undeclared-shape")
        if rows_at not in value:
            return Emptiness.unknown("rows-at-missing")
        r = value[rows_at]
        if not isinstance(r, list):
            return Emptiness.unknown("not-a-list")
        if not r and inside:
            return Emptiness("declared-absent", rows=0, voucher="tool")
        return Emptiness("non-empty" if r else "undeclared-empty", rows=len(r), voucher="app")
    return Emptiness.unknown("scalar")
