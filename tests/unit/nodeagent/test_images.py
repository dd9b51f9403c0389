"""Pull policies, failures and the time between tries."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from nodeagent.images import CannotStart, Images
from nodeagent.runtime.hollow import HollowEngine, HollowRuntime
from nodeagent.runtime.hollow.engine import as_meant
from nodeagent.runtime.interface import Owner, PullFailed
from nodeagent.runtime.seen import Image
from nodeagent.runtime.specs import Credentials
from steersman.api.meta import Object
from tests.fakes.clock import FakeClock
from tests.unit.nodeagent.views import container, pod


@dataclass
class Notes:
    told: list[tuple[str, str]] = field(default_factory=list)
    about: list[str] = field(default_factory=list)

    def normal(self, about: Object, reason: str, message: str) -> None:
        self.told.append((reason, message))
        self.about.append(about.metadata.uid)

    def warning(self, about: Object, reason: str, message: str) -> None:
        self.normal(about, reason, message)


class Registry(HollowRuntime):
    """A runtime whose registry can be out of order."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(HollowEngine(clock, as_meant), Owner("cluster", "node"))
        self.is_broken = False
        self.pulls = 0

    async def pull_image(self, reference: str, credentials: Credentials | None = None) -> Image:
        self.pulls += 1
        await asyncio.sleep(0)
        if self.is_broken:
            raise PullFailed("the registry is on fire")
        return await super().pull_image(reference, credentials)


@dataclass
class World:
    clock: FakeClock = field(default_factory=FakeClock)
    notes: Notes = field(default_factory=Notes)

    def __post_init__(self) -> None:
        self.registry = Registry(self.clock)
        self.images = Images(self.registry, self.notes, self.clock)

    async def ensure(self, policy: str = "IfNotPresent", image: str = "nginx:1.25") -> Image:
        return await self.images.ensure(pod(), container(image=image, image_pull_policy=policy), [])

    async def refusal(self, policy: str = "IfNotPresent", image: str = "nginx:1.25") -> tuple[str, str, float]:
        """Reason, message and seconds until the next try."""
        with pytest.raises(CannotStart) as caught:
            await self.ensure(policy, image)
        trouble = caught.value.trouble
        return trouble.reason, trouble.message, (trouble.retry_at - self.clock.now()).total_seconds()


async def test_an_image_is_pulled_once() -> None:
    world = World()
    first = await world.ensure()
    assert await world.ensure() == first
    assert world.registry.pulls == 1
    assert [reason for reason, _ in world.notes.told] == ["Pulling", "Pulled", "Pulled"]
    assert world.notes.told[-1][1].startswith('Container image "nginx:1.25" already present on machine')


async def test_always_pulls_every_time() -> None:
    world = World()
    await world.ensure("Always")
    await world.ensure("Always")
    assert world.registry.pulls == 2


async def test_never_pulls_nothing() -> None:
    world = World()
    reason, message, _ = await world.refusal("Never")
    assert (reason, world.registry.pulls) == ("ErrImageNeverPull", 0)
    assert message == 'Container image "nginx:1.25" is not present with pull policy of Never'
    await world.ensure()
    await world.ensure("Never")


async def test_a_name_that_cannot_be() -> None:
    reason, _, _ = await World().refusal(image="NOT an image")
    assert reason == "InvalidImageName"


async def test_a_failure_then_a_back_off_that_grows() -> None:
    world = World()
    world.registry.is_broken = True
    assert await world.refusal() == ("ErrImagePull", "the registry is on fire", 1.0)
    await world.clock.advance(1)
    told = 'Back-off pulling image "nginx:1.25": ErrImagePull: the registry is on fire'
    assert await world.refusal() == ("ImagePullBackOff", told, 9.0)
    assert world.registry.pulls == 1
    await world.clock.advance(9)
    assert (await world.refusal())[0] == "ErrImagePull"
    assert (await world.refusal())[2] == 20.0
    world.registry.is_broken = False
    await world.clock.advance(20)
    await world.ensure()
    reasons = [reason for reason, _ in world.notes.told]
    assert reasons == [
        "Pulling",
        "Failed",
        "Failed",
        "BackOff",
        "Pulling",
        "Failed",
        "Failed",
        "BackOff",
        "Pulling",
        "Pulled",
    ]
