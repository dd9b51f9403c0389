"""Messages for Watch and Batch streams that no decent client would send. Pure, as `hostile` is."""

from __future__ import annotations

from random import Random

from steersman.pb import resources_pb2
from tests.integration.hostile import deleting, odd_target, patching, scaling, write
from tests.integration.hostilevalues import NUMBERS, SELECTORS, revision


def watch_message(random: Random) -> bytes:
    pb = resources_pb2
    kind = random.randrange(10)
    if kind == 0:
        return random.randbytes(random.randrange(60))
    if kind == 1:
        return pb.WatchRequest(stop=pb.WatchStop(id=random.choice(NUMBERS))).SerializeToString()
    if kind <= 3:
        asked = pb.WatchProgress(id=random.choice((1, 2, 3, -1)), revision=random.choice(NUMBERS))
        return pb.WatchRequest(progress=asked).SerializeToString()
    start = pb.WatchStart(
        id=random.choice((1, 2, 3, *NUMBERS)),
        target=odd_target(random),
        label_selector=random.choice(("", "", *SELECTORS)),
        field_selector=random.choice(("", "", *SELECTORS)),
        resource_version=revision(random),
        resource_version_match=random.choice(("", "", "NotOlderThan", "Exact", "x")),
        bookmarks=random.random() < 0.5,
        initial_events=random.choice((None, None, True, False)),
        timeout_seconds=random.choice((0, 0, *NUMBERS)),
    )
    return pb.WatchRequest(start=start).SerializeToString()


def batch_message(random: Random) -> bytes:
    if random.random() < 0.1:
        return random.randbytes(random.randrange(60))
    made = random.choice((write, patching, deleting, scaling))(random)
    item = resources_pb2.BatchItem(id=random.choice(NUMBERS))
    field = {"UpdateStatus": "update_status"}.get(made.method, made.method.lower())
    getattr(item, field).ParseFromString(made.body)
    return item.SerializeToString()
