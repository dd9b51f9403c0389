"""StorageClasses and VolumeAttributesClasses: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.storageclass import STORAGE_CLASS
from apiserver.registry.volumeattributesclass import VOLUME_ATTRIBUTES_CLASS
from steersman.api.storage import StorageClass, VolumeAttributesClass
from tests.unit.apiserver.registry.pods import NAME_PART
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

STORAGE = Subject(StorageClass, STORAGE_CLASS, {"metadata": {"name": "fast"}, "provisioner": "example.com/disk"})
ATTRIBUTES = Subject(
    VolumeAttributesClass,
    VOLUME_ATTRIBUTES_CLASS,
    {"metadata": {"name": "gold"}, "driverName": "disk.example.com", "parameters": {"iops": "9000"}},
)
TERM = "allowedTopologies[0].matchLabelExpressions"


def topologies(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    return {"allowedTopologies": [{"matchLabelExpressions": term} for term in terms]}


def test_defaults() -> None:
    made = STORAGE.defaulted()
    assert (made["reclaimPolicy"], made["volumeBindingMode"]) == ("Delete", "Immediate")
    said = {"reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer"}
    assert STORAGE.defaulted(said).items() >= said.items()


ROWS = [
    row("as it should be", {}),
    row("capitals in the provisioner", {"provisioner": "Example.com/Disk"}),
    row("zones", topologies([{"key": "zone", "values": ["a", "b"]}], [{"key": "zone", "values": ["c"]}])),
    row("no provisioner", {"provisioner": ""}, "provisioner: Required value"),
    row("a bad provisioner", {"provisioner": "A-"}, f'provisioner: Invalid value: "a-": {NAME_PART}'),
    row(
        "too many parameters",
        {"parameters": {str(number): "" for number in range(513)}},
        "parameters: Too long: may not be more than 512 bytes",
    ),
    row(
        "a parameter without a name",
        {"parameters": {"": "x"}},
        'parameters: Invalid value: "": field can not be empty.',
    ),
    row(
        "long parameters",
        {"parameters": {"a": "x" * 256 * 1024}},
        "parameters: Too long: may not be more than 262144 bytes",
    ),
    row(
        "no such policy",
        {"reclaimPolicy": "Recycle"},
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    ),
    row(
        "no such mode",
        {"volumeBindingMode": "Later"},
        'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
    ),
    row("a key without values", topologies([{"key": "zone", "values": []}]), f"{TERM}[0].values: Required value"),
    row(
        "a bad key",
        topologies([{"key": "-", "values": ["a", "a"]}]),
        f'{TERM}[0].values[1]: Duplicate value: "a"',
        f'{TERM}[0].key: Invalid value: "-": {NAME_PART}',
    ),
    row(
        "a key twice",
        topologies([{"key": "zone", "values": ["a"]}, {"key": "zone", "values": ["b"]}]),
        f'{TERM}[1].key: Duplicate value: "zone"',
    ),
    row(
        "a term twice",
        topologies([{"key": "zone", "values": ["a", "b"]}], [{"key": "zone", "values": ["b", "a"]}]),
        'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
    ),
    row("a term that says nothing", topologies([]), f'{TERM}: Duplicate value: ""'),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert STORAGE.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("what may change", {"allowVolumeExpansion": True, "mountOptions": ["ro"], **topologies()}),
    step(
        "everything else",
        {
            "parameters": {"a": "b"},
            "provisioner": "other",
            "reclaimPolicy": "Retain",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
        'parameters: Invalid value: {"a":"b"}: field is immutable',
        'provisioner: Invalid value: "other": field is immutable',
        'reclaimPolicy: Invalid value: "Retain": field is immutable',
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert STORAGE.complaints_about_step(case) == list(case.complaints)


ATTRIBUTE_ROWS = [
    row("as it should be", {}),
    row(
        "nothing said",
        {"driverName": "", "parameters": None},
        "driverName: Required value",
        "parameters: Required value: must contain at least one key/value pair",
    ),
    row("a bad driver", {"driverName": "-"}, f'driverName: Invalid value: "-": {NAME_PART}'),
]


@pytest.mark.parametrize("case", ATTRIBUTE_ROWS, ids=ids(ATTRIBUTE_ROWS))
def test_rules_of_attributes(case: Row) -> None:
    assert ATTRIBUTES.complaints(case.patch) == list(case.complaints)


def test_attributes_never_change() -> None:
    assert ATTRIBUTES.complaints_about_step(step("all", {"driverName": "other", "parameters": {"iops": "1"}})) == [
        "driverName: Forbidden: updates to driverName are forbidden.",
        "parameters: Forbidden: updates to parameters are forbidden.",
    ]
