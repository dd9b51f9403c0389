"""Keep the number of live pods equal to spec.replicas.

Reads ReplicaSets and Pods (index: controller). Writes Pods and ReplicaSet status. Adopts orphans that the selector
matches and releases pods that it no longer does. The loop holds a key back until the cache has seen our own last
writes, so `live` is never older than them. ReplicationControllers pass through the same plan: see
`replicationcontroller`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from random import Random
from typing import Generic, TypeVar

from msgspec.structs import replace

from controller_manager import claiming, ownership, pods
from controller_manager.recording import Recorder
from steersman.api import kinds, selectors, times
from steersman.api.apps import ReplicaSet, ReplicaSetCondition, ReplicaSetStatus
from steersman.api.core import Pod
from steersman.api.errors import ApiError, Deposed, NotFound
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.selectors import LabelMatcher
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.control import batches
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

REPLICA_FAILURE = "ReplicaFailure"
BURST = 500
"""The most pods that one pass creates or deletes, so that one huge ReplicaSet cannot keep a worker for minutes."""

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class CreatePods:
    count: int


@dataclass(frozen=True, slots=True)
class DeletePod:
    pod: Pod  # by its uid: never a namesake created later


Action = CreatePods | DeletePod


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the plan could not be carried out: FailedCreate or FailedDelete."""

    reason: str
    message: str


def plan(desired: ReplicaSet, live: Sequence[Pod], related: Iterable[Pod], now: datetime) -> list[Action]:
    """`live`: the active pods that belong to it; `related`: those of all ReplicaSets of its own owner."""
    if desired.metadata.deletion_timestamp is not None:
        return []
    surplus = len(live) - wanted(desired)
    if surplus < 0:
        return [CreatePods(min(-surplus, BURST))]
    if surplus == 0:
        return []
    ranked = pods.cheapest_to_lose(live, related, now, min_ready_seconds=desired.spec.min_ready_seconds)
    return [DeletePod(pod) for pod in ranked[: min(surplus, BURST)]]


def wanted(replicaset: ReplicaSet) -> int:
    return 1 if replicaset.spec.replicas is None else replicaset.spec.replicas


def status_of(
    desired: ReplicaSet, live: Sequence[Pod], terminating: int, failure: Failure | None, now: datetime
) -> ReplicaSetStatus:
    """`failure`: why this pass could not do all that it planned. The first one told stays until there is none."""
    minimum, labels = desired.spec.min_ready_seconds, desired.spec.template.metadata.labels.items()
    return ReplicaSetStatus(
        replicas=len(live),
        fully_labeled_replicas=sum(labels <= pod.metadata.labels.items() for pod in live),
        ready_replicas=sum(map(pods.is_ready, live)),
        available_replicas=sum(pods.is_available(pod, minimum, now) for pod in live),
        terminating_replicas=terminating,
        observed_generation=desired.metadata.generation,
        conditions=_conditions(desired.status.conditions, failure, now),
    )


def _conditions(
    held: tuple[ReplicaSetCondition, ...], failure: Failure | None, now: datetime
) -> tuple[ReplicaSetCondition, ...]:
    others = tuple(each for each in held if each.type != REPLICA_FAILURE)
    if failure is None:
        return others
    if len(others) < len(held):
        return held
    told = ReplicaSetCondition(
        type=REPLICA_FAILURE,
        status="True",
        reason=failure.reason,
        message=failure.message,
        last_transition_time=times.from_datetime(now),
    )
    return (*others, told)


def selector_of(replicaset: ReplicaSet) -> LabelMatcher | None:
    """None: it selects nothing, and may neither adopt nor count anything."""
    try:
        return selectors.of_struct(replicaset.spec.selector)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How a kind is looked at as a ReplicaSet, and how the status finds its way back into it."""

    kind: Kind
    view: Callable[[T], ReplicaSet]
    with_status: Callable[[T, ReplicaSetStatus], T]


def _with_status(replicaset: ReplicaSet, status: ReplicaSetStatus) -> ReplicaSet:
    return replace(replicaset, status=status)


REPLICASET: Form[ReplicaSet] = Form(
    kind=next(kind for kind in kinds.ALL if kind.struct is ReplicaSet),
    view=lambda replicaset: replicaset,
    with_status=_with_status,
)


class ReplicaSetController(Generic[T]):
    """`owners` writes the kind that `form` describes; both caches have the index `ownership.BY_CONTROLLER`."""

    def __init__(
        self,
        form: Form[T],
        owners: Tracked[T],
        pods_written: Tracked[Pod],
        *,
        owner_cache: Cache[T],
        pod_cache: Cache[Pod],
        recorder: Recorder,
        clock: Clock,
        random: Random,
    ) -> None:
        self.name = form.kind.kind.lower()
        self._form = form
        self._owners = owners
        self._pods = pods_written
        self._owner_cache = owner_cache
        self._pod_cache = pod_cache
        self._recorder = recorder
        self._clock = clock
        self._random = random

    async def reconcile(self, key: ObjectKey) -> Outcome:
        owner = self._owner_cache.get(key)
        desired = None if owner is None else self._form.view(owner)
        matcher = None if desired is None else selector_of(desired)
        if owner is None or desired is None or matcher is None:
            return DONE
        live, terminating = await self._claimed(owner, matcher)
        now = self._clock.now()
        gone: set[str] = set()
        error = await self._carry_out(owner, desired, plan(desired, live, self._related(owner, live), now), gone)
        failure = None if error is None else Failure(_verb(desired, live), str(error))
        # What we have just deleted is no longer there to be relied upon: a rollout counts on these numbers.
        left = [pod for pod in live if pod.metadata.uid not in gone]
        await self._write_status(owner, status_of(desired, left, terminating, failure, now))
        if error is not None:
            raise error
        wait = pods.seconds_until_available(live, desired.spec.min_ready_seconds, now)
        return DONE if wait is None else After(wait)

    def woken_by_pod(self, pod: Pod) -> list[ObjectKey]:
        """The keys to look at when `pod` has changed."""
        return claiming.owners_of(
            pod, self._owners, self._owner_cache, lambda owner: selector_of(self._form.view(owner))
        )

    async def _claimed(self, owner: T, matcher: LabelMatcher) -> tuple[list[Pod], int]:
        """The active pods that are the owner's now, and how many of its pods are on their way out."""
        found = claiming.candidates(self._pod_cache, owner)
        leaving = [pod for pod in found if pods.is_terminating(pod) and ownership.is_controlled_by(pod, owner)]
        active = filter(pods.is_active, found)
        live = await claiming.claimed(owner, matcher, active, owners=self._owners, children=self._pods)
        return live, sum(matcher.matches(pod.metadata.labels) for pod in leaving)

    def _related(self, owner: T, live: Sequence[Pod]) -> Iterator[Pod]:
        """The pods of all that have the same controller: crowded nodes are thinned out across a rollout. Lazily: only
        who has pods to give up asks."""
        reference = ownership.controller_of(owner)
        if reference is None:
            yield from live
            return
        siblings = self._owner_cache.by_index(ownership.BY_CONTROLLER, reference.uid)
        for uid in {sibling.metadata.uid for sibling in siblings}:
            yield from self._pod_cache.by_index(ownership.BY_CONTROLLER, uid)

    # -- acting

    async def _carry_out(
        self, owner: T, desired: ReplicaSet, actions: Sequence[Action], gone: set[str]
    ) -> ApiError | None:
        """What kept it from being done, so that the status can say so before it is tried again.

        The uids of the pods that were deleted are added to `gone`, also when not all could be.
        """
        deletions = [
            partial(self._delete, owner, action.pod, gone) for action in actions if isinstance(action, DeletePod)
        ]
        births = sum(action.count for action in actions if isinstance(action, CreatePods))
        creations = [partial(self._create, owner, desired) for _ in range(births)]
        try:
            await batches.slow_start([*deletions, *creations])
        except Deposed:
            raise
        except ApiError as error:
            return error
        return None

    async def _create(self, owner: T, desired: ReplicaSet) -> None:
        meta = owner.metadata
        name = pods.fresh_name(meta.name, self._random)
        reference = ownership.reference_to(owner, self._form.kind)
        try:
            await self._pods.create(pods.from_template(desired.spec.template, name, meta.namespace, reference))
        except Deposed:
            raise
        except ApiError as error:
            self._recorder.warning(owner, "FailedCreate", f"Error creating: {error}")
            raise
        self._recorder.normal(owner, "SuccessfulCreate", f"Created pod: {name}")

    async def _delete(self, owner: T, pod: Pod, gone: set[str]) -> None:
        name = pod.metadata.name
        try:
            await self._pods.delete(name, pod.metadata.namespace, uid=pod.metadata.uid)
        except NotFound:
            gone.add(pod.metadata.uid)
            return
        except Deposed:
            raise
        except ApiError as error:
            self._recorder.warning(owner, "FailedDelete", f"Error deleting: {error}")
            raise
        gone.add(pod.metadata.uid)
        self._recorder.normal(owner, "SuccessfulDelete", f"Deleted pod: {name}")

    async def _write_status(self, owner: T, status: ReplicaSetStatus) -> None:
        changed = self._form.with_status(owner, status)
        if changed == owner:
            return
        try:
            await self._owners.update_status(changed)
        except NotFound:
            return  # gone is success


def _verb(desired: ReplicaSet, live: Sequence[Pod]) -> str:
    return "FailedCreate" if len(live) < wanted(desired) else "FailedDelete"
