"""Services, their pods and their slices as Structs: valid by default, the test names only what matters."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from steersman.api import codec
from steersman.api.core import Endpoints, Pod, Service
from steersman.api.discovery import EndpointSlice
from tests.unit.controller_manager.workloads import ago

APP = {"app": "web"}
HTTP = {"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}
NAMED = {"name": "http", "port": 80, "targetPort": "web", "protocol": "TCP"}


def make_service(
    *ports: dict[str, Any], cluster_ip: str = "10.96.0.10", labels: dict[str, str] | None = None, **spec: Any
) -> Service:
    """With one port, unless others are given."""
    meta = {"name": "web", "namespace": "default", "uid": "service-uid", "labels": labels or {}}
    families = {"ipFamilies": ["IPv4"]}
    described = {"selector": APP, "clusterIP": cluster_ip, "ports": list(ports or (HTTP,)), **families, **spec}
    return codec.load(
        Service, json.dumps({"metadata": {**meta, "creationTimestamp": ago(1000)}, "spec": described}).encode()
    )


def make_backend(
    number: int = 1,
    *,
    ready: bool = True,
    deleted: bool = False,
    phase: str = "Running",
    node: str = "node-1",
    ips: tuple[str, ...] | None = None,
    ports: dict[str, int] | None = None,
    labels: dict[str, str] | None = None,
    changed: float = 100,
    **spec: Any,
) -> Pod:
    """The pod `web-<number>` at 10.0.0.<number>. `ports`: number of each named port."""
    addresses = (f"10.0.{number // 250}.{number % 250 + 1}",) if ips is None else ips
    meta: dict[str, Any] = {"name": f"web-{number:04}", "namespace": "default", "uid": f"uid-{number}"}
    if deleted:
        meta["deletionTimestamp"] = ago(1)
    named = [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in (ports or {}).items()]
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": ago(changed)}
    return codec.load(
        Pod,
        json.dumps(
            {
                "metadata": {**meta, "labels": APP if labels is None else labels},
                "spec": {"nodeName": node, "containers": [{"name": "main", "ports": named}], **spec},
                "status": {
                    "phase": phase,
                    "conditions": [condition],
                    "podIP": addresses[0] if addresses else "",
                    "podIPs": [{"ip": ip} for ip in addresses],
                },
            }
        ).encode(),
    )


def crowd(count: int, first: int = 1, **fields: Any) -> list[Pod]:
    return [make_backend(number, **fields) for number in range(first, first + count)]


def make_endpoints(*subsets: dict[str, Any], **metadata: Any) -> Endpoints:
    meta = {"name": "web", "namespace": "default", "uid": "endpoints-uid", **metadata}
    return codec.load(Endpoints, json.dumps({"metadata": meta, "subsets": list(subsets)}).encode())


def named(slice: EndpointSlice, name: str) -> EndpointSlice:
    """As the server has it after its creation."""
    return replace(slice, metadata=replace(slice.metadata, name=name, uid=f"{name}-uid", resource_version="7"))
