"""How soon the next leader writes: three controller managers over one API server, each a process, real signals.

    make bench-failover            30 of each signal, about twelve minutes
    python -m bench.failover 5     5 of each

Somebody always wants something: a ReplicaSet of one pod every few milliseconds. Measured is from the signal to the
arrival of the first pod whose revision lies behind the next term's token, which is the first write that the fence has
let through for the next leader. More than a Lease's duration lies between two signals. Old ReplicaSets are deleted, and
their pods left to whoever leads. At the end the store's history must show no write by anybody outside its term and no
ReplicaSet that ever had two pods; every ReplicaSet must have its pod, and no pod may be left whose owner is gone.
"""

from __future__ import annotations

import asyncio
import itertools
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench import measuring
from steersman.api.apps import ReplicaSet
from steersman.api.core import Pod
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import Propagation
from steersman.control import writes
from tests import succession
from tests.apiserverprocess import api_server_process
from tests.replicaprocess import ReplicaProcess, ReplicaProcesses, replica_processes
from tests.succession import Chronicle

ROUNDS = 30
REPLICAS = 3
BETWEEN_SIGNALS_SECONDS = 5.0
WANTED_EVERY_SECONDS = 0.02
KEPT = 50
PATIENCE_SECONDS = 60.0
TARGETS = {signal.SIGTERM: 0.3, signal.SIGKILL: 1.0, signal.SIGSTOP: 6.0}


async def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        async with (
            api_server_process(data_dir=Path(folder) / "data", arguments=["--log-level=warning"]) as server,
            client.connect([server.grpc]) as api,
            replica_processes(server.grpc, Path(folder), count=REPLICAS, arguments=_ARGUMENTS) as replicas,
        ):
            async with _recorded(api) as chronicle:
                times = {how: await _of_one_sort(how, rounds, replicas, chronicle) for how in TARGETS}
                await asyncio.sleep(BETWEEN_SIGNALS_SECONDS)
            orphans = await _orphans(api)
    rows = [_row(how, seconds) for how, seconds in times.items()]
    print(measuring.table(("signal", "times", "p50 ms", "p95 ms", "worst ms", "target ms"), rows))
    trespasses, duplicates = chronicle.problems(), chronicle.crowds
    print(f"{len(chronicle.terms)} terms, {len(chronicle.births)} pods, {len(chronicle.writes)} writes by name")
    print(f"{len(trespasses)} writes outside a term, {len(duplicates)} duplicates, {len(orphans)} orphans")
    for problem in (*trespasses[:10], *duplicates[:10], *orphans[:10]):
        print(f"  {problem}")
    late = [how for how, seconds in times.items() if measuring.percentile(seconds, 95) > TARGETS[how]]
    return int(bool(trespasses or duplicates or orphans or late))


# The scheduler leads by a Lease of its own: without nodes it would only say so of every pod.
_ARGUMENTS = ("--controllers=*,-scheduler",)


async def _of_one_sort(
    how: signal.Signals, rounds: int, replicas: ReplicaProcesses, chronicle: Chronicle
) -> list[float]:
    return [await _one(how, replicas, chronicle) for _ in range(rounds)]


async def _one(how: signal.Signals, replicas: ReplicaProcesses, chronicle: Chronicle) -> float:
    """Seconds without a leader that writes."""
    await asyncio.sleep(BETWEEN_SIGNALS_SECONDS)
    leader = replicas.called(chronicle.leader)
    assert leader is not None, "nobody leads, long after the last signal"
    terms = len(chronicle.terms)
    signalled = time.monotonic()
    leader.signal(how)
    birth = await _next_birth(chronicle, terms, leader.instance)
    if how is signal.SIGSTOP:
        await _wake(leader)
    else:
        await leader.ended()
        await replicas.start()
    return birth - signalled


async def _next_birth(chronicle: Chronicle, terms: int, old: str) -> float:
    """When we heard of the first pod made in a term of somebody else's."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            chronicle.heard.clear()
            won = next((term for term in chronicle.terms[terms:] if term.holder not in ("", old)), None)
            birth = None if won is None else chronicle.first_birth_after(won.token)
            if birth is not None:
                return birth.heard_at
            await chronicle.heard.wait()


async def _wake(leader: ReplicaProcess) -> None:
    """Let it find out that its term is over: it says so, and stands again."""
    said = leader.said("deposed, standing again")
    leader.signal(signal.SIGCONT)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while leader.said("deposed, standing again") == said:
            await asyncio.sleep(0.05)


@asynccontextmanager
async def _recorded(api: Client) -> AsyncIterator[Chronicle]:
    """A chronicle of a cluster in which somebody always wants something; in the end everybody has got it."""
    chronicle = Chronicle(api)
    async with asyncio.TaskGroup() as tasks:
        recording = tasks.create_task(chronicle.run())
        wanting = tasks.create_task(_want(api))
        yield chronicle
        wanting.cancel()
        await _everybody_has_one(api)
        recording.cancel()


async def _want(api: Client) -> None:
    for number in itertools.count():
        await api.of(ReplicaSet).create(succession.one_replica(f"want-{number}"))
        if number >= KEPT:
            await api.of(ReplicaSet).delete(f"want-{number - KEPT}", "default", propagation=Propagation.BACKGROUND)
        await asyncio.sleep(WANTED_EVERY_SECONDS)


async def _everybody_has_one(api: Client) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            owners = {each.metadata.name for each in (await api.of(ReplicaSet).list("default")).items}
            served = [pod.metadata.labels["app"] for pod in (await api.of(Pod).list("default")).items]
            if owners <= set(served):
                return
            await asyncio.sleep(0.1)


async def _orphans(api: Client) -> list[str]:
    """The pods whose owner is gone, and that nobody clears away, long after the last signal."""
    for _ in range(round(PATIENCE_SECONDS)):
        pods = (await api.of(Pod).list("default")).items  # before their owners: none of those is created any more
        owners = {each.metadata.uid for each in (await api.of(ReplicaSet).list("default")).items}
        left = [pod.metadata.name for pod in pods if writes.controller_uid(pod) not in owners]
        if not left:
            break
        await asyncio.sleep(1.0)
    return left


def _row(how: signal.Signals, seconds: list[float]) -> list[str]:
    figures = (statistics.median(seconds), measuring.percentile(seconds, 95), max(seconds), TARGETS[how])
    return [how.name, str(len(seconds)), *(f"{each * 1e3:,.0f}" for each in figures)]


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)))
