"""Logs, exec and attach with real processes at the other end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from nodeagent import handlers
from nodeagent.handlers import Target
from nodeagent.runtime import docker
from nodeagent.runtime.docker import client as engine_client
from nodeagent.runtime.interface import LogOptions, Stderr, Stdout, StreamOptions, TerminalSize
from nodeagent.runtime.specs import Terminal
from steersman.api.core import Container
from tests import runtimes
from tests.dockerengine import Engine
from tests.eventually import eventually
from tests.runtimes import WITHIN, World

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180)]


@pytest.fixture
async def world(docker_engine: Engine) -> AsyncIterator[World]:
    async with runtimes.docker_world(docker_engine) as opened:
        yield opened


async def test_the_two_streams_of_a_log_are_told_apart(world: World) -> None:
    """Each in its own order; which of the two came first is not known to the engine either."""
    container = await world.running("/bin/sh", "-c", "echo one; echo two >&2; echo three")
    await world.ended()
    logs = world.runtime
    assert await runtimes.read_logs(logs, container.id, LogOptions()) == (b"one\nthree\n", b"two\n")
    assert await runtimes.read_logs(logs, container.id, LogOptions(stderr=False)) == (b"one\nthree\n", b"")
    assert await runtimes.read_logs(logs, container.id, LogOptions(stdout=False)) == (b"", b"two\n")


async def test_only_the_last_lines_of_a_log_are_read_if_asked_for(world: World) -> None:
    container = await world.running("/bin/sh", "-c", "echo one; echo two; echo three")
    await world.ended()
    for lines, expected in ((0, b""), (1, b"three\n"), (2, b"two\nthree\n"), (9, b"one\ntwo\nthree\n")):
        said = await runtimes.read_logs(world.runtime, container.id, LogOptions(tail_lines=lines))
        assert said == (expected, b"")


async def test_a_log_begins_where_it_is_asked_to(world: World) -> None:
    """The second line is not written before the first has its time."""
    loop = "trap 'echo late; exit 0' TERM; echo early; while :; do sleep 0.1; done"
    container = await world.running("/bin/sh", "-c", loop)
    await runtimes.until_spoken(world.runtime, container.id)
    stamped, _ = await runtimes.read_logs(world.runtime, container.id, LogOptions(timestamps=True))
    early = datetime.fromisoformat(stamped.split(b" ")[0].decode())
    await world.runtime.kill_container(container.id, "TERM")
    await world.ended()
    since = LogOptions(since=early + timedelta(microseconds=1))
    assert (await runtimes.read_logs(world.runtime, container.id, since))[0] == b"late\n"


async def test_a_followed_log_gives_lines_as_they_are_written(world: World) -> None:
    loop = "trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.1; done"
    container = await world.running("/bin/sh", "-c", loop)
    async with aclosing(world.runtime.logs(container.id, LogOptions(follow=True))) as outputs, asyncio.timeout(WITHIN):
        assert await anext(outputs) == Stdout(b"hello\n")
        await world.runtime.kill_container(container.id, "TERM")
        assert await anext(outputs) == Stdout(b"bye\n")
        assert await anext(outputs, None) is None


async def test_a_log_of_a_terminal_is_one_stream(world: World) -> None:
    spec = world.spec(await world.sandbox(), "/bin/sh", "-c", "echo one; echo two >&2")
    said = await runtimes.said(world, replace(spec, terminal=Terminal(tty=True)))
    assert said == b"one\r\ntwo\r\n"


async def test_a_long_line_arrives_whole(world: World) -> None:
    spec = world.spec(await world.sandbox(), "/bin/sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x")
    assert await runtimes.said(world, spec) == b"x" * 300_000


async def test_an_exec_hears_and_speaks(world: World) -> None:
    container = await world.running()
    command = ("/bin/sh", "-c", "cat; echo problem >&2; exit 3")
    async with world.runtime.exec(container.id, command, StreamOptions(stdin=True)) as session:
        await session.write(b"some ")
        await session.write(b"words")
        await session.close_stdin()
        assert await runtimes.read_all(session) == (b"some words", b"problem\n")
        assert await session.exit_code() == 3


async def test_an_exec_carries_much_in_both_directions(world: World) -> None:
    container = await world.running()
    text = bytes(range(256)) * 8_000
    async with world.runtime.exec(container.id, ("/bin/cat",), StreamOptions(stdin=True)) as session:
        async with asyncio.TaskGroup() as tasks:
            heard = tasks.create_task(runtimes.read_all(session))
            for start in range(0, len(text), 50_000):
                await session.write(text[start : start + 50_000])
            await session.close_stdin()
        assert heard.result()[0] == text


async def test_an_exec_in_a_terminal_can_be_resized(world: World) -> None:
    container = await world.running()
    options = StreamOptions(stdin=True, tty=True)
    async with world.runtime.exec(container.id, ("/bin/sh",), options) as session:
        await session.resize(TerminalSize(width=77, height=33))
        await session.write(b"stty size; exit 4\n")
        out, err = await runtimes.read_all(session)
        assert b"33 77\r\n" in out
        assert err == b""
        assert await session.exit_code() == 4


async def test_a_command_that_is_not_there_ends_with_the_engines_words(world: World) -> None:
    container = await world.running()
    async with world.runtime.exec(container.id, ("/no/such/program",), StreamOptions()) as session:
        out, err = await runtimes.read_all(session)
        assert b"/no/such/program" in out + err
        assert await session.exit_code() in (126, 127)


async def test_the_output_nobody_wants_is_left_out(world: World) -> None:
    container = await world.running()
    command = ("/bin/sh", "-c", "echo out; echo err >&2")
    async with world.runtime.exec(container.id, command, StreamOptions(stdout=False)) as session:
        assert await runtimes.read_all(session) == (b"", b"err\n")


async def test_an_exec_that_is_left_does_not_disturb(world: World) -> None:
    container = await world.running()
    async with world.runtime.exec(container.id, ("/bin/sleep", "1000"), StreamOptions()):
        pass
    seen = (await world.runtime.observe(world.uid)).newest("app")
    assert seen == container


async def test_a_program_that_takes_too_long_is_killed_with_all_it_has_started(
    world: World, docker_engine: Engine
) -> None:
    """As probes and hooks run it: here a shell that waits for a child."""
    container = await world.running()
    target = Target(Container(name="app"), container.id, "127.0.0.1")
    answer = await handlers.run(world.runtime, target, ("/bin/sh", "-c", "sleep 4711; true"), 0.2)
    assert not answer.ok
    assert answer.told == 'command timed out: "/bin/sh -c sleep 4711; true" timed out after 0.2s'

    async def is_gone() -> bool:
        return "4711" not in await asyncio.to_thread(docker_engine.docker, "top", container.id)

    await eventually(is_gone, within=WITHIN)
    assert (await world.runtime.observe(world.uid)).newest("app") == container


async def test_what_an_attached_session_talks_to_is_not_killed(world: World) -> None:
    container = await world.running()
    async with world.runtime.attach(container.id, StreamOptions()) as session:
        assert not await session.kill()
    assert (await world.runtime.observe(world.uid)).newest("app") == container


async def test_an_attached_session_talks_to_the_main_process(world: World) -> None:
    spec = world.spec(await world.sandbox(), "/bin/sh", "-c", "read word; echo heard $word; cat >/dev/null; exit 5")
    container = await world.runtime.run_container(replace(spec, terminal=Terminal(stdin=True, stdin_once=True)))
    async with world.runtime.attach(container.id, StreamOptions(stdin=True)) as session, asyncio.timeout(WITHIN):
        await session.write(b"this\n")
        assert await session.read() == Stdout(b"heard this\n")
        await session.close_stdin()
        assert await session.read() is None
        assert await session.exit_code() == 5


async def test_attached_streams_are_told_apart(world: World) -> None:
    spec = world.spec(await world.sandbox(), "/bin/sh", "-c", "read x; echo problem >&2")
    container = await world.runtime.run_container(replace(spec, terminal=Terminal(stdin=True)))
    async with world.runtime.attach(container.id, StreamOptions(stdin=True)) as session, asyncio.timeout(WITHIN):
        await session.write(b"\n")
        assert await session.read() == Stderr(b"problem\n")


async def test_an_engine_is_reached_over_tcp_too(world: World, docker_engine: Engine) -> None:
    container = await world.running()
    async with (
        _over_tcp(docker_engine.url) as url,
        docker.open_runtime(world.owner, docker.DockerSettings(url=url)) as runtime,
    ):
        assert (await runtime.observe(world.uid)).newest("app") == container
        async with runtime.exec(container.id, ("/bin/cat",), StreamOptions(stdin=True)) as session:
            await session.write(b"words")
            await session.close_stdin()
            assert await runtimes.read_all(session) == (b"words", b"")


@asynccontextmanager
async def _over_tcp(url: str) -> AsyncIterator[str]:
    """A port that leads to the engine's socket."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await engine_client.open_connection(url)
        try:
            await asyncio.gather(pump(reader, inner_writer), pump(inner_reader, writer))
        finally:
            inner_writer.close()
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
