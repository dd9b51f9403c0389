"""What follows from a pod is worked out once for each of its states, and not in every pass over a Service's thousand.

Cached objects are frozen and a change puts another in their place, so the very same object has the same consequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from steersman.api.core import Pod
from steersman.client.cache import ObjectKey

R = TypeVar("R")


class Derivation(Generic[R]):
    """Remembers, for each key, what was derived from its pods."""

    def __init__(self) -> None:
        self._known: dict[ObjectKey, tuple[object, dict[str, tuple[Pod, R]]]] = {}

    def of(self, key: ObjectKey, basis: object, pods: Iterable[Pod], derive: Callable[[Pod], R]) -> list[R]:
        """`derive` of each pod, in their order. `basis`: what else it depends on; if that changes all is forgotten."""
        held_basis, held = self._known.get(key, (None, {}))
        if held_basis != basis:
            held = {}
        found: dict[str, tuple[Pod, R]] = {}
        for pod in pods:
            known = held.get(pod.metadata.name)
            found[pod.metadata.name] = known if known is not None and known[0] is pod else (pod, derive(pod))
        self._known[key] = (basis, found)
        return [result for _, result in found.values()]

    def forget(self, key: ObjectKey) -> None:
        self._known.pop(key, None)
