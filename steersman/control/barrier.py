"""Read your own writes: a key is not looked at again before the caches that its controller reads hold what it wrote.

`passed` returns once, for each kind that the pass has written, that kind's informer has reached the newest revision
noted. So a controller never decides on a state older than its own last decision, and needs no expectations.

A kind that no informer follows is not waited for: what a controller never reads from a cache cannot be stale there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol

from steersman.api.errors import Expired
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.base import log
from steersman.client import client
from steersman.control.passes import Pass

PATIENCE_SECONDS = 10.0

_log = log.get("barrier")


class Follower(Protocol):
    """What the barrier asks of an informer."""

    @property
    def revision(self) -> Revision: ...

    async def reached(self, revision: Revision) -> None:
        """Expired: the store was set back, and the revision is not of this store."""


class Barrier:
    """`followers`: the unfiltered informer of each kind that the controller reads, by Struct or Kind."""

    def __init__(
        self, followers: Mapping[type[Object] | Kind, Follower], *, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._followers = {client.kind_of(what).storage: follower for what, follower in followers.items()}
        self._patience_seconds = patience_seconds

    def follow(self, what: type[Object] | Kind, follower: Follower) -> None:
        """One more kind is read from now on."""
        self._followers[client.kind_of(what).storage] = follower

    def leave(self, what: type[Object] | Kind) -> None:
        """The kind is no longer read, and nobody who has written it is kept waiting."""
        self._followers.pop(client.kind_of(what).storage, None)

    def begin(self) -> Pass:
        """A pass that begins now, on the caches as they are."""
        return Pass({kind: follower.revision for kind, follower in self._followers.items()})

    def is_open(self, noted: Pass) -> bool:
        """Whether the caches hold everything already: then nobody has to wait."""
        return noted.is_settled and all(self._holds(noted, kind) for kind in noted.newest)

    async def passed(self, noted: Pass) -> None:
        """Return once the key may be looked at again. Deposed if a write that was left unsettled ends so."""
        await noted.settle()
        for kind in noted.newest:
            while not self._holds(noted, kind):
                try:
                    await self._wait(kind, noted.newest[kind])
                except Expired as error:
                    _log.warning("our own write is not of this store", resource=kind.resource, reason=error.message)
                    break

    def _holds(self, noted: Pass, kind: Kind) -> bool:
        follower = self._followers.get(kind)
        if follower is None or follower.revision >= noted.newest[kind]:
            return True
        # An informer's revision falls only when the store was set back: what was written before is not in this store.
        return follower.revision < noted.began_at.get(kind, Revision(0))

    async def _wait(self, kind: Kind, revision: Revision) -> None:
        follower = self._followers[kind]
        try:
            async with asyncio.timeout(self._patience_seconds):
                await follower.reached(revision)
        except TimeoutError:
            _log.warning("our own write is not seen yet", resource=kind.resource, wanted=revision, at=follower.revision)
