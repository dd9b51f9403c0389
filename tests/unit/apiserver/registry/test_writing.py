"""Create, update and patch, through the registry."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable

import pytest

from apiserver.registry import naming
from apiserver.registry.requests import PatchType, Subresource, Target, Term, WriteOptions, Written
from apiserver.storage import keys
from steersman.api.codec import FieldValidation
from steersman.api.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Deposed,
    Forbidden,
    Invalid,
    MethodNotAllowed,
    NotFound,
    Timeout,
)
from steersman.api.names import Revision
from tests.builders import make_configmap, make_lease, make_namespace, make_pod
from tests.unit.apiserver.registry.conftest import (
    NAMESPACES,
    World,
    body_of,
    configmap,
    in_namespace,
    lease,
    namespace,
    pod,
)


async def test_a_created_object_has_an_identity_and_the_stores_revision(world: World) -> None:
    written = await world.registry.create(in_namespace(configmap()), make_configmap())
    meta = body_of(written)["metadata"]
    assert written.created
    assert meta["resourceVersion"] == str(written.revision) == str(world.store.newest)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", meta["uid"])
    assert meta["creationTimestamp"] == "2030-01-01T00:00:00Z"
    assert "generation" not in meta
    assert body_of(await world.registry.get(configmap())) == body_of(written)


async def test_the_stored_value_is_json_with_metadata_first_and_no_revision(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    stored = await world.store.get("/registry/configmaps/default/settings")
    assert stored.value.startswith(b'{"metadata":{"name":"settings"')
    assert "resourceVersion" not in json.loads(stored.value)["metadata"]
    assert json.loads(stored.value)["kind"] == "ConfigMap"


async def test_a_name_is_taken_once(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    with pytest.raises(AlreadyExists, match='configmaps "settings" already exists') as caught:
        await world.registry.create(in_namespace(configmap()), make_configmap())
    assert caught.value.revision == world.store.newest


async def test_generated_names_are_drawn_again_when_taken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["x-aaaaa", "x-aaaaa", "x-aaaaa", "x-bbbbb"])
    monkeypatch.setattr(naming, "generate", lambda _base, _random: next(drawn))
    made = make_configmap("", generateName="x-")
    names = [body_of(await world.registry.create(in_namespace(configmap()), made))["metadata"]["name"] for _ in "12"]
    assert names == ["x-aaaaa", "x-bbbbb"]


async def test_generated_names_are_cut_and_suffixed(world: World) -> None:
    made = make_configmap("", generateName="n" * 70)
    name = body_of(await world.registry.create(in_namespace(configmap()), made))["metadata"]["name"]
    assert re.fullmatch(r"n{58}[bcdfghjklmnpqrstvwxz2456789]{5}", name)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        pytest.param(make_configmap(namespace="other"), BadRequest, "does not match the namespace", id="namespace"),
        pytest.param(make_configmap(resourceVersion="5"), BadRequest, "should not be set", id="resourceVersion"),
        pytest.param(make_namespace("x"), BadRequest, "Kind=Namespace", id="kind"),
        pytest.param(make_configmap(""), Invalid, "name or generateName is required", id="no name"),
        pytest.param(make_configmap("No_Good"), Invalid, "metadata.name: Invalid value", id="bad name"),
        pytest.param(b"{", BadRequest, "unexpected end of JSON input", id="not JSON"),
        pytest.param(b"[]", BadRequest, "cannot unmarshal array", id="not an object"),
    ],
)
async def test_bad_creations_change_nothing(world: World, body: bytes, error: type[Exception], words: str) -> None:
    before = world.store.newest
    with pytest.raises(error, match=words):
        await world.registry.create(in_namespace(configmap()), body)
    assert world.store.newest == before


async def test_nothing_is_created_in_a_missing_namespace(world: World) -> None:
    with pytest.raises(NotFound, match='namespaces "gone" not found'):
        await world.registry.create(Target(configmap().kind, "gone"), make_configmap(namespace="gone"))


async def test_a_missing_namespace_is_told_before_other_faults(world: World) -> None:
    faulty = make_configmap(name="Not A Name", namespace="gone")
    with pytest.raises(NotFound, match='namespaces "gone" not found'):
        await world.registry.create(Target(configmap().kind, "gone"), faulty)


async def test_nothing_is_created_in_a_terminating_namespace(world: World) -> None:
    await world.registry.create(Target(NAMESPACES), make_namespace("leaving"))
    await world.registry.delete(namespace("leaving"))
    with pytest.raises(Forbidden, match="because it is being terminated") as caught:
        await world.registry.create(Target(configmap().kind, "leaving"), make_configmap(namespace="leaving"))
    assert caught.value.details is not None
    assert caught.value.details.causes[0].reason == "NamespaceTerminating"


async def test_a_namespace_that_goes_while_the_cache_sleeps_is_noticed_by_the_store(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.registry.create(Target(NAMESPACES), make_namespace("leaving"))
    await world.settle()
    items, key = world.cache.collection("namespaces")._items, namespace("leaving").key
    stale = items[key]
    await world.registry.delete(namespace("leaving"))
    await world.settle()
    newest, items[key] = items[key], stale  # as if the deletion had not been heard of yet

    async def hear_of_it() -> Revision:
        items[key] = newest
        return world.cache.revision

    monkeypatch.setattr(world.cache, "fresh", hear_of_it)
    commits = world.store.commits
    with pytest.raises(Forbidden, match="being terminated"):
        await world.registry.create(Target(configmap().kind, "leaving"), make_configmap(namespace="leaving"))
    assert world.store.commits == commits + 1  # the stale cache let it through, the store did not


async def test_dry_run_changes_nothing(world: World) -> None:
    before = world.store.newest
    dry = WriteOptions(dry_run=True)
    written = await world.registry.create(in_namespace(configmap()), make_configmap(), dry)
    assert body_of(written)["metadata"]["uid"]
    assert world.store.newest == before
    await world.registry.create(in_namespace(configmap()), make_configmap())
    with pytest.raises(AlreadyExists):
        await world.registry.create(in_namespace(configmap()), make_configmap(), dry)
    updated = await world.registry.update(configmap(), make_configmap(data={"k": "2"}), dry)
    assert body_of(updated)["data"] == {"k": "2"}
    deleted = await world.registry.delete(configmap(), options=dry)
    assert deleted.gone
    assert body_of(await world.registry.get(configmap()))["data"] == {"k": "v"}


async def test_an_update_with_a_stale_revision_is_a_conflict(world: World) -> None:
    first = await world.registry.create(in_namespace(configmap()), make_configmap())
    second = await world.registry.update(
        configmap(), make_configmap(data={"k": "2"}, resourceVersion=str(first.revision))
    )
    with pytest.raises(Conflict, match="the object has been modified") as caught:
        await world.registry.update(configmap(), make_configmap(data={"k": "3"}, resourceVersion=str(first.revision)))
    assert caught.value.revision is not None
    assert caught.value.revision >= second.revision


async def test_an_update_without_a_revision_overwrites(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    written = await world.registry.update(configmap(), make_configmap(data={"other": "1"}))
    assert body_of(written)["data"] == {"other": "1"}


async def test_a_lease_is_not_updated_without_a_revision(world: World) -> None:
    await world.registry.create(in_namespace(lease()), make_lease())
    with pytest.raises(Invalid, match="metadata.resourceVersion: Invalid value: 0x0: must be specified for an update"):
        await world.registry.update(lease(), make_lease())


async def test_an_update_of_another_life_is_a_conflict(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    with pytest.raises(Conflict, match="UID in precondition: another"):
        await world.registry.update(configmap(), make_configmap(uid="another"))


async def test_an_update_that_changes_nothing_writes_nothing(world: World) -> None:
    first = await world.registry.create(in_namespace(configmap()), make_configmap())
    before = world.store.newest
    again = await world.registry.update(configmap(), make_configmap())
    assert again.revision == first.revision
    assert world.store.newest == before


async def test_an_update_of_nothing_is_not_found(world: World) -> None:
    with pytest.raises(NotFound, match='configmaps "settings" not found'):
        await world.registry.update(configmap(), make_configmap())


async def test_identity_survives_an_update(world: World) -> None:
    first = body_of(await world.registry.create(in_namespace(configmap()), make_configmap()))
    await world.clock.advance(60)
    after = body_of(await world.registry.update(configmap(), make_configmap(data={"k": "2"})))
    for field in ("uid", "creationTimestamp", "name", "namespace"):
        assert after["metadata"][field] == first["metadata"][field]


async def test_spec_and_status_have_separate_doors(world: World) -> None:
    created = body_of(await world.registry.create(in_namespace(pod()), make_pod(status={"phase": "Failed"})))
    assert created["status"]["phase"] == "Pending"
    assert created["metadata"]["generation"] == 1
    through_main = {**created, "status": {"phase": "Running"}}
    del through_main["metadata"]["resourceVersion"]
    after = body_of(await world.registry.update(pod(), json.dumps(through_main).encode()))
    assert after["status"]["phase"] == "Pending"
    through_status = {**after, "status": {"phase": "Running"}, "spec": {**after["spec"], "nodeName": "elsewhere"}}
    through_status["metadata"] = {**after["metadata"], "labels": {"a": "b"}, "annotations": {"note": "1"}}
    written = await world.registry.update(pod(), json.dumps(through_status).encode(), subresource=Subresource.STATUS)
    end = body_of(written)
    assert end["status"]["phase"] == "Running"
    assert "nodeName" not in end["spec"]
    assert end["metadata"]["labels"] == {"a": "b"}
    assert end["metadata"]["annotations"] == {"note": "1"}
    assert end["metadata"]["generation"] == 1


async def test_a_kind_without_status_has_no_status_door(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    with pytest.raises(MethodNotAllowed):
        await world.registry.update(configmap(), make_configmap(), subresource=Subresource.STATUS)


@pytest.mark.parametrize(
    ("patch_type", "patch", "expected"),
    [
        pytest.param(PatchType.MERGE, {"data": {"k": None, "n": "1"}}, {"n": "1"}, id="merge"),
        pytest.param(PatchType.STRATEGIC, {"data": {"n": "1"}}, {"k": "v", "n": "1"}, id="strategic"),
        pytest.param(PatchType.JSON, [{"op": "add", "path": "/data/n", "value": "1"}], {"k": "v", "n": "1"}, id="json"),
    ],
)
async def test_patches(world: World, patch_type: PatchType, patch: object, expected: dict[str, str]) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    written = await world.registry.patch(configmap(), patch_type, json.dumps(patch).encode())
    assert body_of(written)["data"] == expected


async def test_a_patch_that_names_a_stale_revision_is_a_conflict(world: World) -> None:
    first = await world.registry.create(in_namespace(configmap()), make_configmap())
    await world.registry.update(configmap(), make_configmap(data={"k": "2"}))
    patch = json.dumps({"metadata": {"resourceVersion": str(first.revision)}, "data": {"k": "3"}}).encode()
    with pytest.raises(Conflict):
        await world.registry.patch(configmap(), PatchType.MERGE, patch)


async def test_a_patch_from_an_old_cache_is_made_from_the_newest_object(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap(data={"n": "0"}))
    await world.settle()
    collection = world.cache.collection("configmaps")
    stale = collection.get(configmap().key)
    assert stale is not None
    await world.registry.update(configmap(), make_configmap(data={"n": "1"}))
    await world.settle()
    collection._items[configmap().key] = stale
    written = await world.registry.patch(configmap(), PatchType.MERGE, b'{"data":{"m":"2"}}')
    assert body_of(written)["data"] == {"n": "1", "m": "2"}


async def test_unknown_fields_are_refused_warned_about_or_dropped(world: World) -> None:
    body = make_configmap(daat={"k": "v"})
    strict = WriteOptions(field_validation=FieldValidation.STRICT)
    with pytest.raises(BadRequest, match='strict decoding error: unknown field "daat"'):
        await world.registry.create(in_namespace(configmap()), body, strict)
    warned = await world.registry.create(in_namespace(configmap()), body)
    assert warned.warnings == ('unknown field "daat"',)
    assert "daat" not in body_of(warned)


async def test_a_leaders_write_lands_only_in_its_term(world: World) -> None:
    fence = await world.store.create(keys.fence_of("kube-system", "boss"), b"term")
    good = WriteOptions(term=Term("kube-system", "boss", fence.revision))
    await world.registry.create(in_namespace(configmap()), make_configmap(), good)
    await world.store.update(fence.key, lambda _: b"next")
    attempts: tuple[Callable[[], Awaitable[Written]], ...] = (
        lambda: world.registry.create(in_namespace(configmap("b")), make_configmap("b"), good),
        lambda: world.registry.update(configmap(), make_configmap(data={}), good),
        lambda: world.registry.delete(configmap(), options=good),
        lambda: world.registry.patch(configmap(), PatchType.MERGE, b'{"data":{"z":"1"}}', good),
    )
    for attempt in attempts:
        with pytest.raises(Deposed, match="lease kube-system/boss has ended") as caught:
            await attempt()
        assert caught.value.details is not None
        assert caught.value.details.name == "boss"
    never = WriteOptions(term=Term("kube-system", "nobody", Revision(12345)))
    with pytest.raises(Deposed):
        await world.registry.create(in_namespace(configmap("b")), make_configmap("b"), never)


async def test_an_unknown_outcome_is_a_timeout(world: World) -> None:
    world.store.lose_next_answer(Timeout("no answer"))
    with pytest.raises(Timeout):
        await world.registry.create(in_namespace(configmap()), make_configmap())
    assert body_of(await world.registry.get(configmap()))["data"] == {"k": "v"}
