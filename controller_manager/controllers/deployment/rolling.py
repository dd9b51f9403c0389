"""How large each ReplicaSet of a Deployment should be now. Pure.

Two bounds hold at every moment: never more than `most` pods that are not going away, and never fewer than `least`
available ones by our own doing. Kubernetes reckons with the sizes that it has asked for; where a ReplicaSet has not yet
followed, that lets the real number of pods leave the bounds for a moment. So we count a ReplicaSet as large as it was
seen to be until it has shrunk, grow only when every ReplicaSet has taken note of its size, and count as available no
more pods than a ReplicaSet is going to keep.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controller_manager.controllers.deployment import history
from steersman.api.apps import Deployment, ReplicaSet, RollingUpdateDeployment
from steersman.api.part import IntOrString

RECREATE = "Recreate"
ROLLING_UPDATE = "RollingUpdate"

Sizes = dict[str, int]
"""New sizes by name, for the ReplicaSets whose size is to change."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a rollout may leave the desired number of pods."""

    desired: int
    max_surge: int = 0
    max_unavailable: int = 0

    @property
    def most(self) -> int:
        return self.desired + self.max_surge

    @property
    def least(self) -> int:
        return self.desired - self.max_unavailable


def bounds_of(deployment: Deployment) -> Bounds:
    """A percentage of surge is rounded up, one of unavailability down; if both come to 0 one pod may be unavailable."""
    desired = wanted(deployment)
    if deployment.spec.strategy.type != ROLLING_UPDATE:
        return Bounds(desired)
    rolling = deployment.spec.strategy.rolling_update or RollingUpdateDeployment()
    surge = math.ceil(_share(rolling.max_surge, desired))
    unavailable = math.floor(_share(rolling.max_unavailable, desired))
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return Bounds(desired, surge, min(unavailable, desired))


def _share(value: IntOrString | None, of: int) -> float:
    if isinstance(value, str):
        return int(value.removesuffix("%")) * of / 100
    return value or 0


def wanted(deployment: Deployment) -> int:
    return 1 if deployment.spec.replicas is None else deployment.spec.replicas


def size(replicaset: ReplicaSet) -> int:
    """How many pods it has been asked for."""
    return 1 if replicaset.spec.replicas is None else replicaset.spec.replicas


def available(replicaset: ReplicaSet) -> int:
    """How many available pods it is going to keep."""
    return min(replicaset.status.available_replicas, size(replicaset))


def by_age(replicaset: ReplicaSet) -> tuple[str, str]:
    return replicaset.metadata.creation_timestamp or "", replicaset.metadata.name


# --- A rolling update: the new one grows, then the old ones shrink


def grown(bounds: Bounds, new_size: int, everyone: Sequence[ReplicaSet]) -> int:
    """The size up to which the new ReplicaSet may grow; `everyone` includes it, if it exists."""
    if not all(map(_has_taken_note, everyone)):
        return new_size
    room = bounds.most - sum(max(size(each), each.status.replicas) for each in everyone)
    return min(new_size + max(room, 0), max(bounds.desired, new_size))


def _has_taken_note(replicaset: ReplicaSet) -> bool:
    return replicaset.status.observed_generation >= replicaset.metadata.generation


def shrunk(bounds: Bounds, new: ReplicaSet, old: Iterable[ReplicaSet]) -> Sizes:
    """The old ReplicaSets that may shrink, oldest first: pods that are not available go before those that are."""
    active = sorted((each for each in old if size(each) > 0), key=by_age)
    sizes = {each.metadata.name: size(each) for each in active}
    removable = sum(sizes.values()) + available(new) - bounds.least
    for each in active:
        unhealthy = sizes[each.metadata.name] - available(each)
        taken = max(min(unhealthy, removable), 0)
        sizes[each.metadata.name] -= taken
        removable -= taken
    spare = min(removable, sum(map(available, (new, *active))) - bounds.least)
    for each in active:
        taken = max(min(sizes[each.metadata.name], spare), 0)
        sizes[each.metadata.name] -= taken
        spare -= taken
    return {each.metadata.name: sizes[each.metadata.name] for each in active if sizes[each.metadata.name] != size(each)}


# --- Scaling in the middle of a rollout


def is_scaling(deployment: Deployment, everyone: Iterable[ReplicaSet]) -> bool:
    """Whether the desired number has changed since the active ReplicaSets were last given their sizes."""
    noted = (history.remembered(each, history.DESIRED_REPLICAS) for each in everyone if size(each) > 0)
    return any(number is not None and number != wanted(deployment) for number in noted)


def rescaled(deployment: Deployment, bounds: Bounds, new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> Sizes:
    """Sizes for a new number of pods that leave the rollout about where it stands.

    One ReplicaSet alone takes the whole number; a rollout that is through gives up the old ones; otherwise everyone
    grows or shrinks in proportion. Sizes that stay are given too, because what they were measured by has changed.
    """
    everyone = [*old, new] if new is not None else [*old]
    active = [each for each in everyone if size(each) > 0]
    if len(active) <= 1:
        alone = active[0] if active else new or max(old, key=by_age, default=None)
        return {alone.metadata.name: bounds.desired} if alone is not None else {}
    if new is not None and _is_saturated(new, bounds.desired):
        return {each.metadata.name: 0 for each in active if each is not new}
    if deployment.spec.strategy.type != ROLLING_UPDATE:
        return {}
    return _proportional(deployment, bounds, active)


def _is_saturated(new: ReplicaSet, desired: int) -> bool:
    noted = history.remembered(new, history.DESIRED_REPLICAS)
    return size(new) == desired == noted == new.status.available_replicas


def _proportional(deployment: Deployment, bounds: Bounds, active: Sequence[ReplicaSet]) -> Sizes:
    to_add = (bounds.most if bounds.desired > 0 else 0) - sum(map(size, active))
    # What rounding leaves over goes to the first of the largest: the newest when growing, the oldest when shrinking.
    ordered = sorted(active, key=by_age, reverse=to_add > 0)
    ordered.sort(key=size, reverse=True)
    sizes: Sizes = {}
    left = to_add
    for each in ordered:
        share = _fair_share(each, deployment, bounds)
        share = min(share, left) if to_add > 0 else max(share, left)
        sizes[each.metadata.name] = size(each) + (share if to_add else 0)
        left -= share if to_add else 0
    first = ordered[0].metadata.name
    sizes[first] = max(sizes[first] + left, 0)
    return sizes


def _fair_share(replicaset: ReplicaSet, deployment: Deployment, bounds: Bounds) -> int:
    """How much the ReplicaSet would grow (or, negative, shrink) if all kept their proportions."""
    present = size(replicaset)
    if bounds.desired == 0:
        return -present
    before = history.remembered(replicaset, history.MAX_REPLICAS) or deployment.status.replicas
    return math.floor(present * bounds.most / before + 0.5) - present if before else 0
