"""Objects for tests: valid by default, the test names only what matters."""

from __future__ import annotations

import json
from typing import Any


def make(kind: str, name: str = "", namespace: str = "default", api_version: str = "v1", **fields: Any) -> bytes:
    """The JSON of an object. `metadata` entries (labels, finalizers …) may be given beside spec, data and status."""
    metadata: dict[str, Any] = {"name": name} if name else {}
    if namespace and kind != "Namespace":
        metadata["namespace"] = namespace
    for field in ("labels", "annotations", "finalizers", "generateName", "ownerReferences", "resourceVersion", "uid"):
        if field in fields:
            metadata[field] = fields.pop(field)
    return json.dumps({"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}).encode()


def make_configmap(name: str = "settings", **fields: Any) -> bytes:
    return make("ConfigMap", name, **{"data": {"k": "v"}, **fields})


def make_namespace(name: str, **fields: Any) -> bytes:
    return make("Namespace", name, **fields)


def make_pod(name: str = "web", *, node: str = "", **fields: Any) -> bytes:
    spec: dict[str, Any] = {"containers": [{"name": "main", "image": "nginx:1.25"}], **fields.pop("spec", {})}
    if node:
        spec["nodeName"] = node
    return make("Pod", name, **{"spec": spec, **fields})


def make_lease(name: str = "leader", **fields: Any) -> bytes:
    spec = {"holderIdentity": "a", "leaseDurationSeconds": 15}
    return make("Lease", name, api_version="coordination.k8s.io/v1", **{"spec": spec, **fields})
