"""What a path speaks about, as Kubernetes reads it: group, version, resource, namespace, name, subresource. Pure.

/api/v1/namespaces/default/pods/web/status
/apis/apps/v1/deployments
/api/v1/watch/namespaces/default/pods        the old way to ask for a watch
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote

from steersman.api import errors, kinds
from steersman.api.errors import BadRequest, NotFound
from steersman.api.kinds import Kind

MAX_SEGMENT_LENGTH = 512
"""Longer than any valid name: enough for the error about it, too short to hurt."""

_OF_NAMESPACES = frozenset({"finalize", "status"})
"""What stands behind a namespace's name and is a part of the Namespace itself, not a resource in it."""

_GROUP_VERSIONS = frozenset((kind.group, kind.version) for kind in kinds.ALL)


class ResourcePath(NamedTuple):
    """An object, a collection (no name) or a part of an object. `rest` is what follows a subresource, for proxies."""

    kind: Kind
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    is_watch: bool = False


def decoded(raw_path: str) -> str:
    return unquote(raw_path) if "%" in raw_path else raw_path


def parse(path: str) -> ResourcePath | None:
    """None for a path that is of no resource; NotFound for a resource that an existing group-version has not."""
    parts = path.split("/")
    if parts[-1] == "":
        parts.pop()
    if len(parts) > 3 and parts[1] == "api":
        group, version, below = "", parts[2], parts[3:]
    elif len(parts) > 4 and parts[1] == "apis" and parts[2]:
        group, version, below = parts[2], parts[3], parts[4:]
    else:
        return None
    if (group, version) not in _GROUP_VERSIONS:
        return None
    is_watch = below[0] == "watch"
    return _resource(group, version, below[1:] if is_watch else below, is_watch=is_watch)


def _resource(group: str, version: str, parts: list[str], *, is_watch: bool) -> ResourcePath:
    namespace = name = subresource = rest = ""
    if len(parts) > 2 and parts[0] == "namespaces" and parts[2] not in _OF_NAMESPACES:
        namespace, parts = _checked("namespace", parts[1]), parts[2:]
    kind = kinds.by_resource(group, parts[0], version) if parts else None
    if kind is None:
        raise not_found()
    if len(parts) > 1:
        name = _checked("name", parts[1])
    if len(parts) > 2:
        subresource, rest = parts[2], "/".join(parts[3:])
    # A namespaced object is addressed in its namespace, and nothing else is addressed in one.
    if (namespace and not kind.namespaced) or (name and kind.namespaced and not namespace):
        raise not_found()
    return ResourcePath(kind, namespace, name, subresource, rest, is_watch)


def not_found() -> NotFound:
    return NotFound("the server could not find the requested resource", details=errors.Details())


def _checked(what: str, text: str) -> str:
    if not text or text in (".", "..") or "\0" in text or len(text) > MAX_SEGMENT_LENGTH:
        raise BadRequest(f"invalid {what} {errors.quoted(text[:64])}: may not be empty, '.', '..', or that long")
    return text
