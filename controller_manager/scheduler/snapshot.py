"""A frozen view of the nodes, the pods on them, and what those pods take.

A snapshot never changes: each change gives a new one that shares everything else with the old. Nodes lie in a fixed
number of shards, so that a change copies one shard and one node, not the cluster; and two snapshots are compared by
looking only where they are not the same object. So anybody may keep one, and ask later what has changed since.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from controller_manager.scheduler import requirements
from controller_manager.scheduler.requirements import PODS, Amounts, Requirements
from steersman.api.core import Node, Pod, Taint

_SHARDS = 128

Key = TypeVar("Key")


class Resident(NamedTuple):
    """One pod on a node."""

    namespace: str
    name: str
    uid: str
    requirements: Requirements
    started: str
    """When it began, RFC 3339; empty: not yet."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What a Node object says that scheduling looks at. A heartbeat leaves it equal."""

    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    allocatable: Amounts = field(default_factory=dict)
    images: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node with its pods. `facts` None: pods name the node, but it is not there (yet)."""

    name: str
    facts: NodeFacts | None = None
    pods: Mapping[str, Resident] = field(default_factory=dict)
    requested: Amounts = field(default_factory=dict)
    weighed: tuple[int, int] = (0, 0)
    classes: Mapping[Requirements, int] = field(default_factory=dict)

    @property
    def known(self) -> NodeFacts:
        """The facts of a node that is there."""
        assert self.facts is not None
        return self.facts

    def with_resident(self, resident: Resident) -> NodeView:
        if resident.uid in self.pods:
            return self.without(resident.uid).with_resident(resident)
        return self._changed({**self.pods, resident.uid: resident}, resident.requirements, 1)

    def without(self, uid: str) -> NodeView:
        resident = self.pods.get(uid)
        if resident is None:
            return self
        return self._changed({key: pod for key, pod in self.pods.items() if key != uid}, resident.requirements, -1)

    def _changed(self, pods: Mapping[str, Resident], each: Requirements, sign: int) -> NodeView:
        requested = dict(self.requested)
        for name, amount in each.requests.items():
            _add(requested, name, sign * amount)
        classes = dict(self.classes)
        _add(classes, each, sign)
        weighed = (self.weighed[0] + sign * each.weighed[0], self.weighed[1] + sign * each.weighed[1])
        return NodeView(self.name, self.facts, pods, requested, weighed, classes)


Shard = Mapping[str, NodeView]


class Difference(NamedTuple):
    """One node before and after. None: it was not, or is no longer, there."""

    old: NodeView | None
    new: NodeView | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    shards: tuple[Shard, ...] = ({},) * _SHARDS
    size: int = 0
    """How many nodes there are, not counting those that only pods name."""
    opinionated: Mapping[Requirements, int] = field(default_factory=dict)
    """The classes of placed pods that mind their neighbours, and how many pods of each there are."""

    def node(self, name: str) -> NodeView | None:
        """None also for a node that only pods name."""
        view = self._view(name)
        return None if view is None or view.facts is None else view

    def __iter__(self) -> Iterator[NodeView]:
        return (view for shard in self.shards for view in shard.values() if view.facts is not None)

    def changes_since(self, old: Snapshot) -> Iterator[Difference]:
        for before, after in zip(old.shards, self.shards, strict=True):
            if before is after:
                continue
            came = 0
            for name, view in after.items():
                former = before.get(name)
                if former is not view:
                    came += former is None
                    yield Difference(_present(former), _present(view))
            if len(before) + came > len(after):
                for name in before.keys() - after.keys():
                    yield Difference(_present(before[name]), None)

    def with_node(self, node: Node) -> Snapshot:
        name, facts = node.metadata.name, facts_of(node)
        view = self._view(name) or NodeView(name)
        return self if view.facts == facts else self._put(replace(view, facts=facts))

    def without_node(self, name: str) -> Snapshot:
        view = self._view(name)
        return self if view is None or view.facts is None else self._put(replace(view, facts=None))

    def with_pod(self, pod: Pod, node: str = "") -> Snapshot:
        """The pod on `node`, or on the one that it names. Whatever was known of it on that node is replaced."""
        name = node or pod.spec.node_name
        view = self._view(name) or NodeView(name)
        resident = resident_of(pod)
        former = view.pods.get(pod.metadata.uid)
        return self if former == resident else self._replace(view.with_resident(resident), former, resident)

    def without_pod(self, uid: str, node: str) -> Snapshot:
        view = self._view(node)
        former = None if view is None else view.pods.get(uid)
        return self if view is None or former is None else self._replace(view.without(uid), former, None)

    def _view(self, name: str) -> NodeView | None:
        return self.shards[_shard_of(name)].get(name)

    def _replace(self, view: NodeView, left: Resident | None, came: Resident | None) -> Snapshot:
        """`view` put in place, one pod of which has changed."""
        opinionated: dict[Requirements, int] | None = None
        for resident, sign in ((left, -1), (came, 1)):
            if resident is not None and resident.requirements.minds_neighbours:
                opinionated = dict(self.opinionated) if opinionated is None else opinionated
                _add(opinionated, resident.requirements, sign)
        return self._put(view) if opinionated is None else replace(self, opinionated=opinionated)._put(view)

    def _put(self, view: NodeView) -> Snapshot:
        index = _shard_of(view.name)
        shard = dict(self.shards[index])
        old = shard.pop(view.name, None)
        if view.facts is not None or view.pods:
            shard[view.name] = view
        grown = (view.facts is not None) - (old is not None and old.facts is not None)
        shards = (*self.shards[:index], shard, *self.shards[index + 1 :])
        return replace(self, shards=shards, size=self.size + grown)


def of(nodes: Iterable[Node], pods: Iterable[Pod] = ()) -> Snapshot:
    """From scratch; pods without a node, and finished ones, take no room and are left out."""
    snapshot = Snapshot()
    for node in nodes:
        snapshot = snapshot.with_node(node)
    for pod in pods:
        if takes_room(pod):
            snapshot = snapshot.with_pod(pod)
    return snapshot


def takes_room(pod: Pod) -> bool:
    return bool(pod.spec.node_name) and pod.status.phase not in ("Succeeded", "Failed")


def resident_of(pod: Pod) -> Resident:
    meta = pod.metadata
    return Resident(meta.namespace, meta.name, meta.uid, requirements.of(pod), pod.status.start_time or "")


def facts_of(node: Node) -> NodeFacts:
    return NodeFacts(
        labels=node.metadata.labels,
        taints=node.spec.taints,
        unschedulable=node.spec.unschedulable,
        allocatable={PODS: 0, **requirements.amounts(node.status.allocatable)},
        images={name: image.size_bytes for image in node.status.images for name in image.names or ()},
    )


def _present(view: NodeView | None) -> NodeView | None:
    return None if view is None or view.facts is None else view


def _add(amounts: dict[Key, int], key: Key, amount: int) -> None:
    total = amounts.get(key, 0) + amount
    if total:
        amounts[key] = total
    else:
        amounts.pop(key, None)


def _shard_of(name: str) -> int:
    return zlib.crc32(name.encode()) % _SHARDS
