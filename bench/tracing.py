"""`python -m bench.tracing`: what tracing costs the API server: CPU time per call, switched off, at 1 % and at 100 %.

Five servers stand side by side and are asked in turn, so that whatever else the machine does falls on all of them. One
has no instrumentation at all (`bench.untraced`). Two have it switched off: what these two differ by is the noise that
every other difference has to be seen against. Spans go to a process that forgets them; the export of the last 512 of a
turn at most is not counted. CPU time is the server's own, of all its threads, user and system.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import processes, wire
from bench.measuring import many, table
from bench.processes import ApiServer
from bench.wire import Wire
from steersman.pb import resources_pb2

ROUNDS = 10
CLIENTS = 16
CALLS = {"create": 1_500, "get": 3_000}
OBJECTS = 500
BARE = "no instrumentation"
RESULTS = Path(__file__).parent / "results"

Results = dict[str, dict[str, float]]
"""By server: what a call of each verb costs in µs, and how many times what it costs without instrumentation."""


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    module: str = "apiserver"
    sample_ratio: float | None = None

    def arguments(self, sink: str) -> list[str]:
        if self.sample_ratio is None:
            return []
        return ["--otlp-endpoint", sink, "--trace-sample-ratio", str(self.sample_ratio)]


VARIANTS = (
    Variant(BARE, module="bench.untraced"),
    Variant("off"),
    Variant("off, another"),
    Variant("1 %", sample_ratio=0.01),
    Variant("100 %", sample_ratio=1.0),
)


class Subject:
    """A server under test, and what its calls have cost so far."""

    def __init__(self, server: ApiServer, api: Wire) -> None:
        self._pid = server.pid
        self._api = api
        self.costs: dict[str, list[float]] = {verb: [] for verb in CALLS}

    async def warm_up(self) -> None:
        for number in range(OBJECTS):
            await self._create(f"g{number}")

    async def take_turn(self, verb: str) -> None:
        calls, prefix = CALLS[verb], f"c{random.randrange(10**12)}"
        does: dict[str, Callable[[int], Awaitable[Any]]] = {
            "create": lambda number: self._create(f"{prefix}-{number}"),
            "get": lambda number: self._api.get(resources_pb2.GetRequest(target=wire.target(f"g{number % OBJECTS}"))),
        }
        before = cpu_seconds(self._pid)
        await many(CLIENTS, range(calls), does[verb])
        self.costs[verb].append((cpu_seconds(self._pid) - before) / calls * 1e6)

    async def _create(self, name: str) -> None:
        await self._api.create(resources_pb2.CreateRequest(target=wire.target(), json=wire.configmap(name)))


def cpu_seconds(pid: int) -> float:
    """Of another process, by the clock that Linux keeps for it (man 3 clock_getcpuclockid): to the nanosecond."""
    return time.clock_gettime(~pid << 3 | 2)


async def measure(folder: Path, rounds: int) -> Results:
    async with AsyncExitStack() as stack:
        port = processes.free_port()
        sink = (sys.executable, "-m", "bench.otlpsink", str(port))
        await stack.enter_async_context(processes.running(*sink, ready_port=port))
        subjects = {}
        for variant in VARIANTS:
            data_dir = folder / variant.name.replace(" ", "-")
            server = await stack.enter_async_context(
                processes.api_server(
                    variant.name, data_dir, *variant.arguments(f"http://127.0.0.1:{port}"), module=variant.module
                )
            )
            api = await stack.enter_async_context(wire.connected(server.grpc, server.data_dir))
            subjects[variant.name] = Subject(server, api)
        for subject in subjects.values():
            await subject.warm_up()
        for verb in CALLS:
            for turn in range(-1, rounds):
                for subject in random.sample(list(subjects.values()), len(subjects)):
                    await subject.take_turn(verb)
                if turn < 0:  # the first turn of each only warms up
                    for subject in subjects.values():
                        subject.costs[verb].clear()
    return {name: _summary(subject, subjects[BARE]) for name, subject in subjects.items()}


def _summary(subject: Subject, bare: Subject) -> dict[str, float]:
    """Medians; the ratio is that of turns of the same round."""
    found = {}
    for verb, costs in subject.costs.items():
        found[f"{verb}_us"] = round(statistics.median(costs), 1)
        ratios = [cost / other for cost, other in zip(costs, bare.costs[verb], strict=True)]
        found[f"{verb}_ratio"] = round(statistics.median(ratios), 3)
    return found


def report(results: Results) -> str:
    rows = [
        [name, *(f"{found[f'{verb}_us']:.0f} µs  ×{found[f'{verb}_ratio']:.3f}" for verb in CALLS)]
        for name, found in results.items()
    ]
    noise = {verb: abs(results["off"][f"{verb}_ratio"] - results["off, another"][f"{verb}_ratio"]) for verb in CALLS}
    alike = ", ".join(f"{verb} {share:.1%}" for verb, share in noise.items())
    headings = ["tracing", *(f"CPU per {verb}" for verb in CALLS)]
    return f"{table(headings, rows)}\nTwo servers that are alike differ by: {alike}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each server; the median counts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="steersman-bench-") as folder:
        results = asyncio.run(measure(Path(folder), arguments.rounds))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "tracing.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(report(results))


if __name__ == "__main__":
    main()
