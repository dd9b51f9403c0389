"""What an agent may report of a pod, and what it may not take back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from apiserver.registry.pod import prepare_status_update
from apiserver.registry.validation.podstatus import validate_pod_status_update
from steersman.api.core import Pod, PodStatus
from tests.unit.apiserver.registry.pods import (
    CONTAINER,
    DNS_LABEL,
    DNS_SUBDOMAIN,
    NAME_PART,
    Manifest,
    decode,
    make_pod,
    shown,
)

EXTENDED = "status.extendedResourceClaimStatus"
ENDED = "Forbidden: may not be transitioned to non-terminated state"
ID_RANGE = "must be between 0 and 2147483647, inclusive"
NOT_AN_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"


def ended(name: str = "c", exit_code: int = 0) -> Manifest:
    return {"name": name, "state": {"terminated": {"exitCode": exit_code}}}


def running(name: str = "c") -> Manifest:
    return {"name": name, "state": {"running": {}}}


def pod(status: Manifest, spec: Manifest | None = None) -> Pod:
    return replace(make_pod(spec), status=decode(PodStatus, {"phase": "Running", "qosClass": "BestEffort", **status}))


REFUSED: dict[str, tuple[Manifest, Manifest, Manifest, list[str]]] = {
    # name: (spec, status before, status after, complaints)
    "bad conditions": (
        {},
        {},
        {"conditions": [{"type": "-", "status": "True", "observedGeneration": -1}]},
        [
            "status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer",
            f'status.conditions[0].Type: Invalid value: "-": {NAME_PART}',
        ],
    ),
    "bad nomination": (
        {},
        {},
        {"nominatedNodeName": "N"},
        [f'status.nominatedNodeName: Invalid value: "N": {DNS_SUBDOMAIN}'],
    ),
    "nomination of a bound pod": (
        {"nodeName": "n"},
        {},
        {"nominatedNodeName": "m"},
        ["status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"],
    ),
    "generation below zero": (
        {},
        {},
        {"observedGeneration": -1},
        ["status.observedGeneration: Invalid value: -1: must be a non-negative integer"],
    ),
    "class of service": (
        {},
        {},
        {"qosClass": "Guaranteed"},
        ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ),
    "claims that the pod does not make": (
        {"resourceClaims": [{"name": "a", "resourceClaimName": "x"}]},
        {},
        {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "X"}, {"name": "a"}, {"name": "b"}]},
        [
            f'status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "X": {DNS_SUBDOMAIN}',
            'status.resourceClaimStatuses[1].name: Duplicate value: "a"',
            'status.resourceClaimStatuses[2].name: Invalid value: "b": '
            "must match the name of an entry in `spec.resourceClaims`",
        ],
    ),
    "a claim for nothing": (
        {},
        {},
        {"extendedResourceClaimStatus": {"requestMappings": []}},
        [
            "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping is "
            "required",
            "status.extendedResourceClaimStatus.resourceClaimName: Required value",
        ],
    ),
    "a claim for what nobody requests": (
        {"containers": [{**CONTAINER, "resources": {"requests": {"example.com/gpu": "1"}}}]},
        {},
        {
            "extendedResourceClaimStatus": {
                "resourceClaimName": "X",
                "requestMappings": [
                    {"containerName": "x", "resourceName": "example.com/gpu", "requestName": "r"},
                    {"containerName": "c", "resourceName": "example.com/fpga", "requestName": "R"},
                    {"containerName": "c", "resourceName": "example.com/gpu", "requestName": "r"},
                    {"containerName": "c", "resourceName": "example.com/gpu", "requestName": "r"},
                ],
            }
        },
        [
            f'{EXTENDED}.requestMappings[0].containerName: Invalid value: "x": '
            "must match the name of an entry in spec.initContainers.name or spec.containers.name",
            f'{EXTENDED}.requestMappings[1].resourceName: Invalid value: "example.com/fpga": must match the extended '
            "resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests",
            f'{EXTENDED}.requestName: Invalid value: "R": {DNS_LABEL}',
            f'{EXTENDED}.requestMappings[3].containerName: Duplicate value: "c"',
            f'{EXTENDED}.requestMappings[3].resourceName: Duplicate value: "example.com/gpu"',
            f'{EXTENDED}.requestMappings[3].requestName: Duplicate value: "r"',
            f'{EXTENDED}.resourceClaimName: Invalid value: "X": {DNS_SUBDOMAIN}',
        ],
    ),
    "revived, never to restart": (
        {"restartPolicy": "Never"},
        {"containerStatuses": [running("x"), ended()]},
        {"containerStatuses": [running()]},
        [f"status.containerStatuses[1].state: {ENDED}"],
    ),
    "revived after success": (
        {"restartPolicy": "OnFailure"},
        {"containerStatuses": [ended()]},
        {"containerStatuses": [running()]},
        [f"status.containerStatuses[0].state: {ENDED}"],
    ),
    "revived, never to restart by its own policy": (
        {"containers": [{**CONTAINER, "restartPolicy": "Never"}]},
        {"containerStatuses": [ended(exit_code=1)]},
        {"containerStatuses": [running()]},
        [f"status.containerStatuses[0].state: {ENDED}"],
    ),
    "init container revived": (
        {"restartPolicy": "Never", "initContainers": [{"name": "i", "image": "i"}]},
        {"initContainerStatuses": [ended("i")]},
        {"initContainerStatuses": [running("i")]},
        [f"status.initContainerStatuses[0].state: {ENDED}"],
    ),
    "ephemeral container revived": (
        {},
        {"ephemeralContainerStatuses": [ended("e")]},
        {"ephemeralContainerStatuses": [running("e")]},
        [f"status.ephemeralContainerStatuses[0].state: {ENDED}"],
    ),
    "unknown container revived": (
        {},
        {"containerStatuses": [ended("x")]},
        {"containerStatuses": [running("x")]},
        [f"status.containerStatuses[0].state: {ENDED}"],
    ),
    "no address": ({}, {}, {"podIPs": [{"ip": "x"}]}, [f'status.podIPs[0]: Invalid value: "x": {NOT_AN_ADDRESS}']),
    "two addresses of a family": (
        {},
        {},
        {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]},
        [
            'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: '
            "may specify no more than one IP for each IP family"
        ],
    ),
    "two addresses, one none": (
        {},
        {},
        {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "x"}]},
        [
            f'status.podIPs[1]: Invalid value: "x": {NOT_AN_ADDRESS}',
            "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP: x",
            'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"x"}]: '
            "may specify no more than one IP for each IP family",
        ],
    ),
    "another host": (
        {},
        {},
        {"hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.2"}]},
        ['status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`'],
    ),
    "user below zero": (
        {},
        {},
        {"containerStatuses": [{**running(), "user": {"linux": {"uid": -1, "gid": -2, "supplementalGroups": [-3]}}}]},
        [
            f"status.containerStatuses[0].user.linux.uid: Invalid value: -1: {ID_RANGE}",
            f"status.containerStatuses[0].user.linux.gid: Invalid value: -2: {ID_RANGE}",
            f"status.containerStatuses[0].user.linux.supplementalGroups[0]: Invalid value: -3: {ID_RANGE}",
        ],
    ),
    "user of Linux on Windows": (
        {"os": {"name": "windows"}},
        {},
        {"initContainerStatuses": [{**running("i"), "user": {"linux": {"uid": 0, "gid": 0}}}]},
        ["status.initContainerStatuses[0].user.linux: Forbidden: cannot be set for a windows pod"],
    ),
    "devices nobody asked for": (
        {},
        {},
        {
            "containerStatuses": [
                {
                    **running(),
                    "allocatedResourcesStatus": [
                        {"name": "claim:x"},
                        {
                            "name": "example.com/gpu",
                            "resources": [
                                {"resourceID": "a", "health": "Fine", "message": ""},
                                {"resourceID": "a", "health": "Healthy", "message": "x" * 1025},
                            ],
                        },
                    ],
                }
            ]
        },
        [
            'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "claim:x": must match one of '
            "the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if "
            "request is empty",
            'status.containerStatuses[0].allocatedResourcesStatus[1].name: Invalid value: "example.com/gpu": '
            "must match one of the container's resource requests",
            'status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].health: Unsupported value: "Fine": '
            'supported values: "Healthy", "Unhealthy", "Unknown"',
            "status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].message: Required value: "
            "must be non-empty if specified",
            "status.containerStatuses[0].allocatedResourcesStatus[1].resources[1].message: Too long: "
            "may not be more than 1024 bytes",
            'status.containerStatuses[0].allocatedResourcesStatus[1].resources[1].resourceID: Duplicate value: "a"',
        ],
    ),
    "devices of an ephemeral container": (
        {},
        {},
        {"ephemeralContainerStatuses": [{**running("e"), "allocatedResourcesStatus": [{"name": "x"}]}]},
        [
            "status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: "
            "must not be specified in container status"
        ],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    spec, before, after, complaints = REFUSED[name]
    assert shown(validate_pod_status_update(pod(after, spec), pod(before, spec))) == complaints


RESTART = {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}
ALLOWED: dict[str, tuple[Manifest, Manifest, Manifest]] = {
    "restarted": ({}, {"containerStatuses": [ended()]}, {"containerStatuses": [running()]}),
    "restarted after failure": (
        {"restartPolicy": "OnFailure"},
        {"containerStatuses": [ended(exit_code=1)]},
        {"containerStatuses": [running()]},
    ),
    "restarted by its own rule": (
        {"containers": [{**CONTAINER, "restartPolicy": "Never", "restartPolicyRules": [RESTART]}]},
        {"containerStatuses": [ended(exit_code=42)]},
        {"containerStatuses": [running()]},
    ),
    "all restarted by one's rule": (
        {
            "restartPolicy": "Never",
            "containers": [
                {
                    **CONTAINER,
                    "restartPolicy": "Never",
                    "restartPolicyRules": [{**RESTART, "action": "RestartAllContainers"}],
                }
            ],
        },
        {"containerStatuses": [ended()]},
        {"containerStatuses": [running()]},
    ),
    "sidecar restarted": (
        {"restartPolicy": "Never", "initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always"}]},
        {"initContainerStatuses": [ended("i")]},
        {"initContainerStatuses": [running("i")]},
    ),
    "two families": ({}, {}, {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}),
    "an address from before addresses were looked at": (
        {},
        {"podIPs": [{"ip": "010.0.0.1"}]},
        {"podIPs": [{"ip": "010.0.0.1"}]},
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name: str) -> None:
    spec, before, after = ALLOWED[name]
    assert validate_pod_status_update(pod(after, spec), pod(before, spec)) == []


def test_what_a_status_leaves_out_is_kept() -> None:
    old = pod(
        {
            "observedGeneration": 3,
            "conditions": [
                {"type": "Ready", "status": "True", "observedGeneration": 2},
                {"type": "x/y", "status": "True", "observedGeneration": 5},
            ],
        }
    )
    new = pod(
        {
            "qosClass": "",
            "conditions": [
                {"type": "Ready", "status": "False"},
                {"type": "Ready", "status": "False"},
                {"type": "x/y", "status": "True", "observedGeneration": 6},
            ],
        }
    )
    kept = prepare_status_update(new, old).status
    assert (kept.qos_class, kept.observed_generation) == ("BestEffort", 3)
    assert [condition.observed_generation for condition in kept.conditions] == [2, 0, 6]
    assert prepare_status_update(old, old) is old
