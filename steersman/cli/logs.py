"""`steer logs`: what the containers of pods have said, and go on saying."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from steersman.api.core import Pod
from steersman.api.errors import NotFound
from steersman.base import values
from steersman.cli import arguments, httpfront, podchoice, refusals, session
from steersman.cli.httpfront import Front, Query
from steersman.cli.podchoice import NoSuchContainer
from steersman.cli.session import Session
from steersman.client.client import Client

TAIL_OF_SEVERAL = 10
"""Lines of each pod that a selector finds, unless --tail says otherwise."""
LONGEST_LINE_BYTES = 1_000_000
USAGE = (
    "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
    "POD or TYPE/NAME is a required argument for the logs command"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One container's output."""

    namespace: str
    pod: str
    container: str

    @property
    def prefix(self) -> bytes:
        return f"[pod/{self.pod}/{self.container}] ".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of whose output is wanted."""

    what: str
    selector: str
    container: str
    all_containers: bool
    follow: bool
    with_prefix: bool
    at_once: int
    query: Query


@click.command()
@click.argument("what", nargs=-1, metavar="POD | TYPE/NAME [CONTAINER]", shell_complete=arguments.complete)
@session.with_session
@httpfront.option
@click.option("-f", "--follow", is_flag=True, help="Go on as the container does.")
@click.option("-p", "--previous", is_flag=True, help="Of the container's run before this one.")
@click.option("-c", "--container", default="", help="Which container; by default the first.")
@click.option("--all-containers", is_flag=True, help="All containers of the pod.")
@click.option("-l", "--selector", default="", help="All pods with these labels.")
@click.option("--tail", type=click.IntRange(min=-1), default=None, help="Only so many of the last lines; -1: all.")
@click.option("--since", default="", metavar="DURATION", help="Only what was said in the last 5s, 2m, 3h.")
@click.option("--since-time", default="", metavar="TIME", help="Only what was said after 2026-01-31T12:00:00Z.")
@click.option("--timestamps", is_flag=True, help="Each line with its moment.")
@click.option("--limit-bytes", type=click.IntRange(min=1), default=None, help="Not more than so many bytes.")
@click.option("--prefix", is_flag=True, help="Each line with its pod and container.")
@click.option("--max-log-requests", type=click.IntRange(min=1), default=5, show_default=True, help="To follow at once.")
def logs(session: Session, what: tuple[str, ...], rest_server: str, **flags: Any) -> None:
    """Print what a container has said."""
    wish = _understood(what, **flags)
    refusals.carried_out(_shown(session, rest_server, wish), session.server)


def _understood(what: tuple[str, ...], **flags: Any) -> Wish:
    selector, container = flags["selector"], flags["container"]
    if len(what) > 2 or bool(what) is bool(selector):
        refusals.fail("error: only a selector (-l) or a POD name is allowed" if what and selector else USAGE)
    if len(what) == 2 and container:
        refusals.fail("error: only one of -c or an inline [CONTAINER] arg is allowed")
    container = what[1] if len(what) == 2 else container
    if flags["all_containers"] and container:
        refusals.fail(f"error: --all-containers=true should not be specified with container name {container}")
    if flags["since"] and flags["since_time"]:
        refusals.fail("error: at most one of `sinceTime` or `sinceSeconds` may be specified")
    tail = flags["tail"] if flags["tail"] is not None else TAIL_OF_SEVERAL if selector else -1
    return Wish(
        what=what[0] if what else "",
        selector=selector,
        container=container,
        all_containers=flags["all_containers"],
        follow=flags["follow"],
        with_prefix=flags["prefix"],
        at_once=flags["max_log_requests"],
        query=httpfront.query_of(
            follow=flags["follow"],
            previous=flags["previous"],
            timestamps=flags["timestamps"],
            tailLines=tail if tail >= 0 else None,
            limitBytes=flags["limit_bytes"],
            sinceSeconds=_seconds(flags["since"]),
            sinceTime=flags["since_time"],
        ),
    )


def _seconds(since: str) -> int | None:
    """In whole seconds, at least one: that is how finely the server counts."""
    try:
        return max(1, round(values.parse_duration(since))) if since else None
    except ValueError as error:
        refusals.fail(f"error: {error}")


async def _shown(session: Session, rest_server: str, wish: Wish) -> None:
    async with session.opened() as api:
        sources = await _sources(api, session.namespace, wish)
    if wish.follow and len(sources) > wish.at_once:
        refusals.fail(
            f"error: you are attempting to follow {len(sources)} log streams, but maximum allowed concurrency is"
            f" {wish.at_once}, use --max-log-requests to increase the limit"
        )
    async with httpfront.opened(session, rest_server) as front:
        if not wish.follow:
            for source in sources:
                await _printed(front, source, wish)
            return
        async with asyncio.TaskGroup() as tasks:
            for source in sources:
                tasks.create_task(_printed(front, source, wish))


async def _sources(api: Client, namespace: str, wish: Wish) -> list[Source]:
    pods: Sequence[Pod]
    if wish.selector:
        pods = await podchoice.selected(api, wish.selector, namespace)
        if not pods:
            refusals.complain(f"No resources found in {namespace} namespace.")
    else:
        try:
            pods = [await podchoice.pod(api, wish.what, namespace)]
        except NotFound as error:
            refusals.fail(f'error: error from server (NotFound): {error.message} in namespace "{namespace}"')
    return [Source(namespace, each.metadata.name, name) for each in pods for name in _containers(each, wish)]


def _containers(pod: Pod, wish: Wish) -> list[str]:
    if wish.all_containers:
        return podchoice.container_names(pod)
    try:
        chosen, remark = podchoice.container(pod, wish.container)
    except NoSuchContainer as error:
        refusals.fail(f"error: {error}")
    if remark:
        refusals.complain(remark)
    return [chosen]


async def _printed(front: Front, source: Source, wish: Wish) -> None:
    path = httpfront.of_pod(source.namespace, source.pod, "log")
    async with front.streamed(path, [*wish.query, ("container", source.container)]) as content:
        async for block in whole_lines(content.iter_any()):
            sys.stdout.buffer.write(prefixed(block, source.prefix) if wish.with_prefix else block)
            sys.stdout.buffer.flush()


async def whole_lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes cut behind line ends, so that those of several containers mix line by line.

    Only what is no line any more, by its length, is passed on in pieces.
    """
    rest = b""
    async for chunk in chunks:
        complete, end, rest = (rest + chunk).rpartition(b"\n")
        if end:
            yield complete + end
        if len(rest) > LONGEST_LINE_BYTES:
            yield rest
            rest = b""
    if rest:
        yield rest


def prefixed(block: bytes, prefix: bytes) -> bytes:
    """The prefix before each line of a block; the last line may lack its end."""
    body, end = (block[:-1], b"\n") if block.endswith(b"\n") else (block, b"")
    return prefix + body.replace(b"\n", b"\n" + prefix) + end
