"""Images as pods want them: the pull policy, credentials, and how long to wait after a pull that failed.

Whoever asks for an image that is being pulled with the same credentials waits for that pull. At most MAX_PULLS run at a
time. A failed pull is ErrImagePull; until it is worth another try, asking again is ImagePullBackOff.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from nodeagent import pullsecrets, waiting
from nodeagent.picture import Trouble
from nodeagent.recording import Recorder
from nodeagent.runtime.interface import ContainerRuntime, InvalidImageName, PullFailed
from nodeagent.runtime.seen import Image
from nodeagent.runtime.specs import Credentials
from nodeagent.waiting import Reason
from steersman.api.core import Container, EphemeralContainer, Pod, Secret
from steersman.base import tracing
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock

MAX_PULLS = 3
MAX_REMEMBERED = 1_000
BETWEEN_PULLS = Backoff(initial=10.0, maximum=300.0)
SOON_SECONDS = 1.0
"""From ErrImagePull to ImagePullBackOff."""
PRESENT = "already present on machine and can be accessed by the pod"
NEVER_AGAIN_SECONDS = 300.0
"""For what only a change of the pod or of the machine can mend."""


class CannotStart(Exception):
    """A container cannot be started now."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


@dataclass(frozen=True, slots=True)
class _Failure:
    count: int
    message: str
    until: datetime


class Images:
    """All pulls of one runtime."""

    def __init__(self, runtime: ContainerRuntime, recorder: Recorder, clock: Clock) -> None:
        self._runtime = runtime
        self._recorder = recorder
        self._clock = clock
        self._places = asyncio.Semaphore(MAX_PULLS)
        self._pulling: dict[str, asyncio.Lock] = {}
        self._failures: OrderedDict[tuple[str, str], _Failure] = OrderedDict()

    async def ensure(self, pod: Pod, container: Container | EphemeralContainer, secrets: Sequence[Secret]) -> Image:
        """The image of a container, here. Raises CannotStart, or ApiError when the engine is away."""
        image, policy = container.image, container.image_pull_policy or "IfNotPresent"
        try:
            present = await self._runtime.find_image(image)
        except InvalidImageName as error:
            message = f'Failed to apply default image tag "{image}": {error.message}'
            self._recorder.warning(pod, "InspectFailed", message)
            raise self._cannot(Reason.INVALID_IMAGE, message, NEVER_AGAIN_SECONDS) from error
        if present is not None and policy != "Always":
            self._recorder.normal(pod, "Pulled", f'Container image "{image}" {PRESENT}')
            return present
        if policy == "Never":
            message = f'Container image "{image}" is not present with pull policy of Never'
            self._recorder.warning(pod, "ErrImageNeverPull", message)
            raise self._cannot(Reason.NEVER_PULL, message, BETWEEN_PULLS.initial)
        return await self._pull(pod, image, secrets)

    async def _pull(self, pod: Pod, image: str, secrets: Sequence[Secret]) -> Image:
        key = (pod.metadata.uid, image)
        failure = self._failures.get(key)
        if failure is not None and self._clock.now() < failure.until:
            message = f'Back-off pulling image "{image}"'
            self._recorder.normal(pod, "BackOff", message)
            trouble = Trouble(Reason.PULL_BACK_OFF, f"{message}: ErrImagePull: {failure.message}", failure.until)
            raise CannotStart(trouble)
        self._recorder.normal(pod, "Pulling", f'Pulling image "{image}"')
        asked_at = self._clock.monotonic()
        try:
            with tracing.span("pull image", image=image):
                found, took = await self._fetch(image, pullsecrets.credentials(image, secrets))
        except PullFailed as error:
            self._note_failure(key, error.message)
            self._recorder.warning(pod, "Failed", f'Failed to pull image "{image}": {error.message}')
            self._recorder.warning(pod, "Failed", "Error: ErrImagePull")
            reason = Reason.INVALID_IMAGE if isinstance(error, InvalidImageName) else Reason.PULL_FAILED
            raise self._cannot(reason, error.message, SOON_SECONDS) from error
        self._failures.pop(key, None)
        waited = self._clock.monotonic() - asked_at
        self._recorder.normal(
            pod,
            "Pulled",
            f'Successfully pulled image "{image}" in {waiting.milliseconds(took)} '
            f"({waiting.milliseconds(waited)} including waiting). Image size: {found.size_bytes} bytes.",
        )
        return found

    async def _fetch(self, image: str, logins: Sequence[Credentials]) -> tuple[Image, float]:
        """With each login in turn; without any if there is none. How long it took, too."""
        lock = self._pulling.setdefault(image, asyncio.Lock())
        try:
            async with lock, self._places:
                began = self._clock.monotonic()
                last: PullFailed | None = None
                for login in logins or (None,):
                    try:
                        return await self._runtime.pull_image(image, login), self._clock.monotonic() - began
                    except PullFailed as error:
                        last = error
                raise last or PullFailed("no credentials")
        finally:
            if not lock.locked() and self._pulling.get(image) is lock:
                del self._pulling[image]

    def _note_failure(self, key: tuple[str, str], message: str) -> None:
        before = self._failures.pop(key, None)
        count = before.count + 1 if before is not None else 0
        until = self._clock.now() + timedelta(seconds=BETWEEN_PULLS.delay(count))
        self._failures[key] = _Failure(count, message, until)
        if len(self._failures) > MAX_REMEMBERED:
            self._failures.popitem(last=False)

    def _cannot(self, reason: str, message: str, seconds: float) -> CannotStart:
        return CannotStart(Trouble(reason, message, self._clock.now() + timedelta(seconds=seconds)))
