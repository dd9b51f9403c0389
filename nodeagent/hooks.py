"""Lifecycle hooks: what runs right after a container starts, and right before it is asked to stop.

A postStart that fails costs the container its life; a preStop that fails is told and otherwise ignored. A preStop that
has run is not run again for the same container, also not by the next agent.
"""

from __future__ import annotations

import asyncio

from nodeagent import handlers
from nodeagent.endings import Endings
from nodeagent.handlers import Answer, NoAnswer, Target
from nodeagent.recording import Recorder
from nodeagent.runtime.interface import ContainerRuntime
from steersman.api.core import LifecycleHandler, Pod
from steersman.api.names import Uid
from steersman.base.clock import Clock

POST_START_SECONDS = 600.0


class HookFailed(Exception):
    """postStart did not succeed."""


class Hooks:
    def __init__(self, runtime: ContainerRuntime, recorder: Recorder, endings: Endings, clock: Clock) -> None:
        self._runtime = runtime
        self._recorder = recorder
        self._endings = endings
        self._clock = clock

    async def after_start(self, pod: Pod, target: Target) -> None:
        """Raises HookFailed."""
        lifecycle = target.container.lifecycle
        if lifecycle is None or lifecycle.post_start is None:
            return
        answer = await self._run(lifecycle.post_start, target, POST_START_SECONDS)
        if not answer.ok:
            self._recorder.warning(pod, "FailedPostStartHook", f"PostStartHook failed: {answer.told}")
            raise HookFailed(answer.told)

    async def before_stop(self, pod: Pod, target: Target, timeout_seconds: float) -> None:
        lifecycle, uid = target.container.lifecycle, Uid(pod.metadata.uid)
        if lifecycle is None or lifecycle.pre_stop is None or timeout_seconds <= 0:
            return
        if await self._endings.has_run_hook(uid, target.id):
            return
        answer = await self._run(lifecycle.pre_stop, target, timeout_seconds)
        if not answer.ok:
            self._recorder.warning(pod, "FailedPreStopHook", f"PreStopHook failed: {answer.told}")
        await self._endings.note_hook(uid, target.id, self._clock.now())

    async def _run(self, handler: LifecycleHandler, target: Target, timeout_seconds: float) -> Answer:
        try:
            if handler.exec is not None:
                return await handlers.run(self._runtime, target, handler.exec.command, timeout_seconds)
            if handler.http_get is not None:
                return await handlers.get(handler.http_get, target, timeout_seconds)
            if handler.sleep is not None:
                await asyncio.sleep(min(handler.sleep.seconds, timeout_seconds))
                return Answer(ok=True)
            if handler.tcp_socket is not None:
                return await handlers.connect(handler.tcp_socket, target, timeout_seconds)
        except NoAnswer as error:
            return Answer(ok=False, told=str(error))
        return Answer(ok=True)
