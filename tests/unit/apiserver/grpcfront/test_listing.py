"""A reply put together by hand reads like one that was not."""

from __future__ import annotations

import pytest

from apiserver.grpcfront import listing
from apiserver.registry.requests import Found, FoundList
from steersman.api import kinds
from steersman.api.names import Revision
from steersman.pb import objects_pb2, resources_pb2


def usual(found: FoundList) -> resources_pb2.ListReply:
    reply = resources_pb2.ListReply(
        items=[objects_pb2.Object(json=item.json, revision=item.revision) for item in found.items],
        revision=found.revision,
        remaining=found.remaining or 0,
        version="v1",
        kind="ConfigMap",
    )
    setattr(reply, "continue", found.continue_token)
    return reply


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(FoundList((), Revision(7)), id="empty"),
        pytest.param(FoundList((Found(b"{}", Revision(1)),), Revision(1)), id="one"),
        pytest.param(
            FoundList((Found(b"x" * 127, Revision(127)), Found(b"y" * 128, Revision(128))), Revision(300)), id="edges"
        ),
        pytest.param(FoundList((Found(b"z" * 70_000, Revision(2**40)),), Revision(2**40), "token", 12), id="large"),
    ],
)
async def test_it_reads_like_the_usual_reply(found: FoundList) -> None:
    kind = kinds.by_resource("", "configmaps")
    assert kind is not None
    assert resources_pb2.ListReply.FromString(await listing.encode(kind, found)) == usual(found)
