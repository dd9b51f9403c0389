"""The probes of a pod's running containers: begun when one runs, ended when it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from nodeagent import picture, probing
from nodeagent.handlers import Target
from nodeagent.picture import Seen
from nodeagent.probes import Prober
from nodeagent.probing import Health
from nodeagent.runtime.seen import SeenContainer
from steersman.api import podresources
from steersman.api.core import Container, Pod


class Watchers:
    """Keeps `health` by container id."""

    def __init__(self, tasks: asyncio.TaskGroup, prober: Prober, wake: Callable[[], None]) -> None:
        self._tasks = tasks
        self._prober = prober
        self._wake = wake
        self._running: dict[str, asyncio.Task[None]] = {}
        self.health: dict[str, Health] = {}

    def follow(self, pod: Pod, seen: Seen, ip: str) -> None:
        """Begin with what runs now, end with what does not."""
        alive = {each.id: each for each in seen.running()}
        for container_id in [known for known in self._running if known not in alive]:
            self._running.pop(container_id).cancel()
            self.health.pop(container_id, None)
        for container in _lasting(pod):
            running = seen.newest(container.name)
            if running is None or running.id not in alive or running.id in self._running:
                continue
            if probing.probes_of(container):
                self._begin(pod, container, running, ip)

    def _begin(self, pod: Pod, container: Container, running: SeenContainer, ip: str) -> None:
        health = self.health[running.id] = adopted_health(pod, container, running)

        def changed(after: Health) -> None:
            self.health[running.id] = after
            self._wake()

        target = Target(container, running.id, ip)
        started_at = running.started_at or running.created_at
        watch = self._prober.watch(pod, target, started_at, health, changed)
        self._running[running.id] = self._tasks.create_task(watch)

    def end(self) -> None:
        for task in self._running.values():
            task.cancel()
        self._running.clear()


def adopted_health(pod: Pod, container: Container, running: SeenContainer) -> Health:
    """As the pod's status has it, if that speaks of this very container: a new agent changes nothing by coming."""
    for status in (*pod.status.container_statuses, *pod.status.init_container_statuses):
        if picture.bare_id(status.container_id) == running.id and status.state.running is not None:
            return Health(started=bool(status.started), ready=status.ready)
    return probing.initial_health(container)


def _lasting(pod: Pod) -> Iterable[Container]:
    return (*(each for each in pod.spec.init_containers if podresources.is_sidecar(each)), *pod.spec.containers)
