"""Amounts of a whole pod: what its containers need together, and the class of service that follows from it.

Init containers run one after the other, sidecars (init containers that always restart) stay: a pod needs what its
containers and sidecars need together, or what the hungriest moment of its start needs, whichever is more.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from steersman.api import quantity
from steersman.api.core import Container, Pod, PodSpec, ResourceRequirements
from steersman.api.part import Quantity

HUGE_PAGES = "hugepages-"
Amounts = Mapping[str, Quantity]


class Side(StrEnum):
    """The two columns of `resources`."""

    REQUESTS = "requests"
    LIMITS = "limits"


class Qos(StrEnum):
    GUARANTEED = "Guaranteed"
    BURSTABLE = "Burstable"
    BEST_EFFORT = "BestEffort"


def is_sidecar(container: Container) -> bool:
    return container.restart_policy == "Always"


def is_native(name: str) -> bool:
    """Whether Kubernetes itself knows the resource; a name without a domain is implicitly its own."""
    return "/" not in name or "kubernetes.io/" in name


def may_overcommit(name: str) -> bool:
    """Whether a limit may be above its request. Huge pages and devices are handed out, not shared."""
    return is_native(name) and not name.startswith(HUGE_PAGES)


@lru_cache(maxsize=4096)
def compare(left: str, right: str) -> int:
    """Negative, zero or positive. Clusters hold few different amounts, and the same ones are compared all the time."""
    return quantity.compare(left, right)


def is_positive(amount: str) -> bool:
    """A canonical amount begins with its first digit that counts."""
    return "1" <= amount[:1] <= "9" or quantity.value(amount) > 0


def effective(spec: PodSpec, side: Side) -> dict[str, Quantity]:
    """What the containers of a pod need together, on one side of `resources`."""
    running: dict[str, Quantity] = {}
    for container in spec.containers:
        _add(running, _amounts(container.resources, side))
    sidecars: dict[str, Quantity] = {}
    starting: dict[str, Quantity] = {}
    for container in spec.init_containers:
        amounts = _amounts(container.resources, side)
        if is_sidecar(container):
            _add(running, amounts)
            _add(sidecars, amounts)
            moment = sidecars
        else:
            moment = dict(amounts)
            _add(moment, sidecars)
        _raise_to(starting, moment)
    _raise_to(running, starting)
    return running


def qos_class(pod: Pod) -> Qos:
    """Guaranteed if every container limits CPU and memory and asks for exactly that; BestEffort if none asks at all."""
    spec = pod.spec
    if spec.resources is not None:
        parts: tuple[ResourceRequirements, ...] = (spec.resources,)
        guaranteed = not spec.resources.limits or _limits_both(spec.resources)
    else:
        parts = tuple(container.resources for container in (*spec.containers, *spec.init_containers))
        guaranteed = all(map(_limits_both, parts))
    requests = _counted(parts, Side.REQUESTS)
    limits = _counted(parts, Side.LIMITS)
    if not requests and not limits:
        return Qos.BEST_EFFORT
    if guaranteed and requests.keys() == limits.keys() and all(not compare(requests[k], limits[k]) for k in limits):
        return Qos.GUARANTEED
    return Qos.BURSTABLE


def _limits_both(resources: ResourceRequirements) -> bool:
    limits = resources.limits
    return is_positive(limits.get("cpu", "0")) and is_positive(limits.get("memory", "0"))


def _counted(parts: tuple[ResourceRequirements, ...], side: Side) -> dict[str, Quantity]:
    """The sums of CPU and memory; zero amounts do not count as asking."""
    total: dict[str, Quantity] = {}
    for part in parts:
        amounts = _amounts(part, side)
        if amounts:
            _add(total, {name: amounts[name] for name in ("cpu", "memory") if is_positive(amounts.get(name, "0"))})
    return total


def _amounts(resources: ResourceRequirements, side: Side) -> dict[str, Quantity]:
    return resources.requests if side is Side.REQUESTS else resources.limits


def _add(total: dict[str, Quantity], more: Amounts) -> None:
    for name, amount in more.items():
        total[name] = quantity.add(total[name], amount) if name in total else amount


def _raise_to(total: dict[str, Quantity], floor: Amounts) -> None:
    for name, amount in floor.items():
        if name not in total or compare(amount, total[name]) > 0:
            total[name] = amount
