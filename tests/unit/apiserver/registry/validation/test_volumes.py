"""Every rule for volumes is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from steersman.api import names
from tests.unit.apiserver.registry.pods import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    NAME_PART,
    Case,
    Manifest,
    check,
    ids,
    in_spec,
    in_volume,
)

MODE = "must be a number between 0 and 0777 (octal), both inclusive"
FILE_FIELDS = '"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"'
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def projected(id: str, sources: list[Manifest], *complaints: str) -> Case:
    """Complaints begin behind `projected`."""
    return in_volume(id, {"projected": {"sources": sources}}, *(f".projected{complaint}" for complaint in complaints))


def ephemeral(id: str, template: Manifest, *complaints: str) -> Case:
    """Complaints begin behind `volumeClaimTemplate`."""
    where = ".ephemeral.volumeClaimTemplate"
    return in_volume(id, {"ephemeral": {"volumeClaimTemplate": template}}, *(f"{where}{text}" for text in complaints))


def claim(id: str, spec: Manifest, *complaints: str) -> Case:
    """Complaints begin behind the spec of an ephemeral volume's claim."""
    return ephemeral(id, {"spec": {**CLAIM, **spec}}, *(f".spec{complaint}" for complaint in complaints))


LOCAL = [
    in_spec("no name", {"volumes": [{"name": "", "emptyDir": {}}]}, ".volumes[0].name: Required value"),
    in_spec(
        "bad name",
        {"volumes": [{"name": "V", "emptyDir": {}}]},
        f'.volumes[0].name: Invalid value: "V": {DNS_LABEL}',
    ),
    in_spec(
        "name twice",
        {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}]},
        '.volumes[1].name: Duplicate value: "v"',
    ),
    in_volume(
        "two sources",
        {"emptyDir": {}, "hostPath": {"path": "/"}},
        ".hostPath: Forbidden: may not specify more than 1 volume type",
    ),
    in_volume(
        "three sources, spelled as Kubernetes does",
        {"secret": {"secretName": "s"}, "downwardAPI": {}, "cephfs": {"monitors": ["m"]}},
        ".cephFS: Forbidden: may not specify more than 1 volume type",
        ".downwarAPI: Forbidden: may not specify more than 1 volume type",
    ),
    in_volume(
        "emptyDir below zero",
        {"emptyDir": {"sizeLimit": "-1"}},
        ".emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
    ),
    in_volume("hostPath without a path", {"hostPath": {"path": ""}}, ".hostPath.path: Required value"),
    in_volume(
        "hostPath upwards",
        {"hostPath": {"path": "/a/../b"}},
        ".hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
    ),
    in_volume(
        "hostPath of unknown type",
        {"hostPath": {"path": "/a", "type": "Tape"}},
        '.hostPath.type: Unsupported value: "Tape": supported values: "", "BlockDevice", "CharDevice", "Directory", '
        '"DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ),
    in_volume(
        "gitRepo without anything, upwards",
        {"gitRepo": {"repository": "", "directory": "/.."}},
        ".gitRepo.repository: Required value",
        '.gitRepo.directory: Invalid value: "/..": must be a relative path',
        ".gitRepo.directory: Invalid value: \"/..\": must not contain '..'",
    ),
    in_volume("secret without a name", {"secret": {}}, ".secret.secretName: Required value"),
    in_volume(
        "secret of wrong mode",
        {"secret": {"secretName": "s", "defaultMode": 512}},
        f".secret.defaultMode: Invalid value: 512: {MODE}",
    ),
    in_volume(
        "secret's items without key and path",
        {"secret": {"secretName": "s", "items": [{"key": "", "path": ""}]}},
        ".secret.items[0].key: Required value",
        ".secret.items[0].path: Required value",
    ),
    in_volume("configMap without a name", {"configMap": {}}, ".configMap.name: Required value"),
    in_volume(
        "configMap's item out of its directory",
        {"configMap": {"name": "m", "defaultMode": -1, "items": [{"key": "k", "path": "/../x", "mode": 999}]}},
        f".configMap.defaultMode: Invalid value: -1: {MODE}",
        '.configMap.items[0].path: Invalid value: "/../x": must be a relative path',
        ".configMap.items[0].path: Invalid value: \"/../x\": must not contain '..'",
        f".configMap.items[0].mode: Invalid value: 999: {MODE}",
    ),
    in_volume(
        "configMap's item with a reserved name",
        {"configMap": {"name": "m", "items": [{"key": "k", "path": "..data"}]}},
        ".configMap.items[0].path: Invalid value: \"..data\": must not start with '..'",
    ),
    in_volume(
        "claim without a name",
        {"persistentVolumeClaim": {"claimName": ""}},
        ".persistentVolumeClaim.claimName: Required value",
    ),
    Case(
        "image without a reference, in pods only",
        {"volumes": [{"name": "v", "image": {}}]},
        ("spec.volumes[0].image.reference: Required value",),
        also_in_templates=False,
    ),
    in_volume(
        "image of unknown pull policy",
        {"image": {"reference": "a", "pullPolicy": "X"}},
        '.image.pullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"',
    ),
]

FILES = [
    in_volume(
        "downwardAPI of wrong mode, and with a file of nothing",
        {"downwardAPI": {"defaultMode": 1000, "items": [{"path": "", "mode": 1000}]}},
        f".downwardAPI.defaultMode: Invalid value: 1000: {MODE}",
        ".downwardAPI.path: Required value",
        ".downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
        f".downwardAPI.mode: Invalid value: 1000: {MODE}",
    ),
    in_volume(
        "downwardAPI with a file of two things",
        {
            "downwardAPI": {
                "items": [
                    {
                        "path": "x",
                        "fieldRef": {"fieldPath": "spec.nodeName"},
                        "resourceFieldRef": {"resource": "limits.cpu"},
                    }
                ]
            }
        },
        f'.downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: {FILE_FIELDS}',
        '.downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
    ),
    in_volume(
        "downwardAPI with a resource of no container",
        {"downwardAPI": {"items": [{"path": "x", "resourceFieldRef": {"resource": "limits.cpu"}}]}},
        ".downwardAPI.resourceFieldRef.containerName: Required value",
    ),
    in_volume(
        "projected of wrong mode",
        {"projected": {"sources": [], "defaultMode": -1}},
        f".projected.defaultMode: Invalid value: -1: {MODE}",
    ),
    projected(
        "projected secret and map without names",
        [{"secret": {}}, {"configMap": {"items": [{"key": "", "path": "x"}]}}],
        ".sources[0].secret.name: Required value",
        ".sources[1].configMap.name: Required value",
        ".sources[1].configMap.items[0].key: Required value",
    ),
    projected(
        "projected to one place, four times",
        [
            {"secret": {"name": "s", "items": [{"key": "a", "path": "x"}, {"key": "b", "path": "x"}]}},
            {"configMap": {"name": "m", "items": [{"key": "a", "path": "x"}]}},
            {"downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.name"}}]}},
        ],
        ': Invalid value: "s": conflicting duplicate paths',
        ': Invalid value: "m": conflicting duplicate paths',
        ': Invalid value: "x": conflicting duplicate paths',
    ),
    projected(
        "two projections in one",
        [{"secret": {"name": "s"}, "configMap": {"name": "m"}}],
        ".sources[0]: Forbidden: may not specify more than 1 volume type per source",
    ),
    projected(
        "token for a short time, nowhere",
        [{"serviceAccountToken": {"path": "", "expirationSeconds": 599}}],
        ".sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: "
        "may not specify a duration less than 10 minutes",
        ".path: Required value",
    ),
    projected(
        "token for ever, outside",
        [{"serviceAccountToken": {"path": "../x", "expirationSeconds": 2**32 + 1}}],
        f".sources[0].serviceAccountToken.expirationSeconds: Invalid value: {2**32 + 1}: "
        "may not specify a duration larger than 2^32 seconds",
        ".path: Invalid value: \"../x\": must not contain '..'",
    ),
    projected(
        "trust bundle of nobody, nowhere",
        [{"clusterTrustBundle": {"path": ""}}],
        ".sources[0].clusterTrustBundle: Required value: either name or signerName must be specified",
        ".sources[0].clusterTrustBundle.path: Required value",
    ),
    projected(
        "trust bundle by name and signer, twice",
        [
            {"clusterTrustBundle": {"path": "x", "name": "n"}},
            {"clusterTrustBundle": {"path": "x", "name": "n", "signerName": "a.b/c"}},
        ],
        '.sources[1].clusterTrustBundle: Invalid value: {"Name":"n","SignerName":"a.b/c","LabelSelector":null,'
        '"Optional":null,"Path":"x"}: only one of name and signerName may be used',
        ': Invalid value: "x": conflicting duplicate paths',
    ),
    projected(
        "trust bundle with a bad name and a selector",
        [{"clusterTrustBundle": {"path": "x", "name": "A", "labelSelector": {"matchLabels": {"a": "b"}}}}],
        f'.sources[0].clusterTrustBundle.name: Invalid value: "A": not a valid clustertrustbundlename: {DNS_SUBDOMAIN}',
        '.sources[0].clusterTrustBundle.labelSelector: Invalid value: {"matchLabels":{"a":"b"}}: '
        "labelSelector must be unset if name is specified",
    ),
    projected(
        "trust bundle with a name of a slash and a colon",
        [{"clusterTrustBundle": {"path": "x", "name": "a.b/c:d"}}],
        '.sources[0].clusterTrustBundle.name: Invalid value: "a.b/c:d": not a valid clustertrustbundlename: '
        "ClusterTrustBundle for signerName a.b/c must be named with prefix a.b:c:",
    ),
    projected(
        "trust bundle with a colon first",
        [{"clusterTrustBundle": {"path": "x", "name": ":d"}}],
        '.sources[0].clusterTrustBundle.name: Invalid value: ":d": not a valid clustertrustbundlename: '
        'ClusterTrustBundle without signer name must not have ":" in its name',
    ),
    projected(
        "trust bundle of an empty signer, with a bad selector",
        [
            {
                "clusterTrustBundle": {
                    "path": "x",
                    "signerName": "",
                    "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]},
                }
            }
        ],
        ".sources[0].clusterTrustBundle.signerName: Required value: must be a valid signer name",
        ".sources[0].clusterTrustBundle.signerName: Required value",
        '.sources[0].clusterTrustBundle.labelSelector.matchExpressions[0].operator: Invalid value: "Like": '
        "not a valid selector operator",
    ),
    projected(
        "certificate of a signer without a slash, of unknown key, nowhere",
        [{"podCertificate": {"signerName": "x", "keyType": "RSA1"}}],
        '.sources[0].podCertificate.signerName: Invalid value: "x": '
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        '.sources[0].podCertificate.keyType: Unsupported value: "RSA1": supported values: "RSA3072", "RSA4096", '
        '"ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
        ".sources[0].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and "
        "certificateChainPath",
    ),
    projected(
        "certificate of a signer with a long name",
        [
            {
                "podCertificate": {
                    "signerName": f"a.b/{'c' * 253}.{'d' * 253}.{'e' * 253}",
                    "keyType": "ED25519",
                    "keyPath": "k",
                }
            }
        ],
        ".sources[0].podCertificate.signerName: Too long: may not be more than 571 bytes",
    ),
    projected(
        "certificate of a signer without a domain, for a moment",
        [
            {
                "podCertificate": {
                    "signerName": "x/Y",
                    "keyType": "ED25519",
                    "maxExpirationSeconds": 3599,
                    "keyPath": "k",
                    "certificateChainPath": "k",
                    "userAnnotations": {"-": "1"},
                }
            }
        ],
        '.sources[0].podCertificate.signerName: Invalid value: "x": '
        "should be a domain with at least two segments separated by dots",
        f'.sources[0].podCertificate.signerName: Invalid value: "Y": validating label "Y": {DNS_SUBDOMAIN}',
        f'.sources[0].podCertificate.userAnnotations: Invalid value: "-": {NAME_PART}',
        ".sources[0].podCertificate.maxExpirationSeconds: Invalid value: 3599: "
        "if provided, maxExpirationSeconds must be >= 3600",
        ': Invalid value: "k": conflicting duplicate paths',
    ),
    projected(
        "certificate of Kubernetes for too long",
        [
            {
                "podCertificate": {
                    "signerName": "kubernetes.io/x",
                    "keyType": "ED25519",
                    "maxExpirationSeconds": 86401,
                    "credentialBundlePath": "/b",
                }
            }
        ],
        ".sources[0].podCertificate.maxExpirationSeconds: Invalid value: 86401: "
        "if provided, maxExpirationSeconds must be <= 86400",
        '.sources[0].podCertificate.credentialBundlePath: Invalid value: "/b": must be a relative path',
    ),
]

CLAIMS = [
    in_volume("ephemeral without a template", {"ephemeral": {}}, ".ephemeral.volumeClaimTemplate: Required value"),
    ephemeral(
        "claim with metadata of its own",
        {"metadata": {"name": "x", "labels": {"a": "-"}, "uid": "1", "finalizers": ["a/b"]}, "spec": CLAIM},
        '.metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric '
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ".metadata.name: Forbidden: cannot be set",
        ".metadata.uID: Forbidden: cannot be set",
        ".metadata.finalizers: Forbidden: cannot be set",
    ),
    ephemeral(
        "claim for nothing",
        {"spec": {}},
        ".spec.accessModes: Required value: at least 1 access mode is required",
        ".spec.resources[storage]: Required value",
    ),
    claim(
        "claim for less than nothing",
        {"resources": {"requests": {"storage": "0"}}},
        '.resources[storage]: Invalid value: "0": must be greater than zero',
    ),
    claim(
        "claim of unknown modes",
        {"accessModes": ["WriteOnly", "ReadWriteOncePod", "ReadWriteOnce"], "volumeMode": "Tape"},
        '.accessModes: Unsupported value: "WriteOnly": supported values: "ReadOnlyMany", "ReadWriteMany", '
        '"ReadWriteOnce", "ReadWriteOncePod"',
        ".accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
        '.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ),
    claim(
        "claim of badly named classes",
        {"storageClassName": "A", "volumeAttributesClassName": "B"},
        f'.storageClassName: Invalid value: "A": {DNS_SUBDOMAIN}',
        f'.volumeAttributesClassName: Invalid value: "B": {DNS_SUBDOMAIN}',
    ),
    claim(
        "claim from nothing",
        {"dataSource": {"kind": "", "name": ""}},
        ".dataSource.name: Required value",
        ".dataSource.kind: Required value",
        ".dataSource: Invalid value: \"\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    ),
    claim(
        "claim from two sources",
        {
            "dataSource": {"kind": "PersistentVolumeClaim", "name": "a"},
            "dataSourceRef": {"apiGroup": "-", "kind": "B", "name": "b"},
        },
        f'.dataSourceRef.apiGroup: Invalid value: "-": {DNS_SUBDOMAIN}',
        ": Invalid value: {}: must match dataSourceRef",
    ),
    claim(
        "claim from another namespace",
        {
            "dataSource": {"kind": "PersistentVolumeClaim", "name": "a"},
            "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "a", "namespace": "N"},
        },
        f'.dataSourceRef.namespace: Invalid value: "N": {DNS_LABEL}',
        ": Invalid value: {}: may not be specified when dataSourceRef.namespace is specified",
    ),
    claim(
        "claim with a bad selector",
        {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
        ".selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ),
    Case(
        "claim whose name to be is too long, in pods only",
        {"volumes": [{"name": "v" * 50, "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}}]},
        (
            f'spec.volumes[0].name: Invalid value: "{"v" * 50}": PVC name "{"p" * 250}-{"v" * 50}": '
            f"{names.dns_subdomain('x' * 301)[0]}",
        ),
        metadata={"name": "p" * 250},
        also_in_templates=False,
    ),
    Case(
        "claim of the pod's own making, in pods only",
        {
            "volumes": [
                {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}},
                {"name": "w", "persistentVolumeClaim": {"claimName": "p-v"}},
            ]
        },
        (
            'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": '
            "must not reference a PVC that gets created for an ephemeral volume",
        ),
        also_in_templates=False,
    ),
]

CASES = [*LOCAL, *FILES, *CLAIMS]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_volumes(case: Case) -> None:
    check(case)


VALID = [
    ephemeral("claim with labels", {"metadata": {"labels": {"a": "b"}}, "spec": CLAIM}),
    projected("bundle of a signer", [{"clusterTrustBundle": {"path": "x", "name": "example.com:signer:bundle"}}]),
    projected("token", [{"serviceAccountToken": {"path": "token"}}]),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
