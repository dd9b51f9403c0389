"""How fast nodes may be given up, zone by zone: a lost rack is no stampede.

A zone in which most nodes are well loses its sick ones at the usual rate. Where most are not (PARTIAL), the fault is
more likely in the network than in the nodes: the rate is low in a large zone and none in a small one. A zone of which
nothing is left (FULL) is given up at the usual rate, as its pods find a place in the others; but when that is so of
every zone, the fault is probably on our side, and nobody is given up at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from controller_manager.controllers.nodelifecycle import health
from controller_manager.controllers.nodelifecycle.health import Permission
from steersman.api.core import Node

REGION = "topology.kubernetes.io/region"
ZONE = "topology.kubernetes.io/zone"
EXCLUDED = "node.kubernetes.io/exclude-disruption"
_FEW = 2
"""So many sick nodes are no disruption of a zone, however small it is."""


class State(Enum):
    NORMAL = auto()
    PARTIAL = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True)
class Rates:
    """Nodes a second. Kubernetes has 0.1 and 0.01; we want the pods of a lost node elsewhere within 20 seconds, also
    when a few nodes are lost together."""

    usual: float = 1.0
    disrupted: float = 0.1
    large_zone: int = 50
    disruption_share: float = 0.55


USUAL = Rates()


@dataclass(frozen=True, slots=True)
class Census:
    """How many nodes of a zone are well, and how many are not."""

    well: int = 0
    sick: int = 0

    @property
    def size(self) -> int:
        return self.well + self.sick


def state_of(census: Census, share: float) -> State:
    if census.sick and not census.well:
        return State.FULL
    if census.sick > _FEW and census.sick / census.size >= share:
        return State.PARTIAL
    return State.NORMAL


def rate_of(zone: Census, everywhere: Iterable[Census], rates: Rates) -> float | None:
    """How many nodes of `zone` may be given up a second. None: no zone has anything left, and all is called off."""
    states = {state_of(each, rates.disruption_share) for each in everywhere}
    if states == {State.FULL}:
        return None
    match state_of(zone, rates.disruption_share):
        case State.PARTIAL:
            return rates.disrupted if zone.size > rates.large_zone else 0.0
        case _:
            return rates.usual


def zone_of(node: Node) -> str:
    labels = node.metadata.labels
    return f"{labels.get(REGION, '')}/{labels.get(ZONE, '')}"


@dataclass(frozen=True, slots=True)
class Allowance:
    """One node at once, and then the rate: when the last was granted. Moments are of a monotonic clock."""

    granted_at: float = -math.inf

    def wait_seconds(self, rate: float, now: float) -> float:
        return math.inf if rate <= 0 else max(self.granted_at + 1 / rate - now, 0.0)


@dataclass(slots=True)
class Zones:
    """Counts the nodes of each zone as they change, and grants what their health allows."""

    rates: Rates = USUAL
    _known: dict[str, tuple[str, bool]] = field(default_factory=dict)
    _census: dict[str, Census] = field(default_factory=dict)
    _allowances: dict[str, Allowance] = field(default_factory=dict)

    @property
    def census(self) -> Mapping[str, Census]:
        return self._census

    def changed(self, old: Node | None, new: Node | None) -> None:
        if old is not None and (entry := self._known.pop(old.metadata.name, None)) is not None:
            self._count(*entry, -1)
        if new is not None and EXCLUDED not in new.metadata.labels:
            entry = (zone_of(new), health.readiness(new) == health.TRUE)
            self._known[new.metadata.name] = entry
            self._count(*entry, 1)

    def _count(self, zone: str, well: bool, by: int) -> None:  # noqa: FBT001 -- an entry of `_known`, spelled out
        held = self._census.get(zone, Census())
        counted = Census(held.well + by * well, held.sick + by * (not well))
        if counted.size:
            self._census[zone] = counted
        else:
            del self._census[zone]

    def ask(self, node: Node, now: float) -> tuple[Permission, float]:
        """Whether pods may leave that node now, and if not, in how many seconds to ask again."""
        zone = zone_of(node)
        rate = rate_of(self._census.get(zone, Census()), self._census.values(), self.rates)
        if rate is None:
            return Permission.CANCELLED, math.inf
        allowance = self._allowances.get(zone, Allowance())
        wait = allowance.wait_seconds(rate, now)
        if wait > 0:
            return Permission.LATER, wait
        self._allowances[zone] = Allowance(now)
        return Permission.GRANTED, 0.0

    def is_called_off(self) -> bool:
        """Whether no zone has anything left."""
        return rate_of(Census(), self._census.values(), self.rates) is None
