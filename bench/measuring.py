"""Small words for benchmarks: run many at once, percentiles, one table."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run of many calls came to."""

    count: int
    seconds: float
    p50_ms: float
    p99_ms: float
    client_cpu: float
    """The share of one core that the load generator itself used: near 1 the rate is a floor, not the server's limit."""

    @property
    def per_second(self) -> float:
        return self.count / self.seconds

    def as_json(self) -> dict[str, float]:
        return {
            "per_s": round(self.per_second, 1),
            "p50_ms": self.p50_ms,
            "p99_ms": self.p99_ms,
            "client_cpu": self.client_cpu,
        }


async def many(clients: int, jobs: Iterable[int], call: Callable[[int], Awaitable[Any]]) -> Measured:
    """`clients` workers share the jobs; each does one call after the other."""
    remaining = iter(jobs)
    latencies: list[float] = []

    async def worker() -> None:
        for job in remaining:
            started = time.perf_counter()
            await call(job)
            latencies.append(time.perf_counter() - started)

    cpu, started = time.process_time(), time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(clients):
            tasks.create_task(worker())
    seconds = time.perf_counter() - started
    return Measured(
        len(latencies),
        seconds,
        milliseconds(percentile(latencies, 50)),
        milliseconds(percentile(latencies, 99)),
        round((time.process_time() - cpu) / seconds, 2),
    )


def percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))] if ordered else float("nan")


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in (headings, *rows)) for column in range(len(headings))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    head = "  ".join(cell.ljust(width) for cell, width in zip(headings, widths, strict=True)).rstrip()
    return "\n".join([head, "  ".join("-" * width for width in widths), *lines])
