"""Leaders that come, go and are thrown out, against a real API server."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import grpc
import pytest

from apiserver.grpcfront import holding
from apiserver.server import Serving
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.core import ConfigMap
from steersman.api.errors import Deposed
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client.client import Client
from steersman.client.requests import Term, WriteOptions
from steersman.control.leadership import Leadership, Timing
from steersman.pb import leadership_pb2, objects_pb2
from tests.eventually import eventually

NAMESPACE, NAME = "kube-system", "kube-controller-manager"
QUICK = Timing(lease_seconds=1, renew_seconds=0.2, retry_seconds=0.05, look_seconds=0.1)
PATIENT = Timing(lease_seconds=600, renew_seconds=0.2, retry_seconds=0.05, look_seconds=600)
"""Whoever stands with it and is elected was woken by a change of the Lease: nothing has run out."""
WITHIN = 30


def candidate(api: Client, holder: str) -> Leadership:
    return Leadership(api, NAMESPACE, NAME, holder, timing=QUICK)


async def write(api: Client, term: Term, name: str) -> None:
    made = ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))
    await api.with_options(WriteOptions(term=term)).of(ConfigMap).create(made)


async def holder_of(api: Client) -> str | None:
    return (await api.of(Lease).get(NAME, NAMESPACE)).spec.holder_identity


async def test_a_clean_hand_over_waits_for_nothing(api: Client) -> None:
    async with (
        asyncio.timeout(WITHIN),
        asyncio.TaskGroup() as tasks,
        Leadership(api, NAMESPACE, NAME, "a", timing=PATIENT).term() as first,
    ):
        await write(api, first, "one")

        async def stand_by() -> None:
            async with Leadership(api, NAMESPACE, NAME, "b", timing=PATIENT).term() as second:
                assert second.token > first.token
                await write(api, second, "two")

        tasks.create_task(stand_by())
        await write(api, first, "meanwhile")
    assert await holder_of(api) is None
    with pytest.raises(Deposed):
        await write(api, first, "three")


async def test_a_leader_that_renews_is_left_alone(api: Client) -> None:
    # Longer than the longest time that a standby counts at once, so that no pause of this process is taken for silence.
    timing = Timing(lease_seconds=3, renew_seconds=0.2, retry_seconds=0.05, look_seconds=0.1)
    async with asyncio.TaskGroup() as tasks, Leadership(api, NAMESPACE, NAME, "a", timing=timing).term() as term:
        standing = tasks.create_task(stand(Leadership(api, NAMESPACE, NAME, "b", timing=timing)))
        await asyncio.sleep(timing.lease_seconds * 1.2)
        await write(api, term, "one")
        standing.cancel()


async def stand(candidate: Leadership) -> None:
    """Until elected, and then until cancelled."""
    async with candidate.term():
        await asyncio.Event().wait()


class LateAnswers:
    """A client, of Leases only, that has them written at once, and tells so when the test lets it."""

    def __init__(self, api: Client) -> None:
        self._leases = api.of(Lease)
        self.hold = api.hold
        self.landed, self.told = asyncio.Event(), asyncio.Event()

    def of(self, _what: type[Lease]) -> LateAnswers:
        return self

    def __getattr__(self, verb: str) -> Any:
        """All verbs but the two by which a Lease is taken."""
        return getattr(self._leases, verb)

    async def create(self, *values: Any, **options: Any) -> Any:
        return await self._late(await self._leases.create(*values, **options))

    async def update(self, *values: Any, **options: Any) -> Any:
        return await self._late(await self._leases.update(*values, **options))

    async def _late(self, answer: Any) -> Any:
        self.landed.set()
        await self.told.wait()
        return answer


async def test_whoever_is_told_to_go_while_it_takes_the_lease_gives_it_back(api: Client) -> None:
    for steps in range(-1, 8):  # of the event loop since the answer: from before it to within the term
        late = LateAnswers(api)
        standing = asyncio.create_task(stand(candidate(cast(Client, late), "a")))
        async with asyncio.timeout(WITHIN):
            await late.landed.wait()
        assert await holder_of(api) == "a"
        if steps >= 0:
            late.told.set()
        for _ in range(steps):
            await asyncio.sleep(0)
        standing.cancel()
        await asyncio.sleep(0)
        late.told.set()
        await asyncio.wait([standing], timeout=WITHIN)
        assert standing.cancelled(), steps
        assert await holder_of(api) is None, steps


@pytest.mark.parametrize("verb", ["edit", "delete"])
async def test_a_leader_that_a_user_deposes_stands_again(api: Client, verb: str) -> None:
    terms: list[Term] = []
    leases = api.of(Lease)

    async def work(term: Term) -> None:
        terms.append(term)
        if len(terms) == 1:
            if verb == "delete":
                await leases.delete(NAME, NAMESPACE)
            else:
                await leases.patch(NAME, NAMESPACE, b'{"spec":{"holderIdentity":"somebody"}}')
            await asyncio.Event().wait()  # until the term is taken from under us

    async with asyncio.timeout(WITHIN):
        await candidate(api, "a").lead(work)
    assert len(terms) == 2
    assert terms[1].token > terms[0].token


async def test_a_leader_that_says_nothing_is_replaced_and_refused(api: Client) -> None:
    silent = Leadership(api, NAMESPACE, NAME, "a", timing=Timing(renew_seconds=60.0))

    async def overstay() -> None:
        async with silent.term() as first, candidate(api, "b").term() as second:
            await write(api, second, "one")
            await write(api, first, "two")

    with pytest.raises(Deposed):
        await asyncio.wait_for(overstay(), timeout=WITHIN)


async def test_what_a_user_writes_on_the_lease_harms_no_term(api: Client) -> None:
    async with candidate(api, "a").term() as term:
        await api.of(Lease).patch(NAME, NAMESPACE, b'{"metadata":{"labels":{"seen":"yes"}}}')
        await asyncio.sleep(QUICK.renew_seconds * 2)
        await write(api, term, "one")
        assert (await api.of(Lease).get(NAME, NAMESPACE)).metadata.labels == {"seen": "yes"}


async def test_an_error_of_the_work_gives_the_lease_back(api: Client) -> None:
    with pytest.raises(ZeroDivisionError):
        async with candidate(api, "a").term():
            raise ZeroDivisionError
    assert await holder_of(api) is None


class Line:
    """A line held by hand: broken off without a word, as by a dying process."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),))
        self._call = self._channel.stream_stream(
            "/steersman.v1.Leadership/Hold",
            request_serializer=leadership_pb2.HoldRequest.SerializeToString,
            response_deserializer=leadership_pb2.HoldReply.FromString,
        )()

    async def open(self, revision: Revision) -> None:
        term = objects_pb2.Term(lease_namespace=NAMESPACE, lease_name=NAME, token=revision)
        await self._call.write(leadership_pb2.HoldRequest(term=term))
        assert await self._call.read() == leadership_pb2.HoldReply()

    async def leave(self) -> None:
        await self._call.write(leadership_pb2.HoldRequest(goodbye=leadership_pb2.Goodbye()))
        assert await self._call.read() is grpc.aio.EOF

    async def break_off(self) -> None:
        await self._channel.close(None)


async def take(api: Client) -> Revision:
    spec = LeaseSpec(holder_identity="a", lease_duration_seconds=30)
    written = await api.of(Lease).create(Lease(metadata=ObjectMeta(name=NAME, namespace=NAMESPACE), spec=spec))
    return written.revision


async def test_a_broken_line_releases_the_lease_once(api_server: Serving, api: Client) -> None:
    line = Line(str(api_server.grpc))
    await line.open(await take(api))
    await line.break_off()

    async def released() -> bool:
        return await holder_of(api) is None

    await eventually(released, within=WITHIN)
    again = await api.of(Lease).patch(NAME, NAMESPACE, b'{"spec":{"holderIdentity":"a"}}')
    second = Line(str(api_server.grpc))
    await second.open(again.revision)
    await second.break_off()
    await asyncio.sleep(0.6)
    assert await holder_of(api) == "a"  # not twice within one Lease duration


async def test_a_goodbye_and_a_renewal_keep_the_lease(
    api_server: Serving, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await take(api)
    polite, back = Line(str(api_server.grpc)), Line(str(api_server.grpc))
    await polite.open(token)
    await back.open(token)
    await polite.leave()
    await polite.break_off()
    await asyncio.sleep(holding.GRACE_SECONDS * 2)
    assert await holder_of(api) == "a"
    grace_seconds = 1.0  # long enough that the renewals below, however slow, come in time
    monkeypatch.setattr(holding, "GRACE_SECONDS", grace_seconds)
    await back.break_off()
    for number in range(30):  # over more than the grace; the server may hear of the break after some of them
        renewed = b'{"spec":{"renewTime":"2030-01-01T00:00:%02d.000000Z"}}' % number
        await api.of(Lease).patch(NAME, NAMESPACE, renewed)
        await asyncio.sleep(grace_seconds / 20)
    assert await holder_of(api) == "a"
