"""One mistake in the metadata of a changed object is named as often as Kubernetes names it."""

from __future__ import annotations

import pytest

from apiserver.registry import looks
from apiserver.registry.requests import PatchType, Subresource, Target
from steersman.api import kinds
from steersman.api.errors import Invalid
from tests import manifests
from tests.unit.apiserver.registry.conftest import World, kind

A_LABEL = b'{"metadata":{"labels":{"a b":"c"}}}'
A_FINALIZER = b'{"metadata":{"finalizers":["guard"]}}'


async def causes(world: World, resource: str, patch: bytes) -> tuple[str, list[str]]:
    """The message, and the fields of the causes, of a refused patch of an object of this kind."""
    of = kind(*resource.split(".", 1))
    manifest = manifests.manifest_of(of)
    target = Target(of, manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"])
    await world.registry.create(Target(of, target.namespace), manifests.json_of(manifest))
    with pytest.raises(Invalid) as refused:
        await world.registry.patch(target, PatchType.MERGE, patch)
    assert refused.value.details is not None
    return refused.value.message, [cause.field for cause in refused.value.details.causes]


COUNTS = {
    "pods": 4,
    "configmaps": 4,
    "namespaces": 4,
    "persistentvolumes": 4,
    "roles.rbac.authorization.k8s.io": 4,
    "deployments.apps": 3,
    "services": 3,
    "limitranges": 3,
    "poddisruptionbudgets.policy": 2,
}


@pytest.mark.parametrize(("resource", "count"), COUNTS.items(), ids=COUNTS)
async def test_a_label(world: World, resource: str, count: int) -> None:
    message, found = await causes(world, resource, A_LABEL)
    assert found == ["metadata.labels"] * count
    assert message.count("metadata.labels: Invalid value") == 1
    assert "[metadata" not in message


async def test_a_finalizer_is_judged_by_the_kind_itself(world: World) -> None:
    _, found = await causes(world, "pods", A_FINALIZER)
    assert found == ["metadata.finalizers[0]"] * 2


def test_only_kinds_that_there_are_look_in_a_way_of_their_own() -> None:
    known = {each.qualified_resource for each in kinds.ALL}
    assert looks._OF_UPDATES.keys() | looks._OF_STATUS.keys() <= known


DOORS = {
    "a status": ("deployments.apps", Subresource.STATUS, 1),
    "a status that nobody looks at": ("cronjobs.batch", Subresource.STATUS, 0),
    "a request's status": ("certificatesigningrequests.certificates.k8s.io", Subresource.STATUS, 2),
    "an approval": ("certificatesigningrequests.certificates.k8s.io", Subresource.APPROVAL, 2),
    "ephemeral containers": ("pods", Subresource.EPHEMERAL_CONTAINERS, 2),
    "a new size": ("pods", Subresource.RESIZE, 2),
    "the end of a namespace": ("namespaces", Subresource.FINALIZE, 1),
    "an older Event": ("events", Subresource.NONE, 0),
    "a newer Event": ("events.events.k8s.io", Subresource.NONE, 1),
}


@pytest.mark.parametrize(("resource", "door", "count"), DOORS.values(), ids=DOORS)
def test_doors(resource: str, door: Subresource, count: int) -> None:
    own = looks.of(kind(*resource.split(".", 1)), door)
    assert len(own.first + own.then) == count
