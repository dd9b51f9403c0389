"""JSON merge patch (RFC 7386): an object merges key by key, null deletes, everything else replaces.

One thing is Kubernetes' and not the RFC's: null-valued keys also vanish from objects inside a list that the patch
brings. The RFC takes such a list as it is; for a typed object the two come to the same.
"""

from __future__ import annotations

from apiserver.registry.patching import refusals
from apiserver.registry.patching.document import Json, JsonObject, check_depth, without_nulls
from steersman.api.errors import BadRequest


def apply(document: JsonObject, patch: Json) -> JsonObject:
    """`document` with `patch` merged into it. BadRequest when the patch is no object, or too deep."""
    if patch is None:
        raise BadRequest("Invalid JSON Patch")
    if not isinstance(patch, dict):
        complaint = refusals.cannot_decode(patch, "value of type map[string]interface {}")
        raise BadRequest(f"error decoding patch: {complaint}")
    check_depth(patch)
    return _merge(document, patch)


def _merge(document: JsonObject, patch: JsonObject) -> JsonObject:
    merged = dict(document)
    for key, change in patch.items():
        current = merged.get(key)
        if change is None:
            merged.pop(key, None)
        elif isinstance(current, dict) and isinstance(change, dict):
            merged[key] = _merge(current, change)
        else:
            merged[key] = without_nulls(change)
    return merged
