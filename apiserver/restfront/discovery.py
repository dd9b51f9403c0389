"""What this server serves, told in Kubernetes' three ways: lists of groups and versions, lists of resources, and both
at once (aggregated). Made once, from the table of kinds and the tables of routes. Pure.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from apiserver.restfront import routing
from apiserver.restfront.negotiation import Transform
from apiserver.restfront.routing import Doors, Shown
from steersman.api.kinds import Kind

AGGREGATED_GROUP = "apidiscovery.k8s.io"
AGGREGATED = frozenset(Transform("APIGroupDiscoveryList", AGGREGATED_GROUP, version) for version in ("v2", "v2beta1"))

GROUP_ORDER = (
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "flowcontrol.apiserver.k8s.io",
)
"""kubectl prefers the earlier group when a resource's name is in several."""

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Aggregated:
    body: bytes
    etag: str
    content_type: str


class Discovery:
    """The documents by path."""

    def __init__(self, served: Iterable[Kind], doors: Doors, server_address: Callable[[], str]) -> None:
        self._doors = doors
        self._server_address = server_address
        self._aggregated: dict[tuple[str, str], Aggregated] = {}
        self._versions: dict[tuple[str, str], list[Kind]] = {}
        for kind in sorted(served, key=lambda kind: kind.resource):
            self._versions.setdefault((kind.group, kind.version), []).append(kind)
        groups = sorted({group for group, _ in self._versions if group}, key=_rank)
        self._groups = {group: self._versions_of(group) for group in groups}
        self._documents: Mapping[str, Document] = {
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [self._group(each) for each in groups]},
            **{f"/apis/{each}": {"kind": "APIGroup", "apiVersion": "v1", **self._group(each)} for each in groups},
            **{_path(group, version): self._resources(group, version) for group, version in self._versions},
        }

    @property
    def paths(self) -> Sequence[str]:
        return ["/api", *self._documents]

    def document(self, path: str) -> bytes | None:
        """What is at a path, None for nothing."""
        if path == "/api":
            return msgspec.json.encode(self._core_versions())
        found = self._documents.get(path)
        return None if found is None else msgspec.json.encode(found)

    def aggregated(self, path: str, version: str) -> Aggregated | None:
        """`/api` or `/apis` with all that is below; None for another path."""
        if path not in ("/api", "/apis"):
            return None
        known = self._aggregated.get((path, version))
        if known is None:
            known = self._aggregated[path, version] = self._seal(
                [""] if path == "/api" else list(self._groups), version
            )
        return known

    def _seal(self, groups: Sequence[str], version: str) -> Aggregated:
        body = msgspec.json.encode(self._aggregate(groups, version))
        content_type = f"application/json;g={AGGREGATED_GROUP};v={version};as=APIGroupDiscoveryList"
        return Aggregated(body, f'"{hashlib.sha512(body).hexdigest().upper()}"', content_type)

    def _core_versions(self) -> Document:
        return {
            "kind": "APIVersions",
            "versions": self._versions_of(""),
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": self._server_address()}],
        }

    def _versions_of(self, group: str) -> list[str]:
        """The preferred version first: the newest."""
        return sorted((version for found, version in self._versions if found == group), reverse=True)

    def _group(self, group: str) -> Document:
        versions = [{"groupVersion": f"{group}/{each}", "version": each} for each in self._groups[group]]
        return {"name": group, "versions": versions, "preferredVersion": versions[0]}

    def _resources(self, group: str, version: str) -> Document:
        listed: list[Document] = []
        for kind in self._versions[group, version]:
            listed += (_resource(kind), *(self._subresources(kind)))
        head = {"kind": "APIResourceList"} if not group else {"kind": "APIResourceList", "apiVersion": "v1"}
        return {**head, "groupVersion": f"{group}/{version}" if group else version, "resources": listed}

    def _subresources(self, kind: Kind) -> Iterable[Document]:
        for name, shown, verbs in self._open_doors(kind):
            own = {"group": shown.group, "version": shown.version} if shown.group else {}
            yield {
                "name": f"{kind.resource}/{name}",
                "singularName": "",
                "namespaced": kind.namespaced,
                **own,
                "kind": shown.kind,
                "verbs": verbs,
            }

    def _open_doors(self, kind: Kind) -> Iterable[tuple[str, Shown, list[str]]]:
        for name in sorted(kind.subresources):
            door = routing.door_of(kind, name, self._doors)
            if door is not None:
                yield name, door.shown or Shown(kind.kind), sorted(door.handlers)

    def _aggregate(self, groups: Sequence[str], version: str) -> Document:
        items = [
            {
                "metadata": {"name": group} if group else {},
                "versions": [self._aggregated_version(group, each) for each in self._versions_of(group)],
            }
            for group in groups
        ]
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"{AGGREGATED_GROUP}/{version}",
            "metadata": {},
            "items": items,
        }

    def _aggregated_version(self, group: str, version: str) -> Document:
        resources = [self._aggregated_resource(kind) for kind in self._versions[group, version]]
        return {"version": version, "resources": resources, "freshness": "Current"}

    def _aggregated_resource(self, kind: Kind) -> Document:
        subresources = [
            {
                "subresource": name,
                "responseKind": {"group": shown.group, "version": shown.version, "kind": shown.kind},
                "verbs": verbs,
            }
            for name, shown, verbs in self._open_doors(kind)
        ]
        return {
            "resource": kind.resource,
            "responseKind": {"group": "", "version": "", "kind": kind.kind},
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "singularResource": kind.singular,
            "verbs": kind.verbs,
            **_present(shortNames=kind.short_names, categories=kind.categories, subresources=subresources),
        }


def _resource(kind: Kind) -> Document:
    return {
        "name": kind.resource,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": kind.verbs,
        **_present(shortNames=kind.short_names, categories=kind.categories),
        **({"storageVersionHash": _storage_hash(kind.storage)} if kind.is_stored else {}),
    }


def _storage_hash(kind: Kind) -> str:
    """By which clients notice that objects are stored in another form than before."""
    name = f"{kind.group}/{kind.version}/{kind.kind}"
    return base64.b64encode(hashlib.sha256(name.encode()).digest()[:8]).decode()


def _path(group: str, version: str) -> str:
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def _rank(group: str) -> tuple[int, str]:
    return (GROUP_ORDER.index(group) if group in GROUP_ORDER else len(GROUP_ORDER)), group


def _present(**members: Any) -> Document:
    return {name: value for name, value in members.items() if value}
