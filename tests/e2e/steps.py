"""The steps of pods as a watch shows them, in the words of the STATUS and READY columns that people know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from steersman.api import podresources
from steersman.api.core import ContainerStatus, Pod
from steersman.client.client import Client
from steersman.client.informer import Informer


class Steps:
    """What each pod has gone through, the same thing only once in a row."""

    def __init__(self) -> None:
        self._seen: dict[str, list[str]] = {}
        self._first: dict[tuple[str, str], Pod] = {}

    def of(self, name: str) -> list[str]:
        return self._seen.get(name, [])

    def first(self, name: str, step: str) -> Pod:
        """The pod as it was when it first came to that step."""
        return self._first[name, step]

    def note(self, pod: Pod) -> None:
        steps, now = self._seen.setdefault(pod.metadata.name, []), described(pod)
        self._first.setdefault((pod.metadata.name, now), pod)
        if not steps or steps[-1] != now:
            steps.append(now)

    def went_through(self, name: str, expected: Sequence[str]) -> bool:
        """In this order; others may lie between them. AssertionError with all that was seen, if not (yet)."""
        remaining = iter(self.of(name))
        missing = [step for step in expected if step not in remaining]
        assert not missing, f"{name} has not been {missing}, but {self.of(name)}"
        return True


@asynccontextmanager
async def recorded(api: Client) -> AsyncIterator[Steps]:
    steps = Steps()
    informer = Informer(api.of(Pod), namespace="default")
    informer.on_change(lambda _old, new: steps.note(new) if new is not None else None)
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(informer.run())
        await informer.synced.wait()
        yield steps
        watching.cancel()


def described(pod: Pod) -> str:
    """`Running 1/2`, `Init:0/1`, `CrashLoopBackOff`, `Terminating` …"""
    if pod.metadata.deletion_timestamp is not None:
        return "Terminating"
    if pod.status.phase in ("Succeeded", "Failed"):
        return pod.status.phase
    initialising = _initialising(pod)
    if initialising:
        return initialising
    statuses = pod.status.container_statuses
    waiting = [each.state.waiting.reason for each in statuses if each.state.waiting is not None]
    if waiting:
        return waiting[0]
    if pod.status.phase != "Running":
        return f"{pod.status.phase} {'bound' if pod.spec.node_name else 'unbound'}"
    lasting = (*_sidecars(pod), *statuses)
    return f"Running {sum(each.ready for each in lasting)}/{len(lasting)}"


def _initialising(pod: Pod) -> str:
    specs = {each.name: each for each in pod.spec.init_containers}
    for done, status in enumerate(pod.status.init_container_statuses):
        ended = status.state.terminated
        if podresources.is_sidecar(specs[status.name]) and status.started:
            continue
        if ended is not None and ended.exit_code == 0:
            continue
        if ended is not None:
            return f"Init:{ended.reason}"
        if status.state.waiting is not None and status.state.waiting.reason != "PodInitializing":
            return f"Init:{status.state.waiting.reason}"
        return f"Init:{done}/{len(specs)}"
    return ""


def _sidecars(pod: Pod) -> list[ContainerStatus]:
    lasting = {each.name for each in pod.spec.init_containers if podresources.is_sidecar(each)}
    return [each for each in pod.status.init_container_statuses if each.name in lasting]
