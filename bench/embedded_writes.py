"""Writes per second into the embedded store, durable, beside an idle and beside a saturated event loop.

    python -m bench.embedded_writes [DIRECTORY]

DIRECTORY must be on the disk to be measured (not a tmpfs). "busy" keeps the loop full with callbacks of about a
millisecond each, so that a write can only use what the GIL and the turns of the loop leave to it.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from apiserver.storage import embedded
from apiserver.storage.interface import Stored

SECONDS = 3.0
VALUE = b"x" * 1000
SPIN = 50_000


@dataclass
class Load:
    """What the writers and the spinner have done, and whether they should go on."""

    latencies: list[float]
    spins: int = 0
    over: bool = False


async def write(store: embedded.EmbeddedStore, load: Load, writer: int) -> None:
    key = f"/registry/pods/default/pod-{writer}"
    await store.create(key, VALUE)

    def grow(current: Stored) -> bytes:
        return b"%d " % (current.revision + 1) + VALUE

    while not load.over:
        began = time.perf_counter()
        await store.update(key, grow)
        load.latencies.append(time.perf_counter() - began)


async def spin(load: Load) -> None:
    while not load.over:
        for _ in range(SPIN):
            pass
        load.spins += 1
        await asyncio.sleep(0)


async def measure(directory: str, writers: int, *, busy: bool) -> str:
    load = Load([])
    with tempfile.TemporaryDirectory(dir=directory) as data_dir:
        async with embedded.open_store(Path(data_dir)) as store, asyncio.TaskGroup() as tasks:
            for writer in range(writers):
                tasks.create_task(write(store, load, writer))
            if busy:
                tasks.create_task(spin(load))
            await asyncio.sleep(SECONDS)
            load.over = True
    latencies = sorted(load.latencies)
    median, p99 = (latencies[int(len(latencies) * part)] * 1000 for part in (0.5, 0.99))
    loop = f"busy, {load.spins / SECONDS:.0f} turns/s" if busy else "idle"
    return f"{loop:>20} {writers:>8} {len(latencies) / SECONDS:>10.0f} {median:>10.2f} {p99:>8.2f}"


def main() -> None:
    directory = sys.argv[1] if len(sys.argv) > 1 else "."
    print(f"{'event loop':>20} {'writers':>8} {'writes/s':>10} {'median ms':>10} {'p99 ms':>8}")
    for busy in (False, True):
        for writers in (1, 16, 64):
            print(asyncio.run(measure(directory, writers, busy=busy)))


if __name__ == "__main__":
    main()
