"""A steady stream of writes to a cluster that is being taken apart, and whether all that was acknowledged is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from steersman.api.core import ConfigMap
from steersman.api.errors import ApiError
from steersman.api.meta import ObjectMeta
from steersman.client.client import Client
from tests.eventually import eventually

NAMESPACE = "default"
PAUSE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class _Listed:
    revision: str
    of: dict[str, str]
    """The resourceVersion of each object, by its name."""


class WriteStream:
    """One write after the other, each to a name of its own; those that were acknowledged are remembered."""

    def __init__(self, api: Client) -> None:
        self._maps = api.of(ConfigMap)
        self._acknowledged: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many have been acknowledged."""
        return len(self._acknowledged)

    async def run(self) -> None:
        number = 0
        while True:
            number += 1
            written = ConfigMap(metadata=ObjectMeta(name=f"written-{number}", namespace=NAMESPACE))
            try:
                answer = await self._maps.create(written)
            except ApiError:
                continue  # not acknowledged: nothing is promised
            self._acknowledged[answer.object.metadata.name] = answer.object.metadata.resource_version
            await asyncio.sleep(PAUSE_SECONDS)

    async def goes_on(self, *, within: float) -> None:
        """Also with what is lost at this moment."""
        before = self.count
        await eventually(lambda: self.count >= before + 20, within=within)

    async def check(self, *, within: float) -> None:
        """Each is there, as it was acknowledged."""
        promised = dict(self._acknowledged)  # before the list: the stream goes on meanwhile
        found = await self._listed(within)
        lost = {name: revision for name, revision in promised.items() if found.of.get(name) != revision}
        if not lost:
            return
        later = await self._listed(within)  # a read that was too old is a bug too, but another one than a write lost
        details = [
            f"{name}: acknowledged at {revision}, read at {found.revision}: {found.of.get(name)}, "
            f"read again at {later.revision}: {later.of.get(name)}"
            for name, revision in lost.items()
        ]
        raise AssertionError(f"{len(lost)} of {len(promised)} acknowledged writes are lost:\n" + "\n".join(details[:9]))

    async def _listed(self, within: float) -> _Listed:
        async def listed() -> _Listed | None:
            try:
                answer = await self._maps.list(NAMESPACE)
            except ApiError:
                return None  # the servers may be on their way back
            return _Listed(
                str(answer.revision), {each.metadata.name: each.metadata.resource_version for each in answer.items}
            )

        found = await eventually(listed, within=within)
        assert found is not None
        return found


@asynccontextmanager
async def streaming(api: Client) -> AsyncIterator[WriteStream]:
    stream = WriteStream(api)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(stream.run())
        yield stream
        running.cancel()
