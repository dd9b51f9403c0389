"""Leaders that come, go and are thrown out, against a real API server."""

from __future__ import annotations

import asyncio
import time

import grpc
import pytest

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

NAMESPACE, NAME = "kube-system", "kube-controller-manager"
QUICK = Timing(lease_seconds=1, renew_seconds=0.2, retry_seconds=0.05, look_seconds=0.1)


def candidate(api: Client, holder: str) -> Leadership:
    return Leadership(api, NAMESPACE, NAME, holder, timing=QUICK)


async def write(api: Client, term: Term, name: str) -> None:
    made = ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))
    await api.with_options(WriteOptions(term=term)).of(ConfigMap).create(made)


async def holder_of(api: Client) -> str | None:
    return (await api.of(Lease).get(NAME, NAMESPACE)).spec.holder_identity


async def test_a_clean_hand_over_takes_no_time(api: Client) -> None:
    async with asyncio.TaskGroup() as tasks:
        async with candidate(api, "a").term() as first:
            await write(api, first, "one")
            elected = asyncio.Event()

            async def stand_by() -> float:
                async with candidate(api, "b").term() as second:
                    elected.set()
                    assert second.token > first.token
                    await write(api, second, "two")
                    return time.monotonic()

            standing = tasks.create_task(stand_by())
            await asyncio.sleep(QUICK.lease_seconds * 1.5)
            assert not elected.is_set()  # a leader that renews is left alone
            left = time.monotonic()
        assert await standing - left < 0.5
    assert await holder_of(api) is None
    with pytest.raises(Deposed):
        await write(api, first, "three")


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

    async with asyncio.timeout(5):
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
        await asyncio.wait_for(overstay(), timeout=5)


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
    await asyncio.sleep(0.1)
    assert await holder_of(api) == "a"  # it might come back
    await asyncio.sleep(0.5)
    assert await holder_of(api) is None
    again = await api.of(Lease).patch(NAME, NAMESPACE, b'{"spec":{"holderIdentity":"a"}}')
    second = Line(str(api_server.grpc))
    await second.open(again.revision)
    await second.break_off()
    await asyncio.sleep(0.6)
    assert await holder_of(api) == "a"  # not twice within one Lease duration


async def test_a_goodbye_and_a_renewal_keep_the_lease(api_server: Serving, api: Client) -> None:
    token = await take(api)
    polite, back = Line(str(api_server.grpc)), Line(str(api_server.grpc))
    await polite.open(token)
    await back.open(token)
    await polite.leave()
    await polite.break_off()
    await asyncio.sleep(0.6)
    assert await holder_of(api) == "a"
    await back.break_off()
    await asyncio.sleep(0.1)
    await api.of(Lease).patch(NAME, NAMESPACE, b'{"spec":{"renewTime":"2030-01-01T00:00:00.000000Z"}}')
    await asyncio.sleep(0.5)
    assert await holder_of(api) == "a"
