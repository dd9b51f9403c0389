"""What a pod may know about itself: the fields and amounts of the downward API, as text. Pure.

Both environment variables and downwardAPI volumes are filled from here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from steersman.api import quantity
from steersman.api.core import Container, ObjectFieldSelector, Pod, ResourceFieldSelector

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]", re.DOTALL)
_DEFAULTED_LIMITS = ("cpu", "memory", "ephemeral-storage")


class UnknownField(Exception):
    """A field that does not exist or that this pod does not have; the text says which."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pod runs: the addresses of its host and its own, and what the node has to give."""

    host_ips: Sequence[str] = ()
    pod_ips: Sequence[str] = ()
    allocatable: Mapping[str, str] = field(default_factory=dict)


def field_value(pod: Pod, selector: ObjectFieldSelector, place: Place) -> str:
    path, meta = selector.field_path, pod.metadata
    subscript = _SUBSCRIPT.fullmatch(path)
    if subscript is not None:
        texts = meta.labels if subscript[1] == "labels" else meta.annotations
        return texts.get(subscript[2], "")
    match path:
        case "metadata.name":
            return meta.name
        case "metadata.namespace":
            return meta.namespace
        case "metadata.uid":
            return meta.uid
        case "metadata.labels":
            return _listed(meta.labels)
        case "metadata.annotations":
            return _listed(meta.annotations)
        case "spec.nodeName":
            return pod.spec.node_name
        case "spec.serviceAccountName":
            return pod.spec.service_account_name
        case "status.hostIP":
            return _first(place.host_ips)
        case "status.hostIPs":
            return ",".join(place.host_ips)
        case "status.podIP":
            return _first(place.pod_ips)
        case "status.podIPs":
            return ",".join(place.pod_ips)
    raise UnknownField(f"unsupported fieldPath: {path}")


def resource_value(pod: Pod, selector: ResourceFieldSelector, own: str, place: Place) -> str:
    """An amount of the container that the selector names (else `own`) in units of its divisor, rounded up.

    A limit that is not set is what the node has to give; a request that is not set is nothing.
    """
    name = selector.container_name or own
    container = _container(pod, name)
    side, _, resource = selector.resource.partition(".")
    if side not in ("limits", "requests") or not resource:
        raise UnknownField(f"unsupported container resource : {selector.resource}")
    amounts = container.resources.limits if side == "limits" else container.resources.requests
    amount: str = amounts.get(resource, "0")
    if side == "limits" and resource in _DEFAULTED_LIMITS and not quantity.value(amount):
        amount = place.allocatable.get(resource, "0")
    count = quantity.milli if resource == "cpu" else quantity.units
    divisor = count(selector.divisor) or count("1")
    return str(-(-count(amount) // divisor))


def _container(pod: Pod, name: str) -> Container:
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        if container.name == name:
            return container
    raise UnknownField(f"container {name} not found")


def _listed(texts: Mapping[str, str]) -> str:
    return "\n".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in sorted(texts.items()))


def _first(addresses: Sequence[str]) -> str:
    return addresses[0] if addresses else ""
