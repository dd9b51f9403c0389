"""Pods with equal requirements share one feasibility result, so a thousand pods of one template cost one full pass.

`Candidates` keeps, for one class of pods, every node judged and the good ones in heaps, best first, one heap per place
(see `topology`). When the cluster has moved on, only the nodes that changed are judged again: a decision costs the same
among a hundred nodes and among five thousand. A class that comes for the first time judges only as many nodes as it
needs to choose well, and the rest bit by bit with the pods that follow; it calls a pod unplaceable only after all.
"""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

from controller_manager.scheduler import filters, scores, tallies
from controller_manager.scheduler.filters import WRONG_NODE, Hooks
from controller_manager.scheduler.reasons import Reason
from controller_manager.scheduler.requirements import Requirements
from controller_manager.scheduler.snapshot import NodeView, Snapshot
from controller_manager.scheduler.topology import Place, Topology

Random = Callable[[], float]

ENOUGH = 100
"""Nodes that fit among which a first choice is good enough."""
_STEP = 50
"""Further nodes judged with each decision, until none is left."""
_CLASSES = 256
_STALE_ALLOWED = 64


@dataclass(frozen=True, slots=True)
class Chosen:
    node: str


@dataclass(frozen=True, slots=True)
class Unplaceable:
    """No node will do. `why` counts the reasons, `nodes` is how many nodes there are."""

    why: Counter[Reason]
    nodes: int


class _Judged(NamedTuple):
    stamp: int
    place: Place
    reason: Reason | None


class _Ranked(NamedTuple):
    """Of nodes equally good, chance decides."""

    cost: int
    chance: float
    stamp: int
    node: str


@dataclass(slots=True)
class _Heap:
    """The nodes of one place that pass the filters of the node itself. May hold entries that are out of date."""

    ranked: list[_Ranked] = field(default_factory=list)
    size: int = 0


class Candidates:
    """What is known of every node for one class of pods, as of one snapshot."""

    topology: Topology
    _snapshot: Snapshot
    _concerns: frozenset[tuple[tallies.Role, str]]

    def __init__(self, pod: Requirements, snapshot: Snapshot, hooks: Hooks, random: Random) -> None:
        self._pod, self._hooks, self._random = pod, hooks, random
        self._stamps = count()
        self._only = pod.only_nodes()
        self._start(snapshot)

    def follow(self, snapshot: Snapshot) -> None:
        """Bring the result up to `snapshot`, at the cost of what has changed."""
        before, self._snapshot = self._snapshot, snapshot
        if before is snapshot:
            return
        if snapshot.opinionated is not before.opinionated and self._concerns != self._concerns_in(snapshot):
            self._start(snapshot)
            return
        for old, new in snapshot.changes_since(before):
            if self.topology.update(old, new):
                self._start(snapshot)
                return
            name = (new or old or _NOWHERE).name
            if name in self._judged or (old is None and new is not None):
                self._forget(name)
                if new is not None:
                    self._judge(new)

    def choose(self) -> Chosen | Unplaceable:
        self._widen(_STEP)
        while True:
            best = self._best()
            if best is not None:
                return Chosen(best)
            if self._complete:
                return Unplaceable(self._why(), self._snapshot.size)
            self._widen(ENOUGH)

    def refusals(self) -> Iterator[tuple[NodeView, Reason]]:
        """Every node that will not do, and why."""
        while not self._complete:
            self._widen(ENOUGH)
        for node in self._snapshot:
            judged = self._judged.get(node.name)
            reason = WRONG_NODE if judged is None else judged.reason or self.topology.refusal(judged.place)
            if reason is not None:
                yield node, reason

    def _start(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._concerns = self._concerns_in(snapshot)
        self.topology = Topology(self._pod, snapshot, self._hooks)
        self._judged: dict[str, _Judged] = {}
        self._heaps: dict[Place, _Heap] = {}
        self._refused: Counter[Reason] = Counter()
        self._fitting = 0
        turn = int(self._random() * len(snapshot.shards))
        shards = (*snapshot.shards[turn:], *snapshot.shards[:turn])
        self._unjudged = chain.from_iterable(shards) if self._only is None else iter(sorted(self._only))
        self._complete = False

    def _concerns_in(self, snapshot: Snapshot) -> frozenset[tuple[tallies.Role, str]]:
        return tallies.concerns(self._pod, snapshot, self._hooks)

    def _widen(self, nodes: int) -> None:
        """Judge some more nodes: `nodes` of them, or until there are enough that fit, whichever is more."""
        while not self._complete and (nodes > 0 or self._fitting < ENOUGH):
            name = next(self._unjudged, None)
            self._complete = name is None
            nodes -= 1
            node = None if name is None else self._snapshot.node(name)
            if node is not None and node.name not in self._judged:
                self._judge(node)

    def _judge(self, node: NodeView) -> None:
        if self._only is not None and node.name not in self._only:
            return
        reason = filters.refusal(self._pod, node, self._hooks)
        place = self.topology.place(node)
        judged = self._judged[node.name] = _Judged(next(self._stamps), place, reason)
        if reason is not None:
            self._refused[reason] += 1
            return
        heap = self._heaps.setdefault(place, _Heap())
        heap.size += 1
        self._fitting += 1
        cost = -scores.score(self._pod, node)
        heapq.heappush(heap.ranked, _Ranked(cost, self._random(), judged.stamp, node.name))
        if len(heap.ranked) > 2 * heap.size + _STALE_ALLOWED:
            heap.ranked = [each for each in heap.ranked if self._is_current(each)]
            heapq.heapify(heap.ranked)

    def _forget(self, name: str) -> None:
        judged = self._judged.pop(name, None)
        if judged is None:
            return
        if judged.reason is not None:
            self._refused[judged.reason] -= 1
            return
        self._fitting -= 1
        heap = self._heaps[judged.place]
        heap.size -= 1
        if not heap.size:
            del self._heaps[judged.place]

    def _best(self) -> str | None:
        open_places = [place for place in self._heaps if self.topology.refusal(place) is None]
        best: tuple[int, float, str] | None = None
        for place, bonus in zip(open_places, self.topology.scores(open_places), strict=True):
            top = self._top(self._heaps[place])
            offer = (top.cost - bonus, top.chance, top.node)
            best = offer if best is None else min(best, offer)
        return None if best is None else best[2]

    def _top(self, heap: _Heap) -> _Ranked:
        while not self._is_current(heap.ranked[0]):
            heapq.heappop(heap.ranked)
        return heap.ranked[0]

    def _is_current(self, ranked: _Ranked) -> bool:
        judged = self._judged.get(ranked.node)
        return judged is not None and judged.stamp == ranked.stamp

    def _why(self) -> Counter[Reason]:
        why = +self._refused
        for place, heap in self._heaps.items():
            reason = self.topology.refusal(place)
            if reason is not None:
                why[reason] += heap.size
        elsewhere = self._snapshot.size - len(self._judged)
        if elsewhere:
            why[WRONG_NODE] += elsewhere
        return why


_NOWHERE = NodeView("")


class Equivalence:
    """The candidates of the classes that were asked for last."""

    def __init__(self, hooks: Hooks | None = None, *, classes: int = _CLASSES) -> None:
        self._hooks = hooks or Hooks()
        self._classes = classes
        self._known: OrderedDict[Requirements, Candidates] = OrderedDict()

    def candidates(self, pod: Requirements, snapshot: Snapshot, random: Random) -> Candidates:
        known = self._known.get(pod)
        if known is None:
            known = self._known[pod] = Candidates(pod, snapshot, self._hooks, random)
            if len(self._known) > self._classes:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(pod)
            known.follow(snapshot)
        return known

    def choose(self, pod: Requirements, snapshot: Snapshot, random: Random) -> Chosen | Unplaceable:
        return self.candidates(pod, snapshot, random).choose()

    def forget(self) -> None:
        """Judge everything afresh: the labels of namespaces have changed."""
        self._known.clear()

    def forget_claimants(self) -> None:
        """Judge pods that claim volumes afresh: what their claims come to has changed."""
        for pod in [pod for pod in self._known if pod.claims]:
            del self._known[pod]
