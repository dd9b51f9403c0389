"""Named health checks, reported in the form of Kubernetes' `/livez?verbose`. No HTTP here.

A check is an async function that returns when all is well and raises when not. The reason goes to our log; an open
endpoint says only which check failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from steersman.base import log

_log = log.get(__name__)

Check = Callable[[], Awaitable[None]]


class Unhealthy(Exception):
    """Raised by a check; its text is the reason."""


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    reason: str | None = None
    excluded: bool = False

    @property
    def line(self) -> str:
        if self.excluded:
            return f"[+]{self.name} excluded: ok"
        return f"[+]{self.name} ok" if self.reason is None else f"[-]{self.name} failed: reason withheld"


class Report(NamedTuple):
    ok: bool
    lines: tuple[str, ...]


async def _alive() -> None:
    """That this runs at all is the answer."""


class Health:
    """The checks behind one endpoint (`livez` or `readyz`), `ping` first, run side by side, each with a deadline."""

    def __init__(self, name: str, *, timeout_seconds: float = 2.0) -> None:
        self.name = name
        self._timeout_seconds = timeout_seconds
        self._checks: dict[str, Check] = {"ping": _alive}

    def add(self, name: str, check: Check) -> None:
        if name in self._checks:
            raise ValueError(f"{self.name} has a check {name!r} already")
        self._checks[name] = check

    def __contains__(self, name: str) -> bool:
        return name in self._checks

    async def check(self, name: str) -> Result:
        """Run one check. KeyError for a name that was never added."""
        check, patience = self._checks[name], asyncio.timeout(self._timeout_seconds)
        try:
            async with patience:
                await check()
        except Exception as error:  # noqa: BLE001 -- whatever a check raises is its answer
            late = f"no answer within {self._timeout_seconds:g} s"
            reason = late if patience.expired() else str(error) or type(error).__name__
            _log.warning("health check failed", endpoint=self.name, check=name, reason=reason)
            return Result(name, reason)
        return Result(name)

    async def report(self, exclude: Collection[str] = ()) -> Report:
        """Whether every check (but the excluded) passed, and one line for each in the order they were added."""
        async with asyncio.TaskGroup() as group:
            running = {name: group.create_task(self.check(name)) for name in self._checks if name not in exclude}
        results = [running[name].result() if name in running else Result(name, excluded=True) for name in self._checks]
        lines = [result.line for result in results]
        unknown = [name for name in exclude if name not in self._checks]
        if unknown:
            quoted = ", ".join(f'"{name}"' for name in unknown)
            lines.append(f"warn: some health checks cannot be excluded: no matches for {quoted}")
        return Report(all(result.reason is None for result in results), tuple(lines))
