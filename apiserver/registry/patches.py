"""From the bytes of a patch to a function on plain objects; what it does to them is in `patching/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apiserver.registry import patching
from apiserver.registry.patching import jsonpatch, mergepatch, shapes, strategic
from apiserver.registry.requests import PatchType
from steersman.api.errors import BadRequest
from steersman.api.part import Part

Plain = dict[str, Any]


def prepare(patch_type: PatchType, patch: bytes, struct: type[Part]) -> Callable[[Plain], Plain]:
    """BadRequest when the patch cannot be read; the function itself raises what it thinks of the object."""
    parsed = patching.decode(patch_type, patch)
    match patch_type:
        case PatchType.JSON:
            return lambda present: _an_object(jsonpatch.apply(present, parsed))
        case PatchType.MERGE:
            return lambda present: _an_object(mergepatch.apply(present, parsed))
        case PatchType.STRATEGIC:
            shape = shapes.shape_of(struct)
            return lambda present: _an_object(strategic.apply(present, parsed, shape))


def _an_object(patched: object) -> Plain:
    if not isinstance(patched, dict):
        raise BadRequest("the patched object is not a JSON object")
    return patched
