from __future__ import annotations

import asyncio

import pytest

from steersman.api.errors import Expired
from steersman.api.names import Revision
from steersman.client.watching import Position
from steersman.client.watchstream import MAX_PENDING_EVENTS, Interrupted, Mailbox
from steersman.pb import objects_pb2
from steersman.pb.resources_pb2 import WatchEvent

A, B = ("default", "a"), ("default", "b")
MARK = ("", "")


@pytest.mark.parametrize(
    ("came", "given", "resume_after"),
    [
        pytest.param([], [], 10, id="nothing yet"),
        pytest.param([(11, A)], [True], 10, id="one change: its revision may have more"),
        pytest.param([(11, A), (12, A)], [True, True], 11, id="the next revision completes the one before"),
        pytest.param([(11, A), (11, B)], [True, True], 10, id="two objects in one revision"),
        pytest.param([(11, A), (11, A)], [True, False], 10, id="the same again after a break"),
        pytest.param([(11, A), (11, A), (11, B)], [True, False, True], 10, id="the rest of a revision after a break"),
        pytest.param([(11, MARK)], [True], 11, id="a bookmark"),
        pytest.param([(11, A), (11, MARK)], [True, True], 11, id="a bookmark completes its revision"),
        pytest.param([(12, MARK), (12, A), (11, B)], [True, False, False], 12, id="nothing from before a bookmark"),
        pytest.param([(12, MARK), (12, MARK)], [True, False], 12, id="a bookmark that says nothing new"),
        pytest.param([(12, A), (11, MARK)], [True, False], 11, id="a bookmark behind"),
        pytest.param([(10, A)], [False], 10, id="nothing from before the start"),
    ],
)
def test_position(came: list[tuple[int, tuple[str, str]]], given: list[bool], resume_after: int) -> None:
    position = Position(Revision(10))
    seen = [
        position.mark(Revision(revision)) if key is MARK else position.is_new(Revision(revision), key)
        for revision, key in came
    ]
    assert (seen, position.resume_after) == (given, resume_after)


async def test_a_mailbox_gives_what_came_before_its_end() -> None:
    mailbox = Mailbox(1)
    mailbox.put(WatchEvent(type=WatchEvent.ADDED))
    mailbox.end(Expired("too old"))
    mailbox.end(Interrupted("later"))
    assert len(await mailbox.take()) == 1
    with pytest.raises(Expired):
        await mailbox.take()


async def test_a_cancelled_take_loses_nothing() -> None:
    mailbox = Mailbox(1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await mailbox.take()
    mailbox.put(WatchEvent(type=WatchEvent.ADDED))
    assert len(await mailbox.take()) == 1


def test_a_mailbox_is_full_by_number_or_size() -> None:
    many, large = Mailbox(1), Mailbox(2)
    for _ in range(MAX_PENDING_EVENTS + 1):
        many.put(WatchEvent(type=WatchEvent.BOOKMARK))
    large.put(WatchEvent(object=objects_pb2.Object(json=bytes(17 * 1024 * 1024))))
    assert (many.is_full, large.is_full, Mailbox(3).is_full) == (True, True, False)
