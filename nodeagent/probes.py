"""Asks running containers how they are, and tells when that changes.

One task per probe of a container, for as long as the container runs. `probing` says when and what it means.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from nodeagent import expansion, handlers, probing
from nodeagent.handlers import Answer, NoAnswer, Target
from nodeagent.measures import Measures
from nodeagent.probing import Health, ProbeKind, Verdict
from nodeagent.recording import Recorder
from nodeagent.runtime.interface import ContainerRuntime
from steersman.api.core import Pod, Probe
from steersman.base import log
from steersman.base.clock import Clock

_log = log.get("probes")

Changed = Callable[[Health], None]


class Prober(Protocol):
    async def watch(self, pod: Pod, target: Target, started_at: datetime, health: Health, changed: Changed) -> None:
        """Probe a container that runs, from `health` on, until cancelled; `changed` gets every new health."""


class EverybodyIsWell:
    """For containers that do not really run: whoever runs has started and is ready."""

    async def watch(self, pod: Pod, target: Target, started_at: datetime, health: Health, changed: Changed) -> None:
        changed(probing.HEALTHY)


class RealProber:
    def __init__(
        self,
        runtime: ContainerRuntime,
        recorder: Recorder,
        clock: Clock,
        measures: Measures,
    ) -> None:
        self._runtime = runtime
        self._recorder = recorder
        self._clock = clock
        self._measures = measures

    async def watch(self, pod: Pod, target: Target, started_at: datetime, health: Health, changed: Changed) -> None:
        wanted = probing.probes_of(target.container)
        startup = wanted.pop(ProbeKind.STARTUP, None)
        current = health

        def note(kind: ProbeKind, verdict: Verdict) -> None:
            nonlocal current
            after = probing.judge(current, kind, verdict, target.container)
            if after != current:
                current = after
                changed(after)

        if startup is not None and not health.started:
            await self._ask(pod, target, ProbeKind.STARTUP, startup, started_at, health, note)
            if not current.started:
                return
        async with asyncio.TaskGroup() as tasks:
            for kind, probe in wanted.items():
                tasks.create_task(self._ask(pod, target, kind, probe, started_at, current, note))

    async def _ask(
        self,
        pod: Pod,
        target: Target,
        kind: ProbeKind,
        probe: Probe,
        started_at: datetime,
        health: Health,
        note: Callable[[ProbeKind, Verdict], None],
    ) -> None:
        """Until there is nothing left to find out."""
        tally = probing.begin(kind)
        if kind is ProbeKind.READINESS and health.ready:
            tally = probing.count(tally, Verdict.SUCCESS, probe)  # as the last agent left it
        first_at = probing.first_at(probe, started_at)
        await self._clock.sleep((first_at - self._clock.now()).total_seconds())
        while True:
            began = self._clock.monotonic()
            verdict = await self._answer(pod, target, kind, probe)
            self._measures.probed(kind.value.lower(), verdict.value)
            before, tally = tally, probing.count(tally, verdict, probe)
            if tally.verdict is not before.verdict:
                note(kind, tally.verdict)
            if probing.is_settled(kind, tally):
                return
            await self._clock.sleep(probing.period_seconds(probe) - (self._clock.monotonic() - began))

    async def _answer(self, pod: Pod, target: Target, kind: ProbeKind, probe: Probe) -> Verdict:
        try:
            answer = await self._put(target, probe)
        except NoAnswer as error:
            message = f"{kind} probe errored and resulted in unknown state: {error}"
            self._recorder.warning(pod, "Unhealthy", message)
            return Verdict.UNKNOWN
        if answer.ok:
            return Verdict.SUCCESS
        self._recorder.warning(pod, "Unhealthy", f"{kind} probe failed: {answer.told}")
        _log.debug("probe failed", pod=pod.metadata.name, container=target.container.name, probe=kind.value)
        return Verdict.FAILURE

    async def _put(self, target: Target, probe: Probe) -> Answer:
        seconds = probing.timeout_seconds(probe)
        if probe.exec is not None:
            given = {each.name: each.value for each in target.container.env if each.value_from is None}
            command = expansion.expand_all(probe.exec.command, given)
            return await handlers.run(self._runtime, target, command, seconds)
        if probe.http_get is not None:
            return await handlers.get(probe.http_get, target, seconds)
        if probe.tcp_socket is not None:
            return await handlers.connect(probe.tcp_socket, target, seconds)
        if probe.grpc is not None:
            return await handlers.ask_grpc(probe.grpc, target, seconds)
        raise NoAnswer("the probe says nothing of how to ask")
