"""What the pods of other nodes have to do with it: topology spread, affinity and anti-affinity between pods.

Everything here is a *tally*: pods of certain classes counted per domain (zone, host, …) of one topology key. A tally
follows the cluster node by node. Nodes that lie alike in all tallies of a pod form a *place*, and are judged together:
a place names, per tally, its domain; or, where no two nodes share a domain, just the count in it, so that a thousand
hosts with equally many pods are one place and not a thousand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from controller_manager.scheduler import filters, reasons, tallies
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.reasons import Change, Reason
from controller_manager.scheduler.requirements import Requirements
from controller_manager.scheduler.snapshot import NodeView, Snapshot
from controller_manager.scheduler.tallies import Role, Tally

Place = tuple[str | int | None, ...]
"""Per tally: the domain, or the count where domains are single nodes, or None without the label."""

_PODS = {Change.POD_PLACED, Change.POD_LEFT, Change.POD_LABELED, Change.NODE_LABELED}
SKEWED = reasons.preemptable("node(s) didn't match pod topology spread constraints", cured_by=_PODS)
UNLABELED = reasons.final(
    "node(s) didn't match pod topology spread constraints (missing required label)", cured_by={Change.NODE_LABELED}
)
ALONE = reasons.final("node(s) didn't match pod affinity rules", cured_by=_PODS)
CROWDED = reasons.preemptable("node(s) didn't match pod anti-affinity rules", cured_by=_PODS)
UNWELCOME = reasons.preemptable("node(s) didn't satisfy existing pods anti-affinity rules", cured_by=_PODS)

BEST = 100
_WEIGHT = 2
"""Of spread and of affinity between pods, beside the scores of the node itself."""


class Topology:
    """All tallies of one class of pods over one snapshot, kept up node by node."""

    def __init__(self, pod: Requirements, snapshot: Snapshot, hooks: Hooks) -> None:
        self._pod = pod
        self.tallies = tuple(tallies.of(pod, snapshot, hooks))
        self._keys = {tally.key for tally in self.tallies if tally.spread and tally.role is Role.SPREAD}
        self._soft_keys = {tally.key for tally in self.tallies if tally.role is Role.PREFERRED_SPREAD}
        self._matches_itself = all(term.matches(pod.namespace, pod.labels, hooks.namespaces) for term in pod.affinity)
        if not self.tallies:
            return
        for node in snapshot:
            self.update(None, node)
        for tally in self.tallies:
            tally.single = all(count == 1 for count in tally.members.values())

    def update(self, old: NodeView | None, new: NodeView | None) -> bool:
        """Follow one node. True: a domain that had one node has got a second, so places must be formed anew."""
        shared = False
        for tally in self.tallies:
            left = None if old is None else self._domain(tally, old)
            came = None if new is None else self._domain(tally, new)
            moved = int(left != came)
            if old is not None and left is not None:
                tally.add(left, -tally.contribution(old), -moved)
            if new is not None and came is not None:
                tally.add(came, tally.contribution(new), moved)
                shared = shared or (tally.single and tally.members[came] > 1)
        return shared

    def place(self, node: NodeView) -> Place:
        labels = node.known.labels
        if not self.tallies:
            return ()
        found: list[str | int | None] = []
        for tally in self.tallies:
            domain = labels.get(tally.key)
            found.append(tally.counts.get(domain, 0) if tally.single and domain is not None else domain)
        return tuple(found)

    def with_changed(self, old: NodeView, new: NodeView) -> Reason | None:
        """The verdict on a node as if its pods were others. For a moment the tallies say so too."""
        self.update(old, new)
        try:
            return self.refusal(self.place(new))
        finally:
            self.update(new, old)

    def refusal(self, place: Place) -> Reason | None:
        """In Kubernetes' order: spread, affinity, anti-affinity, the anti-affinity of those already there."""
        if not place:
            return None
        alone = False
        verdict: dict[Role, Reason] = {}
        for tally, where in zip(self.tallies, place, strict=True):
            count = self._count(tally, where)
            match tally.role:
                case Role.SPREAD:
                    if (reason := self._skew(tally, where, count)) is not None:
                        return reason
                case Role.AFFINITY:
                    if where is None:
                        verdict[Role.AFFINITY] = ALONE
                    alone = alone or count <= 0
                case Role.ANTI_AFFINITY if count > 0:
                    verdict[Role.ANTI_AFFINITY] = CROWDED
                case Role.EXISTING_ANTI_AFFINITY if count > 0:
                    verdict[Role.EXISTING_ANTI_AFFINITY] = UNWELCOME
        if alone and not self._may_be_first():
            verdict[Role.AFFINITY] = ALONE
        for role in (Role.AFFINITY, Role.ANTI_AFFINITY, Role.EXISTING_ANTI_AFFINITY):
            if role in verdict:
                return verdict[role]
        return None

    def scores(self, places: Sequence[Place]) -> list[int]:
        """How good each of the places is beside the others, scaled over them as Kubernetes does."""
        if not any(tally.role in (Role.PREFERRED_SPREAD, Role.PREFERENCE) for tally in self.tallies):
            return [0] * len(places)
        spread = _inverted([self._crowd(place) for place in places])
        liking = _stretched([self._liking(place) for place in places])
        return [_WEIGHT * (evenness + pull) for evenness, pull in zip(spread, liking, strict=True)]

    def _domain(self, tally: Tally, node: NodeView) -> str | None:
        facts, term = node.known, tally.spread
        if term is not None:
            keys = self._keys if tally.role is Role.SPREAD else self._soft_keys
            if not keys <= facts.labels.keys():
                return None
            if term.honors_affinity and not self._pod.accepts(node.name, facts.labels):
                return None
            if term.honors_taints and filters.taints(self._pod, node) is not None:
                return None
        return facts.labels.get(tally.key)

    def _count(self, tally: Tally, where: str | int | None) -> int:
        if where is None:
            return 0
        return where if isinstance(where, int) else tally.counts.get(where, 0)

    def _skew(self, tally: Tally, where: str | int | None, count: int) -> Reason | None:
        term = tally.spread
        assert term is not None
        if where is None:
            return UNLABELED
        own = 1 if term.matches(self._pod.labels) else 0
        return SKEWED if count + own - tally.lowest(term) > term.max_skew else None

    def _may_be_first(self) -> bool:
        """A pod that wants its own kind nearby must be allowed to come first."""
        if not self._matches_itself:
            return False
        return not any(
            count for tally in self.tallies if tally.role is Role.AFFINITY for count in tally.counts.values()
        )

    def _crowd(self, place: Place) -> float | None:
        total, any_spread = 0.0, False
        for tally, where in zip(self.tallies, place, strict=True):
            if tally.role is Role.PREFERRED_SPREAD and tally.spread is not None:
                if where is None:
                    return None
                any_spread = True
                weight = math.log(len(tally.counts) + 2)
                total += self._count(tally, where) * weight + tally.spread.max_skew - 1
        return round(total) if any_spread else None

    def _liking(self, place: Place) -> int:
        return sum(
            self._count(tally, where)
            for tally, where in zip(self.tallies, place, strict=True)
            if tally.role is Role.PREFERENCE
        )


def _inverted(crowds: Sequence[float | None]) -> list[int]:
    """The emptiest gets the most. None, a place outside the spread, gets nothing."""
    counted = [crowd for crowd in crowds if crowd is not None]
    if not counted:
        return [0] * len(crowds)
    least, most = min(counted), max(counted)
    return [0 if crowd is None else BEST if not most else int(BEST * (most + least - crowd) / most) for crowd in crowds]


def _stretched(likings: Sequence[int]) -> list[int]:
    least, most = min(likings, default=0), max(likings, default=0)
    return [BEST * (liking - least) // (most - least) if most > least else 0 for liking in likings]
