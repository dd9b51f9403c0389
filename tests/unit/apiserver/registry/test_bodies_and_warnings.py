"""Bodies in every form that Kubernetes takes, and what the writer is told beside the answer."""

from __future__ import annotations

import msgspec
import pytest

from apiserver.registry.requests import PatchType, Subresource, Target, WriteOptions
from steersman.api import bodies, protobuf
from steersman.api.codec import FieldValidation
from steersman.api.core import ConfigMap
from steersman.api.errors import ApiError, BadRequest, Invalid, UnsupportedMediaType
from steersman.api.meta import ObjectMeta
from tests.unit.api import protoencoder
from tests.unit.apiserver.registry.conftest import PODS, World, body_of, configmap, in_namespace, kind, pod

YAML = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '1'}\n"
UNKNOWN = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '1'}\ndada: {}\n"
WARN = WriteOptions(content_type=bodies.YAML)


async def test_yaml_and_protobuf_are_read_like_json(world: World) -> None:
    made = await world.registry.create(in_namespace(configmap()), YAML, WARN)
    assert body_of(made)["data"] == {"a": "1"}
    message = protoencoder.body(ConfigMap(metadata=ObjectMeta(name="other"), data={"b": "2"}))
    options = WriteOptions(content_type=protobuf.MEDIA_TYPE)
    made = await world.registry.create(in_namespace(configmap()), message, options)
    assert body_of(made)["data"] == {"b": "2"}
    updated = await world.registry.update(configmap(), YAML.replace(b"'1'", b"'2'"), WARN)
    assert body_of(updated)["data"] == {"a": "2"}


async def test_a_body_of_another_form_is_refused(world: World) -> None:
    with pytest.raises(UnsupportedMediaType):
        await world.registry.create(in_namespace(configmap()), YAML, WriteOptions(content_type="text/plain"))


async def test_unknown_fields_are_a_warning_or_an_error_or_nothing(world: World) -> None:
    target = in_namespace(configmap())
    made = await world.registry.create(target, UNKNOWN, WARN)
    assert made.warnings == ('unknown field "dada"',)
    strict = WriteOptions(content_type=bodies.YAML, field_validation=FieldValidation.STRICT)
    with pytest.raises(BadRequest, match='strict decoding error: unknown field "dada"'):
        await world.registry.update(configmap(), UNKNOWN, strict)
    ignoring = WriteOptions(content_type=bodies.YAML, field_validation=FieldValidation.IGNORE)
    assert (await world.registry.update(configmap(), UNKNOWN, ignoring)).warnings == ()


async def test_a_refusal_brings_the_warnings_along(world: World) -> None:
    body = UNKNOWN.replace(b"settings", b"-")
    with pytest.raises(Invalid) as caught:
        await world.registry.create(in_namespace(configmap()), body, WARN)
    assert caught.value.warnings == ('unknown field "dada"',)
    assert ApiError("x").warnings == ()


async def test_an_owner_that_is_named_twice_is_kept_once(world: World) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "7"}
    meta = {"name": "settings", "ownerReferences": [owner, owner, {**owner, "uid": "8"}]}
    made = await world.registry.create(in_namespace(configmap()), msgspec.json.encode({"metadata": meta}))
    assert [each["uid"] for each in body_of(made)["metadata"]["ownerReferences"]] == ["7", "8"]
    twice = ".metadata.ownerReferences contains duplicate entries"
    since = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix"
    assert made.warnings == (f"{twice}; {since} your requests; duplicate UID(s) observed: 7",)
    more = {"op": "add", "path": "/metadata/ownerReferences/-", "value": owner}
    patched = await world.registry.patch(configmap(), PatchType.JSON, msgspec.json.encode([more]))
    assert patched.warnings == (
        f"{twice} after mutating admission happens; {since} your requests; duplicate UID(s) observed: 7",
    )


async def test_a_patch_tells_of_unknown_fields(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), YAML, WARN)
    written = await world.registry.patch(configmap(), PatchType.MERGE, b'{"dada":{"a":"b"}}')
    assert written.warnings == ('unknown field "dada"',)


async def test_warnings_of_the_kind_come_with_creation_update_and_rehearsal(world: World) -> None:
    services = kind("services")
    body = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}], "externalIPs": ["10.0.0.1"]}, "x": 1}
    told = ('unknown field "x"', "spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    encoded = msgspec.json.encode(body)
    rehearsed = await world.registry.create(Target(services, "default"), encoded, WriteOptions(dry_run=True))
    assert rehearsed.warnings == told
    assert (await world.registry.create(Target(services, "default"), encoded)).warnings == told
    assert (await world.registry.update(Target(services, "default", "s"), encoded)).warnings == told
    status = b'{"status":{"loadBalancer":{}}}'
    patched = await world.registry.patch(
        Target(services, "default", "s"), PatchType.MERGE, status, subresource=Subresource.STATUS
    )
    assert patched.warnings == ()


async def test_a_pod_that_is_changed_is_not_warned_of(world: World) -> None:
    container = {"name": "c", "image": "i", "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}
    body = msgspec.json.encode({"metadata": {"name": "web"}, "spec": {"containers": [container]}})
    made = await world.registry.create(Target(PODS, "default"), body)
    assert made.warnings == (
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    )
    assert (await world.registry.patch(pod(), PatchType.MERGE, b'{"metadata":{"labels":{"a":"b"}}}')).warnings == ()
