"""Carries Deployments from one template to the next: the thin part around `plan` and `status`.

Reads Deployments, ReplicaSets and Pods (index: controller). Writes ReplicaSets and Deployment status, with which the
revision annotation goes. Every pass starts from what is there, so a rollout survives any crash.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from controller_manager import claiming, ownership
from controller_manager.controllers.deployment import hashing, history, rolling, status
from controller_manager.controllers.deployment.plan import (
    Action,
    CreateReplicaSet,
    DeleteReplicaSet,
    UpdateReplicaSet,
    plan,
)
from controller_manager.recording import Recorder
from steersman.api import selectors
from steersman.api.apps import Deployment, DeploymentStatus, ReplicaSet
from steersman.api.core import Pod
from steersman.api.errors import AlreadyExists, ApiError, Deposed, NotFound
from steersman.api.selectors import LabelMatcher
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked


def selector_of(deployment: Deployment) -> LabelMatcher | None:
    """None: it selects nothing, and may neither adopt nor count anything."""
    try:
        return selectors.of_struct(deployment.spec.selector)
    except ValueError:
        return None


class DeploymentController:
    """The caches of ReplicaSets and Pods have the index `ownership.BY_CONTROLLER`."""

    name = "deployment"

    def __init__(
        self,
        deployments: Tracked[Deployment],
        replicasets: Tracked[ReplicaSet],
        *,
        deployment_cache: Cache[Deployment],
        replicaset_cache: Cache[ReplicaSet],
        pod_cache: Cache[Pod],
        recorder: Recorder,
        clock: Clock,
    ) -> None:
        self._deployments = deployments
        self._replicasets = replicasets
        self._deployment_cache = deployment_cache
        self._replicaset_cache = replicaset_cache
        self._pod_cache = pod_cache
        self._recorder = recorder
        self._clock = clock

    async def reconcile(self, key: ObjectKey) -> Outcome:
        deployment = self._deployment_cache.get(key)
        matcher = None if deployment is None else selector_of(deployment)
        if deployment is None or matcher is None:
            return DONE
        found = claiming.candidates(self._replicaset_cache, deployment)
        own = await claiming.claimed(deployment, matcher, found, owners=self._deployments, children=self._replicasets)
        decided = plan(deployment, own, self._pods_of(own))
        if not await self._carry_out(deployment, decided.actions):
            return DONE  # the status that says why wakes us
        now = self._clock.now()
        told = status.status_of(deployment, decided.outlook, now)
        revision = 0 if decided.outlook.new is None else history.revision_of(decided.outlook.new)
        await self._write_status(deployment, told, revision)
        wait = status.seconds_until_check(deployment, told, now)
        return DONE if wait is None else After(wait)

    # -- who is woken

    def woken_by_replicaset(self, replicaset: ReplicaSet) -> list[ObjectKey]:
        return claiming.owners_of(replicaset, self._deployments, self._deployment_cache, selector_of)

    def woken_by_pod(self, pod: Pod) -> list[ObjectKey]:
        """Only who waits for the last old pod to end looks at pods; the others look at their ReplicaSets."""
        reference = ownership.controller_of(pod)
        if reference is None or reference.kind != "ReplicaSet":
            return []
        replicaset = self._replicaset_cache.get(ObjectKey(pod.metadata.namespace, reference.name))
        if replicaset is None or ownership.controller_of(replicaset) is None:
            return []
        return [key for key in self.woken_by_replicaset(replicaset) if self._recreates(key)]

    def _recreates(self, key: ObjectKey) -> bool:
        deployment = self._deployment_cache.get(key)
        return deployment is not None and deployment.spec.strategy.type == rolling.RECREATE

    def _pods_of(self, replicasets: Iterable[ReplicaSet]) -> Iterable[Pod]:
        """Lazily: a rolling update never asks."""
        for replicaset in replicasets:
            yield from self._pod_cache.by_index(ownership.BY_CONTROLLER, replicaset.metadata.uid)

    # -- acting

    async def _carry_out(self, deployment: Deployment, actions: Iterable[Action]) -> bool:
        """False: the new ReplicaSet's name is taken, and the next pass will find another."""
        for action in actions:
            match action:
                case CreateReplicaSet(replicaset):
                    if not await self._create(deployment, replicaset):
                        return False
                case UpdateReplicaSet(before, after):
                    await self._replicasets.update(after)
                    self._tell_scaling(deployment, after.metadata.name, rolling.size(before), rolling.size(after))
                case DeleteReplicaSet(replicaset):
                    await self._forget(replicaset)
        return True

    async def _create(self, deployment: Deployment, replicaset: ReplicaSet) -> bool:
        name = replicaset.metadata.name
        try:
            await self._replicasets.create(replicaset)
        except AlreadyExists:
            return await self._settle_collision(deployment, replicaset)
        except Deposed:
            raise
        except ApiError as error:
            message = f'Failed to create new replica set "{name}": {error}'
            self._recorder.warning(deployment, status.CREATE_FAILED, message)
            failed = status.with_creation_failure(deployment, message, self._clock.now())
            await self._write_status(deployment, failed)
            raise
        self._tell_scaling(deployment, name, 0, rolling.size(replicaset))
        return True

    async def _settle_collision(self, deployment: Deployment, wanted: ReplicaSet) -> bool:
        """Ours after all, or else somebody's whose template has the same hash: then the next one gets another hash."""
        present = await self._replicasets.get(wanted.metadata.name, wanted.metadata.namespace)
        is_ours = ownership.is_controlled_by(present, deployment)
        if is_ours and hashing.is_same(present.spec.template, deployment.spec.template):
            return True
        collisions = (deployment.status.collision_count or 0) + 1
        await self._write_status(deployment, replace(deployment.status, collision_count=collisions))
        return False

    async def _forget(self, replicaset: ReplicaSet) -> None:
        meta = replicaset.metadata
        try:
            await self._replicasets.delete(
                meta.name, meta.namespace, uid=meta.uid, resource_version=meta.resource_version
            )
        except NotFound:
            return

    def _tell_scaling(self, deployment: Deployment, name: str, before: int, after: int) -> None:
        if before == after:
            return
        way = "up" if after > before else "down"
        message = f"Scaled {way} replica set {name} from {before} to {after}"
        self._recorder.normal(deployment, "ScalingReplicaSet", message)

    async def _write_status(self, deployment: Deployment, told: DeploymentStatus, revision: int = 0) -> None:
        annotations = dict(deployment.metadata.annotations)
        if revision:
            annotations[history.REVISION] = str(revision)
        changed = replace(deployment, status=told, metadata=replace(deployment.metadata, annotations=annotations))
        if changed == deployment:
            return
        try:
            await self._deployments.update_status(changed)
        except NotFound:
            return  # gone is success
