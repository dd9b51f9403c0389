"""The REST front measured with the yardstick's own script, beside what the same script measured of Kubernetes.

    make bench-rest                                 everything, about ten minutes
    python -m bench.rest --phases create,get --runs 1

A fresh etcd that syncs, an API server with TLS over it, a controller manager (pods need service accounts), and the
script as a process of its own. STEERSMAN_YARDSTICK names the folder of the script. Machines differ, so every figure is
also given in units of etcd's own put rate in the same run: a rate divided by it, a time multiplied by it. Kubernetes'
figures and where they are from are in `kubernetes.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import ssl
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from bench import measuring, processes
from tests.apiserverprocess import ApiServerProcess
from tests.replicaprocess import replica_processes

SCRIPT = "k8s_rest_bench.py"
PHASES = "ping,create,get,list,watch,conflict"
RESULTS = Path(__file__).parent / "results" / "rest.json"
KUBERNETES = Path(__file__).parent / "kubernetes.json"


class Row(msgspec.Struct, frozen=True):
    """One figure of Kubernetes, and where ours stands among the script's results. `is` is rate, ms or mb."""

    name: str
    unit: str = msgspec.field(name="is")
    kubernetes: float
    ours: str
    clients: int = 1


class Yardstick(msgspec.Struct, frozen=True):
    source: str
    etcd_put_per_s: dict[str, float]
    rows: tuple[Row, ...]


def compared(row: Row, ours: float, put_rates: Mapping[str, float], yardstick: Yardstick) -> tuple[list[str], bool]:
    """The cells of a row, and whether we are ahead: by the ratio to etcd, so that the machine does not count."""
    here, there = put_rates[str(row.clients)], yardstick.etcd_put_per_s[str(row.clients)]
    match row.unit:
        case "rate":
            shares = ours / here, row.kubernetes / there
            is_ahead = shares[0] >= shares[1]
        case "ms":
            shares = ours * here / 1000, row.kubernetes * there / 1000
            is_ahead = shares[0] <= shares[1]
        case _:
            shares = ours, row.kubernetes
            is_ahead = ours <= row.kubernetes
    figures = (f"{ours:,.1f}", f"{row.kubernetes:,.1f}", f"{shares[0]:.3g}", f"{shares[1]:.3g}")
    return [row.name, row.unit, *figures, "ahead" if is_ahead else "behind"], is_ahead


@asynccontextmanager
async def _servers(folder: Path) -> AsyncIterator[tuple[str, ApiServerProcess, float]]:
    """etcd's endpoint, an API server over it, and the milliseconds that this took to be ready."""
    async with AsyncExitStack() as stack:
        endpoint = await stack.enter_async_context(processes.etcd(folder / "etcd"))
        arguments = [f"--etcd-endpoints={endpoint}", "--log-level=info"]
        server = ApiServerProcess(folder / "api", arguments)
        stack.push_async_callback(server.kill)
        async with asyncio.TaskGroup() as tasks:
            ready = tasks.create_task(_milliseconds_to_ready(server.rest))
            await server.start()
        yield endpoint, server, ready.result()


async def _milliseconds_to_ready(address: str) -> float:
    started = time.perf_counter()
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    async with asyncio.timeout(60), aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"https://{address}/readyz", ssl=trusting) as answer:
                    if answer.status == 200:
                        return (time.perf_counter() - started) * 1000
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.01)


async def _script(*arguments: str) -> None:
    script = Path(os.environ["STEERSMAN_YARDSTICK"]) / SCRIPT
    process = await asyncio.create_subprocess_exec(sys.executable, str(script), *arguments, stdout=sys.stderr)
    if await process.wait() != 0:
        raise RuntimeError(f"{SCRIPT} {arguments[0]} ended with {process.returncode}")


async def measure(phases: str, runs: int) -> tuple[dict[str, Any], dict[str, float]]:
    """All figures by the names that the rows use, and etcd's put rates by the number of clients."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            _servers(folder) as (endpoint, server, ready_ms),
            replica_processes(server.grpc, folder, count=1, data_dir=server.data_dir),
        ):
            puts, found = folder / "etcd.json", folder / "bench.json"
            await _script("etcd", "--endpoint", endpoint.removeprefix("http://"), "--out", str(puts))
            kubeconfig = str(server.data_dir / "admin.conf")
            watched = f"apiserver={server.pid}"
            asked = ("--kubeconfig", kubeconfig, "--phases", phases, "--runs", str(runs), "--rss", watched)
            await _script("bench", *asked, "--out", str(found))
            return _figures(_json(found), ready_ms), _put_rates(_json(puts))


def _json(file: Path) -> Any:
    return json.loads(file.read_bytes())


def _figures(found: Any, ready_ms: float) -> dict[str, Any]:
    figures = {
        f"{phase}.{name}": value["median"]
        for phase, results in found["phases"].items()
        for name, value in results["summary"].items()
        if isinstance(value, dict)
    }
    memory = [each["apiserver"] for each in found["rss_mb"].values()]
    return {**figures, "start.ready_ms": ready_ms, "memory.start_mb": memory[0], "memory.highest_mb": max(memory)}


def _put_rates(found: Any) -> dict[str, float]:
    return {clients: found[f"put.c{clients}"]["ops_s"]["median"] for clients in ("1", "16", "64")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phases", default=PHASES)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if "STEERSMAN_YARDSTICK" not in os.environ:
        print(f"STEERSMAN_YARDSTICK does not say in which folder {SCRIPT} is", file=sys.stderr)
        return 2
    figures, put_rates = asyncio.run(measure(options.phases, options.runs))
    yardstick = msgspec.json.decode(KUBERNETES.read_bytes(), type=Yardstick)
    rows = [compared(row, figures[row.ours], put_rates, yardstick) for row in yardstick.rows if row.ours in figures]
    headings = ("row", "unit", "ours", "Kubernetes", "ours by etcd", "Kubernetes by etcd", "")
    print(measuring.table(headings, [cells for cells, _ in rows]))
    print(f"{yardstick.source}. etcd puts per s, 1 / 16 / 64 clients: {' / '.join(map(str, put_rates.values()))}")
    RESULTS.write_text(json.dumps({"figures": figures, "etcd_put_per_s": put_rates}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
