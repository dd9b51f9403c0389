"""The metrics of a replica: terms come and go, its counters stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry

M = TypeVar("M")


class Measures:
    """Groups of metrics, each made once, however many terms ask for it."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._made: dict[Callable[[CollectorRegistry], Any], Any] = {}

    def of(self, group: Callable[[CollectorRegistry], M]) -> M:
        """`group`: a class whose instances add their metrics to a registry."""
        if group not in self._made:
            self._made[group] = group(self._registry)
        made: M = self._made[group]
        return made
