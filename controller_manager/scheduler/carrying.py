"""Carries out what the scheduler decides: binds pods, says why they wait, takes others off their nodes.

Each answer is definite: a binding without one is repeated, for as long as it takes, and until then its room is taken.
Gone is no failure: what has changed meanwhile comes back through the informer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from controller_manager.recording import Recorder
from controller_manager.scheduler import verdicts
from controller_manager.scheduler.snapshot import Resident
from steersman.api.core import Binding, ObjectReference, Pod
from steersman.api.errors import ApiError, Deposed, NotFound
from steersman.api.meta import ObjectMeta
from steersman.base import log
from steersman.client.cache import Cache, ObjectKey
from steersman.client.requests import PatchType
from steersman.control import batches
from steersman.control.barrier import Barrier
from steersman.control.passes import Pass
from steersman.control.writes import Tracked

_log = log.get("scheduler")


class Carrier:
    def __init__(self, pods: Tracked[Pod], cache: Cache[Pod], recorder: Recorder, barrier: Barrier) -> None:
        self._pods = pods
        self._cache = cache
        self._recorder = recorder
        self._barrier = barrier

    async def bind(self, pod: Pod, node: str) -> bool:
        """Whether the pod is on its node now."""
        meta = pod.metadata
        binding = Binding(
            metadata=ObjectMeta(name=meta.name, namespace=meta.namespace, uid=meta.uid),
            target=ObjectReference(kind="Node", name=node),
        )
        try:
            with Pass().opened():
                await self._pods.bind(binding)
        except Deposed:
            raise
        except ApiError as error:
            _log.info("not bound", pod=f"{meta.namespace}/{meta.name}", node=node, reason=error.message)
            return False
        self._recorder.normal(pod, "Scheduled", f"Successfully assigned {meta.namespace}/{meta.name} to {node}")
        return True

    async def tell_unschedulable(self, pod: Pod, message: str, nominated: str, now: datetime) -> None:
        self._recorder.warning(pod, "FailedScheduling", message)
        patch = verdicts.unschedulable(pod, message, nominated, now)
        if patch is not None:
            await self._patch(pod, patch)

    async def take_nomination_back(self, pod: Pod) -> None:
        await self._patch(pod, verdicts.not_nominated(pod))

    async def preempt(self, victims: Sequence[Resident], preemptor: Pod, node: str, now: datetime) -> None:
        """Have the victims go, with the grace that they ask for. Returns when the informer shows that they are going:
        whoever decided before would choose them, or others, once more."""
        noted = self._barrier.begin()
        with noted.opened():
            await batches.slow_start([partial(self._delete, victim, preemptor, node, now) for victim in victims])
        await self._barrier.passed(noted)

    async def _delete(self, victim: Resident, preemptor: Pod, node: str, now: datetime) -> None:
        pod = self._cache.get(ObjectKey(victim.namespace, victim.name))
        if pod is None or pod.metadata.uid != victim.uid or pod.metadata.deletion_timestamp is not None:
            return
        await self._patch(pod, verdicts.preempted(pod, now))
        try:
            await self._pods.delete(victim.name, victim.namespace, uid=victim.uid)
        except NotFound:
            return
        except Deposed:
            raise
        except ApiError as error:
            _log.warning("not preempted", pod=f"{victim.namespace}/{victim.name}", reason=error.message)
            return
        self._recorder.normal(pod, "Preempted", f"Preempted by pod {preemptor.metadata.uid} on node {node}")

    async def _patch(self, pod: Pod, patch: bytes) -> None:
        meta = pod.metadata
        try:
            await self._pods.patch(meta.name, meta.namespace, patch, PatchType.STRATEGIC, subresource="status")
        except NotFound:
            return
        except Deposed:
            raise
        except ApiError as error:
            # The next attempt will say it; a status is no reason to keep a pod waiting.
            _log.info("status not written", pod=f"{meta.namespace}/{meta.name}", reason=error.message)
