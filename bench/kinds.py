"""What an object costs on its way in: decoding (strict), defaulting, validating, encoding.

    make bench-kinds

Medians of one run, in microseconds, and as a ratio to what Python's own json needs to load and dump the same bytes, so
that machines can be compared. The target is a typical Deployment in under 150 µs.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from apiserver.registry.catalog import STRATEGIES
from bench import measuring
from steersman.api import codec, kinds
from steersman.api.codec import FieldValidation
from steersman.api.kinds import Kind

ROUNDS = 300
CALLS_PER_ROUND = 5
TARGET_MICROSECONDS = 150
TARGET_KIND = "Deployment"

_LABELS = {"app.kubernetes.io/name": "shop", "app.kubernetes.io/component": "web"}
_PROBE = {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 5, "failureThreshold": 3}
_POD_SPEC: dict[str, Any] = {
    "containers": [
        {
            "name": "web",
            "image": "registry.example.com/shop/web:v1.42.0",
            "args": ["--listen=:8080", "--log-format=json"],
            "ports": [{"name": "http", "containerPort": 8080}],
            "env": [
                {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "database", "key": "password"}}},
                {"name": "GREETING", "value": "hello"},
            ],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
            "readinessProbe": _PROBE,
            "livenessProbe": {**_PROBE, "initialDelaySeconds": 10},
            "volumeMounts": [
                {"name": "settings", "mountPath": "/etc/shop", "readOnly": True},
                {"name": "scratch", "mountPath": "/tmp"},
            ],
        }
    ],
    "volumes": [{"name": "settings", "configMap": {"name": "shop"}}, {"name": "scratch", "emptyDir": {}}],
    "securityContext": {"runAsNonRoot": True, "runAsUser": 1000},
}
TYPICAL: dict[str, dict[str, Any]] = {
    "pods": {"spec": _POD_SPEC},
    "deployments.apps": {
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": _LABELS},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "template": {"metadata": {"labels": _LABELS}, "spec": _POD_SPEC},
        }
    },
    "services": {
        "spec": {
            "selector": _LABELS,
            "clusterIP": "10.96.0.80",
            "clusterIPs": ["10.96.0.80"],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "http", "port": 80, "targetPort": "http"}, {"name": "metrics", "port": 9090}],
        }
    },
    "configmaps": {"data": {f"setting-{number}": f"value of setting {number}" for number in range(20)}},
}


def body_of(kind: Kind) -> bytes:
    metadata = {"name": "shop", "namespace": "default", "labels": _LABELS, "annotations": {"example.com/owner": "shop"}}
    manifest = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
    return json.dumps({**manifest, **TYPICAL[kind.qualified_resource]}).encode()


def way_in(kind: Kind, body: bytes) -> Callable[[], bytes]:
    """What the registry does with the bytes of a new object before it stores them."""
    strategy = STRATEGIES[kind.qualified_resource]

    def take() -> bytes:
        decoded, _ = codec.decode(kind.struct, body, validation=FieldValidation.STRICT)
        whole = strategy.default(decoded)
        complaints = [*strategy.validate(whole), *strategy.validate_create(whole)]
        if complaints:
            raise SystemExit(f"the typical {kind.kind} is not valid: {complaints}")
        return codec.encode(whole)

    return take


def plain(body: bytes) -> Callable[[], bytes]:
    return lambda: json.dumps(json.loads(body)).encode()


def medians(*calls: Callable[[], object]) -> list[float]:
    """Microseconds of each, measured in turns so that a busy moment of the machine hits all alike."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, times in zip(calls, taken, strict=True):
            began = time.perf_counter()
            for _ in range(CALLS_PER_ROUND):
                call()
            times.append((time.perf_counter() - began) / CALLS_PER_ROUND)
    return [statistics.median(times) * 1e6 for times in taken]


def measured(kind: Kind) -> tuple[float, list[str]]:
    body = body_of(kind)
    ours, theirs = medians(way_in(kind, body), plain(body))
    return ours, [kind.kind, str(len(body)), f"{ours:.0f}", f"{theirs:.0f}", f"{ours / theirs:.2f}"]


def main() -> None:
    rows: list[list[str]] = []
    verdict = ""
    for kind in kinds.ALL:
        if kind.qualified_resource in TYPICAL:
            microseconds, row = measured(kind)
            rows.append(row)
            if kind.kind == TARGET_KIND:
                reached = "reached" if microseconds < TARGET_MICROSECONDS else "MISSED"
                verdict = f"target: {kind.kind} under {TARGET_MICROSECONDS} µs: {reached} ({microseconds:.0f} µs)"
    print(measuring.table(["kind", "bytes", "µs", "json µs", "ratio"], rows))
    print(verdict)


if __name__ == "__main__":
    main()
