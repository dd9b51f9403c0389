"""Every rule for environments is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.pods import (
    CONFIG_KEY,
    DNS_SUBDOMAIN,
    ENV_NAME,
    NAME_PART,
    Case,
    check,
    ids,
    in_container,
)

ENV_FIELDS = (
    '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", '
    '"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"'
)
RESOURCE_FIELDS = (
    '"limits.cpu", "limits.ephemeral-storage", "limits.memory", '
    '"requests.cpu", "requests.ephemeral-storage", "requests.memory"'
)
BYTE_DIVISORS = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
VOLUMES = [{"name": "dir", "emptyDir": {}}, {"name": "disk", "persistentVolumeClaim": {"claimName": "d"}}]


def variable(id: str, source: dict[str, object], *complaints: str, value: str = "") -> Case:
    """Complaints begin behind `valueFrom`."""
    env = {"name": "V", "valueFrom": source, **({"value": value} if value else {})}
    return in_container(id, {"env": [env]}, *(f".env[0].valueFrom{complaint}" for complaint in complaints))


ENVIRONMENT = [
    in_container("variable without a name", {"env": [{"name": ""}]}, ".env[0].name: Required value"),
    in_container(
        "variable with an equals sign", {"env": [{"name": "A=B"}]}, f'.env[0].name: Invalid value: "A=B": {ENV_NAME}'
    ),
    in_container("variable beyond ASCII", {"env": [{"name": "Ä"}]}, f'.env[0].name: Invalid value: "Ä": {ENV_NAME}'),
    variable(
        "no source",
        {},
        ': Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` '
        "or `fileKeyRef`",
    ),
    variable(
        "source and value",
        {"fieldRef": {"fieldPath": "metadata.name"}},
        ': Invalid value: "": may not be specified when `value` is not empty',
        value="x",
    ),
    variable(
        "two sources",
        {"fieldRef": {"fieldPath": "metadata.name"}, "secretKeyRef": {"name": "s", "key": "k"}},
        ': Invalid value: "": may not have more than one field specified at a time',
    ),
    variable("field without a path", {"fieldRef": {"fieldPath": ""}}, ".fieldRef.fieldPath: Required value"),
    variable(
        "field of another version",
        {"fieldRef": {"apiVersion": "v2", "fieldPath": "metadata.name"}},
        '.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
    ),
    variable(
        "field that is unknown",
        {"fieldRef": {"fieldPath": "metadata.color"}},
        '.fieldRef.fieldPath: Invalid value: "metadata.color": error converting fieldPath: '
        "field label not supported: metadata.color",
    ),
    variable(
        "field that is not for variables",
        {"fieldRef": {"fieldPath": "metadata.labels"}},
        f'.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: {ENV_FIELDS}',
    ),
    variable(
        "field that has no subscript",
        {"fieldRef": {"fieldPath": "metadata.name['x']"}},
        ".fieldRef.fieldPath: Invalid value: \"metadata.name['x']\": error converting fieldPath: "
        "field label does not support subscript: metadata.name['x']",
    ),
    variable(
        "label with a bad key",
        {"fieldRef": {"fieldPath": "metadata.labels['-']"}},
        f'.fieldRef: Invalid value: "-": {NAME_PART}',
    ),
    variable(
        "annotation with a bad key, in lower case",
        {"fieldRef": {"fieldPath": "metadata.annotations['A B']"}},
        f'.fieldRef: Invalid value: "a b": {NAME_PART}',
    ),
    variable(
        "resource without a name", {"resourceFieldRef": {"resource": ""}}, ".resourceFieldRef.resource: Required value"
    ),
    variable(
        "resource that is unknown",
        {"resourceFieldRef": {"resource": "limits.fun"}},
        f'.resourceFieldRef.resource: Unsupported value: "limits.fun": supported values: {RESOURCE_FIELDS}',
    ),
    variable(
        "divisor of CPU",
        {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "10"}},
        '.resourceFieldRef.divisor: Invalid value: "limits.cpu": '
        "only divisor's values 1m and 1 are supported with the cpu resource",
    ),
    variable(
        "divisor of memory",
        {"resourceFieldRef": {"resource": "requests.memory", "divisor": "3Mi"}},
        '.resourceFieldRef.divisor: Invalid value: "requests.memory": '
        f"only divisor's values {BYTE_DIVISORS} are supported with the memory resource",
    ),
    variable(
        "divisor of storage",
        {"resourceFieldRef": {"resource": "limits.ephemeral-storage", "divisor": "1m"}},
        '.resourceFieldRef.divisor: Invalid value: "limits.ephemeral-storage": '
        f"only divisor's values {BYTE_DIVISORS} are supported with the local ephemeral storage resource",
    ),
    variable(
        "divisor of huge pages",
        {"resourceFieldRef": {"resource": "limits.hugepages-2Mi", "divisor": "2Mi"}},
        '.resourceFieldRef.divisor: Invalid value: "limits.hugepages-2Mi": '
        f"only divisor's values {BYTE_DIVISORS} are supported with the hugepages resource",
    ),
    variable(
        "key of a nameless map",
        {"configMapKeyRef": {"key": "k"}},
        f'.configMapKeyRef.name: Invalid value: "": {DNS_SUBDOMAIN}',
    ),
    variable("no key of a map", {"configMapKeyRef": {"name": "m"}}, ".configMapKeyRef.key: Required value"),
    variable(
        "bad key of a map",
        {"configMapKeyRef": {"name": "m", "key": "a/b"}},
        f'.configMapKeyRef.key: Invalid value: "a/b": {CONFIG_KEY}',
    ),
    variable(
        "bad name and key of a secret",
        {"secretKeyRef": {"name": "S", "key": ".."}},
        f'.secretKeyRef.name: Invalid value: "S": {DNS_SUBDOMAIN}',
        ".secretKeyRef.key: Invalid value: \"..\": must not be '..'",
    ),
    in_container(
        "variable from nowhere in a file",
        {"env": [{"name": "V", "valueFrom": {"fileKeyRef": {"volumeName": "", "path": "", "key": ""}}}]},
        ".env[0].valueFrom.fileKeyRef.key: Required value",
        ".env[0].valueFrom.fileKeyRef.volumeName: Required value",
        ".env[0].valueFrom.fileKeyRef.path: Required value",
        '.env[0].valueFrom.fileKeyRef.volumeName: Not found: ""',
    ),
    in_container(
        "variable from a file above the volume",
        {"env": [{"name": "V", "valueFrom": {"fileKeyRef": {"volumeName": "dir", "path": "../x", "key": "K=1"}}}]},
        f'.env[0].valueFrom.fileKeyRef.key: Invalid value: "K=1": {ENV_NAME}',
        ".env[0].valueFrom.fileKeyRef.path: Invalid value: \"../x\": must not contain '..'",
        volumes=VOLUMES,
    ),
    in_container(
        "variable from a file on a disk",
        {"env": [{"name": "V", "valueFrom": {"fileKeyRef": {"volumeName": "disk", "path": "x", "key": "K"}}}]},
        '.env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "disk": referenced volume must be of type emptyDir',
        volumes=VOLUMES,
    ),
    in_container(
        "all variables from nowhere",
        {"envFrom": [{}]},
        '.envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
    ),
    in_container(
        "all variables from two places",
        {"envFrom": [{"configMapRef": {"name": "a"}, "secretRef": {"name": "b"}}]},
        '.envFrom: Invalid value: "": may not have more than one field specified at a time',
    ),
    in_container(
        "all variables of a nameless map",
        {"envFrom": [{"configMapRef": {}}]},
        ".envFrom[0].configMapRef.name: Required value",
    ),
    in_container(
        "all variables of a nameless secret",
        {"envFrom": [{"secretRef": {}}]},
        ".envFrom[0].secretRef.name: Required value",
    ),
    in_container(
        "all variables of a badly named map",
        {"envFrom": [{"configMapRef": {"name": "A"}}]},
        f'.envFrom[0].configMapRef.name: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
    in_container(
        "bad prefix of all variables",
        {"envFrom": [{"prefix": "a=", "secretRef": {"name": "b"}}]},
        f'.envFrom[0].prefix: Invalid value: "a=": {ENV_NAME}',
    ),
]


@pytest.mark.parametrize("case", ENVIRONMENT, ids=ids(ENVIRONMENT))
def test_environment(case: Case) -> None:
    check(case)


VALID = [
    in_container("dash at the end of a reference", {"envFrom": [{"configMapRef": {"name": "a-"}}]}),
    in_container("variable with dots", {"env": [{"name": "my.var-1"}]}),
    variable("label of the pod", {"fieldRef": {"fieldPath": "metadata.labels['app.kubernetes.io/name']"}}),
    variable("old name of a field", {"fieldRef": {"fieldPath": "spec.host"}}),
    variable("huge pages", {"resourceFieldRef": {"resource": "limits.hugepages-2Mi", "divisor": "1Mi"}}),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
