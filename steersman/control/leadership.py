"""Leading, one at a time: campaign for a Lease, hold it, and step down when it is lost.

    async with leadership.term() as term:
        leader = api.with_options(WriteOptions(term=term))
        …

The block runs while the term lasts. It is cancelled and ends with Deposed once the term is over, which is known from
the store alone: from a renewal or any other write that names the term. No answer is no reason to go: an API server
that is away for a while takes no leader down with it. Whoever leaves the block in another way gives the Lease back,
and a standby, which watches it, takes over at once. `lead` stands again after each lost term.

A new leader must see what its predecessors wrote before it acts: all of that has revisions below the term's token, so
it waits until its informers have reached it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from steersman.api.coordination import Lease
from steersman.api.errors import AlreadyExists, ApiError, Conflict, Deposed, NotFound
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.base import log
from steersman.base.clock import Clock, SystemClock
from steersman.client.client import Client
from steersman.client.requests import Term, WriteOptions
from steersman.client.watching import Change
from steersman.control import candidacy
from steersman.control.candidacy import Vigil

CALL_SECONDS = 2.0
"""Longer than any answer takes that is of use here."""

_log = log.get("leadership")


@dataclass(frozen=True, slots=True)
class Timing:
    """`lease_seconds`: how long a standby sees a Lease unrenewed before it takes it."""

    lease_seconds: int = 4
    renew_seconds: float = 1.0
    retry_seconds: float = 0.25
    look_seconds: float = 0.5


USUAL = Timing()


class Leadership:
    """One candidate for one Lease; `holder` is to be different at every start of a process."""

    def __init__(
        self,
        api: Client,
        namespace: str,
        name: str,
        holder: str,
        *,
        timing: Timing = USUAL,
        clock: Clock | None = None,
    ) -> None:
        self._api = api
        self._leases = api.of(Lease)
        self._namespace = namespace
        self._name = name
        self._holder = holder
        self._timing = timing
        self._clock = clock or SystemClock()
        self._log = _log.bind(lease=f"{namespace}/{name}", holder=holder)

    async def lead(self, work: Callable[[Term], Awaitable[None]]) -> None:
        """Do `work` in every term that we win, until it returns. It is cancelled when its term ends."""
        while True:
            try:
                async with self.term() as term:
                    await work(term)
                return
            except Deposed as deposed:
                self._log.warning("deposed, standing again", reason=deposed.message)

    @asynccontextmanager
    async def term(self) -> AsyncIterator[Term]:
        """Wait to be elected; then a term for as long as it lasts. Raises Deposed when that was not until the end."""
        term = await self._elected()
        self._log.info("elected", token=term.token)
        try:
            async with asyncio.TaskGroup() as tasks:
                keeping = [tasks.create_task(self._keep(term)), tasks.create_task(self._hold(term))]
                yield term
                for task in keeping:
                    task.cancel()
        except BaseExceptionGroup as group:
            error = _only(group)
            if not isinstance(error, Deposed):
                await self._release(term)
            raise error from group
        except BaseException:
            await self._release(term)
            raise
        await self._release(term)

    async def _elected(self) -> Term:
        """Stand by until the Lease is ours. Whoever is cancelled when it has just become so gives it back."""
        look = asyncio.Event()
        won: Term | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                waking = [tasks.create_task(self._wake_on_change(look)), tasks.create_task(self._wake_regularly(look))]
                won = await self._campaign(look)
                for task in waking:
                    task.cancel()
        except asyncio.CancelledError:
            if won is not None:
                await self._release(won)
            raise
        return won

    async def _campaign(self, look: asyncio.Event) -> Term:
        vigil = Vigil()
        while True:
            look.clear()
            asked = self._clock.monotonic()
            try:
                lease, _ = await self._find()
                revision = Revision(int(lease.metadata.resource_version)) if lease else Revision(0)
                vigil = vigil.seen(revision, asked=asked, answered=self._clock.monotonic())
                if candidacy.may_stand(lease, self._holder, vigil.seconds, self._timing.lease_seconds):
                    return await self._take_or_give_back(lease)
            except (AlreadyExists, Conflict, NotFound):
                continue  # somebody was quicker: look again
            except ApiError as error:
                vigil = vigil.interrupted()
                self._log.warning("cannot stand for election", error=error.reason, reason=error.message)
            await look.wait()

    async def _wake_regularly(self, look: asyncio.Event) -> None:
        while True:
            await self._clock.sleep(self._timing.look_seconds)
            look.set()

    async def _wake_on_change(self, look: asyncio.Event) -> None:
        while True:
            try:
                _, revision = await self._find()
                watch = self._leases.watch(after=revision, namespace=self._namespace, name=self._name)
                async with watch:
                    async for event in watch:
                        if isinstance(event, Change):
                            look.set()
            except ApiError as error:
                self._log.debug("watching the lease again", error=error.reason, reason=error.message)
            await self._clock.sleep(self._timing.look_seconds)

    async def _find(self) -> tuple[Lease | None, Revision]:
        """The Lease, consistently read, and the revision as of which that is true."""
        found = await self._leases.list(
            self._namespace, field_selector=f"metadata.name={self._name}", timeout_seconds=CALL_SECONDS
        )
        return (found.items[0] if found.items else None), found.revision

    async def _take_or_give_back(self, lease: Lease | None) -> Term:
        """`_take`. Cancelled in the midst of it we may be the holder all the same: the answer is waited for, and the
        Lease given back, so that nobody has to wait until it runs out."""
        async with asyncio.TaskGroup() as tasks:
            taking = tasks.create_task(self._outcome_of_taking(lease))
            try:
                outcome = await asyncio.shield(taking)
            except asyncio.CancelledError:
                outcome = await taking
                if isinstance(outcome, Term):
                    await self._release(outcome)
                raise
        if isinstance(outcome, ApiError):
            raise outcome
        return outcome

    async def _outcome_of_taking(self, lease: Lease | None) -> Term | ApiError:
        """Errors as values: a task group would wrap them."""
        try:
            return await self._take(lease)
        except ApiError as error:
            return error

    async def _take(self, lease: Lease | None) -> Term:
        """Conflict, AlreadyExists or NotFound when the Lease is no longer what we have seen.

        Without a definite answer we may be the holder and not know our token: then the next look finds our own name,
        and begins another term.
        """
        empty = Lease(metadata=ObjectMeta(name=self._name, namespace=self._namespace))
        wanted = candidacy.taken(lease or empty, self._holder, self._timing.lease_seconds, self._clock.now())
        options = WriteOptions(timeout_seconds=CALL_SECONDS)
        if lease is None:
            written = await self._leases.create(wanted, options=options)
        else:
            written = await self._leases.update(wanted, options=options)
        return Term(self._namespace, self._name, written.revision)

    async def _keep(self, term: Term) -> None:
        """Renew until the term is over: Deposed."""
        while True:
            await self._clock.sleep(self._timing.renew_seconds)
            while not await self._renew(term):
                await self._clock.sleep(self._timing.retry_seconds)

    async def _hold(self, term: Term) -> None:
        """Keep a line to some API server, which tells a successor when we die. A new line begins with a renewal: it
        shows the server of the old one that we live."""
        while True:
            try:
                await self._api.hold(term)
            except ApiError as error:
                self._log.debug("holding another line", token=term.token, error=error.reason, reason=error.message)
            await self._renew(term)
            await self._clock.sleep(self._timing.retry_seconds)

    async def _renew(self, term: Term) -> bool:
        """Whether it worked. Deposed when the term is over."""
        try:
            await self._patch(term, candidacy.renewal(self._clock.now()))
        except Deposed:
            raise
        except ApiError as error:
            self._log.warning("cannot renew", token=term.token, error=error.reason, reason=error.message)
            return False
        return True

    async def _release(self, term: Term) -> None:
        try:
            await self._patch(term, candidacy.RELEASE)
            self._log.info("released", token=term.token)
        except Deposed:
            self._log.info("the term was over already", token=term.token)
        except ApiError as error:
            self._log.warning("not released: it runs out", token=term.token, error=error.reason, reason=error.message)

    async def _patch(self, term: Term, patch: bytes) -> None:
        """Fenced, so that it meets our own term or nothing."""
        options = WriteOptions(term=term, timeout_seconds=CALL_SECONDS)
        await self._leases.patch(self._name, self._namespace, patch, options=options)


def _only(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error that the group comes to, or the group; many tasks that are deposed together come to one error."""
    if group.split(Deposed)[1] is None or len(group.exceptions) == 1:
        first = group.exceptions[0]
        return _only(first) if isinstance(first, BaseExceptionGroup) else first
    return group
