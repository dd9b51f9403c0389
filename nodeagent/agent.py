"""The pods bound to this node, each with a worker of its own; and what runs here although it should not.

A pod that appears gets a worker, which adopts whatever of it runs already. A pod that is deleted stays with its worker
until nothing of it is left. A pod that merely vanishes is ended only after the API has confirmed that it is gone, and
that this is still the cluster whose containers these are: an empty answer, or the answer of another cluster, stops
nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from nodeagent import admission, clusteridentity, evictions, orphans, podstatus, staticpods
from nodeagent.admission import Refusal
from nodeagent.mirrors import StaticPods
from nodeagent.phase import FINISHED
from nodeagent.podworker import Equipment, PodWorker
from nodeagent.runtime.seen import SeenPod
from steersman.api.core import Node, Pod
from steersman.api.errors import ApiError, NotFound
from steersman.api.names import Uid
from steersman.base import log, run
from steersman.base.backoff import Backoff
from steersman.client import cache
from steersman.client.client import Client
from steersman.client.informer import Informer

RELIST_SECONDS = 60.0
"""The safety net below the engine's events."""
BETWEEN_QUESTIONS = Backoff(initial=0.5, maximum=10.0, jitter=0.5)
BETWEEN_LIVES = Backoff(initial=1.0, maximum=60.0)
GOING_DOWN = Refusal("NodeShutdown", "Pod was rejected as the node is shutting down.")

_log = log.get("agent")


class Agent:
    def __init__(
        self,
        api: Client,
        node: Informer[Node],
        pods: Informer[Pod],
        equipment: Equipment,
        *,
        cluster: str,
        name: str,
        static: StaticPods | None = None,
        pressures: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        """`pressures` are the conditions that tell what the machine is short of now."""
        self._pressures = pressures
        self._static = static
        self._api = api
        self._node = node
        self._pods = pods
        self._with = equipment
        self._cluster = cluster
        self._name = name
        self._workers: dict[Uid, PodWorker] = {}
        self._done: set[Uid] = set()
        self._suspects: set[Uid] = set()
        self._present: frozenset[Uid] = frozenset()
        self._is_closed = False

    @property
    def workers(self) -> tuple[PodWorker, ...]:
        """Of all pods that are here now."""
        return tuple(self._workers.values())

    def close(self) -> None:
        """From now on no pod is taken: the machine goes down."""
        self._is_closed = True

    async def run(self) -> None:
        """Until cancelled. ClusterChanged when the API server speaks for another cluster than before."""
        async with asyncio.TaskGroup() as tasks:
            await self._node.synced.wait()
            self._present = frozenset(seen.pod.uid for seen in await self._list())
            self._pods.on_change(lambda old, new: self._on_change(tasks, old, new))
            await self._pods.synced.wait()
            if self._static is not None:
                self._static.on_change(lambda old, new: self._on_static(tasks, old, new))
                tasks.create_task(self._static.run())
                await self._static.loaded.wait()  # else the first sweep would find what they run without an owner
            tasks.create_task(self._follow_engine(tasks))
            while True:
                await self._sweep(tasks)
                await self._with.clock.sleep(RELIST_SECONDS)

    # --- What the API says

    def _on_static(self, tasks: asyncio.TaskGroup, old: Pod | None, new: Pod | None) -> None:
        """The folder of static pods has the last word on them, and repeats it: a pod waits for its namesake to end."""
        pod = new if new is not None else old
        if pod is None:
            return
        worker = self._workers.get(Uid(pod.metadata.uid))
        if new is None:
            if worker is not None:
                worker.vanish()
        elif worker is not None:
            if old is not None:
                worker.retell()
        elif not self._is_closed and cache.key_of(pod) not in [cache.key_of(each.pod) for each in self.workers]:
            self._begin(tasks, PodWorker(pod, self._with))

    def _on_change(self, tasks: asyncio.TaskGroup, old: Pod | None, new: Pod | None) -> None:
        if any(pod is not None and staticpods.is_mirror(pod) for pod in (old, new)):
            return
        if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
            self._done.discard(Uid(old.metadata.uid))
            leaving = self._workers.get(Uid(old.metadata.uid))
            if leaving is not None and not leaving.is_leaving:
                tasks.create_task(self._confirm_gone(old))
        if new is None or Uid(new.metadata.uid) in self._done:
            return
        worker = self._workers.get(Uid(new.metadata.uid))
        if worker is not None:
            worker.update(new)
        elif self._is_welcome(new):
            self._begin(tasks, PodWorker(new, self._with))

    def _is_welcome(self, pod: Pod) -> bool:
        """What already runs here, has ended or is to end is not asked whether it fits."""
        meta = pod.metadata
        settled = pod.status.phase in FINISHED or meta.deletion_timestamp is not None
        node = self._node.cache.get(cache.ObjectKey("", self._name))
        if settled or node is None or Uid(meta.uid) in self._present:
            return True
        others = [worker.pod for worker in self._workers.values()]
        refusal = GOING_DOWN if self._is_closed else evictions.refusal(pod, self._pressures())
        refusal = refusal or admission.admit(pod, node, others)
        if refusal is None:
            return True
        _log.info("pod refused", pod=str(cache.key_of(pod)), reason=refusal.reason, message=refusal.message)
        self._with.recorder.warning(pod, refusal.reason, refusal.message)
        self._with.reporter.offer(pod, podstatus.refused(pod, refusal, self._with.clock.now()))
        return False

    async def _confirm_gone(self, pod: Pod) -> None:
        """Ask the store itself, as long as it takes to get an answer."""
        uid = Uid(pod.metadata.uid)
        if await self._is_gone(uid, pod.metadata.namespace, pod.metadata.name):
            worker = self._workers.get(uid)
            if worker is not None:
                worker.vanish()

    async def _is_gone(self, uid: Uid, namespace: str, name: str) -> bool:
        failures = 0
        while True:
            try:
                await clusteridentity.confirm(self._api, self._cluster)
                found = await self._api.of(Pod).get(name, namespace)
                return found.metadata.uid != uid or found.spec.node_name != self._name
            except NotFound:
                return True
            except ApiError as error:
                _log.info("cannot confirm that a pod is gone", pod=f"{namespace}/{name}", reason=error.message)
            await self._with.clock.sleep(BETWEEN_QUESTIONS.delay(failures))
            failures += 1

    # --- Workers

    def _begin(self, tasks: asyncio.TaskGroup, worker: PodWorker) -> None:
        self._workers[worker.uid] = worker
        tasks.create_task(self._work(worker))

    async def _work(self, worker: PodWorker) -> None:
        """A mistake of ours in one pod must not take the node down: it is told, and the pod gets a fresh start."""
        failures = 0
        while True:
            try:
                await worker.run()
                break
            except ExceptionGroup as error:
                for leaf in run.leaves(error):
                    _log.error("pod worker failed", uid=worker.uid, **run.describe(leaf))
            await self._with.clock.sleep(BETWEEN_LIVES.delay(failures))
            failures += 1
        del self._workers[worker.uid]
        self._done.add(worker.uid)
        self._with.reporter.drop(worker.uid)
        if self._pods.cache.get(cache.key_of(worker.pod)) is None:
            self._done.discard(worker.uid)

    # --- What the engine says

    async def _follow_engine(self, tasks: asyncio.TaskGroup) -> None:
        async with aclosing(self._with.runtime.events()) as wakes:
            async for wake in wakes:
                if wake.uid is None:
                    await self._restore()
                    await self._sweep(tasks)
                elif wake.uid in self._workers:
                    self._workers[wake.uid].wake()

    async def _restore(self) -> None:
        """The engine may have been restarted, or wiped: see that it has what pods need."""
        try:
            await self._with.runtime.prepare()
        except ApiError as error:
            _log.warning("the engine is not ready", error=error.reason, reason=error.message)

    async def _sweep(self, tasks: asyncio.TaskGroup) -> None:
        """Wake everybody; and find what nobody looks after."""
        for worker in self._workers.values():
            worker.wake()
        for seen in await self._list():
            uid = seen.pod.uid
            if uid not in self._workers and uid not in self._suspects and not self._is_listed(seen):
                self._suspects.add(uid)
                tasks.create_task(self._end_orphan(tasks, seen))

    def _is_listed(self, seen: SeenPod) -> bool:
        pod = self._pods.cache.get(cache.ObjectKey(seen.pod.namespace, seen.pod.name))
        return pod is not None and pod.metadata.uid == seen.pod.uid

    async def _end_orphan(self, tasks: asyncio.TaskGroup, seen: SeenPod) -> None:
        """Our copy does not know the pod, but it may be behind: the store has the last word."""
        uid = seen.pod.uid
        try:
            gone = await self._is_gone(uid, seen.pod.namespace, seen.pod.name)
        finally:
            self._suspects.discard(uid)
        if gone and uid not in self._workers:
            _log.info("stopping what is no longer in the API", uid=uid, pod=seen.pod.name)
            worker = PodWorker(orphans.pod_of(seen), self._with)
            worker.vanish()
            self._begin(tasks, worker)

    async def _list(self) -> tuple[SeenPod, ...]:
        failures = 0
        while True:
            try:
                return await self._with.runtime.list_pods()
            except ApiError as error:
                _log.warning("cannot list what runs here", error=error.reason, reason=error.message)
            await self._with.clock.sleep(BETWEEN_QUESTIONS.delay(failures))
            failures += 1
