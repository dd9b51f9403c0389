"""What whoever writes an object other than a pod is told: each warning once, in Kubernetes' words."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from apiserver.auth import signing
from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.warnings import addresses
from steersman.api import codec, kinds
from steersman.api.fields import Path
from tests.unit.apiserver.registry.tables import TEMPLATE

NOW = datetime(2026, 11, 18, 7, tzinfo=UTC)
OLD_LABEL = 'deprecated since v1.14; use "kubernetes.io/os" instead'
HOSTNAME = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is "
    "recommended: [must not contain dots]"
)
KEY, OTHER_KEY = signing.new_key(), signing.new_key()
CERTIFICATE = signing.to_pem(signing.sign_authority(signing.load_key(KEY), NOW))


def tls(certificate: bytes, key: bytes) -> dict[str, Any]:
    data = {"tls.crt": base64.b64encode(certificate).decode(), "tls.key": base64.b64encode(key).decode()}
    return {"type": "kubernetes.io/tls", "data": data}


def noted(key: str, **rest: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a", "annotations": {key: "x"}}, **rest}


SLICE = {"addressType": "IPv6", "endpoints": [{"addresses": ["2001:0db8::1"]}]}
LONG = 'IPv6 address "2001:0db8::1" should be in RFC 5952 canonical format ("2001:db8::1")'
JOB = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}
HUGE = {"completionMode": "Indexed", "completions": 100_001, "parallelism": 10_001, **JOB}
INDEXES = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes "
    "might not be able to track completedIndexes when a big number of indexes fail"
)
FRACTION = {"resources": {"requests": {"storage": "100m"}}}
SET = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}

CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    (
        "services",
        "hints by annotation",
        noted("service.kubernetes.io/topology-aware-hints", spec={}),
        [
            "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
            "service.kubernetes.io/topology-mode instead"
        ],
    ),
    (
        "services",
        "headless with everything",
        {
            "spec": {
                "clusterIP": "None",
                "loadBalancerIP": "10.0.0.1",
                "externalIPs": ["10.0.0.1"],
                "sessionAffinity": "ClientIP",
            }
        },
        [
            "spec.loadBalancerIP is ignored for headless services",
            "spec.externalIPs is ignored for headless services",
            "spec.SessionAffinity is ignored for headless services",
        ],
    ),
    (
        "services",
        "addresses from outside",
        {"spec": {"externalIPs": ["10.0.0.1"], "externalName": "a.b", "trafficDistribution": "PreferClose"}},
        [
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
            'spec.externalName is ignored when spec.type is not "ExternalName"',
            'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
        ],
    ),
    (
        "services",
        "a name elsewhere",
        {"spec": {"type": "ExternalName", "externalName": "a.b", "externalIPs": ["10.0.0.1"]}},
        ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    ),
    (
        "ingresses.networking.k8s.io",
        "a class by annotation",
        noted("kubernetes.io/ingress.class", spec={}),
        ["annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
    ),
    ("endpointslices.discovery.k8s.io", "a long address", SLICE, [f"endpoints[0].addresses[0]: {LONG}"]),
    (
        "endpointslices.discovery.k8s.io",
        "a long address of our own controller",
        {
            **SLICE,
            "metadata": {"labels": {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}},
        },
        [],
    ),
    (
        "endpointslices.discovery.k8s.io",
        "names",
        {"addressType": "FQDN", "endpoints": []},
        ["spec.addressType: FQDN endpoints are deprecated"],
    ),
    (
        "endpoints",
        "a long address",
        {"subsets": [{"addresses": [{"ip": "2001:0db8::1"}], "notReadyAddresses": [{"ip": "2001:0db8::1"}]}]},
        [f"subsets[0].addresses[0].ip: {LONG}", f"subsets[0].notReadyAddresses[0].ip: {LONG}"],
    ),
    (
        "networkpolicies.networking.k8s.io",
        "a long range",
        {"spec": {"egress": [{"to": [{"ipBlock": {"cidr": "2001:0db8::/32", "except": ["2001:0db8::/64"]}}]}]}},
        [
            'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:0db8::/32" should be in RFC 5952 canonical '
            'format ("2001:db8::/32")',
            'spec.egress[0].to[0].ipBlock.except[0]: IPv6 CIDR value "2001:0db8::/64" should be in RFC 5952 canonical '
            'format ("2001:db8::/64")',
        ],
    ),
    (
        "nodes",
        "what is gone",
        {"spec": {"externalID": "x"}},
        ["spec.externalID: this field is deprecated, and is unused by Kubernetes"],
    ),
    (
        "persistentvolumes",
        "all of it",
        {
            "metadata": {"annotations": {"volume.beta.kubernetes.io/mount-options": "x"}},
            "spec": {
                "persistentVolumeReclaimPolicy": "Recycle",
                "rbd": {"monitors": [], "image": "i"},
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "beta.kubernetes.io/os", "operator": "Exists"}]}
                        ]
                    }
                },
            },
        },
        [
            "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; "
            'use "mountOptions" attribute instead',
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
            "approach is to use dynamic provisioning.",
            "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: "
            f"beta.kubernetes.io/os is {OLD_LABEL}",
            "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
        ],
    ),
    (
        "persistentvolumeclaims",
        "a class by annotation, and part of a byte",
        noted("volume.beta.kubernetes.io/storage-class", spec=FRACTION),
        [
            "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; "
            'use "storageClassName" attribute instead',
            'spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
        ],
    ),
    (
        "storageclasses.storage.k8s.io",
        "an old label",
        {"allowedTopologies": [{"matchLabelExpressions": [{"key": "beta.kubernetes.io/os", "values": ["linux"]}]}]},
        [f"allowedTopologies[0].matchLabelExpressions[0].key: {OLD_LABEL}"],
    ),
    (
        "csistoragecapacities.storage.k8s.io",
        "an old label",
        {"nodeTopology": {"matchLabels": {"beta.kubernetes.io/os": "linux"}}},
        [f"nodeTopology.matchLabels.beta.kubernetes.io/os: {OLD_LABEL}"],
    ),
    (
        "csidrivers.storage.k8s.io",
        "tokens in the open",
        {"spec": {"tokenRequests": [{"audience": "a"}]}},
        [
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent "
            "possible logging of tokens in volume attributes"
        ],
    ),
    (
        "runtimeclasses.node.k8s.io",
        "an old label",
        {"handler": "h", "scheduling": {"nodeSelector": {"beta.kubernetes.io/os": "linux"}}},
        [f"scheduling.nodeSelector: {OLD_LABEL}"],
    ),
    (
        "resourcequotas",
        "limits below requests",
        {"spec": {"hard": {"cpu": "2", "limits.cpu": "1", "requests.memory": "1Gi", "limits.memory": "1Gi"}}},
        ["ResourceQuota cpu (2) should be less than limits.cpu (1)"],
    ),
    (
        "serviceaccounts",
        "an old annotation",
        noted("kubernetes.io/enforce-mountable-secrets"),
        [
            "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate "
            "namespaces to isolate access to mounted secrets"
        ],
    ),
    ("secrets", "a pair", tls(CERTIFICATE, KEY), []),
    ("secrets", "no pair", tls(CERTIFICATE, OTHER_KEY), ["tls: private key does not match public key"]),
    ("secrets", "nothing", tls(b"", b""), ["tls: failed to find any PEM data in certificate input"]),
    ("secrets", "no key", tls(CERTIFICATE, b""), ["tls: failed to find any PEM data in key input"]),
    (
        "secrets",
        "the wrong way round",
        tls(KEY, CERTIFICATE),
        [
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs "
            "may have been switched"
        ],
    ),
    (
        "secrets",
        "two certificates",
        tls(CERTIFICATE, CERTIFICATE),
        ["tls: found a certificate rather than a key in the PEM for the private key"],
    ),
    (
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
        "a name that is reserved",
        {"metadata": {"name": "a.static.k8s.io"}},
        [
            'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations '
            "and cannot be managed via the API"
        ],
    ),
    ("jobs.batch", "a name with dots", {"metadata": {"name": "a.b"}, "spec": JOB}, [HOSTNAME]),
    ("jobs.batch", "too many indexes", {"spec": HUGE}, [f"spec: {INDEXES}"]),
    (
        "cronjobs.batch",
        "too many indexes",
        {"metadata": {"name": "a.b"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": HUGE}}},
        [HOSTNAME, f"spec.jobTemplate.spec: {INDEXES}"],
    ),
    (
        "statefulsets.apps",
        "claims of part of a byte, and all history",
        {"spec": {**SET, "revisionHistoryLimit": -1, "volumeClaimTemplates": [{"spec": FRACTION}]}},
        [
            'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "100m" is invalid, '
            "must be an integer",
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ],
    ),
    ("replicationcontrollers", "a name with dots", {"metadata": {"name": "a.b"}, "spec": {}}, [HOSTNAME]),
]


@pytest.mark.parametrize(
    ("resource", "manifest", "expected"),
    [(resource, manifest, expected) for resource, _, manifest, expected in CASES],
    ids=[f"{resource}: {what}" for resource, what, _, _ in CASES],
)
def test_warnings(resource: str, manifest: dict[str, Any], expected: list[str]) -> None:
    name, _, group = resource.partition(".")
    kind = kinds.by_resource(group, name)
    assert kind is not None
    whole = {**manifest, "metadata": {"name": "a", "namespace": "n", **manifest.get("metadata", {})}}
    strategy = STRATEGIES[resource]
    made = strategy.default(codec.from_dict(kind.struct, whole)[0])
    assert list(strategy.warn(made, None)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.1", ""),
        ("10.0.0.01", 'a: non-standard IP address "10.0.0.01" is invalid: use "10.0.0.1"'),
        ("::ffff:10.0.0.1", 'a: non-standard IP address "::ffff:10.0.0.1" is invalid: use "10.0.0.1"'),
        ("2001:db8::1", ""),
        ("2001:DB8::1", 'a: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")'),
        ("nonsense", ""),
    ],
)
def test_addresses(text: str, expected: str) -> None:
    assert addresses.of_ip(text, Path("a")) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.0/8", []),
        (
            "10.0.0.1/8",
            ['a: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
        ),
        ("010.0.0.0/8", ['a: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"']),
        ("10.0.0.0/08", ['a: non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"']),
        (
            "2001:DB8::/32",
            ['a: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")'],
        ),
    ],
)
def test_ranges(text: str, expected: list[str]) -> None:
    assert addresses.of_cidr(text, Path("a")) == expected
