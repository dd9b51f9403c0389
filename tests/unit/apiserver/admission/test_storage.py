"""Storage is protected from its first moment."""

from __future__ import annotations

import pytest

from apiserver.admission import storage
from steersman.api.core import PersistentVolume, PersistentVolumeClaim
from steersman.api.meta import Object, ObjectMeta
from steersman.api.storage import VolumeAttributesClass

PROTECTED: dict[type[Object], str] = {
    PersistentVolume: "kubernetes.io/pv-protection",
    PersistentVolumeClaim: "kubernetes.io/pvc-protection",
    VolumeAttributesClass: "kubernetes.io/vac-protection",
}


@pytest.mark.parametrize(("struct", "finalizer"), PROTECTED.items(), ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize(
    ("given", "others"),
    [((), ()), (("example.com/mine",), ("example.com/mine",))],
    ids=["alone", "behind others"],
)
def test_the_finalizer(struct: type[Object], finalizer: str, given: tuple[str, ...], others: tuple[str, ...]) -> None:
    new = struct(metadata=ObjectMeta(name="data", finalizers=given))
    protected = storage.admit(new)
    assert protected.metadata.finalizers == (*others, finalizer)
    assert storage.admit(protected) is protected
