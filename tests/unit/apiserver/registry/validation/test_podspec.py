"""Every rule for the rest of a pod's spec, its annotations and its template is broken once."""

from __future__ import annotations

import pytest

from apiserver.registry.validation.pod import validate_pod, validate_pod_spec, validate_pod_template
from steersman.api.core import Container, ContainerPort, EnvVar, EnvVarSource, ObjectFieldSelector, PodSpec, Volume
from steersman.api.fields import Path
from tests.unit.apiserver.registry.pods import (
    CONTAINER,
    DNS_LABEL,
    DNS_SUBDOMAIN,
    LABEL_VALUE,
    NAME_PART,
    Case,
    Manifest,
    check,
    complaints,
    ids,
    in_spec,
    make_pod,
    make_template,
    shown,
)

NOT_AN_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
SEARCH = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
)
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
SECCOMP = "container.seccomp.security.alpha.kubernetes.io/c"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
MIRROR = "kubernetes.io/config.mirror"
COST = "controller.kubernetes.io/pod-deletion-cost"
TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"


CONTAINER_WITH_PROFILE = {
    **CONTAINER,
    "securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "b"}},
}


def dns(id: str, config: Manifest, *complaints: str) -> Case:
    return in_spec(id, {"dnsConfig": config}, *(f".dnsConfig{complaint}" for complaint in complaints))


NETWORK = [
    in_spec(
        "unknown restart policy",
        {"restartPolicy": "Sometimes"},
        '.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ),
    in_spec(
        "unknown DNS policy",
        {"dnsPolicy": "Ask"},
        '.dnsPolicy: Unsupported value: "Ask": supported values: "ClusterFirstWithHostNet", "ClusterFirst", '
        '"Default", "None"',
    ),
    in_spec(
        "no DNS at all",
        {"dnsPolicy": "None"},
        ".dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
    ),
    in_spec(
        "no DNS servers",
        {"dnsPolicy": "None", "dnsConfig": {}},
        ".dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
    ),
    dns(
        "too many DNS servers",
        {"nameservers": ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]},
        '.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
    ),
    dns(
        "DNS servers that are none",
        {"nameservers": ["dns", "010.0.0.1", "::ffff:1.2.3.4"]},
        f'.nameservers[0]: Invalid value: "dns": {NOT_AN_ADDRESS}',
        '.nameservers[1]: Invalid value: "010.0.0.1": must not have leading 0s',
        '.nameservers[2]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
    ),
    dns("bad search domain", {"searches": [".", "a b"]}, f'.searches[1]: Invalid value: "a b": {SEARCH}'),
    dns(
        "long search domain",
        {"searches": ["a" * 254]},
        f'.searches[0]: Invalid value: "{"a" * 254}": must be no more than 253 characters',
    ),
    dns("option without a name", {"options": [{}]}, ".options[0]: Required value: must not be empty"),
    in_spec(
        "bad host alias",
        {"hostAliases": [{"ip": "fe80::1%eth0", "hostnames": ["A"]}]},
        f'.hostAliases[0].ip: Invalid value: "fe80::1%eth0": {NOT_AN_ADDRESS}',
        f'.hostAliases[0].hostnames[0]: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
    in_spec(
        "bad names in the network",
        {"hostname": "a.b", "subdomain": "C", "serviceAccountName": "D"},
        f'.serviceAccountName: Invalid value: "D": {DNS_SUBDOMAIN}',
        '.hostname: Invalid value: "a.b": must not contain dots',
        f'.subdomain: Invalid value: "C": {DNS_LABEL}',
    ),
    in_spec(
        "another host name for the host",
        {"hostnameOverride": "A", "hostNetwork": True, "setHostnameAsFQDN": True},
        ".hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
        ".hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
        f'.hostnameOverride: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
    in_spec(
        "long host name",
        {"hostnameOverride": "a" * 65},
        ".hostnameOverride: Too long: may not be more than 64 bytes",
    ),
    in_spec(
        "port other than the host's",
        {"hostNetwork": True, "containers": [{**CONTAINER, "ports": [{"containerPort": 1, "hostPort": 2}]}]},
        ".containers[0].ports[0].hostPort: Invalid value: 2: must match `containerPort` when `hostNetwork` is true",
    ),
    in_spec(
        "no deadline",
        {"activeDeadlineSeconds": 0},
        ".activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
    ),
    in_spec(
        "deadline in a hundred years",
        {"activeDeadlineSeconds": 2**31},
        ".activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive",
    ),
]

CLAIMS = [
    in_spec(
        "claim without a name and of nothing",
        {"resourceClaims": [{"name": ""}]},
        ".resourceClaims[0].name: Required value",
        '.resourceClaims[0]: Invalid value: {"Name":"","ResourceClaimName":null,"ResourceClaimTemplateName":null}: '
        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
    ),
    in_spec(
        "claim of two things, badly named",
        {"resourceClaims": [{"name": "A", "resourceClaimName": "B", "resourceClaimTemplateName": "C"}]},
        f'.resourceClaims[0].name: Invalid value: "A": {DNS_LABEL}',
        '.resourceClaims[0]: Invalid value: {"Name":"A","ResourceClaimName":"B","ResourceClaimTemplateName":"C"}: '
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
        f'.resourceClaims[0].resourceClaimName: Invalid value: "B": {DNS_SUBDOMAIN}',
        f'.resourceClaims[0].resourceClaimTemplateName: Invalid value: "C": {DNS_SUBDOMAIN}',
    ),
    in_spec(
        "claim twice",
        {"resourceClaims": [{"name": "a", "resourceClaimName": "x"}, {"name": "a", "resourceClaimName": "y"}]},
        '.resourceClaims[1].name: Duplicate value: "a"',
    ),
    Case(
        "claim of a mirror, in pods only",
        {"resourceClaims": [{"name": "a", "resourceClaimName": "x"}], "nodeName": "n"},
        ("[]: Forbidden: static pods do not support resource claims",),
        metadata={"annotations": {MIRROR: "x"}},
        also_in_templates=False,
    ),
]

PODS_ONLY = [
    Case(
        "token of nobody",
        {
            "serviceAccountName": "",
            "volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}],
        },
        (
            "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: "
            "must not be specified when serviceAccountName is not set",
        ),
        also_in_templates=False,
    ),
    Case(
        "ephemeral container at creation",
        {"ephemeralContainers": [{"name": "e", "image": "i:1"}]},
        ("spec.ephemeralContainers: Forbidden: cannot be set on create",),
        also_in_templates=False,
    ),
]

CASES = [*NETWORK, *CLAIMS, *PODS_ONLY]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_spec(case: Case) -> None:
    check(case)


def annotated(id: str, annotations: Manifest, *complaints: str, **spec: object) -> Case:
    return Case(id, spec, complaints, metadata={"annotations": annotations})


ANNOTATIONS = [
    annotated(
        "mirror without a node",
        {MIRROR: "x"},
        f'metadata.annotations[{MIRROR}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ),
    annotated(
        "cost with a plus", {COST: "+1"}, f'metadata.annotations[{COST}]: Invalid value: "+1": must be a 32bit integer'
    ),
    annotated(
        "cost beyond measure",
        {COST: str(2**31)},
        f'metadata.annotations[{COST}]: Invalid value: "{2**31}": must be a 32bit integer',
    ),
    annotated("no cost", {COST: ""}, f'metadata.annotations[{COST}]: Invalid value: "": must be a 32bit integer'),
    annotated(
        "tolerations, badly",
        {TOLERATIONS: '[{"key":"-","operator":"Exists"}]'},
        f'metadata.annotations.{TOLERATIONS}[0].key: Invalid value: "-": {NAME_PART}',
    ),
    annotated(
        "seccomp of magic",
        {SECCOMP_POD: "magic", SECCOMP: "localhost//x"},
        f'metadata.annotations.{SECCOMP_POD}: Invalid value: "magic": must be a valid seccomp profile',
        f'metadata.annotations.{SECCOMP}: Invalid value: "/x": must be a relative path',
    ),
    annotated(
        "AppArmor of magic, for nobody",
        {f"{APP_ARMOR}x": "magic"},
        f'metadata.annotations[{APP_ARMOR}x]: Invalid value: "cx": container not found',
        f'metadata.annotations[{APP_ARMOR}x]: Invalid value: "magic": invalid AppArmor profile name: "magic"',
    ),
    annotated(
        "seccomp told twice, differently",
        {SECCOMP_POD: "runtime/default", SECCOMP: "localhost/a"},
        "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
        "spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: "
        "seccomp profile in annotation and field must match",
        securityContext={"seccompProfile": {"type": "Unconfined"}},
        containers=[
            {**CONTAINER, "securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "b"}}}
        ],
    ),
    annotated(
        "seccomp of the runtime, and of the host",
        {SECCOMP: "unconfined"},
        "spec.containers[0].securityContext.seccompProfile.type: Forbidden: "
        "seccomp type in annotation and field must match",
        containers=[{**CONTAINER, "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}],
    ),
    annotated(
        "AppArmor told twice, differently",
        {APP_ARMOR: "unconfined"},
        "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: "
        "apparmor type in annotation and field must match",
        containers=[{**CONTAINER, "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}}],
    ),
    annotated(
        "AppArmor of the host in the field alone",
        {APP_ARMOR: "runtime/default"},
        "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: "
        "apparmor type in annotation and field must match",
        securityContext={"appArmorProfile": {"type": "Localhost", "localhostProfile": "b"}},
        containers=[CONTAINER_WITH_PROFILE],
    ),
    annotated(
        "AppArmor of the host told twice, differently",
        {APP_ARMOR: "localhost/a"},
        "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: "
        "apparmor profile in annotation and field must match",
        containers=[CONTAINER_WITH_PROFILE],
    ),
]


@pytest.mark.parametrize("case", ANNOTATIONS, ids=ids(ANNOTATIONS))
def test_annotations(case: Case) -> None:
    assert complaints(case.pod()) == list(case.complaints)
    in_template = [complaint.removeprefix("metadata.") for complaint in case.complaints]
    wanted = [f"template.{complaint}" for complaint in in_template]
    assert shown(validate_pod_template(case.template(), Path("template"))) == wanted


def test_tolerations_that_are_no_json_are_named() -> None:
    [cause] = validate_pod(make_pod(metadata={"annotations": {TOLERATIONS: "{"}}))
    assert cause.field == "metadata.annotations"
    assert cause.message.startswith(f'Invalid value: "{TOLERATIONS}": ')


def test_a_template_has_rules_of_its_own() -> None:
    template = make_template(
        {"ephemeralContainers": [{"name": "e", "image": "i:1"}]},
        {"labels": {"a": "-"}, "annotations": {"-": "x", "big": "x" * 262144}},
    )
    assert shown(validate_pod_template(template, Path("spec").child("template"))) == [
        f'spec.template.labels: Invalid value: "-": {LABEL_VALUE}',
        f'spec.template.annotations: Invalid value: "-": {NAME_PART}',
        "spec.template.annotations: Too long: may not be more than 262144 bytes",
        "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
    ]


def test_without_defaults_everything_that_is_missing_is_required() -> None:
    name = EnvVar(name="A", value_from=EnvVarSource(field_ref=ObjectFieldSelector(field_path="metadata.name")))
    container = Container(name="c", image="i", env=(name,), ports=(ContainerPort(container_port=1),))
    spec = PodSpec(containers=(container,), volumes=(Volume(name="v"),))
    assert shown(validate_pod_spec(spec, None, Path("spec"))) == [
        "spec.terminationGracePeriodSeconds: Required value",
        "spec.volumes[0]: Required value: must specify a volume type",
        "spec.containers[0].terminationMessagePolicy: Required value",
        "spec.containers[0].ports[0].protocol: Required value",
        "spec.containers[0].env[0].valueFrom.fieldRef.apiVersion: Required value",
        "spec.containers[0].imagePullPolicy: Required value",
        "spec.restartPolicy: Required value",
        "spec.dnsPolicy: Required value",
    ]


def test_a_pod_that_got_an_ephemeral_container_later_stays_valid() -> None:
    assert validate_pod(make_pod({"ephemeralContainers": [{"name": "e", "image": "i:1"}]})) == []


EPHEMERAL = "Forbidden: cannot be set for an Ephemeral Container"


def test_an_ephemeral_container_only_looks_around() -> None:
    probe = {"exec": {"command": ["true"]}}
    container = {
        "name": "c",
        "image": " i:1",
        "targetContainerName": "x",
        "ports": [{"containerPort": 1}],
        "resources": {"requests": {"cpu": "1"}},
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
        "restartPolicy": "Never",
        "livenessProbe": probe,
        "readinessProbe": probe,
        "startupProbe": probe,
        "lifecycle": {},
        "volumeMounts": [
            {"name": "v", "mountPath": "/a", "subPath": "b"},
            {"name": "v", "mountPath": "/b", "subPathExpr": "c"},
        ],
    }
    pod = make_pod({"volumes": [{"name": "v", "emptyDir": {}}], "ephemeralContainers": [container]})
    fields = "ports resources resizePolicy restartPolicy livenessProbe readinessProbe startupProbe lifecycle"
    assert shown(validate_pod(pod)) == [
        'spec.ephemeralContainers[0].image: Invalid value: " i:1": must not have leading or trailing whitespace',
        'spec.ephemeralContainers[0].name: Duplicate value: "c"',
        'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
        *(f"spec.ephemeralContainers[0].{field}: {EPHEMERAL}" for field in fields.split()),
        f"spec.ephemeralContainers[0].volumeMounts[0].subPath: {EPHEMERAL}",
        f"spec.ephemeralContainers[0].volumeMounts[1].subPathExpr: {EPHEMERAL}",
    ]


def test_search_domains_have_limits() -> None:
    many = [f"a{index}" for index in range(33)]
    long = ["a" * 250] * 9
    [first] = shown(validate_pod(make_pod({"dnsConfig": {"searches": many}})))
    assert first.endswith(": must not have more than 32 search paths")
    [second] = shown(validate_pod(make_pod({"dnsConfig": {"searches": long}})))
    assert second.endswith(": must not have more than 2048 characters (including spaces) in the search list")


VALID = [
    in_spec("the host's port", {"hostNetwork": True, "containers": [{**CONTAINER, "ports": [{"containerPort": 1}]}]}),
    dns("underscores", {"searches": ["_tcp.example.com."], "nameservers": ["2001:DB8::1"]}),
    in_spec("aliases", {"hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a", "b.c"]}]}),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
