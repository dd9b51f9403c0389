"""Ordered checks after decoding and defaulting, before validation: what a new object gets from the cluster around it.

Each check sees the object and may return a changed one or refuse it with Forbidden. The namespace itself is not checked
here but guarded in the write's own transaction (`namespaces.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from apiserver.admission import priorities, runtimeclasses, serviceaccounts, storage, tolerations
from apiserver.admission.lookup import Lookup
from apiserver.watchcache.cache import WatchCache
from steersman.api.core import PersistentVolume, PersistentVolumeClaim, Pod
from steersman.api.meta import Object
from steersman.api.scheduling import PriorityClass

Check = Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class AdmissionSettings:
    """Which checks run, and with what. Names are Kubernetes'."""

    disabled: frozenset[str] = frozenset()
    not_ready_toleration_seconds: int = 5
    unreachable_toleration_seconds: int = 5


class Admission:
    def __init__(self, cache: WatchCache, random: Random, settings: AdmissionSettings = AdmissionSettings()) -> None:
        self._checks = _chain(Lookup(cache), random, settings)

    async def admit(self, new: Any) -> Any:
        """The object as it may be created."""
        for check in self._checks.get(type(new), ()):
            new = await check(new)
        return new


def _chain(lookup: Lookup, random: Random, settings: AdmissionSettings) -> Mapping[type[Object], Sequence[Check]]:
    async def service_account(pod: Pod) -> Pod:
        return await serviceaccounts.admit(pod, lookup, random)

    async def priority(pod: Pod) -> Pod:
        return await priorities.admit(pod, lookup)

    async def one_default(priority_class: PriorityClass) -> PriorityClass:
        return await priorities.admit_class(priority_class, lookup)

    async def default_tolerations(pod: Pod) -> Pod:
        return tolerations.admit(pod, settings.not_ready_toleration_seconds, settings.unreachable_toleration_seconds)

    async def runtime_class(pod: Pod) -> Pod:
        return await runtimeclasses.admit(pod, lookup)

    async def in_use(volume: Any) -> Any:
        return storage.admit(volume)

    ordered: tuple[tuple[str, type[Object], Check], ...] = (
        ("ServiceAccount", Pod, service_account),
        ("Priority", Pod, priority),
        ("Priority", PriorityClass, one_default),
        ("DefaultTolerationSeconds", Pod, default_tolerations),
        ("RuntimeClass", Pod, runtime_class),
        ("StorageObjectInUseProtection", PersistentVolume, in_use),
        ("StorageObjectInUseProtection", PersistentVolumeClaim, in_use),
    )
    chains: dict[type[Object], list[Check]] = {}
    for name, struct, check in ordered:
        if name not in settings.disabled:
            chains.setdefault(struct, []).append(check)
    return chains


PLUGINS = (
    "ServiceAccount",
    "Priority",
    "DefaultTolerationSeconds",
    "RuntimeClass",
    "StorageObjectInUseProtection",
)
"""What `--disable-admission-plugins` knows."""
