"""One term of one Lease, from election to its end: the caches catch up, the controllers are built and work.

They begin only when every cache that they read has reached the term's token: all that earlier leaders wrote has lower
revisions, so it is then seen. Asked to stop, they are given DRAIN_SECONDS to end what they have begun; a term that is
lost leaves nothing to end, and everything of it is cancelled at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from controller_manager.catalog import Row
from controller_manager.config import Settings
from controller_manager.informers import Informers
from controller_manager.measures import Measures
from controller_manager.office import Office, Work
from steersman.api.errors import Deposed, Expired
from steersman.base import log
from steersman.base.clock import Clock
from steersman.base.run import Stopping
from steersman.client.batch import Batch
from steersman.client.client import Client
from steersman.client.requests import Term, WriteOptions

DRAIN_SECONDS = 0.05

_log = log.get("tenure")


@dataclass(frozen=True, slots=True)
class Means:
    """What a replica has for all its terms."""

    api: Client
    informers: Informers
    settings: Settings
    instance: str
    clock: Clock
    measures: Measures


async def serve(term: Term, rows: Sequence[Row], means: Means, stopping: Stopping) -> None:
    """Until `stopping`. Deposed when the term ends before."""
    works: list[Work] = []
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(_work(term, rows, means, works))
        await stopping.wait()
        await _drain(works)
        working.cancel()


async def _work(term: Term, rows: Sequence[Row], means: Means, works: list[Work]) -> None:
    began = means.clock.monotonic()
    await _caught_up(term, rows, means)
    leader = means.api.with_options(WriteOptions(term=term))
    async with leader.batch() as batch:
        offices = [_office(leader, batch, row, means) for row in rows]
        try:
            async with asyncio.TaskGroup() as tasks:
                for row, office in zip(rows, offices, strict=True):
                    work = row.build(office)
                    works.append(work)
                    tasks.create_task(work.run(), name=row.name)
                    tasks.create_task(office.record())
                    # Each looks through all that is cached; in between the Lease must be renewed.
                    await asyncio.sleep(0)
                seconds = round(means.clock.monotonic() - began, 4)
                _log.info("in office", lease=term.lease_name, token=term.token, rows=len(rows), after_seconds=seconds)
        finally:
            for office in offices:
                office.close()


async def _caught_up(term: Term, rows: Sequence[Row], means: Means) -> None:
    reads = [each for row in rows for each in row.reads]
    try:
        await means.informers.reached(reads, term.token)
    except* Expired as group:
        raise Deposed("the store was set back: the term is not of this store") from group


def _office(leader: Client, batch: Batch, row: Row, means: Means) -> Office:
    return Office(
        leader,
        batch,
        means.informers,
        row.reads,
        settings=means.settings,
        instance=means.instance,
        clock=means.clock,
        random=Random(),
        measures=means.measures,
    )


async def _drain(works: Sequence[Work]) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS), asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(work.drain())
