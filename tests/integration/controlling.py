"""The ReplicaSet and Deployment controllers against an API server, and a node that makes every pod ready."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from msgspec.structs import replace

from controller_manager import ownership
from controller_manager.controllers.deployment.controller import DeploymentController
from controller_manager.controllers.replicaset import REPLICASET, Form, ReplicaSetController
from controller_manager.controllers.replicationcontroller import REPLICATION_CONTROLLER
from steersman.api import times
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Pod, PodCondition, PodStatus
from steersman.api.errors import ApiError
from steersman.api.meta import Object
from steersman.base.clock import SystemClock
from steersman.client.cache import ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Informer
from steersman.control import loop
from steersman.control.barrier import Barrier
from steersman.control.loop import Controller, Loop
from steersman.control.workqueue import WorkQueue
from steersman.control.writes import Tracked

CLOCK = SystemClock()


@dataclass
class Notes:
    """A recorder that keeps what it is told: (type, reason, message)."""

    told: list[tuple[str, str, str]] = field(default_factory=list)

    def normal(self, about: Object, reason: str, message: str) -> None:
        self.told.append(("Normal", reason, message))

    def warning(self, about: Object, reason: str, message: str) -> None:
        self.told.append(("Warning", reason, message))

    def messages(self, reason: str) -> list[str]:
        return [message for _, given, message in self.told if given == reason]


@dataclass
class Control:
    deployments: Informer[Deployment]
    replicasets: Informer[ReplicaSet]
    pods: Informer[Pod]
    notes: Notes
    counts: list[tuple[int, int]] = field(default_factory=list)
    """After each change of a pod: how many are active, and how many of them ready."""


@asynccontextmanager
async def controlling(api: Client) -> AsyncIterator[Control]:
    indexes: dict[str, Any] = {ownership.BY_CONTROLLER: ownership.controller_index}
    control = Control(
        Informer(api.of(Deployment)),
        Informer(api.of(ReplicaSet), indexes=indexes),
        Informer(api.of(Pod), indexes=indexes),
        Notes(),
    )
    older = Informer(api.of(REPLICATION_CONTROLLER.kind), indexes=indexes)
    informers: list[Informer[Any]] = [control.deployments, control.replicasets, control.pods, older]
    deployment = DeploymentController(
        Tracked(api.of(Deployment)),
        Tracked(api.of(ReplicaSet)),
        deployment_cache=control.deployments.cache,
        replicaset_cache=control.replicasets.cache,
        pod_cache=control.pods.cache,
        recorder=control.notes,
        clock=CLOCK,
    )
    queue = _queue()
    loop.wake(queue, control.deployments)
    loop.wake(queue, control.replicasets, deployment.woken_by_replicaset)
    loop.wake(queue, control.pods, deployment.woken_by_pod)
    barrier = Barrier({Deployment: control.deployments, ReplicaSet: control.replicasets})
    loops = [Loop(deployment, queue, barrier)]
    for form, owners in ((REPLICASET, control.replicasets), (REPLICATION_CONTROLLER, older)):
        loops.append(_replicating(api, form, owners, control))
    async with asyncio.TaskGroup() as tasks:
        work = [*(informer.run() for informer in informers), *(each.run() for each in loops)]
        running = [tasks.create_task(each) for each in work]
        for informer in informers:
            await informer.synced.wait()
        yield control
        for task in running:
            task.cancel()


def _replicating(api: Client, form: Form[Any], owners: Informer[Any], control: Control) -> Loop:
    controller: ReplicaSetController[Any] = ReplicaSetController(
        form,
        Tracked(api.of(form.kind)),
        Tracked(api.of(Pod)),
        owner_cache=owners.cache,
        pod_cache=control.pods.cache,
        recorder=control.notes,
        clock=CLOCK,
        random=Random(1),
    )
    queue = _queue()
    loop.wake(queue, owners)
    loop.wake(queue, control.pods, controller.woken_by_pod)
    checked: Controller = controller
    return Loop(checked, queue, Barrier({form.kind: owners, Pod: control.pods}))


def _queue() -> WorkQueue[ObjectKey]:
    return WorkQueue(CLOCK)


@asynccontextmanager
async def playing_node(api: Client, control: Control) -> AsyncIterator[None]:
    """Every pod that appears becomes ready, and every pod that is marked goes."""
    waiting: asyncio.Queue[Pod] = asyncio.Queue(10_000)

    def on_change(_: Pod | None, new: Pod | None) -> None:
        active = [pod for pod in control.pods.cache.list() if pod.metadata.deletion_timestamp is None]
        control.counts.append((len(active), sum(pod.status.phase == "Running" for pod in active)))
        if new is not None:
            waiting.put_nowait(new)

    async def serve() -> None:
        while True:
            pod = await waiting.get()
            try:
                if pod.metadata.deletion_timestamp is not None:
                    await api.of(Pod).delete(
                        pod.metadata.name, pod.metadata.namespace, uid=pod.metadata.uid, grace_period_seconds=0
                    )
                elif pod.status.phase != "Running":
                    await api.of(Pod).update_status(replace(pod, status=_running()))
            except ApiError:
                continue  # it has changed or gone meanwhile; its next state comes by itself

    control.pods.on_change(on_change)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(serve())
        yield
        task.cancel()


def _running() -> PodStatus:
    now = times.from_datetime(CLOCK.now())
    return PodStatus(phase="Running", conditions=(PodCondition(type="Ready", status="True", last_transition_time=now),))
