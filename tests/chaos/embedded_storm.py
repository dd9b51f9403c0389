"""A process to kill: sixteen writers on an embedded store, every acknowledgement a line on standard output.

    python -m tests.chaos.embedded_storm DATA_DIR [FILE_SIZE_LIMIT_BYTES]

A line is a JSON list [key, value or null, revision], or ["failed", class name, message] for a write that failed. With
a limit, no file may grow beyond it: the disk "fills up" in the middle of a commit.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
from pathlib import Path

from apiserver.storage import embedded
from apiserver.storage.interface import Put
from steersman.api.errors import ApiError
from steersman.base import log

WRITERS = 16
FAILURES = 5


def say(*line: object) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")


async def write(store: embedded.EmbeddedStore, writer: int) -> None:
    """Create, update twice (once with a further put), delete, over and over; no value is ever written twice."""
    start = await store.revision()
    number = failures = 0
    while failures < FAILURES:
        number += 1
        key, mirror = f"/storm/{start}/{writer}/{number}", f"/storm/{writer}/mirror"
        values = [f"{start}/{writer}/{number}/{step}/".encode() + b"x" * 500 for step in range(3)]
        try:
            created = await store.create(key, values[0])
            say(key, values[0].decode(), created.revision)
            updated = await store.update(key, lambda _, value=values[1]: value)  # type: ignore[misc]
            say(key, values[1].decode(), updated.revision)
            both = await store.update(
                key,
                lambda _, value=values[2]: value,  # type: ignore[misc]
                hint=updated,
                also=[Put(mirror, values[2])],
            )
            say(key, values[2].decode(), both.revision)
            say(mirror, values[2].decode(), both.revision)
            say(key, None, await store.delete(key))
        except ApiError as error:
            say("failed", type(error).__name__, error.message)
            failures += 1


async def main(data_dir: Path) -> None:
    async with embedded.open_store(data_dir) as store, asyncio.TaskGroup() as writers:
        for writer in range(WRITERS):
            writers.create_task(write(store, writer))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        limit = int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    log.configure()
    asyncio.run(main(Path(sys.argv[1])))
