"""What the tests of OpenAPI describe: every kind, with the doors that the registry has and one stream."""

from __future__ import annotations

from apiserver.openapi.served import Body, Resource, Subresource, of_kind
from steersman.api import kinds
from steersman.api.autoscaling import Scale
from steersman.api.kinds import Kind

PATCHES = ("application/merge-patch+json", "application/strategic-merge-patch+json")
INFO = {"title": "test", "version": "v1"}


def resource(kind: Kind) -> Resource:
    own = (kind.group, kind.version, kind.kind)
    doors = []
    if kind.has_status:
        doors.append(Subresource("status", own, ("get", "update", "patch"), Body(kind.struct)))
    if kind.scale is not None:
        doors.append(Subresource("scale", ("autoscaling", "v1", "Scale"), ("get", "update", "patch"), Body(Scale)))
    if kind.kind == "Pod":
        doors.append(Subresource("exec", ("", "v1", "PodExecOptions"), connects=("get", "post")))
        doors.append(Subresource("proxy", ("", "v1", "PodProxyOptions"), connects=("get",), with_path=True))
    return of_kind(kind, doors, patch_types=PATCHES, shown_when_deleted=kind.kind == "Pod")


RESOURCES = [resource(kind) for kind in kinds.ALL]


def of(name: str) -> Resource:
    return next(each for each in RESOURCES if each.gvk[2] == name)
