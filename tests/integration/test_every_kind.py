"""Every kind through every verb, over gRPC, on both stores: what holds for one holds for all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from apiserver import server
from apiserver.config import Settings
from apiserver.registry.catalog import STRATEGIES
from steersman.api import kinds
from steersman.api.codec import FieldValidation
from steersman.api.errors import AlreadyExists, BadRequest, Conflict, Invalid, MethodNotAllowed, NotFound
from steersman.api.kinds import Kind
from steersman.api.names import Revision
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import PatchType, Propagation, WriteOptions
from steersman.client.watching import Change, Watch
from tests import manifests
from tests.etcdserver import NO_FSYNC, etcd_server
from tests.integration.conftest import ANY_PORT

pytestmark = pytest.mark.asyncio(loop_scope="module")

STORED = [kind for kind in kinds.ALL if kind.is_stored]
CONVERTED = [kind for kind in STORED if kind.stored_as]
STRICT = WriteOptions(field_validation=FieldValidation.STRICT)
HOLD = "example.com/hold"

Object = dict[str, Any]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["embedded", "etcd"])
async def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """A client of one server, which all tests of this file share."""
    data_dir: Path = tmp_path_factory.mktemp("every-kind")
    async with AsyncExitStack() as stack:
        endpoints: tuple[str, ...] = ()
        if request.param == "etcd":
            endpoints = ((await stack.enter_async_context(etcd_server(*NO_FSYNC))).endpoint,)
        settings = Settings(
            data_dir=data_dir,
            grpc_address=ANY_PORT,
            rest_address=ANY_PORT,
            insecure=True,
            etcd_endpoints=endpoints,
        )
        serving = await stack.enter_async_context(server.serving(settings))
        yield await stack.enter_async_context(client.connect([str(serving.grpc)]))


class Specimen:
    """One object of a kind, as a user of the raw client handles it."""

    def __init__(self, api: Client, kind: Kind, manifest: Object | None = None) -> None:
        self.kind = kind
        self.manifest = manifest or manifests.manifest_of(kind)
        self.name: str = self.manifest["metadata"]["name"]
        self.namespace: str = self.manifest["metadata"].get("namespace", "")
        self._resource = api.raw(kind)

    def watch(self, after: Revision) -> Watch[bytes]:
        return self._resource.watch(after=after, namespace=self.namespace, name=self.name)

    async def revision(self) -> Revision:
        return (await self._resource.list(self.namespace, limit=1)).revision

    async def create(self) -> Object:
        written = await self._resource.create(manifests.json_of(self.manifest), options=STRICT)
        assert written.created
        return _read(written.object)

    async def get(self) -> Object:
        return _read(await self._resource.get(self.name, self.namespace))

    async def found_in_list(self) -> list[Object]:
        chosen = await self._resource.list(self.namespace, label_selector=f"{manifests.LABEL}={manifests.TESTS}")
        return [each for each in map(_read, chosen.items) if each["metadata"]["name"] == self.name]

    async def update(self, changed: Object) -> Object:
        return _read((await self._resource.update(manifests.json_of(changed), options=STRICT)).object)

    async def update_status(self, changed: Object) -> Object:
        return _read((await self._resource.update_status(manifests.json_of(changed))).object)

    async def patch(self, type: PatchType, patch: Any) -> Object:
        body = json.dumps(patch).encode()
        return _read((await self._resource.patch(self.name, self.namespace, body, type)).object)

    async def delete(self, **how: Any) -> bool:
        """Whether it is gone at once."""
        return (await self._resource.delete(self.name, self.namespace, **how)).gone

    async def let_go(self) -> bool:
        """Take away all that holds a deleted object. Whether it is gone then."""
        gone = (await self._resource.patch(self.name, self.namespace, b'{"metadata":{"finalizers":null}}')).gone
        if not gone and self.kind.qualified_resource == "namespaces":
            body = manifests.json_of({**await self.get(), "spec": {}})
            gone = (await self._resource.update(body, subresource="finalize")).gone
        return gone


@pytest.mark.parametrize("kind", STORED, ids=manifests.key_of)
async def test_life_of(api: Client, kind: Kind) -> None:
    specimen = Specimen(api, kind)
    async with specimen.watch(await specimen.revision()) as watch:
        created = await _is_created(specimen)
        updated = await _is_updated(specimen, created)
        await _is_refused_when_stale(specimen, created)
        await _has_a_status_of_its_own(specimen, updated)
        await _is_patched(specimen)
        await _is_deleted_when_nothing_holds_it(specimen)
        await _was_watched(watch)


async def _is_created(specimen: Specimen) -> Object:
    kind, wanted = specimen.kind, specimen.manifest
    created = await specimen.create()
    assert await specimen.get() == created
    assert await specimen.found_in_list() == [created]
    assert list(_losses(wanted, created)) == []
    metadata = created["metadata"]
    assert (created["apiVersion"], created["kind"]) == (kind.api_version, kind.kind)
    assert metadata["uid"]
    assert metadata["creationTimestamp"]
    assert metadata.get("generation") == (kind.first_generation or None)
    with pytest.raises(AlreadyExists):
        await specimen.create()
    return created


async def _is_updated(specimen: Specimen, created: Object) -> Object:
    changed = {**created, "metadata": _labelled(created, "updated")}
    updated = await specimen.update(changed)
    assert updated["metadata"]["labels"]["updated"] == "yes"
    assert updated["metadata"]["resourceVersion"] != created["metadata"]["resourceVersion"]
    assert _as_asked(updated) == _as_asked(changed)
    assert await specimen.update(updated) == updated, "an update that changes nothing takes no revision"
    return updated


async def _is_refused_when_stale(specimen: Specimen, stale: Object) -> None:
    with pytest.raises(Conflict, match="the object has been modified"):
        await specimen.update({**stale, "metadata": _labelled(stale, "too-late")})


async def _has_a_status_of_its_own(specimen: Specimen, present: Object) -> None:
    if not specimen.kind.has_status:
        return
    status = manifests.STATUSES[manifests.key_of(specimen.kind)]
    reported = await specimen.update_status({**present, "status": status, "metadata": _labelled(present, "besides")})
    assert list(_losses(status, reported["status"])) == []
    is_kept = "labels" in STRATEGIES[specimen.kind.qualified_resource].status_keeps
    assert ("besides" in reported["metadata"]["labels"]) is not is_kept
    assert reported.get("spec") == present.get("spec")
    without = {name: value for name, value in reported.items() if name != "status"}
    kept = await specimen.update(without)
    assert kept == reported, "the main endpoint leaves the status alone"


async def _is_patched(specimen: Specimen) -> None:
    label = {"op": "add", "path": "/metadata/labels/json", "value": "yes"}
    assert (await specimen.patch(PatchType.JSON, [label]))["metadata"]["labels"]["json"] == "yes"
    merged = await specimen.patch(PatchType.MERGE, {"metadata": {"labels": {"merge": "yes", "json": None}}})
    assert merged["metadata"]["labels"]["merge"] == "yes"
    assert "json" not in merged["metadata"]["labels"]
    patched = await specimen.patch(PatchType.STRATEGIC, {"metadata": {"finalizers": [HOLD]}})
    assert set(patched["metadata"]["finalizers"]) == {HOLD, *merged["metadata"].get("finalizers", ())}
    assert await specimen.get() == patched


async def _is_deleted_when_nothing_holds_it(specimen: Specimen) -> None:
    assert not await specimen.delete(propagation=Propagation.BACKGROUND)
    marked = await specimen.get()
    assert marked["metadata"]["deletionTimestamp"]
    assert HOLD in marked["metadata"]["finalizers"]
    assert await specimen.let_go()
    with pytest.raises(NotFound):
        await specimen.get()
    assert await specimen.found_in_list() == []


async def _was_watched(watch: Watch[bytes]) -> None:
    """In order: it came, it changed, it went; every change has a revision of its own."""
    seen: list[Change[bytes]] = []
    async with asyncio.timeout(60):
        async for event in watch:
            if isinstance(event, Change):
                seen.append(event)
                if event.type == "DELETED":
                    break
    types = [each.type.value for each in seen]
    assert types == ["ADDED", *["MODIFIED"] * (len(types) - 2), "DELETED"]
    revisions = [each.revision for each in seen]
    assert revisions == sorted(set(revisions))
    assert [int(_read(each.object)["metadata"]["resourceVersion"]) for each in seen] == revisions


@pytest.mark.parametrize("kind", STORED, ids=manifests.key_of)
async def test_strict_refuses_unknown_fields_of(api: Client, kind: Kind) -> None:
    manifest = manifests.manifest_of(kind)
    manifest["metadata"]["surprise"] = 1
    manifest["surprise"] = 1
    refusal = (
        f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
        'strict decoding error: unknown field "metadata.surprise", unknown field "surprise"'
    )
    specimen = Specimen(api, kind, manifest)
    with pytest.raises(BadRequest) as refused:
        await specimen.create()
    assert refused.value.message == refusal
    with pytest.raises(NotFound):
        await specimen.get()


@pytest.mark.parametrize("kind", STORED, ids=manifests.key_of)
async def test_a_dry_run_leaves_nothing_of(api: Client, kind: Kind) -> None:
    specimen = Specimen(api, kind)
    dry = await api.raw(kind).create(manifests.json_of(specimen.manifest), options=WriteOptions(dry_run=True))
    assert list(_losses(specimen.manifest, _read(dry.object))) == []
    with pytest.raises(NotFound):
        await specimen.get()
    assert await specimen.found_in_list() == []


@pytest.mark.parametrize("kind", STORED, ids=manifests.key_of)
async def test_an_update_without_a_version_of(api: Client, kind: Kind) -> None:
    """What is missing is created or not found; what is there is overwritten, or not without a word on its version."""
    specimen = Specimen(api, kind)
    if kind.create_on_update:
        made = await specimen.update(specimen.manifest)
    else:
        with pytest.raises(NotFound):
            await specimen.update(specimen.manifest)
        made = await specimen.create()
    changed = _as_asked({**made, "metadata": _labelled(made, "blindly")})
    if kind.unconditional_update:
        assert (await specimen.update(changed))["metadata"]["uid"] == made["metadata"]["uid"]
    else:
        with pytest.raises(Invalid) as refused:
            await specimen.update(changed)
        assert refused.value.message == (
            f'{kind.qualified_resource} "{specimen.name}" is invalid: '
            "metadata.resourceVersion: Invalid value: 0x0: must be specified for an update"
        )
    assert await specimen.delete() or await specimen.let_go()


@pytest.mark.parametrize("kind", [kind for kind in STORED if kind.create_on_update], ids=manifests.key_of)
async def test_what_was_deleted_does_not_come_back_as_another(api: Client, kind: Kind) -> None:
    specimen = Specimen(api, kind)
    read = await specimen.create()
    assert await specimen.delete()
    with pytest.raises(Conflict, match="Precondition failed: UID in precondition"):
        await specimen.update({**read, "metadata": _labelled(read, "too-late")})


@pytest.mark.parametrize("kind", STORED, ids=manifests.key_of)
async def test_a_collection_is_deleted_of(api: Client, kind: Kind) -> None:
    specimen = Specimen(api, kind)
    everything_of_ours = f"{manifests.LABEL}={manifests.TESTS}"
    delete_all = api.raw(kind).delete_collection
    if "deletecollection" not in kind.verbs:
        with pytest.raises(MethodNotAllowed):
            await delete_all(specimen.namespace, label_selector=everything_of_ours)
        return
    await specimen.create()
    deleted = await delete_all(specimen.namespace, label_selector=everything_of_ours)
    assert [_read(each)["metadata"]["name"] for each in deleted.items] == [specimen.name]
    if await specimen.found_in_list():
        assert await specimen.let_go()


@pytest.mark.parametrize("kind", CONVERTED, ids=manifests.key_of)
async def test_one_object_in_several_versions(api: Client, kind: Kind) -> None:
    here = Specimen(api, kind)
    there = Specimen(api, kind.storage, {**here.manifest, "apiVersion": kind.storage.api_version})
    async with there.watch(await there.revision()) as watch:
        created = await here.create()
        for each in (here, there):
            seen = await each.get()
            assert seen["apiVersion"] == each.kind.api_version
            assert seen["metadata"] == created["metadata"]
            assert await each.found_in_list() == [seen]
        patched = await there.patch(PatchType.MERGE, {"metadata": {"labels": {"from": "there"}}})
        assert (await here.get())["metadata"] == patched["metadata"]
        assert _as_asked(await here.get()) == {
            **_as_asked(created),
            "metadata": _as_asked(patched)["metadata"],
        }
        assert await here.delete()
        await _was_watched(watch)
    with pytest.raises(NotFound):
        await there.get()


async def test_a_running_pod_is_given_its_grace_period(api: Client) -> None:
    [pods] = [kind for kind in STORED if kind.graceful]
    manifest = manifests.manifest_of(pods)
    manifest["spec"]["nodeName"] = "node-1"
    specimen = Specimen(api, pods, manifest)
    await specimen.create()
    assert not await specimen.delete()
    assert (await specimen.get())["metadata"]["deletionGracePeriodSeconds"] == 30
    assert not await specimen.delete(grace_period_seconds=7)
    assert (await specimen.get())["metadata"]["deletionGracePeriodSeconds"] == 7
    assert await specimen.delete(grace_period_seconds=0)
    with pytest.raises(NotFound):
        await specimen.get()


async def test_every_kind_that_is_stored_is_served(api: Client) -> None:
    served = {(each.group, each.version, each.kind) for each in await api.kinds()}
    assert {(kind.group, kind.version, kind.kind) for kind in STORED} <= served
    assert {kind.qualified_resource for kind in STORED} == set(STRATEGIES)


def _read(body: bytes) -> Object:
    read: Object = json.loads(body)
    return read


def _labelled(present: Object, label: str) -> Object:
    metadata: Object = present["metadata"]
    return {**metadata, "labels": {**metadata["labels"], label: "yes"}}


def _as_asked(present: Object) -> Object:
    """Without what counts changes; for some kinds a label is one that counts."""
    counters = ("resourceVersion", "generation")
    return {**present, "metadata": {name: value for name, value in present["metadata"].items() if name not in counters}}


def _losses(wanted: Any, got: Any, where: str = "") -> Iterator[str]:
    """What was asked for and is not there; the server may have added to it."""
    match wanted, got:
        case dict(), dict():
            for name, value in wanted.items():
                yield from _losses(value, got.get(name), f"{where}.{name}")
        case list(), list() if len(wanted) == len(got):
            for index, (value, found) in enumerate(zip(wanted, got, strict=True)):
                yield from _losses(value, found, f"{where}[{index}]")
        case _ if wanted != got:
            yield f"{where}: {wanted!r} became {got!r}"
