"""Pods of certain classes counted per domain (zone, host, …) of one topology key, and which counts a pod needs.

All that pods of other nodes have to do with a decision is a tally: spread, affinity, anti-affinity and preferences, the
pod's own and those of the pods already placed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.requirements import Requirements
from controller_manager.scheduler.snapshot import NodeView, Snapshot
from controller_manager.scheduler.terms import PodTerm, SpreadTerm

Weigh = Callable[[Requirements], int]
_HARD_AFFINITY_WEIGHT = 1
"""How much it draws a pod that placed pods require its like nearby."""


class Role(Enum):
    SPREAD = auto()
    PREFERRED_SPREAD = auto()
    AFFINITY = auto()
    ANTI_AFFINITY = auto()
    EXISTING_ANTI_AFFINITY = auto()
    PREFERENCE = auto()


@dataclass(slots=True)
class Tally:
    role: Role
    key: str
    weigh: Callable[[Requirements], int]
    spread: SpreadTerm | None = None
    single: bool = False
    """No two nodes share a domain."""
    counts: dict[str, int] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    _weights: dict[Requirements, int] = field(default_factory=dict)
    _spectrum: dict[int, int] = field(default_factory=dict)

    def contribution(self, node: NodeView) -> int:
        total = 0
        for each, count in node.classes.items():
            weight = self._weights.get(each)
            if weight is None:
                weight = self._weights[each] = self.weigh(each)
            total += weight * count
        return total

    def add(self, domain: str, amount: int, member: int) -> None:
        """A node's pods come to `amount`; `member` is 1 if the node came, -1 if it left, else 0."""
        old = self.counts.get(domain)
        if old is not None:
            self._note(old, -1)
        self.members[domain] = self.members.get(domain, 0) + member
        if not self.members[domain]:
            del self.members[domain]
            self.counts.pop(domain, None)
            return
        self.counts[domain] = new = (old or 0) + amount
        self._note(new, 1)

    def lowest(self, term: SpreadTerm) -> int:
        if len(self.counts) < term.min_domains:
            return 0
        return min(self._spectrum, default=0)

    def _note(self, count: int, sign: int) -> None:
        number = self._spectrum.get(count, 0) + sign
        if number:
            self._spectrum[count] = number
        else:
            del self._spectrum[count]


def of(pod: Requirements, snapshot: Snapshot, hooks: Hooks) -> Iterator[Tally]:
    """Every tally that decides about pods of this class. All start empty."""
    for role, constraints in ((Role.SPREAD, pod.spread), (Role.PREFERRED_SPREAD, pod.preferred_spread)):
        for constraint in constraints:
            yield Tally(role, constraint.topology_key, _spread_weight(pod, constraint), spread=constraint)

    def matches_all(other: Requirements) -> int:
        return int(all(_matches(term, other, hooks) for term in pod.affinity))

    for key in dict.fromkeys(term.topology_key for term in pod.affinity):
        yield Tally(Role.AFFINITY, key, matches_all)
    for term in pod.anti_affinity:
        yield Tally(Role.ANTI_AFFINITY, term.topology_key, _term_weight(term, 1, hooks))
    for wish in pod.preferences:
        yield Tally(Role.PREFERENCE, wish.term.topology_key, _term_weight(wish.term, wish.weight, hooks))
    for role, key in sorted(concerns(pod, snapshot, hooks), key=lambda found: (found[0].value, found[1])):
        yield Tally(role, key, _existing_weight(pod, role, key, hooks))


def concerns(pod: Requirements, snapshot: Snapshot, hooks: Hooks) -> frozenset[tuple[Role, str]]:
    """What the pods already placed have to say about this one: by role and topology key."""
    return frozenset(
        (role, term.topology_key)
        for other in snapshot.opinionated
        for role, _, term in _opinions(other)
        if _matches(term, pod, hooks)
    )


def _opinions(other: Requirements) -> Iterator[tuple[Role, int, PodTerm]]:
    for term in other.anti_affinity:
        yield Role.EXISTING_ANTI_AFFINITY, 1, term
    for term in other.affinity:
        yield Role.PREFERENCE, _HARD_AFFINITY_WEIGHT, term
    for wish in other.preferences:
        yield Role.PREFERENCE, wish.weight, wish.term


def _matches(term: PodTerm, pod: Requirements, hooks: Hooks) -> bool:
    return term.matches(pod.namespace, pod.labels, hooks.namespaces)


def _spread_weight(pod: Requirements, constraint: SpreadTerm) -> Weigh:
    return lambda other: int(
        other.namespace == pod.namespace and not other.terminating and constraint.matches(other.labels)
    )


def _term_weight(term: PodTerm, weight: int, hooks: Hooks) -> Weigh:
    return lambda other: weight if _matches(term, other, hooks) else 0


def _existing_weight(pod: Requirements, role: Role, key: str, hooks: Hooks) -> Weigh:
    return lambda other: sum(
        weight
        for its_role, weight, term in _opinions(other)
        if its_role is role and term.topology_key == key and _matches(term, pod, hooks)
    )
