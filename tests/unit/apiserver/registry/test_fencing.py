"""Fences, through the registry: which steps of a Lease end a leader's term, and what that does to its writes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from apiserver.auth.identity import Caller
from apiserver.registry import fencing
from apiserver.registry.requests import PatchType, Target, Term, WriteOptions
from apiserver.storage import keys
from steersman.api.errors import BadRequest, Deposed, Forbidden, NotFound
from steersman.api.names import Revision
from tests.builders import make_configmap, make_lease
from tests.unit.apiserver.registry.conftest import World, configmap, in_namespace, lease

LEADER = lease("leader", "default")
HEARTBEAT = lease("node-1", fencing.HEARTBEATS)


async def elect(world: World, target: Target = LEADER) -> Term:
    body = make_lease(target.name, namespace=target.namespace)
    written = await world.registry.create(in_namespace(target), body)
    return Term(target.namespace, target.name, written.revision)


async def patch(world: World, body: bytes, term: Term | None = None) -> Revision:
    written = await world.registry.patch(LEADER, PatchType.MERGE, body, WriteOptions(term=term))
    return written.revision


async def replace(world: World, body: bytes) -> None:
    present = json.loads((await world.registry.get(LEADER)).json)
    metadata = present["metadata"]
    await world.registry.update(LEADER, json.dumps({**json.loads(body), "metadata": metadata}).encode())


async def write(world: World, term: Term) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap(), WriteOptions(term=term))


async def test_the_token_is_the_revision_of_the_step_that_began_the_term(world: World) -> None:
    term = await elect(world)
    assert (await world.store.get(keys.fence_of("default", "leader"))).revision == term.token
    await write(world, term)


Step = Callable[[World], Awaitable[object]]


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(lambda world: patch(world, b'{"spec":{"renewTime":"2030-01-01T00:00:01.000000Z"}}'), id="renewal"),
        pytest.param(lambda world: patch(world, b'{"spec":{"leaseDurationSeconds":9}}'), id="another duration"),
        pytest.param(lambda world: patch(world, b'{"metadata":{"labels":{"a":"b"}}}'), id="a label"),
    ],
)
async def test_a_term_outlives(world: World, step: Step) -> None:
    term = await elect(world)
    await step(world)
    await write(world, term)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(lambda world: patch(world, b'{"spec":{"holderIdentity":null}}'), id="release"),
        pytest.param(lambda world: patch(world, b'{"spec":{"holderIdentity":"b"}}'), id="another holder by patch"),
        pytest.param(
            lambda world: replace(world, make_lease(spec={"holderIdentity": "b"})),
            id="another holder by update",
        ),
        pytest.param(
            lambda world: patch(world, b'{"spec":{"acquireTime":"2030-01-01T00:00:01.000000Z"}}'),
            id="the same holder at another time",
        ),
        pytest.param(lambda world: patch(world, b'{"spec":{"leaseTransitions":1}}'), id="the same holder once more"),
        pytest.param(lambda world: world.registry.delete(LEADER), id="deletion"),
    ],
)
async def test_a_term_ends_with(world: World, step: Step) -> None:
    term = await elect(world)
    await step(world)
    with pytest.raises(Deposed, match="default/leader"):
        await write(world, term)


async def test_a_lease_made_anew_does_not_bring_a_term_back(world: World) -> None:
    term = await elect(world)
    await world.registry.delete(LEADER)
    assert (await elect(world)).token > term.token
    with pytest.raises(Deposed):
        await write(world, term)


async def test_a_leader_gives_its_own_term_back_once(world: World) -> None:
    term = await elect(world)
    await patch(world, b'{"spec":{"holderIdentity":null}}', term)
    with pytest.raises(Deposed):
        await patch(world, b'{"spec":{"holderIdentity":null}}', term)


async def test_an_absent_fence_lets_nobody_through(world: World) -> None:
    for token in (0, -1):
        with pytest.raises(BadRequest):
            await write(world, Term("default", "nobodys", Revision(token)))


async def test_heartbeats_have_no_fence(world: World) -> None:
    await elect(world, HEARTBEAT)
    with pytest.raises(NotFound):
        await world.store.get(keys.fence_of(HEARTBEAT.namespace, HEARTBEAT.name))


@pytest.mark.parametrize("user", sorted(fencing.LEADERS))
async def test_who_may_only_write_as_leader_must_name_the_term(world: World, user: str) -> None:
    body, target = make_configmap(), in_namespace(configmap())
    with pytest.raises(Forbidden, match="must name the term"):
        await world.registry.create(target, body, WriteOptions(caller=Caller(user)))
    lease_written = await world.registry.create(in_namespace(LEADER), make_lease(), WriteOptions(caller=Caller(user)))
    term = Term("default", "leader", lease_written.revision)
    await world.registry.create(target, body, WriteOptions(caller=Caller(user), term=term))
    with pytest.raises(Forbidden):
        await world.registry.delete(configmap(), options=WriteOptions(caller=Caller(user)))
