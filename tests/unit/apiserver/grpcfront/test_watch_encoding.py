"""Events of a gRPC watch, as objects and as Tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.grpcfront import showing, watching
from apiserver.grpcfront.watching import Encode
from apiserver.watchcache.items import Change, Event, EventType, Item
from steersman.api import kinds
from steersman.api.errors import BadRequest
from steersman.api.names import Revision
from steersman.pb import resources_pb2

CONFIG_MAP = next(kind for kind in kinds.ALL if kind.resource == "configmaps")
STORED = b'{"metadata":{"name":"a"},"apiVersion":"v1","kind":"ConfigMap","data":{"k":"v"}}'


def encoder(form: resources_pb2.Form = resources_pb2.OBJECT) -> Encode:
    return watching.encoder(CONFIG_MAP, showing.table_of(CONFIG_MAP, form))


def event() -> Event:
    change = Change(Revision(7), None, Item("/registry/configmaps/x/a", "x", "a", STORED, Revision(7), {}, {}), 0.0)
    change.encoded = {}
    return Event(EventType.ADDED, Revision(7), change)


def read(encoded: bytes) -> tuple[resources_pb2.WatchEvent, Any]:
    (made,) = resources_pb2.WatchReply.FromString(encoded).events
    return made, json.loads(made.object.json)


def test_an_object() -> None:
    made, document = read(encoder()(event()))
    assert (made.type, made.object.kind, made.object.revision) == (resources_pb2.WatchEvent.ADDED, "ConfigMap", 7)
    assert document["metadata"] == {"resourceVersion": "7", "name": "a"}


def test_an_object_is_encoded_once_for_all_watches() -> None:
    seen = event()
    assert encoder()(seen) is encoder()(seen)


def test_a_table() -> None:
    made, document = read(encoder(resources_pb2.TABLE)(event()))
    assert (made.object.group, made.object.version, made.object.kind) == ("meta.k8s.io", "v1", "Table")
    assert document["rows"][0]["cells"][:2] == ["a", 1]


def test_every_watch_of_tables_begins_with_the_columns() -> None:
    seen = event()
    for _ in range(2):
        watch = encoder(resources_pb2.TABLE)
        assert read(watch(seen))[1]["columnDefinitions"] is not None
        assert read(watch(seen))[1]["columnDefinitions"] is None


def test_a_bookmark_is_no_row() -> None:
    made, document = read(encoder(resources_pb2.TABLE)(Event(EventType.BOOKMARK, Revision(9))))
    assert (made.type, made.object.revision) == (resources_pb2.WatchEvent.BOOKMARK, 9)
    assert document["kind"] == "ConfigMap"


def test_a_form_that_there_is_not() -> None:
    with pytest.raises(BadRequest, match="unknown form 9"):
        encoder(9)  # type: ignore[arg-type]
