"""Nothing is created in a namespace that is missing or on its way out."""

from __future__ import annotations

import pytest

from apiserver.admission import namespaces
from apiserver.storage.interface import Guard
from steersman.api import kinds
from steersman.api.core import Namespace
from steersman.api.errors import Cause, Forbidden, NotFound
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.api.part import Time
from tests.unit.apiserver.admission.conftest import Surroundings

CONFIGMAPS = kinds.by_resource("", "configmaps")
assert CONFIGMAPS is not None
SUBJECT = CONFIGMAPS.subject
ENDING = ObjectMeta(name="team-a", deletion_timestamp=Time("2030-01-01T00:00:00Z"))


async def test_the_creation_is_guarded_by_the_namespace(around: Surroundings) -> None:
    await around.put(Namespace(metadata=ObjectMeta(name="other")), Namespace(metadata=ObjectMeta(name="team-a")))
    guard = await namespaces.admit(around.cache, "team-a", SUBJECT, "late")
    assert guard == Guard("/registry/namespaces/team-a", Revision(2))


async def test_a_missing_namespace(around: Surroundings) -> None:
    with pytest.raises(NotFound) as refused:
        await namespaces.admit(around.cache, "nope", SUBJECT, "late")
    assert refused.value.message == 'namespaces "nope" not found'
    assert refused.value.revision == around.cache.revision


async def test_a_namespace_on_its_way_out(around: Surroundings) -> None:
    await around.put(Namespace(metadata=ENDING))
    with pytest.raises(Forbidden) as refused:
        await namespaces.admit(around.cache, "team-a", SUBJECT, "late")
    assert refused.value.message == (
        'configmaps "late" is forbidden: '
        "unable to create new content in namespace team-a because it is being terminated"
    )
    assert refused.value.details is not None
    assert refused.value.details.causes == (
        Cause("NamespaceTerminating", "namespace team-a is being terminated", "metadata.namespace"),
    )
