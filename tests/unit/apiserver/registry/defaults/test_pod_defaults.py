"""What the server fills in: as Kubernetes does, more in pods than in templates."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from apiserver.registry.defaults.image import pull_policy
from apiserver.registry.defaults.pod import default_pod, default_pod_spec
from steersman.api import codec
from steersman.api.core import Pod, PodSpec
from steersman.api.part import Part
from tests.unit.apiserver.registry.pods import Manifest, decode, make_pod, make_template

DIGEST = "sha256:" + "0123456789abcdef" * 4

PULL_POLICIES = {
    "nginx": "Always",
    "nginx:latest": "Always",
    "nginx:1.27": "IfNotPresent",
    f"nginx@{DIGEST}": "IfNotPresent",
    f"nginx:latest@{DIGEST}": "Always",
    "registry.example.com:5000/team/app": "Always",
    "registry.example.com:5000/team/app:v1": "IfNotPresent",
    "localhost/app": "Always",
    "[::1]:5000/app": "Always",
    "UPPER/case": "Always",
    "Upper": "IfNotPresent",
    "a b": "IfNotPresent",
    "": "IfNotPresent",
    "0123456789abcdef" * 4: "IfNotPresent",
}


@pytest.mark.parametrize("image", PULL_POLICIES)
def test_pull_policy(image: str) -> None:
    assert pull_policy(image) == PULL_POLICIES[image]


def plain(value: Part) -> Any:
    return msgspec.json.decode(codec.encode(value))


def spec_of_template(spec: Manifest) -> Any:
    return plain(make_template(spec).spec)


CONTAINER = {"name": "c", "image": "nginx:1.27"}
FULL_CONTAINER = {
    **CONTAINER,
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
}


def test_a_template_gets_little() -> None:
    assert spec_of_template({"containers": [CONTAINER]}) == {
        "containers": [FULL_CONTAINER],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }


def test_a_pod_gets_more() -> None:
    pod = default_pod(decode(Pod, {"metadata": {"name": "p"}, "spec": {"containers": [CONTAINER]}}))
    assert plain(pod) == {
        "metadata": {"name": "p"},
        "spec": {
            "containers": [FULL_CONTAINER],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "securityContext": {},
            "schedulerName": "default-scheduler",
            "enableServiceLinks": True,
        },
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    }


def test_what_is_complete_comes_back_as_it_was() -> None:
    pod = make_pod({"volumes": [{"name": "v", "configMap": {"name": "m"}}]})
    assert default_pod(pod) is pod
    spec = make_template().spec
    assert default_pod_spec(spec) is spec


def test_what_the_user_says_stands() -> None:
    given = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,
        "dnsPolicy": "Default",
        "schedulerName": "mine",
        "enableServiceLinks": False,
        "securityContext": {"runAsUser": 1},
    }
    spec = plain(make_pod(given).spec)
    assert {name: spec[name] for name in given} == given


CONTAINERS: dict[str, tuple[Manifest, Manifest]] = {
    "port": ({"ports": [{"containerPort": 80}]}, {"ports": [{"containerPort": 80, "protocol": "TCP"}]}),
    "exec probe": (
        {"livenessProbe": {"exec": {"command": ["a"]}}},
        {
            "livenessProbe": {
                "exec": {"command": ["a"]},
                "timeoutSeconds": 1,
                "periodSeconds": 10,
                "successThreshold": 1,
                "failureThreshold": 3,
            }
        },
    ),
    "http probe": (
        {"readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 5}},
        {
            "readinessProbe": {
                "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
                "timeoutSeconds": 1,
                "periodSeconds": 5,
                "successThreshold": 1,
                "failureThreshold": 3,
            }
        },
    ),
    "grpc probe": (
        {"startupProbe": {"grpc": {"port": 80}}},
        {
            "startupProbe": {
                "grpc": {"port": 80, "service": ""},
                "timeoutSeconds": 1,
                "periodSeconds": 10,
                "successThreshold": 1,
                "failureThreshold": 3,
            }
        },
    ),
    "hooks": (
        {"lifecycle": {"postStart": {"httpGet": {"port": "a"}}, "preStop": {"httpGet": {"port": 1, "path": "/x"}}}},
        {
            "lifecycle": {
                "postStart": {"httpGet": {"path": "/", "port": "a", "scheme": "HTTP"}},
                "preStop": {"httpGet": {"path": "/x", "port": 1, "scheme": "HTTP"}},
            }
        },
    ),
    "variable from a field": (
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}]},
    ),
    "variable from a file": (
        {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k"}}}]},
        {
            "env": [
                {
                    "name": "A",
                    "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k", "optional": False}},
                }
            ]
        },
    ),
    "amounts finer than a thousandth": (
        {"resources": {"requests": {"cpu": "1500u", "memory": "1n"}, "limits": {"cpu": "2"}}},
        {"resources": {"requests": {"cpu": "2m", "memory": "1m"}, "limits": {"cpu": "2"}}},
    ),
    "limits without requests": ({"resources": {"limits": {"cpu": "1"}}}, {"resources": {"limits": {"cpu": "1"}}}),
}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("sort", ["containers", "initContainers", "ephemeralContainers"])
def test_containers(sort: str, name: str) -> None:
    given, wanted = CONTAINERS[name]
    spec = {"containers": [CONTAINER], sort: [{**CONTAINER, **given}]}
    assert spec_of_template(spec)[sort] == [{**FULL_CONTAINER, **wanted}]


VOLUMES: dict[str, tuple[Manifest, Manifest]] = {
    "nothing": ({}, {"emptyDir": {}}),
    "emptyDir": ({"emptyDir": {"medium": "Memory"}}, {"emptyDir": {"medium": "Memory"}}),
    "hostPath": ({"hostPath": {"path": "/a"}}, {"hostPath": {"path": "/a", "type": ""}}),
    "secret": ({"secret": {"secretName": "s"}}, {"secret": {"secretName": "s", "defaultMode": 420}}),
    "secret of other mode": (
        {"secret": {"secretName": "s", "defaultMode": 256}},
        {"secret": {"secretName": "s", "defaultMode": 256}},
    ),
    "configMap": ({"configMap": {"name": "m"}}, {"configMap": {"name": "m", "defaultMode": 420}}),
    "downwardAPI": (
        {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]}},
        {
            "downwardAPI": {
                "items": [{"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}],
                "defaultMode": 420,
            }
        },
    ),
    "projected": (
        {
            "projected": {
                "sources": [
                    {"serviceAccountToken": {"path": "t"}},
                    {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]}},
                    {"secret": {"name": "s"}},
                ]
            }
        },
        {
            "projected": {
                "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3600, "path": "t"}},
                    {
                        "downwardAPI": {
                            "items": [{"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}]
                        }
                    },
                    {"secret": {"name": "s"}},
                ],
                "defaultMode": 420,
            }
        },
    ),
    "ephemeral": (
        {"ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "1500u"}}}}}},
        {
            "ephemeral": {
                "volumeClaimTemplate": {
                    "metadata": {},
                    "spec": {"resources": {"requests": {"storage": "2m"}}, "volumeMode": "Filesystem"},
                }
            }
        },
    ),
    "image": ({"image": {"reference": "a"}}, {"image": {"reference": "a", "pullPolicy": "Always"}}),
    "iscsi": (
        {"iscsi": {"targetPortal": "a", "iqn": "b", "lun": 0}},
        {"iscsi": {"targetPortal": "a", "iqn": "b", "lun": 0, "iscsiInterface": "default"}},
    ),
    "rbd": (
        {"rbd": {"monitors": ["a"], "image": "b", "user": "me"}},
        {"rbd": {"monitors": ["a"], "image": "b", "pool": "rbd", "user": "me", "keyring": "/etc/ceph/keyring"}},
    ),
    "azureDisk": (
        {"azureDisk": {"diskName": "a", "diskURI": "b"}},
        {
            "azureDisk": {
                "diskName": "a",
                "diskURI": "b",
                "cachingMode": "ReadWrite",
                "fsType": "ext4",
                "readOnly": False,
                "kind": "Shared",
            }
        },
    ),
    "scaleIO": (
        {"scaleIO": {"gateway": "a", "system": "b", "secretRef": None}},
        {
            "scaleIO": {
                "gateway": "a",
                "system": "b",
                "secretRef": None,
                "storageMode": "ThinProvisioned",
                "fsType": "xfs",
            }
        },
    ),
}


@pytest.mark.parametrize("name", VOLUMES)
def test_volumes(name: str) -> None:
    given, wanted = VOLUMES[name]
    assert spec_of_template({"volumes": [{"name": "v", **given}]})["volumes"] == [{"name": "v", **wanted}]


def test_the_service_account_is_written_twice() -> None:
    old = spec_of_template({"serviceAccount": "robot"})
    assert (old["serviceAccountName"], old["serviceAccount"]) == ("robot", "robot")
    new = spec_of_template({"serviceAccountName": "robot", "serviceAccount": "other"})
    assert (new["serviceAccountName"], new["serviceAccount"]) == ("robot", "robot")


def pod_resources(spec: Manifest) -> Any:
    return plain(make_pod(spec).spec).get("resources")


def test_pods_ask_for_their_limits() -> None:
    given = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}
    spec = {
        "containers": [{**CONTAINER, "resources": given}],
        "initContainers": [{"name": "i", "image": "i", "resources": {"limits": {"example.com/gpu": "1"}}}],
    }
    pod = plain(make_pod(spec).spec)
    assert pod["containers"][0]["resources"]["requests"] == {"cpu": "500m", "memory": "1Gi"}
    assert pod["initContainers"][0]["resources"]["requests"] == {"example.com/gpu": "1"}


WHOLE_PODS: dict[str, tuple[Manifest, list[Manifest], Manifest]] = {
    # name: (resources of the pod, of its containers, resources of the pod with defaults)
    "requests from limits": ({"limits": {"cpu": "1"}}, [{}], {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}),
    "requests from containers": (
        {"limits": {"cpu": "4"}},
        [{"requests": {"cpu": "1"}}, {"requests": {"cpu": "500m", "memory": "1Gi"}}],
        {"limits": {"cpu": "4"}, "requests": {"cpu": "1500m", "memory": "1Gi"}},
    ),
    "requests alone": (
        {"requests": {"cpu": "1"}},
        [{"requests": {"memory": "1Gi"}}],
        {"requests": {"cpu": "1"}},
    ),
    "huge pages of containers": (
        {"requests": {"cpu": "1"}},
        [{"limits": {"hugepages-2Mi": "4Mi"}}, {"limits": {"hugepages-2Mi": "2Mi"}}],
        {"limits": {"hugepages-2Mi": "6Mi"}, "requests": {"cpu": "1", "hugepages-2Mi": "6Mi"}},
    ),
    "nothing said": ({}, [{"requests": {"cpu": "1"}}], {}),
}


@pytest.mark.parametrize("name", WHOLE_PODS)
def test_resources_of_whole_pods(name: str) -> None:
    given, containers, wanted = WHOLE_PODS[name]
    listed = [{"name": f"c{index}", "image": "i", "resources": own} for index, own in enumerate(containers)]
    assert pod_resources({"resources": given, "containers": listed}) == wanted


def test_ports_of_the_hosts_network() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 82}]
    spec = {"hostNetwork": True, "containers": [{**CONTAINER, "ports": ports}]}
    assert [port.host_port for port in make_pod(spec).spec.containers[0].ports] == [80, 82]
    assert [port.host_port for port in make_template(spec).spec.containers[0].ports] == [0, 82]


def test_an_empty_spec_is_no_reason_to_fall_over() -> None:
    assert default_pod_spec(PodSpec()).containers == ()
