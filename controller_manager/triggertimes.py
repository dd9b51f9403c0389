"""When what a Service's endpoints say became true, for whoever measures how long it takes to reach the network.

The time is that of the earliest change that the endpoints had not told yet: a pod's readiness, or the creation of the
Service. It is kept in memory only, as in Kubernetes; a Service not seen before counts from its creation.
"""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api.core import Pod, Service
from steersman.client.cache import ObjectKey

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"
_SERVICE = ""
"""Among the names of pods, which are never empty."""


class TriggerTimes:
    def __init__(self) -> None:
        self._seen: dict[ObjectKey, dict[str, str]] = {}

    def advance(self, service: Service, readiness: Mapping[str, str]) -> str:
        """The time for this pass; empty if nothing has changed at a known time. Ask in every pass, and write or not.

        `readiness`: when that of each pod, by its name, has changed last.
        """
        key = ObjectKey(service.metadata.namespace, service.metadata.name)
        created = service.metadata.creation_timestamp or ""
        now = {_SERVICE: created, **readiness}
        before, self._seen[key] = self._seen.get(key), now
        if before is None:
            return created
        return min((since for name, since in now.items() if since > before.get(name, "")), default="")

    def forget(self, key: ObjectKey) -> None:
        self._seen.pop(key, None)


def annotated(annotations: dict[str, str], trigger: str) -> dict[str, str]:
    """The annotations with that time; without one if it is not known."""
    others = {key: value for key, value in annotations.items() if key != ANNOTATION}
    return {**others, ANNOTATION: trigger} if trigger else others


def readiness_changed_at(pod: Pod) -> str:
    """Empty if it has never been told."""
    times = (each.last_transition_time for each in pod.status.conditions if each.type == "Ready")
    return next(times, None) or ""
