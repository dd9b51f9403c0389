"""Notice nodes that fall silent or say that they are not well, mark them, and let their pods go: the thin part.

Reads Nodes, Leases and Pods (index: node). Writes Node status and taints, and the Ready condition of pods whose node is
not ready. `heartbeats` says who is silent, `health` what is then said of a node, `zones` how fast nodes are given up;
pods leave because of the taints: see `tainteviction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from controller_manager import pods
from controller_manager.controllers.nodelifecycle import health, heartbeats, zones
from controller_manager.controllers.nodelifecycle.health import Permission
from controller_manager.controllers.nodelifecycle.heartbeats import Heartbeats, Timing
from controller_manager.controllers.nodelifecycle.zones import Rates, Zones
from controller_manager.recording import Recorder
from steersman.api import times
from steersman.api.coordination import Lease
from steersman.api.core import Node, Pod
from steersman.api.errors import NotFound
from steersman.api.part import Time
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.control import batches
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

LEASES = "kube-node-lease"
LOOK_AGAIN_SECONDS = 1.0
"""At nodes that are not ready, as what their zone allows may change."""
SHORTEST_WAIT_SECONDS = 0.2


def unready(pod: Pod, now: Time) -> Pod:
    """The pod, no longer ready. Whoever runs it says so again when its node is back."""
    conditions = tuple(
        replace(each, status="False", last_transition_time=now) if each.type == "Ready" else each
        for each in pod.status.conditions
    )
    return replace(pod, status=replace(pod.status, conditions=conditions))


class NodeLifecycleController:
    """The cache of Pods has the index `pods.BY_NODE`; `node_changed` and `lease_changed` are to be told all changes."""

    name = "nodelifecycle"

    def __init__(
        self,
        nodes: Tracked[Node],
        leases: Tracked[Lease],
        pods_written: Tracked[Pod],
        *,
        node_cache: Cache[Node],
        lease_cache: Cache[Lease],
        pod_cache: Cache[Pod],
        recorder: Recorder,
        clock: Clock,
        timing: Timing = heartbeats.USUAL,
        rates: Rates = zones.USUAL,
    ) -> None:
        self._nodes = nodes
        self._leases = leases
        self._pods = pods_written
        self._node_cache = node_cache
        self._lease_cache = lease_cache
        self._pod_cache = pod_cache
        self._recorder = recorder
        self._clock = clock
        self._timing = timing
        self._heartbeats = Heartbeats()
        self._zones = Zones(rates)
        self._registered = {node.metadata.name for node in node_cache.list()}
        self._told: set[str] = set()
        """Nodes of whose present trouble their pods know."""

    # -- what is seen as it happens

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        self._zones.changed(old, new)
        if new is None and old is not None:
            self._remove(old)
        elif new is not None and (old is None or _reported_at(old) != _reported_at(new)):
            self._heartbeats.heard(new.metadata.name)
        if new is not None and new.metadata.name not in self._registered:
            name = new.metadata.name
            self._registered.add(name)
            self._recorder.normal(new, "RegisteredNode", f"Node {name} event: Registered Node {name} in Controller")

    def _remove(self, node: Node) -> None:
        name = node.metadata.name
        self._heartbeats.forget(name)
        self._told.discard(name)
        self._registered.discard(name)
        self._recorder.normal(node, "RemovingNode", f"Node {name} event: Removing Node {name} from Controller")

    def lease_changed(self, old: Lease | None, new: Lease | None) -> None:
        if new is not None:
            node = new.metadata.name if new.metadata.namespace == LEASES else ""
            self._heartbeats.lease_changed(node, self._clock.monotonic())

    # -- one node

    async def reconcile(self, key: ObjectKey) -> Outcome:
        node = self._node_cache.get(key)
        if node is None:
            return DONE
        left = self._grace_seconds(node) - self._heartbeats.silence_seconds(key.name)
        try:
            if left <= 0 and await self._give_up(node):
                return DONE  # that is seen soon and wakes us; only then its zone counts one more lost
            return await self._attend(node, left)
        except NotFound:
            return DONE  # gone is success

    async def _attend(self, node: Node, left: float) -> Outcome:
        wait = await self._retaint(node)
        if health.readiness(node) in (health.FALSE, health.UNKNOWN):
            await self._tell_pods(node)
            return After(min(wait, LOOK_AGAIN_SECONDS))
        self._told.discard(node.metadata.name)
        return After(max(left, SHORTEST_WAIT_SECONDS))

    def _grace_seconds(self, node: Node) -> float:
        if not health.readiness(node):
            return self._timing.startup_seconds
        return self._timing.grace_among(len(self._node_cache))

    async def _give_up(self, node: Node) -> bool:
        """Say that nothing is known of the node any more; False if that was said, or if it turns out to be alive."""
        changed = health.silent(node, self._clock.now())
        if changed == node or await self._is_alive(node):
            return False
        await self._nodes.update_status(changed)
        if health.readiness(node) == health.TRUE:
            name = node.metadata.name
            self._recorder.normal(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady")
        return True

    async def _is_alive(self, node: Node) -> bool:
        """A verdict of this weight is not passed on a cached Lease."""
        name = node.metadata.name
        cached = self._lease_cache.get(ObjectKey(LEASES, name))
        try:
            present = await self._leases.get(name, LEASES)
        except NotFound:
            return False
        return cached is None or cached.spec.renew_time != present.spec.renew_time

    async def _retaint(self, node: Node) -> float:
        """How long to wait until pods may leave the node, if they may not yet."""
        wait, permission = LOOK_AGAIN_SECONDS, Permission.LATER
        if self._zones.is_called_off():
            permission = Permission.CANCELLED
        elif health.needs_permission(node):
            permission, wait = self._zones.ask(node, self._clock.monotonic())
        changed = health.tainted(node, permission, self._clock.now())
        if changed is not node:
            await self._nodes.update(changed)
        return max(wait, SHORTEST_WAIT_SECONDS)

    # -- its pods

    async def _tell_pods(self, node: Node) -> None:
        """A node that is silent cannot say that its pods are not ready; one that speaks is contradicted only once."""
        name = node.metadata.name
        if name in self._told and health.readiness(node) == health.FALSE:
            return
        running: Sequence[Pod] = self._pod_cache.by_index(pods.BY_NODE, name)
        await batches.slow_start([partial(self._tell, pod) for pod in running if pods.is_ready(pod)])
        self._told.add(name)

    async def _tell(self, pod: Pod) -> None:
        try:
            await self._pods.update_status(unready(pod, times.from_datetime(self._clock.now())))
        except NotFound:
            return
        self._recorder.warning(pod, "NodeNotReady", "Node is not ready")


def _reported_at(node: Node) -> object:
    """Changes with every report of the node itself, and with nothing that we write."""
    return next((each.last_heartbeat_time for each in node.status.conditions if each.type == health.READY), None)
