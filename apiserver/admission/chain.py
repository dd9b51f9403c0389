"""Ordered checks after decoding and defaulting, before validation: what an object gets from the cluster around it.

Each check sees the object and may return a changed one or refuse it with Forbidden. Most look at new objects only. The
namespace itself is not checked here but guarded in the write's own transaction (`namespaces.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from apiserver.admission import priorities, runtimeclasses, serviceaccounts, storage, tolerations
from apiserver.admission.lookup import Lookup
from apiserver.watchcache.cache import WatchCache
from steersman.api.core import Pod
from steersman.api.meta import Object
from steersman.api.scheduling import PriorityClass

Check = Callable[[Any], Awaitable[Any]]
StepCheck = Callable[[Any, Any], Any]
"""From (new, old) to new. It runs inside the write, again after a lost race: it may look at what is known, not ask."""

SERVICE_ACCOUNT = "ServiceAccount"
PRIORITY = "Priority"
TOLERATION_SECONDS = "DefaultTolerationSeconds"
RUNTIME_CLASS = "RuntimeClass"
STORAGE_IN_USE = "StorageObjectInUseProtection"

PLUGINS = (SERVICE_ACCOUNT, PRIORITY, TOLERATION_SECONDS, RUNTIME_CLASS, STORAGE_IN_USE)
"""What `--disable-admission-plugins` knows."""


@dataclass(frozen=True, slots=True)
class AdmissionSettings:
    """Which checks run, and with what. Names are Kubernetes'."""

    disabled: frozenset[str] = frozenset()
    not_ready_toleration_seconds: int = 5
    unreachable_toleration_seconds: int = 5


USUAL = AdmissionSettings()


class Admission:
    def __init__(self, cache: WatchCache, random: Random, settings: AdmissionSettings = USUAL) -> None:
        lookup = Lookup(cache)
        self._checks = _of_new(lookup, random, settings)
        self._step_checks = _of_steps(lookup, settings)

    async def admit(self, new: Any) -> Any:
        """The object as it may be created."""
        for check in self._checks.get(type(new), ()):
            new = await check(new)
        return new

    def admit_update(self, new: Any, old: Any) -> Any:
        """The object as it may be stored in place of `old`."""
        for check in self._step_checks.get(type(new), ()):
            new = check(new, old)
        return new


def _of_new(lookup: Lookup, random: Random, settings: AdmissionSettings) -> Mapping[type[Object], Sequence[Check]]:
    async def service_account(pod: Pod) -> Pod:
        return await serviceaccounts.admit(pod, lookup, random)

    async def priority(pod: Pod) -> Pod:
        return await priorities.admit(pod, lookup)

    async def one_default(new: PriorityClass) -> PriorityClass:
        return priorities.only_default(new, await lookup.every(PriorityClass) if new.global_default else ())

    async def default_tolerations(pod: Pod) -> Pod:
        return _tolerant(pod, settings)

    async def runtime_class(pod: Pod) -> Pod:
        return await runtimeclasses.admit(pod, lookup)

    async def in_use(new: Any) -> Any:
        return storage.admit(new)

    ordered: list[tuple[str, type[Object], Check]] = [
        (SERVICE_ACCOUNT, Pod, service_account),
        (PRIORITY, Pod, priority),
        (PRIORITY, PriorityClass, one_default),
        (TOLERATION_SECONDS, Pod, default_tolerations),
        *((STORAGE_IN_USE, struct, in_use) for struct in storage.PROTECTION),
        (RUNTIME_CLASS, Pod, runtime_class),
    ]
    chains: dict[type[Object], list[Check]] = {}
    for name, struct, check in ordered:
        if name not in settings.disabled:
            chains.setdefault(struct, []).append(check)
    return chains


def _of_steps(lookup: Lookup, settings: AdmissionSettings) -> Mapping[type[Object], Sequence[StepCheck]]:
    def one_default(new: PriorityClass, _old: PriorityClass) -> PriorityClass:
        return priorities.only_default(new, lookup.cached(PriorityClass) if new.global_default else ())

    def default_tolerations(new: Pod, _old: Pod) -> Pod:
        return _tolerant(new, settings)

    ordered: tuple[tuple[str, type[Object], StepCheck], ...] = (
        (PRIORITY, Pod, priorities.kept),
        (PRIORITY, PriorityClass, one_default),
        (TOLERATION_SECONDS, Pod, default_tolerations),
    )
    chains: dict[type[Object], list[StepCheck]] = {}
    for name, struct, check in ordered:
        if name not in settings.disabled:
            chains.setdefault(struct, []).append(check)
    return chains


def _tolerant(pod: Pod, settings: AdmissionSettings) -> Pod:
    return tolerations.admit(pod, settings.not_ready_toleration_seconds, settings.unreachable_toleration_seconds)
