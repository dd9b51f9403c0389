"""What definitions are called: as in Kubernetes, so that clients which know its names find them. Pure."""

from __future__ import annotations

from functools import cache

from steersman.api import autoscaling, kinds, scheduling
from steersman.api.authentication import TokenRequest
from steersman.api.autoscaling import Scale, ScaleSpec, ScaleStatus
from steersman.api.meta import DeleteOptions, Status
from steersman.api.part import Part
from steersman.api.policy import Eviction

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
TIME, MICRO_TIME = f"{META}.Time", f"{META}.MicroTime"
FIELDS = f"{META}.FieldsV1"
PATCH = f"{META}.Patch"
API_VERSIONS, API_GROUP, API_GROUP_LIST = f"{META}.APIVersions", f"{META}.APIGroup", f"{META}.APIGroupList"
GROUP_VERSION, SERVER_ADDRESS = f"{META}.GroupVersionForDiscovery", f"{META}.ServerAddressByClientCIDR"
VERSION = "io.k8s.apimachinery.pkg.version.Info"
API_RESOURCE, API_RESOURCE_LIST = f"{META}.APIResource", f"{META}.APIResourceList"
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
RAW_EXTENSION = "io.k8s.apimachinery.pkg.runtime.RawExtension"
EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"

_PACKAGES = {
    "meta": META,
    "apiextensions": EXTENSIONS,
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
    "autoscaling": "io.k8s.api.autoscaling.v2",
}
_OLDER = "V1"
"""How a Struct's name ends when another of the same name is in a newer version of its group."""

Gvk = tuple[str, str, str]
"""Group, version, kind."""

_BODIES: dict[type[Part], Gvk] = {
    Scale: ("autoscaling", "v1", "Scale"),
    Eviction: ("policy", "v1", "Eviction"),
    TokenRequest: ("authentication.k8s.io", "v1", "TokenRequest"),
    Status: ("", "v1", "Status"),
    DeleteOptions: ("", "v1", "DeleteOptions"),
}
"""What is sent and answered without being a kind that can be asked for by itself."""

_STRUCTS: dict[Gvk, type[Part]] = {
    **{(kind.group, kind.version, kind.kind): kind.struct for kind in kinds.ALL},
    **{gvk: struct for struct, gvk in _BODIES.items()},
}


@cache
def of_struct(struct: type[Part]) -> str:
    """`io.k8s.api.apps.v1.Deployment`"""
    return f"{package_of(struct)}.{_short_name(struct)}"


@cache
def package_of(struct: type[Part]) -> str:
    module = struct.__module__.rpartition(".")[2]
    if struct.__module__ == autoscaling.__name__ and (_is_older(struct) or struct in (Scale, ScaleSpec, ScaleStatus)):
        return "io.k8s.api.autoscaling.v1"
    if struct.__module__ == scheduling.__name__ and struct is not scheduling.PriorityClass:
        return "io.k8s.api.scheduling.v1alpha3"
    return _PACKAGES.get(module, f"io.k8s.api.{module}.v1")


def list_of(definition: str) -> str:
    return f"{definition}List"


def struct_of(gvk: Gvk) -> type[Part] | None:
    """The Struct behind a kind, also behind one that only subresources know."""
    return _STRUCTS.get(gvk)


def gvk_of(struct: type[Part]) -> Gvk | None:
    """None for what is only a part of something."""
    kind = kinds.of_struct(struct)
    return (kind.group, kind.version, kind.kind) if kind is not None else _BODIES.get(struct)


def _is_older(struct: type[Part]) -> bool:
    return struct.__name__.endswith(_OLDER)


def _short_name(struct: type[Part]) -> str:
    is_renamed = struct.__module__ == autoscaling.__name__ and _is_older(struct)
    return struct.__name__.removesuffix(_OLDER) if is_renamed else struct.__name__
