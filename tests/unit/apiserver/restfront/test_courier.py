"""Who is served by the courier, with what, and who is given back to its own task."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from apiserver.restfront import courier
from apiserver.restfront.courier import IN_ONE_GO, MOST_BYTES, MOST_EVENTS, Courier
from apiserver.watchcache.collection import Collection
from apiserver.watchcache.items import Event
from apiserver.watchcache.subscription import Bucket, Subscription
from steersman.api.errors import Expired
from steersman.api.names import Revision


class Socket(asyncio.Transport):
    """A transport that remembers what was written; `unsent` is what its client has not read."""

    def __init__(self, unsent: int = 0) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.unsent = unsent

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def is_closing(self) -> bool:
        return False


class Watched:
    """A collection that changes, and how the changes are written."""

    def __init__(self) -> None:
        self._collection = Collection("configmaps", Revision(0))
        self._revision = 0
        self.courier = Courier()

    def watcher(self) -> Subscription:
        return self._collection.subscribe(Bucket(), None, Revision(self._revision))

    def change(self, times: int = 1) -> None:
        for _ in range(times):
            self._revision += 1
            key = f"/registry/configmaps/x/{self._revision}"
            self._collection.apply(key, b'{"metadata":{"name":"a"}}', Revision(self._revision), at=0.0)

    @asynccontextmanager
    async def serving(
        self, socket: Socket, watcher: Subscription, encode: Callable[[Event], bytes] | None = None
    ) -> AsyncIterator[asyncio.Task[None]]:
        async with asyncio.TaskGroup() as tasks:
            serving = tasks.create_task(self.courier.serve(socket, watcher, encode or line))
            await turns()
            yield serving
            serving.cancel()


def line(event: Event) -> bytes:
    return b"%d\n" % event.revision


async def turns(count: int = 8) -> None:
    """Of the event loop: more than a round to a few watchers takes."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_what_comes_together_is_one_chunk() -> None:
    watched, socket = Watched(), Socket()
    watcher = watched.watcher()
    async with watched.serving(socket, watcher) as serving:
        watched.change(2)
        await turns()
        assert socket.written == [b"4\r\n1\n2\n\r\n"]
        watched.change()
        await turns()
        assert socket.written[1:] == [b"2\r\n3\n\r\n"]
        assert not watcher.pending
        assert not serving.done()


async def test_what_was_pending_before_is_written_too() -> None:
    watched, socket = Watched(), Socket()
    watcher = watched.watcher()
    watched.change()
    async with watched.serving(socket, watcher):
        assert socket.written == [b"2\r\n1\n\r\n"]


async def test_all_of_many_watchers_are_served() -> None:
    watched = Watched()
    sockets = [Socket() for _ in range(3 * IN_ONE_GO + 1)]
    async with asyncio.TaskGroup() as tasks:
        serving = [tasks.create_task(watched.courier.serve(one, watched.watcher(), line)) for one in sockets]
        await turns()
        watched.change()
        await turns()
        assert [socket.written for socket in sockets] == [[b"2\r\n1\n\r\n"]] * len(sockets)
        for task in serving:
            task.cancel()


def refuse(_: Event) -> bytes:
    raise ValueError("cannot be shown")


@pytest.mark.parametrize(
    ("unsent", "changes", "encode"),
    [
        pytest.param(1, 1, line, id="it has not read what came before"),
        pytest.param(0, MOST_EVENTS + 1, line, id="many events"),
        pytest.param(0, 1, lambda _: b"x" * (MOST_BYTES + 1), id="a large event"),
        pytest.param(0, 1, refuse, id="an event that cannot be shown"),
    ],
)
async def test_given_back_with_everything_pending(unsent: int, changes: int, encode: Callable[[Event], bytes]) -> None:
    watched, socket = Watched(), Socket(unsent)
    watcher = watched.watcher()
    async with watched.serving(socket, watcher, encode) as serving:
        watched.change(changes)
        await turns()
        assert serving.done()
    assert not socket.written
    assert len(watcher.pending) == changes


async def test_a_watch_that_finishes_is_given_back_behind_its_last_event() -> None:
    watched, socket = Watched(), Socket()
    watcher = watched.watcher()
    async with watched.serving(socket, watcher) as serving:
        watched.change()
        watcher.finish()
        await turns()
        assert serving.done()
    assert socket.written == [b"2\r\n1\n\r\n"]


async def test_a_watch_that_is_cut_off_is_given_back_without_a_word() -> None:
    watched, socket = Watched(), Socket()
    watcher = watched.watcher()
    async with watched.serving(socket, watcher) as serving:
        watched.change()
        watcher.end(Expired("list again"))
        await turns()
        assert serving.done()
    assert not socket.written


async def test_nothing_is_written_to_a_watcher_that_has_left() -> None:
    watched, socket = Watched(), Socket()
    async with watched.serving(socket, watched.watcher()) as serving:
        watched.change()
        serving.cancel()
        await turns()
    assert not socket.written


@pytest.mark.parametrize(("watchers", "seconds"), [(1, 0.0), (16, 0.0), (100, 0.006), (500, 0.03), (10_000, 0.05)])
def test_the_more_are_served_the_longer_until_the_next_round(watchers: int, seconds: float) -> None:
    assert courier.pause(watchers) == pytest.approx(seconds)
