"""Every rule for containers is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.pods import (
    CONTAINER,
    DNS_LABEL,
    Case,
    check,
    ids,
    in_container,
    in_spec,
)

VOLUMES = [{"name": "dir", "emptyDir": {}}, {"name": "disk", "persistentVolumeClaim": {"claimName": "d"}}]


def mounts(id: str, container: dict[str, object], *complaints: str) -> Case:
    return in_container(id, container, *complaints, volumes=VOLUMES)


NAMES = [
    in_spec("no containers", {"containers": []}, ".containers: Required value"),
    in_container("no name", {"name": ""}, ".name: Required value"),
    in_container("name with a capital", {"name": "C"}, f'.name: Invalid value: "C": {DNS_LABEL}'),
    in_container("name with dots", {"name": "a.b"}, '.name: Invalid value: "a.b": must not contain dots'),
    in_container("no image", {"image": ""}, ".image: Required value"),
    in_spec(
        "two of one name",
        {"containers": [CONTAINER, CONTAINER]},
        '.containers[1].name: Duplicate value: "c"',
    ),
    in_container(
        "unknown message policy",
        {"terminationMessagePolicy": "Shout"},
        '.terminationMessagePolicy: Unsupported value: "Shout": supported values: "File", "FallbackToLogsOnError"',
    ),
    in_container(
        "unknown pull policy",
        {"imagePullPolicy": "Sometimes"},
        '.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ),
    Case(
        "image with padding, in pods only",
        {"containers": [{"name": "c", "image": " nginx"}]},
        ('spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace',),
        also_in_templates=False,
    ),
    Case(
        "init image with padding, in pods only",
        {"initContainers": [{"name": "i", "image": "nginx "}]},
        ('spec.initContainers[0].image: Invalid value: "nginx ": must not have leading or trailing whitespace',),
        also_in_templates=False,
    ),
]

PORTS = [
    in_container("port zero", {"ports": [{"containerPort": 0}]}, ".ports[0].containerPort: Required value"),
    in_container(
        "port too high",
        {"ports": [{"containerPort": 65536}]},
        ".ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive",
    ),
    in_container(
        "port below zero",
        {"ports": [{"containerPort": -1}]},
        ".ports[0].containerPort: Invalid value: -1: must be between 1 and 65535, inclusive",
    ),
    in_container(
        "host port too high",
        {"ports": [{"containerPort": 1, "hostPort": 70000}]},
        ".ports[0].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ),
    in_container(
        "port name of other characters",
        {"ports": [{"containerPort": 1, "name": "a_b"}]},
        '.ports[0].name: Invalid value: "a_b": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ),
    in_container(
        "port name without a letter",
        {"ports": [{"containerPort": 1, "name": "80"}]},
        '.ports[0].name: Invalid value: "80": must contain at least one letter (a-z)',
    ),
    in_container(
        "port name with two faults",
        {"ports": [{"containerPort": 1, "name": "a--b-"}]},
        '.ports[0].name: Invalid value: "a--b-": must not contain consecutive hyphens',
        '.ports[0].name: Invalid value: "a--b-": must not begin or end with a hyphen',
    ),
    in_container(
        "port name twice",
        {"ports": [{"containerPort": 1, "name": "x"}, {"containerPort": 2, "name": "x"}]},
        '.ports[1].name: Duplicate value: "x"',
    ),
    in_container(
        "unknown protocol",
        {"ports": [{"containerPort": 1, "protocol": "tcp"}]},
        '.ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
    ),
    in_container(
        "host port twice",
        {"ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}]},
        '.ports[1].hostPort: Duplicate value: "TCP//9"',
    ),
    in_spec(
        "host port twice in two containers",
        {
            "containers": [
                {**CONTAINER, "ports": [{"containerPort": 1, "hostPort": 9, "hostIP": "10.0.0.1"}]},
                {"name": "d", "image": "i:1", "ports": [{"containerPort": 1, "hostPort": 9, "hostIP": "10.0.0.1"}]},
            ]
        },
        '.containers[1].ports[0].hostPort: Duplicate value: "TCP/10.0.0.1/9"',
    ),
    in_spec(
        "host port twice in an init container, counted from zero",
        {
            "initContainers": [
                {"name": "a", "image": "i:1"},
                {
                    "name": "b",
                    "image": "i:1",
                    "ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}],
                },
            ]
        },
        '.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//9"',
    ),
]

MOUNTS = [
    mounts(
        "mount without a name",
        {"volumeMounts": [{"name": "", "mountPath": "/a"}]},
        ".volumeMounts[0].name: Required value",
        '.volumeMounts[0].name: Not found: ""',
    ),
    mounts(
        "mount of an unknown volume",
        {"volumeMounts": [{"name": "x", "mountPath": "/a"}]},
        '.volumeMounts[0].name: Not found: "x"',
    ),
    mounts(
        "mount without a path",
        {"volumeMounts": [{"name": "dir", "mountPath": ""}]},
        ".volumeMounts[0].mountPath: Required value",
    ),
    mounts(
        "two mounts in one place",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a"}, {"name": "disk", "mountPath": "/a"}]},
        '.volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
    ),
    mounts(
        "absolute sub path",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a", "subPath": "/b"}]},
        '.volumeMounts.subPath: Invalid value: "/b": must be a relative path',
    ),
    mounts(
        "sub path upwards",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a", "subPath": "b/../.."}]},
        ".volumeMounts.subPath: Invalid value: \"b/../..\": must not contain '..'",
    ),
    mounts(
        "sub path twice",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a", "subPath": "b", "subPathExpr": "../c"}]},
        '.volumeMounts[0].subPathExpr: Invalid value: "../c": subPathExpr and subPath are mutually exclusive',
        ".volumeMounts.subPathExpr: Invalid value: \"../c\": must not contain '..'",
    ),
    mounts(
        "unknown propagation",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a", "mountPropagation": "Both"}]},
        '.volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", '
        '"HostToContainer", "None"',
    ),
    mounts(
        "propagation to the host without privilege",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a", "mountPropagation": "Bidirectional"}]},
        ".volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged "
        "containers",
    ),
    mounts(
        "unknown recursion",
        {"volumeMounts": [{"name": "dir", "mountPath": "/a", "recursiveReadOnly": "Yes"}]},
        '.volumeMounts.recursiveReadOnly: Unsupported value: "Yes": supported values: "Disabled", "Enabled", '
        '"IfPossible"',
    ),
    mounts(
        "recursion without read-only",
        {
            "volumeMounts": [
                {
                    "name": "dir",
                    "mountPath": "/a",
                    "recursiveReadOnly": "Enabled",
                    "mountPropagation": "HostToContainer",
                }
            ]
        },
        ".volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
        ".volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not "
        "specified",
    ),
    mounts(
        "device without name and path",
        {"volumeDevices": [{"name": "", "devicePath": ""}]},
        ".volumeDevices[0].name: Required value",
        '.volumeDevices[0].name: Not found: ""',
        ".volumeDevices[0].devicePath: Required value",
    ),
    mounts(
        "device of a directory",
        {"volumeDevices": [{"name": "dir", "devicePath": "/dev/x"}]},
        '.volumeDevices[0].name: Invalid value: "dir": can only use volume source type of PersistentVolumeClaim or '
        "Ephemeral for block mode",
    ),
    mounts(
        "device twice",
        {"volumeDevices": [{"name": "disk", "devicePath": "/dev/x"}, {"name": "disk", "devicePath": "/dev/x"}]},
        '.volumeDevices[1].name: Invalid value: "disk": must be unique',
        '.volumeDevices[1].devicePath: Invalid value: "/dev/x": must be unique',
    ),
    mounts(
        "device upwards",
        {"volumeDevices": [{"name": "disk", "devicePath": "/dev/../x"}]},
        ".volumeDevices[0].devicePath: Invalid value: \"/dev/../x\": can not contain backsteps ('..')",
    ),
    mounts(
        "device and mount at once",
        {
            "volumeMounts": [{"name": "disk", "mountPath": "/x"}],
            "volumeDevices": [{"name": "disk", "devicePath": "/x"}],
        },
        '.volumeMounts[0].name: Invalid value: "disk": must not already exist in volumeDevices',
        '.volumeMounts[0].mountPath: Invalid value: "/x": must not already exist as a path in volumeDevices',
        '.volumeDevices[0].name: Invalid value: "disk": must not already exist in volumeMounts',
        '.volumeDevices[0].devicePath: Invalid value: "/x": must not already exist as a path in volumeMounts',
    ),
]

POLICIES = [
    in_container(
        "unknown container restart policy",
        {"restartPolicy": "Maybe"},
        '.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "Never", "OnFailure"',
    ),
    in_container(
        "rules without a policy",
        {"restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]},
        ".restartPolicy: Required value: must specify restartPolicy when restart rules are used",
    ),
    in_container(
        "rule of unknown action, operator",
        {
            "restartPolicy": "Never",
            "restartPolicyRules": [{"action": "Pray", "exitCodes": {"operator": "Is", "values": [1]}}],
        },
        '.restartPolicyRules[0].action: Unsupported value: "Pray": supported values: "Restart", "RestartAllContainers"',
        '.restartPolicyRules[0].exitCodes.operator: Unsupported value: "Is": supported values: "In", "NotIn"',
    ),
    in_container(
        "rule without exit codes",
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart"}]},
        ".restartPolicyRules[0].exitCodes: Required value: must be specified",
    ),
    in_container(
        "too many exit codes",
        {
            "restartPolicy": "Never",
            "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": list(range(256))}}],
        },
        ".restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items",
    ),
    in_container(
        "too many rules",
        {
            "restartPolicy": "Never",
            "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}] * 21,
        },
        ".restartPolicyRules: Too many: 21: must have at most 20 items",
    ),
    in_container(
        "resize policy of an unknown resource",
        {"resizePolicy": [{"resourceName": "disk", "restartPolicy": "NotRequired"}]},
        '.resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"',
    ),
    in_container(
        "resize policy without anything",
        {"resizePolicy": [{"resourceName": "", "restartPolicy": ""}]},
        ".resizePolicy: Required value",
        ".resizePolicy: Required value",
    ),
    in_container(
        "resize policy twice, and unknown",
        {
            "resizePolicy": [
                {"resourceName": "cpu", "restartPolicy": "NotRequired"},
                {"resourceName": "cpu", "restartPolicy": "Perhaps"},
            ]
        },
        '.resizePolicy[1]: Duplicate value: "cpu"',
        '.resizePolicy: Unsupported value: "Perhaps": supported values: "NotRequired", "RestartContainer"',
    ),
    in_container(
        "resize restarts what never restarts",
        {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
        ".resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
        restartPolicy="Never",
    ),
]

PROBE = {"exec": {"command": ["true"]}}
NOT_FOR_INIT = "Forbidden: may not be set for init containers without restartPolicy=Always"

INIT = [
    in_spec(
        "init container named like a container",
        {"initContainers": [CONTAINER]},
        '.initContainers[0].name: Duplicate value: "c"',
    ),
    in_spec(
        "init container with probes and hooks",
        {
            "initContainers": [
                {
                    "name": "i",
                    "image": "i:1",
                    "lifecycle": {},
                    "livenessProbe": PROBE,
                    "readinessProbe": PROBE,
                    "startupProbe": PROBE,
                }
            ]
        },
        f".initContainers[0].lifecycle: {NOT_FOR_INIT}",
        f".initContainers[0].livenessProbe: {NOT_FOR_INIT}",
        f".initContainers[0].readinessProbe: {NOT_FOR_INIT}",
        f".initContainers[0].startupProbe: {NOT_FOR_INIT}",
    ),
    in_spec(
        "sidecar with a probe that asks nothing",
        {"initContainers": [{"name": "i", "image": "i:1", "restartPolicy": "Always", "startupProbe": {}}]},
        ".initContainers[0].startupProbe: Required value: must specify a handler type",
    ),
    in_spec(
        "init container with rules and no policy",
        {"initContainers": [{"name": "i", "image": "i:1", "restartPolicyRules": [{"action": "x"}]}]},
        ".initContainers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
    ),
    in_spec(
        "init container with an unknown policy",
        {"initContainers": [{"name": "i", "image": "i:1", "restartPolicy": "Often"}]},
        '.initContainers[0].restartPolicy: Unsupported value: "Often": supported values: "Always", "Never", '
        '"OnFailure"',
    ),
    in_spec(
        "init container that restarts when resized",
        {
            "initContainers": [
                {
                    "name": "i",
                    "image": "i:1",
                    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
                }
            ]
        },
        '.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": '
        "must not be set to 'RestartContainer' for non-sidecar initContainers",
    ),
    in_spec(
        "nameless init container",
        {"initContainers": [{"name": "", "image": ""}]},
        ".initContainers[0].name: Required value",
        ".initContainers[0].image: Required value",
    ),
]

CASES = [*NAMES, *PORTS, *MOUNTS, *POLICIES, *INIT]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_containers(case: Case) -> None:
    check(case)


VALID = [
    in_container(
        "one port number, two protocols", {"ports": [{"containerPort": 53, "protocol": p} for p in ("TCP", "UDP")]}
    ),
    mounts("device", {"volumeDevices": [{"name": "disk", "devicePath": "/dev/xvda"}]}),
    in_spec(
        "sidecar with a probe",
        {"initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always", "startupProbe": PROBE}]},
    ),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
