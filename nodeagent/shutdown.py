"""The machine is about to go down: the pods are ended in good order, those that the cluster cannot do without last.

The agent goes on meanwhile: it keeps its sign of life, says that the node is not ready, takes no more pods, and runs
hooks and ends containers as it always does; only the reason and the time are the node's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from nodeagent import evictions, staticpods
from nodeagent.agent import Agent
from nodeagent.picture import Ousting
from nodeagent.podworker import PodWorker
from nodeagent.registration import Registration
from nodeagent.reporter import Reporter
from steersman.api.core import Pod
from steersman.base import log
from steersman.base.clock import Clock

REASON = "Terminated"
MESSAGE = "Pod was terminated in response to imminent node shutdown."
NOT_READY = "node is shutting down"
SLACK_SECONDS = 5.0
"""What a round may take longer than its time: a container gets a moment even after a hook that used it all up."""
TELL_SECONDS = 5.0
LONGEST_SECONDS = 2 * SLACK_SECONDS + TELL_SECONDS
"""How much longer than its periods a shutdown may take in all."""

_log = log.get("shutdown")


@dataclass(frozen=True, slots=True)
class Periods:
    """How long it may take in all, and how much of that is kept for critical pods."""

    total_seconds: float
    critical_seconds: float


@dataclass(frozen=True, slots=True)
class Round:
    """Pods that are ended at the same time."""

    pods: Sequence[Pod]
    seconds: float


def rounds(pods: Iterable[Pod], periods: Periods) -> list[Round]:
    """Those with the lowest priority first; nobody waits for a round without pods."""
    ordinary: list[Pod] = []
    critical: list[Pod] = []
    for pod in pods:
        (critical if (pod.spec.priority or 0) >= evictions.CRITICAL_PRIORITY else ordinary).append(pod)
    first = Round(ordinary, max(periods.total_seconds - periods.critical_seconds, 0.0))
    return [each for each in (first, Round(critical, periods.critical_seconds)) if each.pods]


class Shutdown:
    def __init__(self, agent: Agent, registration: Registration, reporter: Reporter, clock: Clock) -> None:
        self._agent = agent
        self._registration = registration
        self._reporter = reporter
        self._clock = clock

    async def run(self, periods: Periods) -> None:
        """Returns when nothing runs any more and everybody knows, or when the time is over."""
        self._agent.close()
        self._registration.announce(NOT_READY)
        workers = {worker.pod.metadata.uid: worker for worker in self._agent.workers}
        _log.info("ending all pods: the node goes down", pods=len(workers))
        for each in rounds([worker.pod for worker in workers.values()], periods):
            await self._end([workers[pod.metadata.uid] for pod in each.pods], each.seconds)
        try:
            async with asyncio.timeout(TELL_SECONDS):
                await self._reporter.settled()
                await self._registration.announced()
        except TimeoutError:
            _log.warning("the API has not heard of everything that was done")

    async def _end(self, workers: Sequence[PodWorker], seconds: float) -> None:
        until = self._clock.now() + timedelta(seconds=seconds)
        for worker in workers:
            worker.oust(Ousting(REASON, MESSAGE, until, is_disruption=True))
            if staticpods.is_static(worker.pod):
                worker.vanish()  # told to nobody: its file will start it again, and a status never goes backwards
        try:
            async with asyncio.timeout(seconds + SLACK_SECONDS):
                for worker in workers:
                    await worker.ended.wait()
        except TimeoutError:
            left = [worker.pod.metadata.name for worker in workers if not worker.ended.is_set()]
            _log.warning("pods have not ended in time", pods=left)
