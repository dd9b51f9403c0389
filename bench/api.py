"""`make bench-api`: the API server measured on this machine, each figure beside etcd's own put rate in the same run.

The servers, the load generator and the watchers are processes of their own. Rates are per second; a ratio compares with
etcd's raw put rate at the same number of clients. What tracing costs is a table of its own, in CPU time (see
`bench.tracing`). Nothing here passes or fails: it prints what is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from bench import processes, tracing
from bench.measuring import table
from bench.processes import ApiServer

CLIENTS = (1, 16, 64)
WATCHERS = (1, 100, 500)
MEMORY_OBJECTS = 10_000
RESULTS = Path(__file__).parent / "results"

Results = dict[str, Any]


async def phase(*arguments: object) -> Any:
    """One phase of bench.load in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.load", *map(str, arguments)), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"bench.load {' '.join(map(str, arguments))} failed")
    return json.loads(output)


async def median_of(times: int, *arguments: object, by: Callable[[Any], float] = lambda result: result["per_s"]) -> Any:
    """The median run: the machine is small and has other things to do."""
    results = sorted([await phase(*arguments) for _ in range(times)], key=by)
    return results[len(results) // 2]


async def measure(server: ApiServer, runs: int) -> Results:
    where = (server.grpc, server.data_dir)
    found: Results = {"memory_idle_mb": round(server.resident_mb)}
    for clients in CLIENTS:
        found[f"create_{clients}"] = await median_of(runs, "create", *where, clients)
    for clients in CLIENTS:
        found[f"get_{clients}"] = await median_of(runs, "get", *where, clients)
    found["lists"] = await phase("lists", *where)
    for watchers in WATCHERS:
        found[f"watch_{watchers}"] = await phase("watch", *where, watchers, 10, 50)
        found[f"fanout_{watchers}"] = await phase("watch", *where, watchers, 0, 300)
    found["watch_100_at_200"] = await phase("watch", *where, 100, 200, 1000)
    found["contention_16"] = await phase("contention", *where, 16)
    found["saturated_64"] = await phase("saturated", *where, 64)
    return found


async def memory(directory: Path, name: str, *arguments: str) -> float:
    """The resident memory of a fresh server with 10,000 objects of 1 KB."""
    async with processes.api_server(name, directory, *arguments) as server:
        await phase("fill", server.grpc, server.data_dir, MEMORY_OBJECTS)
        return round(server.resident_mb)


async def start_up(directory: Path) -> float:
    """Seconds from the start of the process in an empty folder until it serves."""
    started = time.perf_counter()
    async with processes.api_server("empty", directory):
        return round(time.perf_counter() - started, 2)


async def run(runs: int, stores: list[str]) -> Results:
    results: Results = {"machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"}
    with tempfile.TemporaryDirectory(prefix="steersman-bench-") as scratch:
        folder = Path(scratch)
        results["start_s"] = await start_up(folder / "empty")
        async with AsyncExitStack() as stack:
            endpoint = await stack.enter_async_context(processes.etcd(folder / "etcd"))
            for clients in CLIENTS:
                results[f"etcd_put_{clients}"] = await median_of(runs, "etcd_put", endpoint, clients)
            for store in stores:
                arguments = ["--etcd-endpoints", endpoint] if store == "etcd" else []
                async with processes.api_server(store, folder / store, *arguments) as server:
                    results[store] = await measure(server, runs)
                more = [*arguments, "--etcd-root", "/memory"] if store == "etcd" else []
                results[store]["memory_mb"] = await memory(folder / f"{store}-memory", store, *more)
        results["tracing"] = await tracing.measure(folder, tracing.ROUNDS)
    return results


def _p99(key: str, found: Results) -> str:
    return f"{found[key]['p99_ms']:.1f} ms"


def _fanout(key: str, found: Results) -> str:
    return f"{found[key]['events_per_s']:,} events/s"


def _rate(key: str, base: float, found: Results) -> str:
    one = found[key]
    return f"{one['per_s']:,.0f}/s  ×{one['per_s'] / base:.2f}  p99 {one['p99_ms']:.1f} ms"


def report(results: Results, stores: list[str]) -> str:
    rows: list[list[str]] = []

    def row(what: str, figures: Callable[[Results], str]) -> None:
        rows.append([what, *(figures(results[store]) for store in stores)])

    for verb in ("create", "get"):
        for clients in CLIENTS:
            base = results[f"etcd_put_{clients}"]["per_s"]
            row(f"{verb} 1 KB, {clients} clients", partial(_rate, f"{verb}_{clients}", base))
    row("list 5,000 (p50)", lambda found: f"{found['lists']['p50_ms']:.0f} ms")
    row("selector matching none (p50)", lambda found: f"{found['lists']['none_p50_ms']:.1f} ms")
    for watchers in WATCHERS:
        row(f"watch, {watchers} watchers, 10 writes/s (p99)", partial(_p99, f"watch_{watchers}"))
    row("watch, 100 watchers, 200 writes/s (p99)", partial(_p99, "watch_100_at_200"))
    for watchers in WATCHERS:
        row(f"fan-out, {watchers} watchers", partial(_fanout, f"fanout_{watchers}"))
    row(
        "16 clients incrementing one object",
        lambda found: (
            f"{found['contention_16']['per_s']:.0f}/s, {found['contention_16']['conflicts_each']} conflicts each"
        ),
    )
    row(
        "create, 4 clients, while 64 read",
        lambda found: f"{found['saturated_64']['per_s']:.0f}/s beside {found['saturated_64']['reads_per_s']:,} reads/s",
    )
    row("memory idle / 10,000 objects", lambda found: f"{found['memory_idle_mb']} / {found['memory_mb']} MB")
    puts = ", ".join(f"{results[f'etcd_put_{clients}']['per_s']:,.0f}" for clients in CLIENTS)
    head = f"{results['machine']}; ready {results['start_s']} s after start; etcd put at 1, 16, 64 clients: {puts}/s\n"
    return f"{head}{table(['', *stores], rows)}\n\n{tracing.report(results['tracing'])}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each rate; the median counts")
    parser.add_argument("--stores", default="embedded,etcd")
    arguments = parser.parse_args()
    stores = arguments.stores.split(",")
    results = asyncio.run(run(arguments.runs, stores))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "api.json").write_text(json.dumps(results, indent=1) + "\n")
    print(report(results, stores))


if __name__ == "__main__":
    main()
