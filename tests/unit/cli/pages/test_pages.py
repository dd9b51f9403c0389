"""What the pages of single kinds say."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from steersman.api import codec
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.batch import Job
from steersman.api.core import (
    Container,
    EnvVar,
    Event,
    Node,
    PersistentVolumeClaim,
    Pod,
    Probe,
    Secret,
    Taint,
    Toleration,
)
from steersman.api.discovery import EndpointSlice
from steersman.api.meta import Object
from steersman.api.part import Part
from steersman.cli import happenings
from steersman.cli.pages import catalog, claims, containers, nodes, pods, services, workloads
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import Page

NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC)
T = TypeVar("T", bound=Part)


def made(struct: type[T], **fields: Any) -> T:
    return codec.load(struct, json.dumps(fields).encode())


def told(value: Object, **beside: Any) -> list[str]:
    text: str = catalog.PAGES[type(value)](value, Around(now=NOW, **beside)).text()
    return text.splitlines()


POD: dict[str, Any] = {
    "metadata": {
        "name": "web-1",
        "namespace": "default",
        "uid": "u",
        "labels": {"app": "web"},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "r", "controller": True}],
    },
    "spec": {
        "nodeName": "n0",
        "priority": 0,
        "serviceAccountName": "default",
        "tolerations": [{"key": "b", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
        "volumes": [
            {"name": "scratch", "emptyDir": {}},
            {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"expirationSeconds": 3607}}]}},
        ],
        "containers": [
            {
                "name": "main",
                "image": "nginx:1.25",
                "command": ["sh", "-c", "a\nb"],
                "ports": [{"containerPort": 80, "protocol": "TCP", "name": "http"}],
                "resources": {"requests": {"cpu": "100m"}},
                "env": [{"name": "A", "value": "1"}],
                "volumeMounts": [{"name": "scratch", "mountPath": "/tmp", "subPath": "x"}],
            }
        ],
    },
    "status": {
        "phase": "Running",
        "hostIP": "10.0.0.1",
        "podIP": "10.1.0.2",
        "podIPs": [{"ip": "10.1.0.2"}],
        "startTime": "2026-01-01T00:00:00Z",
        "qosClass": "Burstable",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [
            {
                "name": "main",
                "containerID": "docker://1",
                "imageID": "sha256:2",
                "ready": True,
                "restartCount": 1,
                "state": {"running": {"startedAt": "2026-01-01T00:00:01Z"}},
                "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
            }
        ],
    },
}


def test_a_pod() -> None:
    assert "\n".join(told(made(Pod, **POD))) == (
        """\
Name:             web-1
Namespace:        default
Priority:         0
Service Account:  default
Node:             n0/10.0.0.1
Start Time:       Thu, 01 Jan 2026 00:00:00 +0000
Labels:           app=web
Annotations:      <none>
Status:           Running
IP:               10.1.0.2
IPs:
  IP:           10.1.0.2
Controlled By:  ReplicaSet/web
Containers:
  main:
    Container ID:  docker://1
    Image:         nginx:1.25
    Image ID:      sha256:2
    Port:          80/TCP (http)
    Host Port:     0/TCP (http)
    Command:
      sh
      -c
      a
      b
    State:          Running
      Started:      Thu, 01 Jan 2026 00:00:01 +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      <unset>
      Finished:     <unset>
    Ready:          True
    Restart Count:  1
    Requests:
      cpu:  100m
    Environment:
      A:  1
    Mounts:
      /tmp from scratch (rw,path="x")
Conditions:
  Type    Status
  Ready   True \nVolumes:
  scratch:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:     \n    SizeLimit:  <unset>
  token:
    Type:                    Projected (a volume that contains injected data from multiple sources)
    TokenExpirationSeconds:  3607
QoS Class:                   Burstable
Node-Selectors:              <none>
Tolerations:                 b:NoExecute op=Exists for 5s"""
    )


def test_a_pod_that_goes() -> None:
    going = {**POD["metadata"], "deletionTimestamp": "2026-01-01T00:09:50Z", "deletionGracePeriodSeconds": 30}
    lines = told(made(Pod, metadata=going, spec={"containers": []}))
    assert "Status:                    Terminating (lasts 10s)" in lines
    assert "Termination Grace Period:  30s" in lines
    assert "Containers: <none>" in lines
    assert "Node:                      <none>" in lines


def test_a_deployment_names_its_new_and_its_old_replicasets() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx:2"}]}}
    old = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
    hashed = {**template, "metadata": {"labels": {"app": "web", "pod-template-hash": "h"}}}
    deployment = made(
        Deployment,
        metadata={"name": "web", "namespace": "default"},
        spec={"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    )
    sets = [
        made(ReplicaSet, metadata={"name": "web-h"}, spec={"replicas": 2, "template": hashed}, status={"replicas": 1}),
        made(ReplicaSet, metadata={"name": "web-g"}, spec={"replicas": 0, "template": old}),
    ]
    lines = told(deployment, replicasets=sets)
    assert lines[-2:] == [
        "OldReplicaSets:    web-g (0/0 replicas created)",
        "NewReplicaSet:     web-h (1/2 replicas created)",
    ]
    assert "Replicas:           2 desired | 0 updated | 0 total | 0 available | 0 unavailable" in lines


def test_a_replicaset_counts_its_pods() -> None:
    replicaset = made(ReplicaSet, metadata={"name": "web"}, spec={"replicas": 3}, status={"replicas": 2})
    phases = ("Running", "Running", "Pending", "Failed")
    lines = told(replicaset, pods=[made(Pod, status={"phase": phase}) for phase in phases])
    assert "Replicas:     2 current / 3 desired" in lines
    assert "Pods Status:  2 Running / 1 Waiting / 0 Succeeded / 1 Failed" in lines


def test_a_job_that_has_ended() -> None:
    status = {"succeeded": 1, "startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:02:05Z", "ready": 0}
    job = made(Job, metadata={"name": "j"}, spec={"completions": 1, "suspend": False}, status=status)
    asked = ("Completions", "Suspend", "Duration", "Pods Statuses")
    lines = [line for line in told(job) if line.split(":")[0] in asked]
    assert lines == [
        "Completions:    1",
        "Suspend:        false",
        "Duration:       2m5s",
        "Pods Statuses:  0 Active (0 Ready) / 1 Succeeded / 0 Failed",
    ]


def test_a_node_adds_up_what_its_pods_need() -> None:
    node = made(Node, metadata={"name": "n0"}, status={"allocatable": {"cpu": "2", "memory": "1Gi", "pods": "110"}})

    def pod(name: str, cpu: str) -> Pod:
        container = {"name": "c", "resources": {"requests": {"cpu": cpu}, "limits": {"memory": "512Mi"}}}
        meta = {"name": name, "namespace": "default", "creationTimestamp": "2026-01-01T00:09:00Z"}
        return made(Pod, metadata=meta, spec={"containers": [container]})

    lines = told(node, pods=[pod("a", "500m"), pod("b", "250m")])
    row = ["default", "a", "500m (25%)", "0 (0%)", "0 (0%)", "512Mi (50%)", "60s"]
    assert row in [re.split(r"  +", line.strip()) for line in lines]
    assert "  cpu                750m (37%)  0 (0%)" in lines
    assert "  memory             0 (0%)      1Gi (100%)" in lines
    assert 'Lease:              Failed to get lease: leases.coordination.k8s.io "n0" not found' in lines


def test_a_claim_says_who_uses_it() -> None:
    claim = made(
        PersistentVolumeClaim,
        metadata={"name": "data", "namespace": "default", "finalizers": ["kubernetes.io/pvc-protection"]},
        spec={"volumeName": "pv", "storageClassName": "fast", "volumeMode": "Filesystem"},
        status={"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}},
    )
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    users = [made(Pod, metadata={"name": name}, spec={"volumes": volumes}) for name in ("b", "a")]
    assert told(claim, pods=[*users, made(Pod, metadata={"name": "c"})]) == [
        "Name:          data",
        "Namespace:     default",
        "StorageClass:  fast",
        "Status:        Bound",
        "Volume:        pv",
        "Labels:        <none>",
        "Annotations:   <none>",
        "Finalizers:    [kubernetes.io/pvc-protection]",
        "Capacity:      1Gi",
        "Access Modes:  RWO",
        "VolumeMode:    Filesystem",
        "Used By:       a",
        "               b",
    ]
    assert claims.modes_text(("ReadWriteMany", "ReadOnlyMany")) == "ROX,RWX"


def test_of_a_secret_only_the_sizes_are_told() -> None:
    secret = made(Secret, metadata={"name": "s"}, type="Opaque", data={"password": "aHVudGVyMg=="})
    assert told(secret)[-5:] == ["Type:  Opaque", "", "Data", "====", "password:  7 bytes"]


def test_endpoints_are_those_that_are_ready_and_few_are_named() -> None:
    def part(ready: list[bool | None], port: str = "http") -> EndpointSlice:
        endpoints = [
            {"addresses": [f"10.0.0.{number}"], "conditions": {} if each is None else {"ready": each}}
            for number, each in enumerate(ready)
        ]
        return made(EndpointSlice, endpoints=endpoints, ports=[{"name": port, "port": 80}])

    assert services.endpoints([], "http") == "<none>"
    assert services.endpoints([part([True, False, None])], "http") == "10.0.0.0:80,10.0.0.2:80"
    assert services.endpoints([part([True] * 5)], "http") == "10.0.0.0:80,10.0.0.1:80,10.0.0.2:80 + 2 more..."
    assert services.endpoints([part([True])], "https") == ""


@pytest.mark.parametrize(
    ("probe", "text"),
    [
        pytest.param({"exec": {"command": ["a", "b"]}}, "exec [a b] ", id="exec"),
        pytest.param({"httpGet": {"path": "/x", "port": 80, "scheme": "HTTP"}}, "http-get http://:80/x ", id="http"),
        pytest.param({"tcpSocket": {"port": "web"}}, "tcp-socket :web ", id="tcp"),
        pytest.param({"grpc": {"port": 1}}, "grpc <pod>:1  ", id="grpc"),
    ],
)
def test_probes(probe: dict[str, Any], text: str) -> None:
    timing = "delay=0s timeout=1s period=10s successThreshold=1 failureThreshold=3"
    times = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    assert containers.probe_text(made(Probe, **probe, **times)) == f"{text}{timing}"


def field(path: str) -> dict[str, Any]:
    return {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param(field("metadata.name"), "p (v1:metadata.name)", id="name"),
        pytest.param(field("metadata.labels['a']"), "1 (v1:metadata.labels['a'])", id="label"),
        pytest.param(field("status.podIP"), " (v1:status.podIP)", id="the-nodes-business"),
        pytest.param(
            {"resourceFieldRef": {"resource": "requests.cpu", "divisor": "1m"}}, "250 (requests.cpu)", id="cpu"
        ),
        pytest.param({"resourceFieldRef": {"resource": "requests.cpu"}}, "1 (requests.cpu)", id="rounded-up"),
        pytest.param(
            {"resourceFieldRef": {"resource": "limits.memory"}}, "node allocatable (limits.memory)", id="no-limit"
        ),
        pytest.param(
            {"secretKeyRef": {"name": "s", "key": "k"}},
            "<set to the key 'k' in secret 's'>\tOptional: false",
            id="secret",
        ),
        pytest.param(
            {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}},
            "<set to the key 'k' of config map 'c'>\tOptional: true",
            id="config-map",
        ),
    ],
)
def test_environment(source: dict[str, Any], text: str) -> None:
    container = made(Container, name="c", resources={"requests": {"cpu": "250m"}})
    pod = made(Pod, metadata={"name": "p", "labels": {"a": "1"}})
    assert containers.environment_value(made(EnvVar, name="X", valueFrom=source), container, pod) == text


def test_marks_of_nodes_and_pods() -> None:
    assert nodes.roles({"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "db"}) == ["db", "worker"]
    assert nodes.taint_text(made(Taint, key="a", value="b", effect="NoSchedule")) == "a=b:NoSchedule"
    assert pods.tolerations([made(Toleration, operator="Exists"), made(Toleration, key="a", value="1")]) == [
        "op=Exists",
        "a=1",
    ]
    assert workloads.selector_text(None) == "<none>"


def test_events_stand_below_the_rest() -> None:
    page = Page()
    page.pair("Name", "web")
    happenings.write(page, [], NOW)
    assert page.text() == "Name:    web\nEvents:  <none>\n"
    event = made(
        Event,
        metadata={"name": "e", "resourceVersion": "1"},
        type="Normal",
        reason="Pulled",
        message="there\n",
        source={"component": "kubelet"},
        firstTimestamp="2026-01-01T00:00:00Z",
        lastTimestamp="2026-01-01T00:09:00Z",
        count=3,
    )
    page = Page()
    happenings.write(page, [event], NOW)
    assert page.text() == (
        "Events:\n"
        "  Type    Reason  Age                From     Message\n"
        "  ----    ------  ----               ----     -------\n"
        "  Normal  Pulled  60s (x3 over 10m)  kubelet  there\n"
    )
