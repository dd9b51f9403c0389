"""CSIDrivers, CSINodes and CSIStorageCapacities: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.csidriver import CSI_DRIVER
from apiserver.registry.csinode import CSI_NODE
from apiserver.registry.csistoragecapacity import CSI_STORAGE_CAPACITY
from steersman.api.storage import CSIDriver, CSINode, CSIStorageCapacity
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN, NAME_PART
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

DRIVER = Subject(CSIDriver, CSI_DRIVER, {"metadata": {"name": "disk.example.com"}, "spec": {}})
INSTALLED = {"name": "disk.example.com", "nodeID": "n1", "topologyKeys": ["example.com/zone"]}
NODE = Subject(CSINode, CSI_NODE, {"metadata": {"name": "n1"}, "spec": {"drivers": [INSTALLED]}})
CAPACITY = Subject(
    CSIStorageCapacity,
    CSI_STORAGE_CAPACITY,
    {"metadata": {"name": "c", "namespace": "n"}, "storageClassName": "fast", "capacity": "1Gi"},
)


def test_defaults() -> None:
    assert DRIVER.defaulted({"spec": {"preventPodSchedulingIfMissing": True}})["spec"] == {
        "attachRequired": True,
        "podInfoOnMount": False,
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "volumeLifecycleModes": ["Persistent"],
        "requiresRepublish": False,
        "seLinuxMount": False,
    }
    said = {"attachRequired": False, "podInfoOnMount": True, "fsGroupPolicy": "File", "seLinuxMount": True}
    assert DRIVER.defaulted({"spec": said})["spec"].items() >= said.items()


DRIVER_ROWS = [
    row("as it should be", {}),
    row("tokens", {"spec": {"tokenRequests": [{"audience": ""}, {"audience": "a", "expirationSeconds": 600}]}}),
    row(
        "no such policy",
        {"spec": {"fsGroupPolicy": "Some"}},
        'spec.fsGroupPolicy: Unsupported value: "Some": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ),
    row(
        "an audience twice",
        {"spec": {"tokenRequests": [{"audience": "a"}, {"audience": "a", "expirationSeconds": 1}]}},
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
    ),
    row(
        "tokens too short and too long",
        {"spec": {"tokenRequests": [{"expirationSeconds": 599}, {"audience": "a", "expirationSeconds": 4294967297}]}},
        "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
        "spec.tokenRequests[1].expirationSeconds: Invalid value: 4294967297: "
        "may not specify a duration larger than 2^32 seconds",
    ),
    row(
        "no such mode",
        {"spec": {"volumeLifecycleModes": ["Persistent", "Eternal"]}},
        'spec.volumeLifecycleModes: Unsupported value: "Eternal": supported values: "Persistent", "Ephemeral"',
    ),
    row(
        "too often",
        {"spec": {"nodeAllocatableUpdatePeriodSeconds": 9}},
        "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds",
    ),
    row(
        "no tokens to hide",
        {"spec": {"serviceAccountTokenInSecrets": False}},
        "spec.serviceAccountTokenInSecrets: Invalid value: false: "
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
    ),
]


@pytest.mark.parametrize("case", DRIVER_ROWS, ids=ids(DRIVER_ROWS))
def test_drivers(case: Row) -> None:
    assert DRIVER.complaints(case.patch) == list(case.complaints)


def test_what_defaults_would_have_said_must_be_said() -> None:
    assert [f"{cause.field}: {cause.message}" for cause in CSI_DRIVER.validate(CSIDriver())] == [
        "spec.attachedRequired: Required value",
        "spec.podInfoOnMount: Required value",
        "spec.storageCapacity: Required value",
        "spec.seLinuxMount: Required value",
    ]


DRIVER_STEPS = [
    step("what may change", {"spec": {"podInfoOnMount": True, "fsGroupPolicy": "None"}}),
    step(
        "what may not",
        {"spec": {"attachRequired": False, "volumeLifecycleModes": ["Ephemeral"]}},
        "spec.attachedRequired: Invalid value: false: field is immutable",
        'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ),
]


@pytest.mark.parametrize("case", DRIVER_STEPS, ids=ids(DRIVER_STEPS))
def test_updates_of_drivers(case: Step) -> None:
    assert DRIVER.complaints_about_step(case) == list(case.complaints)


def drivers(*given: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"drivers": list(given)}}


FIRST = "spec.drivers[0]"
NODE_ROWS = [
    row("as it should be", {}),
    row("none", drivers()),
    row("limits", drivers({**INSTALLED, "allocatable": {"count": 0}})),
    row(
        "nothing said",
        drivers({"name": "", "nodeID": ""}),
        f"{FIRST}.name: Required value",
        f"{FIRST}.nodeID: Required value",
    ),
    row(
        "a long name",
        drivers({**INSTALLED, "name": "A" * 63 + "_"}),
        f"{FIRST}.name: Too long: may not be more than 63 bytes",
        f'{FIRST}.name: Invalid value: "{"A" * 63}_": {DNS_SUBDOMAIN}',
    ),
    row(
        "a long id",
        drivers({**INSTALLED, "nodeID": "x" * 257}),
        f'{FIRST}.nodeID: Invalid value: "{"x" * 257}": must be 256 characters or less',
    ),
    row(
        "less than nothing",
        drivers({**INSTALLED, "allocatable": {"count": -1}}),
        f"{FIRST}.allocatable.count: Invalid value: -1: must be greater than or equal to 0",
    ),
    row("twice", drivers(INSTALLED, INSTALLED), 'spec.drivers[1].name: Duplicate value: "disk.example.com"'),
    row(
        "bad keys",
        drivers({**INSTALLED, "topologyKeys": ["a", "a", ""]}),
        f'{FIRST}: Duplicate value: "a"',
        f"{FIRST}: Required value",
        f'{FIRST}: Invalid value: "": name part must be non-empty',
        f'{FIRST}: Invalid value: "": {NAME_PART}',
    ),
]


@pytest.mark.parametrize("case", NODE_ROWS, ids=ids(NODE_ROWS))
def test_nodes(case: Row) -> None:
    assert NODE.complaints(case.patch) == list(case.complaints)


NODE_STEPS = [
    step("other limits", drivers({**INSTALLED, "allocatable": {"count": 5}})),
    step("another driver", drivers({**INSTALLED, "name": "other"})),
    step(
        "another id",
        drivers({**INSTALLED, "nodeID": "n2", "allocatable": {"count": 5}}),
        'spec.drivers: Invalid value: {"Name":"disk.example.com","NodeID":"n2","TopologyKeys":["example.com/zone"],'
        '"Allocatable":null}: field is immutable',
    ),
]


@pytest.mark.parametrize("case", NODE_STEPS, ids=ids(NODE_STEPS))
def test_updates_of_nodes(case: Step) -> None:
    assert NODE.complaints_about_step(case) == list(case.complaints)


CAPACITY_ROWS = [
    row("as it should be", {}),
    row("nothing known", {"capacity": None}),
    row("somewhere", {"nodeTopology": {"matchLabels": {"zone": "a"}}, "maximumVolumeSize": "1Mi"}),
    row(
        "somewhere strange",
        {"nodeTopology": {"matchLabels": {"-": "a"}}},
        f'nodeTopology.matchLabels: Invalid value: "-": {NAME_PART}',
    ),
    row("no class", {"storageClassName": ""}, f'storageClassName: Invalid value: "": {DNS_SUBDOMAIN}'),
    row(
        "less than nothing", {"capacity": "-1Gi"}, 'capacity: Invalid value: "-1Gi": must be greater than or equal to 0'
    ),
]


@pytest.mark.parametrize("case", CAPACITY_ROWS, ids=ids(CAPACITY_ROWS))
def test_capacities(case: Row) -> None:
    assert CAPACITY.complaints(case.patch) == list(case.complaints)


CAPACITY_STEPS = [
    step("less", {"capacity": "1Mi"}),
    step(
        "elsewhere",
        {"nodeTopology": {"matchLabels": {"zone": "a"}}, "storageClassName": "slow"},
        'nodeTopology: Invalid value: {"matchLabels":{"zone":"a"}}: field is immutable',
        'storageClassName: Invalid value: "slow": field is immutable',
    ),
]


@pytest.mark.parametrize("case", CAPACITY_STEPS, ids=ids(CAPACITY_STEPS))
def test_updates_of_capacities(case: Step) -> None:
    assert CAPACITY.complaints_about_step(case) == list(case.complaints)
