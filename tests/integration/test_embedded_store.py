"""What the embedded store promises beyond the contract: its lock, its bounds, a full disk, a slow watcher."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from itertools import count
from pathlib import Path

import pytest

from apiserver.storage import embedded
from apiserver.storage.embedded import Retention, history, watch
from apiserver.storage.embedded.store import FILE
from apiserver.storage.interface import NO_REVISION, Changed, Page, Revised
from steersman.api.errors import Expired, Unavailable
from steersman.api.names import Revision
from tests.contract.changing import read_to, watching


async def test_a_second_opener_is_told_who_has_it(tmp_path: Path) -> None:
    async with embedded.open_store(tmp_path) as store:
        await store.create("a", b"x")
        with pytest.raises(embedded.DataDirInUse, match=r"in use by process \d+"):
            async with embedded.open_store(tmp_path):
                pass
        await store.create("b", b"x")
    async with embedded.open_store(tmp_path) as again:
        assert await again.revision() == 2


async def test_another_process_is_refused_too(tmp_path: Path) -> None:
    async with embedded.open_store(tmp_path):
        program = (
            "import asyncio, sys, pathlib\n"
            "from apiserver.storage import embedded\n"
            "async def main():\n"
            "    async with embedded.open_store(pathlib.Path(sys.argv[1])): pass\n"
            "asyncio.run(main())\n"
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, str(tmp_path), cwd=Path(__file__).parents[2], stderr=asyncio.subprocess.PIPE
        )
        _, complaint = await process.communicate()
        assert b"DataDirInUse" in complaint


@pytest.mark.parametrize("content", [b"not a database, but long enough to look like one" * 100, None])
async def test_a_file_that_is_no_store_is_not_touched(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / FILE
    if content is None:
        database = sqlite3.connect(file)
        database.execute(f"PRAGMA user_version = {history.FORMAT + 1}")
        database.close()
    else:
        file.write_bytes(content)
    before = file.read_bytes()
    with pytest.raises(embedded.UnusableStore):
        async with embedded.open_store(tmp_path):
            pass
    assert file.read_bytes() == before


async def test_a_used_up_quota_is_said_loses_nothing_and_ends_with_compaction(tmp_path: Path) -> None:
    acknowledged: list[Revised] = []

    async def write_without_end() -> None:
        for number in count():
            key = f"/{number % 5}"
            writing = store.update(key, lambda c: c.value + b".") if number >= 5 else store.create(key, b"x" * 20_000)
            written = await writing
            acknowledged.append(Revised(written.revision, (Changed(key, written.value),)))

    async with embedded.open_store(tmp_path, quota_bytes=1024 * 1024) as store:
        with pytest.raises(Unavailable, match="nothing was written"):
            await write_without_end()
        assert len(acknowledged) > 20
        assert await store.revision() == acknowledged[-1].revision
        async with watching(store, "/", NO_REVISION) as live:
            assert await read_to(live, acknowledged[-1].revision) == acknowledged
        await store.compact(acknowledged[-1].revision)
        recovered = await store.update("/0", lambda c: c.value + b"!")
        assert recovered.revision > acknowledged[-1].revision
    async with embedded.open_store(tmp_path) as again:
        assert (await again.get("/0")) == recovered
        assert len((await again.list("/")).items) == 5


async def test_a_slow_watcher_goes_back_to_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "BUFFER_BYTES", 10_000)
    monkeypatch.setattr(history, "SLICE_BYTES", 5_000)
    async with embedded.open_store(tmp_path) as store, watching(store, "/", NO_REVISION) as slow:
        for number in range(100):
            written = await store.create(f"/{number}", b"x" * 500)
            if number in (3, 60, 61):
                await read_to(slow, written.revision)
        seen = await read_to(slow, written.revision)
        assert [revised.revision for revised in seen] == list(range(63, 101))


async def test_a_watcher_too_slow_for_the_log_is_expired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "BUFFER_BYTES", 10_000)
    async with embedded.open_store(tmp_path) as store, watching(store, "/", NO_REVISION) as slow:
        for number in range(100):
            await store.create(f"/{number}", b"x" * 500)
        await store.compact(Revision(90))
        with pytest.raises(Expired):
            await anext(slow)


async def test_history_is_bounded_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apiserver.storage.embedded.compaction.STEP_SECONDS", 0.0)
    async with embedded.open_store(tmp_path, keep=Retention(rows=200)) as store:
        await store.create("/kept", b"written once")
        await store.create("/hot", b"")
        for number in range(1000):
            await store.update("/hot", lambda _, value=b"%d" % number: value)  # type: ignore[misc]
        newest, oldest = await store.revision(), await store.oldest()
        assert newest - 250 < oldest <= newest - 200
        assert [item.key for item in (await store.list("/", Page(revision=oldest))).items] == ["/hot", "/kept"]
    database = sqlite3.connect(tmp_path / FILE)
    (rows,) = database.execute("SELECT count(*) FROM history").fetchone()
    database.close()
    assert rows <= 260


async def test_reads_hand_out_the_bytes_that_memory_holds(tmp_path: Path) -> None:
    async with embedded.open_store(tmp_path) as store:
        created = await store.create("/a", b"x" * 1000)
        async with watching(store, "/", NO_REVISION) as past:
            (revised,) = await read_to(past, created.revision)
        assert revised.changes[0].value is created.value
        assert (await store.get("/a")).value is created.value


async def test_the_stores_end_is_told_to_its_watchers(tmp_path: Path) -> None:
    async with embedded.open_store(tmp_path) as store:
        open_watch = store.watch("/", NO_REVISION)
        waiting = asyncio.create_task(anext(open_watch))
        await asyncio.sleep(0)
    with pytest.raises(Unavailable):
        await waiting
    with pytest.raises(Unavailable):
        await store.create("/a", b"x")
