"""A Deployment of 500 pods on 50 hollow nodes: three controller managers and an API server, each a process of its own.

    make bench-deployment               500 pods, 50 nodes, 100 replacements
    python -m bench.deployment 100 10   smaller

Times are heard on a watch, from the call that asked for the change. CPU time tells what a busy machine's clock does
not: what each process spends on one pod. The rollout must stay within its bounds at every change of a pod.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from bench import measuring, scheduling
from steersman.client import client
from tests import hollownodes
from tests.apiserverprocess import api_server_process
from tests.deploymentchain import FIRST_IMAGE, DeploymentChain, deployment_chain
from tests.replicaprocess import replica_processes

PODS, NODES, CONTROLLER_MANAGERS = 500, 50, 3
REPLACEMENTS = 100
REPLACEMENT_TARGET_SECONDS = 0.020
CALM_SECONDS = 0.3
NEW_IMAGE = "registry.example/web:2"
QUIET = "--log-level=warning"

Row = tuple[str, str, str]


class Meter:
    """CPU time of the processes, told per pod; the controller managers count as one, as most of them stand by."""

    def __init__(self, pods: int, server: int, managers: Sequence[int], nodes: int) -> None:
        self._pods = pods
        self._groups = {"API server": (server,), "controller managers": tuple(managers), "nodes": (nodes,)}

    async def over(self, step: Callable[[], Awaitable[Any]]) -> tuple[Any, float, str]:
        """What the step gave, how long it took, and what it cost."""
        before, began = self._spent(), time.perf_counter()
        result = await step()
        seconds, after = time.perf_counter() - began, self._spent()
        cost = (f"{name} {(after[name] - before[name]) / self._pods * 1e3:.1f}" for name in self._groups)
        return result, seconds, ", ".join(cost)

    def _spent(self) -> dict[str, float]:
        return {name: sum(map(scheduling.cpu_seconds, pids)) for name, pids in self._groups.items()}


async def main(pods: int, nodes: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            api_server_process(data_dir=folder / "data", arguments=[QUIET]) as server,
            hollownodes.hollow_nodes_process(server.grpc, nodes) as hollow,
            replica_processes(server.grpc, folder, count=CONTROLLER_MANAGERS) as managers,
            client.connect([server.grpc]) as api,
            deployment_chain(api, within_seconds=600) as chain,
        ):
            meter = Meter(pods, server.pid, [each.pid for each in managers.all], hollow)
            rows, problems = await _life(chain, meter, pods)
    print(measuring.table((f"{pods} pods, {nodes} nodes", "time", "CPU ms per pod"), rows))
    for problem in problems:
        print(f"  {problem}")
    return int(bool(problems))


async def _life(chain: DeploymentChain, meter: Meter, pods: int) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    problems: list[str] = []
    ready, _, cost = await meter.over(lambda: chain.create(pods))
    rows.append(("created until all are ready", f"{ready:.2f} s", cost))
    latencies, _, cost = await meter.over(lambda: _replacements(chain, pods))
    median, slow = (measuring.percentile(latencies, percent) for percent in (50, 99))
    rows.append((f"a deleted pod's replacement, median of {REPLACEMENTS}", f"{median * 1e3:.1f} ms", cost))
    rows.append(("the same, 99 of 100", f"{slow * 1e3:.1f} ms", ""))
    if median > REPLACEMENT_TARGET_SECONDS:
        problems.append(f"a replacement takes {median * 1e3:.1f} ms, more than {REPLACEMENT_TARGET_SECONDS * 1e3:.0f}")
    for what, image in (("rolling update", NEW_IMAGE), ("rollback", FIRST_IMAGE)):
        outside, seconds, cost = await meter.over(lambda image=image: chain.roll(image))  # type: ignore[misc]
        rows.append((what, f"{seconds:.2f} s", cost))
        problems += [f"{what} out of its bounds: {moment}" for moment in outside[:5]]
    for what, step in (("scaled to nothing", chain.scale_to_nothing), ("deleted", chain.delete)):
        _, seconds, cost = await meter.over(step)
        rows.append((what, f"{seconds:.2f} s", cost))
    return rows, problems


async def _replacements(chain: DeploymentChain, pods: int) -> list[float]:
    """One after the other, each in a cluster that has come to rest."""
    latencies = []
    for _ in range(REPLACEMENTS):
        await chain.calm(pods, CALM_SECONDS)
        latencies.append(await chain.replace_one())
    await chain.complete(FIRST_IMAGE)
    return latencies


if __name__ == "__main__":
    sizes = [int(text) for text in sys.argv[1:3]]
    sys.exit(asyncio.run(main(*(sizes or (PODS, NODES)))))
