from __future__ import annotations

from typing import Any

import pytest
from aetcd.rpc import kv_pb2
from aetcd.rpc import rpc_pb2 as pb

from apiserver.storage.etcd.keyspace import Keyspace
from apiserver.storage.etcd.revisions import Assembly
from apiserver.storage.interface import Changed, Revised
from steersman.api.names import Revision

ROOT = "/root"


def put(key: str, revision: int) -> Any:
    return kv_pb2.Event(
        type=kv_pb2.Event.PUT, kv=kv_pb2.KeyValue(key=f"{ROOT}{key}".encode(), value=b"v", mod_revision=revision)
    )


def delete(key: str, revision: int) -> Any:
    return kv_pb2.Event(
        type=kv_pb2.Event.DELETE, kv=kv_pb2.KeyValue(key=f"{ROOT}{key}".encode(), mod_revision=revision)
    )


def message(*events: Any, at: int = 0, fragment: bool = False, created: bool = False) -> Any:
    return pb.WatchResponse(header=pb.ResponseHeader(revision=at), events=events, fragment=fragment, created=created)


def revised(revision: int, *changes: Changed) -> Revised:
    return Revised(Revision(revision), changes)


A, B, C = (Changed(key, b"v") for key in ("/a", "/b", "/c"))


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param([message(put("/a", 11))], [revised(11, A)], id="one"),
        pytest.param([message(delete("/a", 11))], [revised(11, Changed("/a", None))], id="deletion"),
        pytest.param(
            [message(put("/a", 11), put("/b", 11), put("/c", 12))], [revised(11, A, B), revised(12, C)], id="grouped"
        ),
        pytest.param(
            [message(put("/a", 11), fragment=True), message(put("/b", 11))], [revised(11, A, B)], id="cut-revision"
        ),
        pytest.param(
            [
                message(put("/a", 11), fragment=True),
                message(put("/b", 11), put("/a", 12), fragment=True),
                message(put("/c", 12)),
            ],
            [revised(11, A, B), revised(12, A, C)],
            id="cut-anywhere",
        ),
        pytest.param([message(put("/a", 11), fragment=True)], [], id="incomplete"),
        pytest.param([message(put("/a", 9), put("/a", 10), put("/b", 11))], [revised(11, B)], id="repeats-left-out"),
        pytest.param(
            [message(put("/a", 11)), message(put("/a", 11), put("/b", 12))],
            [revised(11, A), revised(12, B)],
            id="repeat-later",
        ),
        pytest.param([message(at=15)], [revised(15)], id="progress"),
        pytest.param([message(at=10)], [revised(10)], id="progress-without-news"),
        pytest.param([message(at=9)], [], id="progress-of-one-who-lags"),
        pytest.param([message(at=15, created=True)], [], id="created-is-no-progress"),
    ],
)
def test_assembly(messages: list[Any], expected: list[Revised]) -> None:
    assembly = Assembly(Keyspace(ROOT), Revision(10))
    assert [item for response in messages for item in assembly.add(response)] == expected
