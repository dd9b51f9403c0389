from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest
from google.protobuf.message import Message

from steersman.api import kinds
from steersman.api.core import Event, Node, Pod
from steersman.api.errors import ApiError, Deposed, Forbidden, NotFound, Unavailable
from steersman.api.meta import ObjectMeta
from steersman.client import recorder, requests
from steersman.client.recorder import BURST, REFILL_SECONDS, WINDOW_SECONDS, Recorder
from steersman.client.requests import PLAIN
from steersman.client.retrying import Failed, Fate, Repeater
from steersman.client.writing import Writes
from steersman.pb import objects_pb2, resources_pb2
from tests.fakes.clock import START, FakeClock

POD = Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="u1"))


class Desk:
    """A recorder whose Events land in `stored`; `failures` befall the next calls."""

    def __init__(self, *failures: ApiError) -> None:
        self.clock = FakeClock()
        self.stored: dict[str, dict[str, Any]] = {}
        self.writes = 0
        self.failures = list(failures)
        kind = kinds.by_resource("", "events")
        assert kind is not None
        form = requests.typed(Event)
        writes: Writes[Event] = Writes(kind, form, PLAIN, self.carry, self.carry, Repeater(self.clock))
        numbers = itertools.count(1)
        self.recorder = Recorder(writes, "tests", clock=self.clock, random_hex=lambda _: f"{next(numbers):x}")

    async def carry(self, method: str, request: Message, _: float, /) -> Message:
        asked: Any = request
        self.writes += 1
        if self.failures:
            error = self.failures.pop(0)
            raise Failed(error, Fate.LOST if isinstance(error, Unavailable) else Fate.REFUSED)
        if method == "Create":
            self.stored[asked.target.name] = json.loads(asked.json)
        elif asked.target.name not in self.stored:
            raise Failed(NotFound("expired"), Fate.REFUSED)
        else:
            self.stored[asked.target.name] |= json.loads(asked.patch)
        body = json.dumps(self.stored[asked.target.name]).encode()
        return resources_pb2.WriteReply(object=objects_pb2.Object(json=body, revision=7))

    async def send(self) -> list[dict[str, Any]]:
        running = asyncio.create_task(self.recorder.run())
        await self.clock.advance(60)
        running.cancel()
        await asyncio.wait((running,))
        return list(self.stored.values())

    @property
    def counts(self) -> list[int]:
        return [event["count"] for event in self.stored.values()]


async def test_an_event_says_what_happened_to_whom() -> None:
    desk = Desk()
    desk.recorder.warning(POD, "FailedScheduling", "0/3 nodes are available")
    (event,) = await desk.send()
    assert event["involvedObject"] == {
        "kind": "Pod",
        "namespace": "shop",
        "name": "web",
        "uid": "u1",
        "apiVersion": "v1",
    }
    microsecond = int(START.timestamp() * 1e6)
    assert event["metadata"] == {"name": f"web.{microsecond:x}1", "namespace": "shop"}
    assert (event["type"], event["reason"], event["message"], event["count"]) == (
        "Warning",
        "FailedScheduling",
        "0/3 nodes are available",
        1,
    )
    assert event["firstTimestamp"] == event["lastTimestamp"] == "2030-01-01T00:00:00Z"
    assert event["source"] == {"component": "tests"}


async def test_events_about_objects_without_a_namespace_are_in_the_default_one() -> None:
    desk = Desk()
    desk.recorder.normal(Node(metadata=ObjectMeta(name="n1")), "NodeReady", "ready")
    assert [event["metadata"]["namespace"] for event in await desk.send()] == ["default"]


async def test_the_same_again_is_one_event_with_a_count() -> None:
    desk = Desk()
    for _ in range(3):
        desk.recorder.normal(POD, "Pulled", "image there")
    desk.recorder.normal(POD, "Pulled", "another image")
    await desk.send()
    assert (desk.counts, desk.writes) == ([3, 1], 2)
    desk.recorder.normal(POD, "Pulled", "image there")
    events = await desk.send()
    assert desk.counts == [4, 1]
    assert events[0]["lastTimestamp"] == "2030-01-01T00:01:00Z"


async def test_after_the_window_a_new_event_begins() -> None:
    desk = Desk()
    desk.recorder.normal(POD, "Pulled", "image there")
    await desk.send()
    await desk.clock.advance(WINDOW_SECONDS)
    desk.recorder.normal(POD, "Pulled", "image there")
    await desk.send()
    assert desk.counts == [1, 1]


async def test_one_that_has_expired_is_created_anew() -> None:
    desk = Desk()
    desk.recorder.normal(POD, "Pulled", "image there")
    await desk.send()
    desk.stored.clear()
    desk.recorder.normal(POD, "Pulled", "image there")
    await desk.send()
    assert desk.counts == [2]


async def test_a_noisy_object_is_limited_and_a_quiet_one_is_not() -> None:
    desk = Desk()
    for number in range(BURST + 10):
        desk.recorder.normal(POD, "Noise", str(number))
    desk.recorder.normal(Node(metadata=ObjectMeta(name="n1")), "NodeReady", "ready")
    assert len(await desk.send()) == BURST + 1
    await desk.clock.advance(REFILL_SECONDS)
    desk.recorder.normal(POD, "Noise", "later")
    assert len(await desk.send()) == BURST + 2


async def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steersman.client.recorder.MAX_PENDING", 20)
    desk = Desk()
    for number in range(25):
        desk.recorder.normal(Node(metadata=ObjectMeta(name=f"n{number}")), "NodeReady", "ready")
    assert len(desk.recorder._pending) == 20


async def test_a_lost_answer_is_tried_again_and_a_refusal_is_not() -> None:
    lost = Desk(Unavailable("cut"))
    lost.recorder.normal(POD, "Pulled", "image there")
    await lost.send()
    assert lost.counts == [1]
    refused = Desk(Forbidden("namespace is going away"))
    refused.recorder.normal(POD, "Pulled", "image there")
    await refused.send()
    assert (refused.counts, refused.writes) == ([], 1)


async def test_deposed_ends_it() -> None:
    desk = Desk(Deposed("over"))
    desk.recorder.normal(POD, "Pulled", "image there")
    with pytest.raises(Deposed):
        await desk.recorder.run()


def test_a_long_message_is_cut_between_characters() -> None:
    assert recorder._shortened("é" * 1000) == "é" * 512
