"""The embedded store under kill -9 and on a full disk: nothing acknowledged is lost, no revision is given twice."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from apiserver.storage import embedded
from apiserver.storage.interface import NO_REVISION, Revised, Stored
from steersman.api.names import Revision

SEED = int(os.environ.get("STEERSMAN_CHAOS_SEED", "20261118"))
ROUNDS = 8
START_SECONDS = 60
FILL_SECONDS = 200
"""For some hundred commits: a disk may take half a second for one."""
ROOT = Path(__file__).parents[2]

Acknowledged = tuple[str, bytes | None, Revision]

pytestmark = pytest.mark.timeout(300)


@asynccontextmanager
async def storm(data_dir: Path, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.chaos.embedded_storm",
        str(data_dir),
        *arguments,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def storm_and_kill(data_dir: Path, after_seconds: float) -> list[Acknowledged]:
    """The writes that were acknowledged before the process died."""
    async with storm(data_dir) as process:
        assert process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            first = await process.stdout.readline()
        async with asyncio.TaskGroup() as group:
            rest = group.create_task(process.stdout.read())
            await asyncio.sleep(after_seconds)
            process.kill()
    *lines, _torn = (first + rest.result()).split(b"\n")
    return [(key, value and value.encode(), revision) for key, value, revision in map(json.loads, lines)]


async def read_log(store: embedded.EmbeddedStore) -> list[Revised]:
    watch = store.watch("", NO_REVISION)
    newest = await store.revision()
    log = []
    reached = NO_REVISION
    while reached < newest:
        revised = await anext(watch)
        reached = revised.revision
        log.append(revised)
    await watch.aclose()
    return log


def replay(log: Sequence[Revised]) -> tuple[Stored, ...]:
    state: dict[str, Stored] = {}
    for revised in log:
        for change in revised.changes:
            state.pop(change.key, None)
            if change.value is not None:
                state[change.key] = Stored(change.key, change.value, revised.revision)
    return tuple(stored for _, stored in sorted(state.items()))


def missing_from(log: Sequence[Revised], acknowledged: Sequence[Acknowledged]) -> list[Acknowledged]:
    written = {(change.key, change.value, revised.revision) for revised in log for change in revised.changes}
    return [write for write in acknowledged if write not in written]


async def test_what_was_acknowledged_outlives_kill_minus_nine(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    acknowledged: list[Acknowledged] = []
    before: list[Revised] = []
    for number in range(ROUNDS):
        acknowledged += await storm_and_kill(tmp_path, chance.uniform(0.02, 0.4))
        async with embedded.open_store(tmp_path) as store:
            log = await read_log(store)
            listing = await store.list("")
        where = f"round {number}, {len(acknowledged)} acknowledged"
        assert missing_from(log, acknowledged) == [], where
        assert log[: len(before)] == before, f"history was rewritten: {where}"
        assert [revised.revision for revised in log] == list(range(1, len(log) + 1)), where
        assert listing.items == replay(log), where
        before = log
    assert len({revision for *_, revision in acknowledged}) >= ROUNDS


async def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    async with storm(tmp_path, str(3 * 1024 * 1024)) as process, asyncio.timeout(FILL_SECONDS):
        output, _ = await process.communicate()
    lines = [json.loads(line) for line in output.splitlines()]
    failures = [line for line in lines if line[0] == "failed"]
    acknowledged = [(key, value and value.encode(), revision) for key, value, revision in lines if key != "failed"]
    async with embedded.open_store(tmp_path) as store:
        log = await read_log(store)
        assert (await store.list("")).items == replay(log)
        created = await store.create("/after", b"the disk has room again")
    assert acknowledged
    assert missing_from(log, acknowledged) == []
    # Whether the group that met the end of the disk is on it cannot be known: Timeout, and never an invention about
    # the write's own effect.
    assert {kind for _, kind, _ in failures} == {"Timeout"}, failures
    assert created.revision > max(revision for *_, revision in acknowledged)
