"""Did our write land? What reading the object tells about a write that got no answer. Pure.

Each function gets the object as it is now (None: there is none) and says whether that is the state which our write was
to bring about. False means that nobody can tell.
"""

from __future__ import annotations

from typing import Any

import msgspec

from steersman.api.kinds import Kind

# What the server writes by itself, or what an update does not take from the client.
_SERVERS_OWN = ("resourceVersion", "generation", "managedFields", "creationTimestamp", "uid", "selfLink", "annotations")
_TRACE_ANNOTATION = "tracing.k8s.io/traceparent"


def update_landed(sent: bytes, present: bytes | None, kind: Kind, *, subresource: str = "") -> bool:
    """Whether the object is as we sent it, in the part that the update speaks about, and still the same object."""
    if present is None:
        return False
    ours, theirs = msgspec.json.decode(sent), msgspec.json.decode(present)
    sent_uid = _meta(ours).get("uid")
    if sent_uid and sent_uid != _meta(theirs).get("uid"):
        return False
    if subresource == "status":
        return bool(ours.get("status") == theirs.get("status"))
    return _comparable(ours, kind) == _comparable(theirs, kind)


def _comparable(plain: dict[str, Any], kind: Kind) -> dict[str, Any]:
    left_out = {"apiVersion", "kind", "metadata", "status"} if kind.has_status else {"apiVersion", "kind", "metadata"}
    rest = {key: value for key, value in plain.items() if key not in left_out}
    meta = {key: value for key, value in _meta(plain).items() if key not in _SERVERS_OWN}
    annotations = _meta(plain).get("annotations") or {}
    meta["annotations"] = {key: value for key, value in annotations.items() if key != _TRACE_ANNOTATION}
    return {**rest, "metadata": meta}


def _meta(plain: dict[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = plain.get("metadata") or {}
    return meta


def is_gone(uid: str, present: bytes | None) -> bool:
    """Whether the object with that uid no longer exists; it never comes back."""
    return present is None or bool(_meta(msgspec.json.decode(present)).get("uid") != uid)


def is_marked(present: bytes) -> bool:
    """Whether somebody has asked for the object's deletion."""
    return bool(_meta(msgspec.json.decode(present)).get("deletionTimestamp"))


def is_bound(uid: str, node: str, present: bytes | None) -> bool:
    if present is None:
        return False
    pod = msgspec.json.decode(present)
    return bool(_meta(pod).get("uid") == uid and pod.get("spec", {}).get("nodeName") == node)
