"""The fields that objects can be selected by, kind by kind.

A selectable field has a label, which users write, and a path, where the stored object has it. Most are the same; where
Kubernetes says it differently from what it stores, they are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steersman.api import schema
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.part import Part


@dataclass(frozen=True, slots=True)
class Selectable:
    """`absent`: the text of a field that the object does not have. An empty path is never anything else.

    `otherwise`: the path of what counts where the field is empty.
    """

    label: str
    path: str
    absent: str = ""
    otherwise: str = ""


def _plain(*paths: str) -> tuple[Selectable, ...]:
    return tuple(Selectable(path, path) for path in paths)


ALWAYS = _plain("metadata.name", "metadata.namespace")

_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_EVENT = _plain(*(f"involvedObject.{part}" for part in _INVOLVED), "reason", "reportingComponent", "type")

FIELDS: Mapping[str, tuple[Selectable, ...]] = {
    "pods": (
        Selectable("spec.host", "spec.nodeName"),  # as the field was called once
        *_plain("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName"),
        Selectable("spec.hostNetwork", "spec.hostNetwork", "false"),
        *_plain("status.phase", "status.podIP"),
        Selectable("status.podIPs", ""),
        *_plain("status.nominatedNodeName"),
    ),
    "events": (*_EVENT, Selectable("source", "source.component", otherwise="reportingComponent")),
    "events.events.k8s.io": (
        *(Selectable(f"regarding.{part}", f"involvedObject.{part}") for part in _INVOLVED),
        *_plain("reason", "type"),
        Selectable("reportingController", "reportingComponent"),
    ),
    "nodes": (Selectable("spec.unschedulable", "spec.unschedulable", "false"),),
    "secrets": _plain("type"),
    "services": _plain("spec.clusterIP", "spec.type"),
    "namespaces": _plain("status.phase"),
    "replicationcontrollers": (Selectable("status.replicas", "status.replicas", "0"),),
    "replicasets.apps": (Selectable("status.replicas", "status.replicas", "0"),),
    "jobs.batch": (Selectable("status.successful", "status.succeeded", "0"),),
    "certificatesigningrequests.certificates.k8s.io": _plain("spec.signerName"),
}


def field_values(kind: Kind, value: Object) -> dict[str, str]:
    """The texts of an object's selectable fields by path, as a field selector's `matches` wants them."""
    paths = (field.path for field in (*ALWAYS, *FIELDS.get(kind.qualified_resource, ())) if field.path)
    return {path: _text(value, path.split(".")) for path in paths}


def _text(value: Any, path: list[str]) -> str:
    for name in path:
        if value is None:
            return ""
        struct: type[Part] = type(value)
        value = getattr(value, schema.fields(struct)[name].attribute)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
