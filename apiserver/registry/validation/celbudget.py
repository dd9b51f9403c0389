"""How much work the rules of a schema may be, at the worst, for one object: per rule, and all of them together."""

from __future__ import annotations

from typing import Final

from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path

RULE_LIMIT: Final = 10_000_000
SCHEMA_LIMIT: Final = 100_000_000

_MOST_NAMED: Final = 4
_ADVICE: Final = (
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared"
)


def multiplied(times: int | None, elements: int | None) -> int | None:
    """None is without limit."""
    return None if times is None or elements is None else times * elements


class Budget:
    """What the rules of one schema have cost so far."""

    def __init__(self) -> None:
        self._total = 0
        self._expensive: list[tuple[int, Path]] = []

    def charge(self, path: Path, what: str, cost: int) -> list[Cause]:
        self._total += cost
        if cost >= SCHEMA_LIMIT // 100:
            self._expensive.append((cost, path))
        return [fields.forbidden(path, _exceeds(what, cost, RULE_LIMIT))] if cost > RULE_LIMIT else []

    def complain(self, path: Path) -> list[Cause]:
        if self._total <= SCHEMA_LIMIT:
            return []
        detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        dearest = sorted(self._expensive, key=lambda each: -each[0])[:_MOST_NAMED]
        what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        return [
            *(fields.forbidden(where, detail) for _, where in dearest),
            fields.forbidden(path, _exceeds(what, self._total, SCHEMA_LIMIT)),
        ]


def _exceeds(what: str, cost: int, limit: int) -> str:
    factor = cost / limit
    shown = "more than 100x" if factor > 100 else f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    return f"{what} exceeds budget by factor of {shown} ({_ADVICE})"
