"""What whoever creates a pod, or a template of one, is told: each warning once, in Kubernetes' words."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.registry.deployment import DEPLOYMENT
from apiserver.registry.pod import POD
from apiserver.registry.warnings import workloads
from steersman.api.apps import Deployment
from steersman.api.core import Pod
from tests.unit.apiserver.registry.tables import TEMPLATE, Row, Subject, ids, row

SUBJECT = Subject(
    Pod,
    POD,
    {"metadata": {"name": "web", "namespace": "n"}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
)
DEPLOYMENTS = Subject(
    Deployment,
    DEPLOYMENT,
    {
        "metadata": {"name": "web", "namespace": "n"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
    },
)
SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
NO_POD = "a null labelSelector results in matching no pod"


def spec(**given: Any) -> dict[str, Any]:
    return {"spec": given}


def container(**given: Any) -> dict[str, Any]:
    return spec(containers=[{"name": "c", "image": "i", **given}])


def annotated(**given: str) -> dict[str, Any]:
    return {"metadata": {"annotations": given}}


def volume(**given: Any) -> dict[str, Any]:
    return spec(volumes=[{"name": "v", **given}])


def ports(*given: dict[str, Any]) -> dict[str, Any]:
    return container(ports=list(given))


def node_affinity(key: str, *values: str) -> dict[str, Any]:
    expressions = {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}
    return spec(
        affinity={
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [expressions]},
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": expressions}],
            }
        }
    )


ROWS = [
    row("nothing to say", {}),
    row(
        "a name that is no host name",
        {"metadata": {"name": "web.1"}},
        "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is "
        "recommended: [must not contain dots]",
    ),
    row(
        "an old label in the node selector",
        spec(nodeSelector={"beta.kubernetes.io/os": "linux"}),
        'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    ),
    row(
        "an old label in node affinity",
        node_affinity("beta.kubernetes.io/arch", "-"),
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
        ".matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; "
        'use "kubernetes.io/arch" instead',
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference"
        ".matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; "
        'use "kubernetes.io/arch" instead',
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference"
        ".matchExpressions[0].values[0]: - is invalid, a valid label must be an empty string or consist of "
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
        "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ),
    row(
        "spread over an old label, with no selector",
        spec(
            topologySpreadConstraints=[
                {"maxSkew": 1, "topologyKey": "node-role.kubernetes.io/master", "whenUnsatisfiable": "DoNotSchedule"}
            ]
        ),
        "spec.topologySpreadConstraints[0].topologyKey: node-role.kubernetes.io/master is "
        'use "node-role.kubernetes.io/control-plane" instead',
        f"spec.topologySpreadConstraints[0].labelSelector: {NO_POD}",
    ),
    row(
        "affinity to no pod",
        spec(
            affinity={
                "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]},
                "podAntiAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 1, "podAffinityTerm": {"topologyKey": "a"}}
                    ]
                },
            }
        ),
        f"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: {NO_POD}",
        "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm"
        f".labelSelector: {NO_POD}",
    ),
    row(
        "an annotation that does nothing",
        annotated(**{"scheduler.alpha.kubernetes.io/critical-pod": ""}),
        "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; "
        'use the "priorityClassName" field instead',
    ),
    row(
        "seccomp profiles as annotations",
        annotated(
            **{
                "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
                "container.seccomp.security.alpha.kubernetes.io/c": "unconfined",
            }
        ),
        f"metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: {SECCOMP}",
        f"metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: {SECCOMP}",
    ),
    row(
        "an AppArmor profile as annotation",
        annotated(**{"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}),
        "metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; "
        'use the "appArmorProfile" field instead',
    ),
    row(
        "a volume of a sort that is gone",
        volume(rbd={"monitors": ["a"], "image": "i"}),
        "spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+",
    ),
    row(
        "a git repository",
        volume(gitRepo={"repository": "r"}),
        "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
    ),
    row(
        "a claim of part of a byte",
        volume(
            ephemeral={
                "volumeClaimTemplate": {
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100m"}}}
                }
            }
        ),
        "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: "
        'fractional byte value "100m" is invalid, must be an integer',
    ),
    row(
        "files on top of each other",
        volume(configMap={"name": "m", "items": [{"key": "a", "path": "p"}, {"key": "b", "path": "p/q"}]}),
        'volume "v" (ConfigMap "m"): overlapping paths: "p/q" with "p"',
    ),
    row(
        "files of two sources on top of each other",
        volume(
            projected={
                "sources": [
                    {"serviceAccountToken": {"path": "token"}},
                    {"secret": {"name": "s", "items": [{"key": "a", "path": "token"}]}},
                ]
            }
        ),
        'volume "v" (Projected): overlapping paths: "token" (Secret "s") with "token" (ServiceAccountToken)',
    ),
    row("a file beside another", volume(secret={"items": [{"key": "a", "path": "p"}, {"key": "b", "path": "pq"}]})),
    row(
        "an alias twice",
        spec(hostAliases=[{"ip": "10.0.0.1", "hostnames": ["a"]}, {"ip": "10.0.0.1", "hostnames": ["b"]}]),
        'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
    ),
    row(
        "a pull secret twice, and one without a name",
        spec(imagePullSecrets=[{"name": "a"}, {"name": "a"}, {}]),
        'spec.imagePullSecrets[1].name: duplicate name "a"',
        'spec.imagePullSecrets[2].name: invalid empty name ""',
    ),
    row(
        "part of a byte",
        container(resources={"limits": {"memory": "1500m", "cpu": "1500m"}, "requests": {"memory": "100m"}}),
        'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
        'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    ),
    row(
        "a variable twice",
        container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ),
    row("a variable that grows", container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}])),
    row(
        "a variable that is itself",
        container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)"}]),
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ),
    row(
        "a port twice",
        ports({"containerPort": 80}, {"containerPort": 80}),
        "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
    ),
    row("a port for each protocol", ports({"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"})),
    row(
        "a port on the host and off it",
        ports({"containerPort": 80, "hostPort": 80}, {"containerPort": 80}),
        "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
    ),
    row(
        "a port on one address and on all",
        ports({"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}, {"containerPort": 80, "hostPort": 80}),
        "spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]",
    ),
    row(
        "a host address without a port",
        ports({"containerPort": 80, "hostIP": "10.0.0.1"}),
        "spec.containers[0].ports[0]: hostIP set without hostPort: "
        "{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}",
    ),
    row(
        "a port's name in two containers",
        spec(
            containers=[
                {"name": "c", "image": "i", "ports": [{"containerPort": 80, "name": "http"}]},
                {"name": "d", "image": "i", "ports": [{"containerPort": 81, "name": "http"}]},
            ]
        ),
        'spec.containers[1].ports[0]: duplicate port name "http" with spec.containers[0].ports[0], services and '
        "probes that select ports by name will use spec.containers[0].ports[0]",
    ),
    row(
        "no time to end",
        spec(terminationGracePeriodSeconds=-1),
        "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
    ),
    row(
        "an address in a long form",
        spec(dnsPolicy="None", dnsConfig={"nameservers": ["2001:db8:0::1"]}),
        'spec.dnsConfig.nameservers[0]: IPv6 address "2001:db8:0::1" should be in RFC 5952 canonical format '
        '("2001:db8::1")',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_warnings_of_a_new_pod(case: Row) -> None:
    made = SUBJECT.make(case.patch)
    assert tuple(POD.warn(made, None)) == case.complaints
    assert POD.warn(made, made) == []


def test_a_template_says_where_it_is_and_is_not_spoken_of_again() -> None:
    bad = {"spec": {"template": {"spec": {"nodeSelector": {"beta.kubernetes.io/os": "linux"}}}}}
    made = DEPLOYMENTS.make(bad)
    told = [
        'spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'
    ]
    assert DEPLOYMENT.warn(made, None) == told
    assert DEPLOYMENT.warn(made, made) == []
    later = replace(made, metadata=replace(made.metadata, generation=made.metadata.generation + 1))
    assert workloads.of_replicated(later, made) == told


def test_an_app_armor_annotation_of_a_template() -> None:
    noted = {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}
    made = DEPLOYMENTS.make({"spec": {"template": {"metadata": {"annotations": noted}}}})
    assert DEPLOYMENT.warn(made, None) == [
        "spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: "
        'deprecated since v1.30; use the "appArmorProfile" field instead'
    ]
