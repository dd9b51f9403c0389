"""The machine is about to go down: the pods are ended in good order, those that the cluster cannot do without last.

Called after the agent's own work has ended, so that nobody starts anew what is stopped here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from nodeagent import phase, picture, podmachine, podstatus
from nodeagent.picture import Seen
from nodeagent.podmachine import Stage
from nodeagent.podstatus import Host
from nodeagent.runtime.interface import ContainerRuntime
from nodeagent.runtime.seen import SeenPod, State
from steersman.api import times
from steersman.api.core import Pod, PodCondition, PodStatus
from steersman.api.errors import ApiError
from steersman.api.names import Uid
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client.client import Client

CRITICAL_PRIORITY = 2_000_000_000
CALL_SECONDS = 5.0
REASON = "Terminated"
MESSAGE = "Pod was terminated in response to imminent node shutdown."

_log = log.get("shutdown")


@dataclass(frozen=True, slots=True)
class Periods:
    """How long it may take in all, and how much of that is kept for critical pods."""

    total_seconds: float
    critical_seconds: float


@dataclass(frozen=True, slots=True)
class Round:
    """Pods that are ended at the same time."""

    pods: Sequence[SeenPod]
    seconds: float


def rounds(seen: Iterable[SeenPod], pods: Mapping[str, Pod], periods: Periods) -> list[Round]:
    """A pod that the API does not know counts as an ordinary one."""
    ordinary: list[SeenPod] = []
    critical: list[SeenPod] = []
    for each in seen:
        pod = pods.get(each.pod.uid)
        priority = (pod.spec.priority or 0) if pod is not None else 0
        (critical if priority >= CRITICAL_PRIORITY else ordinary).append(each)
    first = Round(ordinary, max(periods.total_seconds - periods.critical_seconds, 0.0))
    return [first, Round(critical, periods.critical_seconds)]


def grace_seconds(seen: SeenPod, pod: Pod | None, limit: float) -> float:
    """What the pod was promised, as far as there is time for it."""
    noted = seen.sandbox.annotations.get(picture.GRACE, "") if seen.sandbox is not None else ""
    promised = podmachine.grace_seconds(pod) if pod is not None else int(noted) if noted.isdecimal() else 0
    return min(float(promised), limit)


class Shutdown:
    def __init__(self, api: Client, runtime: ContainerRuntime, node: str, host: Host, clock: Clock) -> None:
        self._pods = api.of(Pod)
        self._runtime = runtime
        self._node = node
        self._host = host
        self._clock = clock

    async def run(self, periods: Periods) -> None:
        """Returns when nothing runs any more. Raises ApiError when the engine is away."""
        known = await self._known()
        seen = [each for each in await self._runtime.list_pods() if _runs(each)]
        _log.info("ending all pods: the node goes down", node=self._node, pods=len(seen))
        for each in rounds(seen, known, periods):
            async with asyncio.TaskGroup() as tasks:
                for pod in each.pods:
                    tasks.create_task(self._end(pod, known.get(pod.pod.uid), each.seconds))

    async def _known(self) -> dict[str, Pod]:
        try:
            found = await self._pods.list(field_selector=f"spec.nodeName={self._node}", timeout_seconds=CALL_SECONDS)
        except ApiError as error:
            _log.warning("ending pods that nobody can be told about", reason=error.message)
            return {}
        return {pod.metadata.uid: pod for pod in found.items}

    async def _end(self, seen: SeenPod, pod: Pod | None, limit: float) -> None:
        grace = grace_seconds(seen, pod, limit)
        async with asyncio.TaskGroup() as tasks:
            for container in seen.containers:
                if container.state is State.RUNNING:
                    tasks.create_task(self._runtime.stop_container(container.id, grace))
        if pod is not None and pod.status.phase not in phase.FINISHED:
            await self._tell(pod)

    async def _tell(self, pod: Pod) -> None:
        try:
            seen = picture.completed(pod, Seen(pod=await self._runtime.observe(Uid(pod.metadata.uid))))
            now = self._clock.now()
            status = podstatus.generate(pod, Stage.TERMINATED, seen, self._host, now)
            target = PodCondition(
                type="DisruptionTarget",
                status="True",
                reason="TerminationByKubelet",
                message=MESSAGE,
                last_transition_time=times.from_datetime(now),
            )
            await self._pods.update_status(structs.replace(pod, status=_terminated(status, target)))
        except ApiError as error:
            _log.warning("a pod was ended, but nobody told", pod=pod.metadata.name, reason=error.message)


def _terminated(status: PodStatus, target: PodCondition) -> PodStatus:
    others = tuple(each for each in status.conditions if each.type != target.type)
    phase_now = phase.Phase.FAILED.value
    return structs.replace(status, phase=phase_now, reason=REASON, message=MESSAGE, conditions=(*others, target))


def _runs(seen: SeenPod) -> bool:
    return any(container.state is State.RUNNING for container in seen.containers)
