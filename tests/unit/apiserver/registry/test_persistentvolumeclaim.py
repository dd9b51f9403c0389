"""PersistentVolumeClaims: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.persistentvolumeclaim import PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS_ANNOTATION
from steersman.api.core import PersistentVolumeClaim
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN, NAME_PART
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    PersistentVolumeClaim,
    PERSISTENT_VOLUME_CLAIM,
    {
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    },
)
SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
OTHER = {"apiGroup": "example.com", "kind": "Backup", "name": "b"}
RULE = (
    "spec: Forbidden: spec is immutable after creation except resources.requests and "
    "volumeAttributesClassName for bound claims\n"
)
STORAGE = "spec.resources.requests.storage"
RESIZES = (
    'supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", '
    '"NodeResizeInfeasible", "NodeResizePending"'
)


def spec(**fields: Any) -> Patch:
    return {"spec": fields}


def size(amount: str) -> Patch:
    return spec(resources={"requests": {"storage": amount}})


def bound(patch: Patch | None = None, **status: Any) -> Patch:
    return {**(patch or {}), "status": {"phase": "Bound", **status}}


def test_defaults() -> None:
    made = SUBJECT.defaulted()
    assert made["spec"]["volumeMode"] == "Filesystem"
    assert made["status"] == {"phase": "Pending"}


SOURCES: list[tuple[str, Patch, Patch | None, Patch | None]] = [
    ("none", {}, None, None),
    ("the older field is repeated", spec(dataSource=SNAPSHOT), SNAPSHOT, SNAPSHOT),
    ("the newer field is repeated", spec(dataSourceRef=OTHER), OTHER, OTHER),
    ("the older field does not take everything", spec(dataSource=OTHER), None, None),
    ("other namespaces are ignored", spec(dataSourceRef={**OTHER, "namespace": "n"}), None, None),
]


@pytest.mark.parametrize(("patch", "older", "newer"), [case[1:] for case in SOURCES], ids=[case[0] for case in SOURCES])
def test_sources_of_data(patch: Patch, older: Patch | None, newer: Patch | None) -> None:
    made = SUBJECT.defaulted(patch)["spec"]
    assert (made.get("dataSource"), made.get("dataSourceRef")) == (older, newer)


def test_an_update_that_leaves_the_newer_field_out_loses_nothing() -> None:
    old = SUBJECT.make(spec(dataSourceRef=OTHER))
    new = SUBJECT.make({**spec(dataSource=OTHER), "status": {"phase": "Pending"}})
    assert PERSISTENT_VOLUME_CLAIM.prepare_update(new, old).spec == old.spec


ROWS = [
    row("plain", {}),
    row("no modes", spec(accessModes=[]), "spec.accessModes: Required value: at least 1 access mode is required"),
    row("no size", spec(resources=None), "spec.resources[storage]: Required value"),
    row("no storage", size("0"), 'spec.resources[storage]: Invalid value: "0": must be greater than zero'),
    row("a bad class", spec(storageClassName="A"), f'spec.storageClassName: Invalid value: "A": {DNS_SUBDOMAIN}'),
    row(
        "a strange volume mode",
        spec(volumeMode="Odd"),
        'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


ANNOTATED: Patch = {"metadata": {"annotations": {STORAGE_CLASS_ANNOTATION: "gold"}}}
BOTH: Patch = {**ANNOTATED, **spec(storageClassName="gold")}
STEPS = [
    step("labels", {"metadata": {"labels": {"a": "b"}}}),
    step("bound to a volume", spec(volumeName="v")),
    step("more, when bound", size("2Gi"), before=bound()),
    step(
        "other attributes, when bound",
        spec(volumeAttributesClassName="b"),
        before=bound(spec(volumeAttributesClassName="a")),
    ),
    step("a first class", spec(storageClassName="gold")),
    step("the class from the annotation", spec(storageClassName="gold"), before=ANNOTATED),
    step(
        "the class moved from the annotation",
        {"metadata": {"annotations": None}, **spec(storageClassName="gold")},
        before=ANNOTATED,
    ),
    step(
        "the annotation changed",
        {"metadata": {"annotations": {STORAGE_CLASS_ANNOTATION: "iron"}}},
        f'metadata.annotations.{STORAGE_CLASS_ANNOTATION}: Invalid value: "iron": field is immutable',
        before=BOTH,
    ),
    step(
        "less than there is",
        size("1Gi"),
        f"{STORAGE}: Forbidden: field can not be less than status.capacity",
        before=bound(size("2Gi"), capacity={"storage": "2Gi"}),
    ),
    step("less, but more than there is", size("2Gi"), before=bound(size("3Gi"), capacity={"storage": "1Gi"})),
    step(
        "no attributes after some",
        spec(volumeAttributesClassName=None),
        "spec.volumeAttributesClassName: Forbidden: "
        "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
        before=bound(spec(volumeAttributesClassName="a"), currentVolumeAttributesClassName="a"),
    ),
    step(
        "empty attributes after some",
        spec(volumeAttributesClassName=""),
        "spec.volumeAttributesClassName: Forbidden: "
        "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil",
        before=bound(spec(volumeAttributesClassName="a"), currentVolumeAttributesClassName="a"),
    ),
    step(
        "less than no capacity",
        {"status": {"capacity": {"storage": "-1"}}},
        "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
    ),
    step(
        "a strange resize",
        {"status": {"allocatedResourceStatuses": {"storage": "Odd", "!": "NodeResizePending"}}},
        f'status.allocatedResourceStatuses: Unsupported value: "storage": {RESIZES}',
        f'status.allocatedResourceStatuses: Invalid value: "!": {NAME_PART}',
    ),
    step(
        "strange allocations",
        {"status": {"allocatedResources": {"cpu": "1", "storage": "-1", "example.com/x": "1"}}},
        'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
        "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


REFUSED: list[tuple[str, Patch, Patch | None, list[str]]] = [
    ("other modes", spec(accessModes=["ReadOnlyMany"]), bound(), ['-"ReadWriteOnce"', '+"ReadOnlyMany"']),
    ("more, when not bound", size("2Gi"), None, ['-"storage":"1Gi"', '+"storage":"2Gi"']),
    ("another volume", spec(volumeName="w"), spec(volumeName="v"), ['-"VolumeName":"v",', '+"VolumeName":"w",']),
    (
        "another class",
        spec(storageClassName="b"),
        spec(storageClassName="a"),
        ['-"StorageClassName":"a",', '+"StorageClassName":"b",'],
    ),
]


@pytest.mark.parametrize(
    ("patch", "before", "difference"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_stays_as_it_was_asked(patch: Patch, before: Patch | None, difference: list[str]) -> None:
    (complaint,) = SUBJECT.complaints_about_step(step("", patch, before=before))
    assert complaint.startswith(RULE)
    changed = [line for line in complaint.removeprefix(RULE).split("\n") if line[:1] in "+-" and line.strip()]
    assert [line.replace(" ", "") for line in changed] == difference


def test_another_volume_mode_is_refused_twice() -> None:
    complaints = SUBJECT.complaints_about_step(step("", spec(volumeMode="Block")))
    assert complaints[1:] == ['volumeMode: Invalid value: "Block": field is immutable']
