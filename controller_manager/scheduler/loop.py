"""Gives every waiting pod a node: take the most important, look at the cluster, choose, bind; or say why not, and wait.

Reads Pods, Nodes, Namespaces (their labels), PodDisruptionBudgets, and what pods claim: see `volumebinding`. Writes
bindings, the PodScheduled condition and `nominatedNodeName`, and deletes pods that must make room for more important
ones. Decisions are made one after the other, each on a view that holds all earlier ones; binding goes on beside them.
What fits nowhere sleeps until something changes that could help it.

A binding under way to a node that is deleted meanwhile lands, as it does in Kubernetes: the API server does not look
for the node. The pod is then cleared away like all others of that node, by `podgc` after its quarantine, and replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from controller_manager import pods
from controller_manager.scheduler import changes, preemption, reasons, requirements
from controller_manager.scheduler.carrying import Carrier
from controller_manager.scheduler.equivalence import Candidates, Chosen, Equivalence
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.ledger import Ledger
from controller_manager.scheduler.measures import Result, SchedulerMetrics
from controller_manager.scheduler.preemption import Budget, Hopeless, Preemption
from controller_manager.scheduler.queue import Queue, Waiting
from controller_manager.scheduler.requirements import Requirements
from controller_manager.scheduler.snapshot import Snapshot
from controller_manager.scheduler.terms import Labels
from controller_manager.scheduler.verdicts import SCHEDULER
from controller_manager.scheduler.volumebinding import VolumeBinding
from steersman.api.core import Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod
from steersman.api.errors import Deposed
from steersman.api.policy import PodDisruptionBudget
from steersman.api.storage import StorageClass
from steersman.base import log, tracing
from steersman.base.clock import Clock
from steersman.base.tracing import Span
from steersman.client.cache import Cache, ObjectKey, key_of
from steersman.control import loop

MAX_UNDER_WAY = 48
"""Decisions that are being carried out: enough to keep an API server busy. More would only wait there."""
DECISIONS_AT_A_TIME = 16
"""Then answers and events have their turn."""
_REMEMBERED = 256

_log = log.get("scheduler")


@dataclass(frozen=True, slots=True)
class Bind:
    node: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Fits nowhere: say why, and sleep until one of the cures happens."""

    message: str
    cures: frozenset[reasons.Change]


@dataclass(frozen=True, slots=True)
class Preempt:
    """Fits nowhere until others have gone; `outranked` are those for whom the same room was kept."""

    message: str
    cures: frozenset[reasons.Change]
    way: Preemption
    outranked: tuple[Pod, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """There is no decision: a bug was met."""

    error: Exception


Decision = Bind | Wait | Preempt | Broken


class SchedulerLoop:
    """`take_pod` and the other `take_…` are told what the informers see; `run` for one term."""

    def __init__(
        self,
        carrier: Carrier,
        *,
        namespaces: Cache[Namespace],
        budgets: Cache[PodDisruptionBudget],
        volumes: VolumeBinding,
        clock: Clock,
        random: Random,
        measures: SchedulerMetrics,
    ) -> None:
        self._carrier = carrier
        self._namespaces = namespaces
        self._budgets = budgets
        self._clock = clock
        self._chance = random.random
        self._measures = measures
        self._volumes = volumes
        self._hooks = Hooks(claims=volumes.of_pod, volumes=volumes.on_node, namespaces=self._labels_of)
        self._equivalence = Equivalence(self._hooks)
        self._hopeless: dict[Requirements, tuple[Snapshot, Hopeless]] = {}
        self._ledger = Ledger()
        self._queue = Queue()
        self._woken = asyncio.Event()
        self._places = asyncio.Semaphore(MAX_UNDER_WAY)
        self._under_way = 0
        self._rested = asyncio.Event()
        self._draining = False

    # -- what the informers see

    def take_node(self, old: Node | None, new: Node | None) -> None:
        self._ledger.take_node(old, new)
        self._wake(changes.of_node(old, new))

    def take_pod(self, old: Pod | None, new: Pod | None) -> None:
        self._ledger.take_pod(old, new)
        if new is not None and _is_waiting(new):
            # A state from before a binding that has been answered already is no reason to schedule the pod again.
            if not self._ledger.is_assumed(new.metadata.uid) or self._queue.stage(key_of(new)) is not None:
                self._queue.add(new, self._clock.monotonic())
        elif (pod := new or old) is not None:
            self._queue.remove(key_of(pod))
        self._wake(changes.of_pod(old, new))

    def take_namespace(self, old: Namespace | None, new: Namespace | None) -> None:
        if old is None or new is None or old.metadata.labels != new.metadata.labels:
            self._equivalence.forget()
            self._hopeless.clear()
            self._wake(frozenset({reasons.Change.POD_LABELED}))

    def take_claim(self, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None) -> None:
        claim = new or old
        if claim is not None:
            key = key_of(claim)
            self._follow_volumes(changes.of_claim(old, new), lambda pod: key in requirements.claims_of(pod))

    def take_volume(self, old: PersistentVolume | None, new: PersistentVolume | None) -> None:
        volume = new or old
        if volume is not None:
            name = volume.metadata.name
            self._follow_volumes(changes.of_volume(old, new), lambda pod: self._volumes.uses_volume(pod, name))

    def take_class(self, old: StorageClass | None, new: StorageClass | None) -> None:
        self._follow_volumes(changes.of_class(old, new), None)

    def _follow_volumes(self, found: frozenset[reasons.Change], whom: Callable[[Pod], bool] | None) -> None:
        if found:
            self._volumes.forget()
            self._equivalence.forget_claimants()
            self._hopeless.clear()
            self._wake(found, whom)

    def _wake(self, found: frozenset[reasons.Change], whom: Callable[[Pod], bool] | None = None) -> None:
        if found:
            self._queue.wake(found, self._clock.monotonic(), whom)
        self._woken.set()

    # -- one decision after the other

    async def run(self) -> None:
        """Until cancelled. Deposed when the term is over."""
        async with asyncio.TaskGroup() as tasks:
            for number in itertools.count(1):
                await self._places.acquire()
                taken = await self._next()
                self._under_way += 1
                tasks.create_task(self._attempt(taken, self._decision(taken.pod)))
                if number % DECISIONS_AT_A_TIME == 0:
                    await asyncio.sleep(0)

    async def drain(self) -> None:
        """Decide nothing more, and return when what was decided is carried out."""
        self._draining = True
        if self._under_way:
            await self._rested.wait()

    async def _next(self) -> Waiting:
        while True:
            self._woken.clear()
            now = self._clock.monotonic()
            taken = None if self._draining else self._queue.take(now)
            if taken is not None:
                return taken
            due = self._queue.next_at()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if due is None or self._draining else due - now):
                    await self._woken.wait()

    def _decision(self, pod: Pod) -> Decision:
        try:
            return self._decide(pod)
        except Exception as error:  # noqa: BLE001 -- handed to the attempt, which logs it
            return Broken(error)

    def _decide(self, pod: Pod) -> Decision:
        """The ledger holds the decision when this returns, so that the next one is made on top of it."""
        asked, view = requirements.of(pod), self._ledger.view_for(pod)
        candidates = self._equivalence.candidates(asked, view, self._chance)
        found = candidates.choose()
        if isinstance(found, Chosen):
            self._ledger.assume(pod, found.node)
            return Bind(found.node)
        way = self._make_room(pod, asked, candidates, view)
        if isinstance(way, Hopeless):
            if way.message != preemption.TERMINATING:
                self._ledger.take_back(pod.metadata.uid)
            return Wait(reasons.describe(found.why, found.nodes, way.message), reasons.cures(found.why))
        outranked = tuple(self._ledger.outranked(way.node, asked.priority))
        for other in outranked:
            self._ledger.take_back(other.metadata.uid)
        self._ledger.nominate(pod, way.node)
        return Preempt(reasons.describe(found.why, found.nodes), reasons.cures(found.why), way, outranked)

    def _make_room(
        self, pod: Pod, asked: Requirements, candidates: Candidates, view: Snapshot
    ) -> Preemption | Hopeless:
        """Whom to take off which node. What helps nobody of a class is found out once, as long as nothing changes."""
        known = self._hopeless.get(asked)
        if known is not None and known[0] is view:
            return known[1]
        nominated = self._ledger.nominated(pod.metadata.uid)
        found = preemption.plan(
            asked,
            candidates,
            self._all_budgets(),
            hooks=self._hooks,
            nominated=view.node(nominated) if nominated else None,
        )
        if isinstance(found, Hopeless) and not nominated:
            if len(self._hopeless) >= _REMEMBERED:
                self._hopeless.clear()
            self._hopeless[asked] = (view, found)
        return found

    async def _attempt(self, taken: Waiting, decision: Decision) -> None:
        """Carry the decision out. Whatever goes wrong with one pod is logged, and the pod is tried again."""
        pod, key, began = taken.pod, taken.key, self._clock.monotonic()
        result = Result.ERROR
        try:
            with tracing.span("schedule", parent=loop.cause_of(pod), pod=str(key), attempt=taken.attempts) as span:
                result = await self._carry_out(pod, decision, span)
        except Deposed:
            raise
        except Exception as error:  # noqa: BLE001 -- one pod must not keep all others waiting
            _log.error("scheduling failed", pod=str(key), attempt=taken.attempts, exc_info=error)
            self._give_up(pod)
        finally:
            self._measures.ended(result, self._clock.monotonic() - began)
            self._measures.pending.set(len(self._queue))
            self._places.release()
            self._under_way -= 1
            if self._draining and not self._under_way:
                self._rested.set()

    async def _carry_out(self, pod: Pod, decision: Decision, span: Span) -> Result:
        key = key_of(pod)
        match decision:
            case Bind(node):
                span.set(outcome="bind", node=node)
                if not await self._carrier.bind(pod, node):
                    self._give_up(pod)
                    return Result.ERROR
                self._queue.remove(key)
                return Result.SCHEDULED
            case Wait(message, cures):
                span.set(outcome="unschedulable", message=message)
                nominated = self._ledger.nominated(pod.metadata.uid)
                self._queue.sleep(key, cures, self._clock.monotonic())
                await self._carrier.tell_unschedulable(pod, message, nominated, self._clock.now())
                return Result.UNSCHEDULABLE
            case Preempt(_, cures, way):
                span.set(outcome="preempt", node=way.node, victims=len(way.victims))
                await self._preempt(pod, decision)
                self._queue.sleep(key, cures, self._clock.monotonic())
                return Result.UNSCHEDULABLE
            case Broken(error):
                raise error

    def _give_up(self, pod: Pod) -> None:
        """This attempt: its room is free again, which others may have been waiting for."""
        self._ledger.withdraw(pod.metadata.uid)
        self._queue.failed(key_of(pod), self._clock.monotonic())
        self._wake(frozenset({reasons.Change.POD_LEFT}))

    async def _preempt(self, pod: Pod, decision: Preempt) -> None:
        """First say for whom the room is, then make it: whoever takes over from us in between finishes it."""
        now, way = self._clock.now(), decision.way
        await self._carrier.tell_unschedulable(pod, decision.message, way.node, now)
        for other in decision.outranked:
            await self._carrier.take_nomination_back(other)
        await self._carrier.preempt(way.victims, pod, way.node, now)

    def _all_budgets(self) -> list[Budget]:
        found = (preemption.budget(each) for each in self._budgets.list())
        return [each for each in found if each is not None]

    def _labels_of(self, namespace: str) -> Labels:
        found = self._namespaces.get(ObjectKey("", namespace))
        return {} if found is None else found.metadata.labels


def _is_waiting(pod: Pod) -> bool:
    """For us to place; a pod that is going, or that another scheduler looks after, is not."""
    return not pod.spec.node_name and pod.spec.scheduler_name == SCHEDULER and pods.is_active(pod)
