from __future__ import annotations

import asyncio

import pytest

from steersman.api.core import ConfigMap
from steersman.api.errors import AlreadyExists, ApiError, NotFound, Timeout, Unavailable
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client.requests import WriteOptions
from steersman.control.passes import Pass
from steersman.control.writes import Tracked
from tests.fakes.clock import FakeClock
from tests.unit.control.simulation import OWNER, Fault, Server, configmaps, resource_of

CHILD = ConfigMap(metadata=ObjectMeta(name="a", namespace="default", owner_references=(OWNER,)))
ORPHAN = ConfigMap(metadata=ObjectMeta(name="a", namespace="default"))


class Scene:
    def __init__(self, *faults: Fault) -> None:
        self.clock = FakeClock()
        self.server = Server()
        self.tracked = Tracked(resource_of(self.server, self.clock), clock=self.clock)
        self.noted = Pass()
        self.server.faults = list(faults)

    async def create(self, new: ConfigMap = CHILD, options: WriteOptions | None = None) -> ApiError | ConfigMap:
        """What became of it, with as much time as it takes."""
        task = asyncio.create_task(self._create(new, options))
        await self.clock.advance(60)
        return await task

    async def _create(self, new: ConfigMap, options: WriteOptions | None) -> ApiError | ConfigMap:
        with self.noted.opened():
            try:
                return (await self.tracked.create(new, options=options)).object
            except ApiError as error:
                return error

    @property
    def newest(self) -> Revision | None:
        return self.noted.newest.get(configmaps())


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([], id="answered"),
        pytest.param([Fault.LOST_REQUEST], id="never arrived"),
        pytest.param([Fault.LOST_ANSWER], id="landed without an answer"),
        pytest.param([Fault.LOST_ANSWER, Fault.UNAVAILABLE, Fault.LOST_REQUEST, Fault.LOST_ANSWER], id="several"),
        pytest.param([Fault.LOST_ANSWER, Fault.NONE, Fault.LOST_REQUEST], id="the look at it is lost too"),
    ],
)
async def test_a_create_is_repeated_until_its_answer_is_definite(faults: list[Fault]) -> None:
    scene = Scene(*faults)
    assert await scene.create() == scene.server.objects["a"]
    assert scene.newest == scene.server.revision
    assert str(scene.noted) == "create configmaps"


async def test_a_namesake_that_is_not_ours_is_no_success() -> None:
    scene = Scene(Fault.LOST_ANSWER)
    assert isinstance(await scene.create(ORPHAN), AlreadyExists)
    assert scene.newest == scene.server.revision


async def test_already_exists_without_doubt_is_an_answer_and_noted() -> None:
    scene = Scene()
    await scene.create()
    scene.noted = Pass()
    assert isinstance(await scene.create(), AlreadyExists)
    assert scene.newest == scene.server.revision
    assert not scene.noted.changes


async def test_a_refusal_without_doubt_is_not_repeated() -> None:
    """The client itself repeats what was untouched, to its own deadline."""
    scene = Scene(*[Fault.UNAVAILABLE] * 1000)
    assert isinstance(await scene.create(), Unavailable)


async def test_not_found_is_noted() -> None:
    scene = Scene()
    with scene.noted.opened(), pytest.raises(NotFound):
        await scene.tracked.delete("none", "default", uid="u")
    assert scene.newest == scene.server.revision


async def test_a_write_that_could_land_twice_is_unknown_and_what_may_have_landed_is_waited_for() -> None:
    scene = Scene()
    await scene.create()
    scene.noted = Pass()
    scene.server.faults = [Fault.LOST_ANSWER]
    with scene.noted.opened(), pytest.raises(Timeout):
        await scene.tracked.delete("a", "default")
    assert scene.newest == scene.server.revision


async def test_an_update_that_changes_nothing_is_no_change() -> None:
    scene = Scene()
    created = await scene.create()
    scene.noted = Pass()
    assert isinstance(created, ConfigMap)
    with scene.noted.opened():
        await scene.tracked.update(created)
    assert not scene.noted.changes


async def test_a_cancelled_write_is_settled_later() -> None:
    scene = Scene(Fault.LOST_ANSWER)
    task = asyncio.create_task(scene._create(CHILD, None))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not scene.noted.is_settled
    settling = asyncio.create_task(scene.noted.settle())
    await scene.clock.advance(60)
    await settling
    assert scene.noted.is_settled
    assert scene.newest == scene.server.revision
    assert list(scene.server.objects) == ["a"]


async def test_outside_a_pass_nothing_is_noted() -> None:
    scene = Scene()
    await scene.tracked.create(CHILD)
    assert scene.newest is None
