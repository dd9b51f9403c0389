"""Every row of the table in `steersman.client.retrying`, verb by verb."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from google.protobuf.message import Message

from steersman.api import kinds
from steersman.api.core import Binding, ObjectReference, Pod
from steersman.api.errors import ApiError, Conflict, Deposed, NotFound, Timeout, Unavailable
from steersman.api.kinds import Kind
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client import requests
from steersman.client.requests import PLAIN, WriteOptions
from steersman.client.retrying import Failed, Fate, Repeater
from steersman.client.writing import Writes
from steersman.pb import objects_pb2, resources_pb2
from tests.unit.client.skipping import SkippingClock

LOST = Failed(Unavailable("connection lost"), Fate.LOST)
CONFLICT = Failed(Conflict("changed"), Fate.REFUSED)
NOT_FOUND = Failed(NotFound("gone"), Fate.REFUSED)

End = Failed | bytes
Verb = Callable[[Writes[bytes]], Awaitable[Any]]


def pod(resource_version: str = "7", uid: str = "u1", image: str = "new", **more: Any) -> bytes:
    meta = {"name": "web", "namespace": "default", "uid": uid, "resourceVersion": resource_version}
    meta |= more.pop("meta", {})
    spec = {"containers": [{"name": "main", "image": image}], **more.pop("spec", {})}
    return json.dumps({"metadata": meta, "spec": spec, **more}).encode()


def make_writes(
    *ends: End, present: bytes | None = None, options: WriteOptions = PLAIN
) -> tuple[Writes[bytes], list[Any]]:
    """Writes whose tries end as told; a reader finds `present`."""
    script = list(ends)
    sent: list[Any] = []

    async def carry(method: str, request: Message, _: float) -> resources_pb2.WriteReply:
        sent.append((method, request))
        end = script.pop(0)
        if isinstance(end, Failed):
            raise end
        return resources_pb2.WriteReply(object=objects_pb2.Object(json=end, revision=8))

    async def look(method: str, request: Message, _: float) -> objects_pb2.Object:
        assert method == "Get"
        if present is None:
            raise NOT_FOUND
        return objects_pb2.Object(json=present, revision=11)

    kind = _kind("pods")
    return Writes(kind, requests.RAW, options, carry, look, Repeater(SkippingClock())), sent


def _kind(resource: str) -> Kind:
    kind = kinds.by_resource("", resource)
    assert kind is not None
    return kind


def _binding(uid: str = "") -> Binding:
    return Binding(
        metadata=ObjectMeta(name="web", namespace="default", uid=uid), target=ObjectReference(kind="Node", name="n1")
    )


COULD_LAND_TWICE: dict[str, Verb] = {
    "create": lambda writes: writes.create(pod(resource_version="")),
    "patch": lambda writes: writes.patch("web", "default", b"{}"),
    "scale": lambda writes: writes.scale("web", "default", 3),
    "update without resourceVersion": lambda writes: writes.update(pod(resource_version="")),
    "status without resourceVersion": lambda writes: writes.update_status(pod(resource_version="")),
    "delete without uid": lambda writes: writes.delete("web", "default"),
    "evict without uid": lambda writes: writes.evict("web", "default"),
    "bind without uid": lambda writes: writes.bind(_binding()),
}
LANDS_ONCE: dict[str, Verb] = {
    "update": lambda writes: writes.update(pod()),
    "status": lambda writes: writes.update_status(pod()),
    "delete": lambda writes: writes.delete("web", "default", uid="u1"),
    "evict": lambda writes: writes.evict("web", "default", uid="u1"),
    "bind": lambda writes: writes.bind(_binding("u1")),
}


@pytest.mark.parametrize("verb", COULD_LAND_TWICE.values(), ids=COULD_LAND_TWICE)
async def test_not_repeated_when_it_may_have_landed(verb: Verb) -> None:
    writes, sent = make_writes(LOST, pod())
    with pytest.raises(Timeout, match="unknown"):
        await verb(writes)
    assert len(sent) == 1


@pytest.mark.parametrize("verb", LANDS_ONCE.values(), ids=LANDS_ONCE)
async def test_repeated_unchanged_when_it_cannot_land_twice(verb: Verb) -> None:
    writes, sent = make_writes(LOST, pod())
    await verb(writes)
    assert len(sent) == 2
    assert sent[0] == sent[1]


@pytest.mark.parametrize("verb", LANDS_ONCE.values(), ids=LANDS_ONCE)
async def test_deposed_is_final_also_in_doubt(verb: Verb) -> None:
    writes, _ = make_writes(LOST, Failed(Deposed("another leads"), Fate.REFUSED))
    with pytest.raises(Deposed):
        await verb(writes)


@pytest.mark.parametrize("verb", [*COULD_LAND_TWICE.values(), *LANDS_ONCE.values()])
async def test_repeated_when_nothing_was_done(verb: Verb) -> None:
    writes, sent = make_writes(Failed(Unavailable("down"), Fate.UNTOUCHED), pod())
    await verb(writes)
    assert len(sent) == 2


async def test_a_dry_run_is_repeated_like_a_read() -> None:
    writes, sent = make_writes(LOST, pod(), options=WriteOptions(dry_run=True))
    await writes.create(pod(resource_version=""))
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("verb", "refusal", "present"),
    [
        pytest.param("update", CONFLICT, pod("11", meta={"generation": 2}), id="update: the object is as we sent it"),
        pytest.param(
            "update",
            CONFLICT,
            pod("11", meta={"annotations": {"tracing.k8s.io/traceparent": "00-1-2-01"}}),
            id="update: with its trace noted",
        ),
        pytest.param("status", CONFLICT, pod("11", image="other"), id="status: equal, whatever the spec"),
        pytest.param("delete", NOT_FOUND, None, id="delete: gone"),
        pytest.param("delete", CONFLICT, pod("11", uid="u2"), id="delete: a namesake has its place"),
        pytest.param("delete", CONFLICT, pod("11", meta={"deletionTimestamp": "x"}), id="delete: marked"),
        pytest.param("evict", NOT_FOUND, None, id="evict: gone"),
        pytest.param("bind", CONFLICT, pod("11", spec={"nodeName": "n1"}), id="bind: it is on that node"),
    ],
)
async def test_settled_as_landed(verb: str, refusal: Failed, present: bytes | None) -> None:
    writes, _ = make_writes(LOST, refusal, present=present)
    result = await LANDS_ONCE[verb](writes)
    assert result.revision == (11 if present is not None else 0)


@pytest.mark.parametrize(
    ("verb", "refusal", "present"),
    [
        pytest.param("update", CONFLICT, pod("11", image="other"), id="update: somebody else wrote"),
        pytest.param("update", CONFLICT, pod("11", uid="u2"), id="update: a namesake"),
        pytest.param("update", NOT_FOUND, None, id="update: gone"),
        pytest.param("status", CONFLICT, pod("11", status={"phase": "Failed"}), id="status: another status"),
        pytest.param("delete", CONFLICT, pod("11"), id="delete: still there"),
        pytest.param("bind", CONFLICT, pod("11", spec={"nodeName": "n2"}), id="bind: on another node"),
        pytest.param("bind", NOT_FOUND, None, id="bind: gone"),
    ],
)
async def test_not_settled_is_unknown(verb: str, refusal: Failed, present: bytes | None) -> None:
    writes, _ = make_writes(LOST, refusal, present=present)
    with pytest.raises(Timeout, match="unknown"):
        await LANDS_ONCE[verb](writes)


@pytest.mark.parametrize("error", [Conflict("changed"), NotFound("gone")], ids=["Conflict", "NotFound"])
@pytest.mark.parametrize("verb", LANDS_ONCE.values(), ids=LANDS_ONCE)
async def test_a_refusal_of_the_first_try_is_the_answer(verb: Verb, error: ApiError) -> None:
    writes, _ = make_writes(Failed(error, Fate.REFUSED), present=pod())
    with pytest.raises(type(error)):
        await verb(writes)


async def test_a_settled_deletion_has_no_object_but_a_revision() -> None:
    gone = Failed(NotFound("gone", revision=Revision(9)), Fate.REFUSED)
    writes, _ = make_writes(LOST, gone)
    deleted = await writes.delete("web", "default", uid="u1")
    assert (deleted.object, deleted.revision, deleted.gone) == (None, 9, True)


def test_typed_and_raw_forms_name_an_object_alike() -> None:
    value = Pod(metadata=ObjectMeta(name="web", namespace="default", uid="u1", resource_version="7"))
    form = requests.typed(Pod)
    assert form.identify(value) == requests.identify_json(form.dump(value))
