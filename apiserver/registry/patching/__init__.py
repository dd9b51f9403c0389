"""Patches as pure functions from plain JSON values to plain JSON values.

`decode(patch_type, body)` reads a request's patch. `jsonpatch.apply(document, patch)`,
`mergepatch.apply(document, patch)` and `strategic.apply(document, patch, shape_of(struct))` apply it.

None of them changes what it is given; each refuses with the errors of `steersman.api.errors`. A resourceVersion inside
a patch is a value like any other here: the registry compares it.
"""

from apiserver.registry.patching import jsonpatch, mergepatch, strategic
from apiserver.registry.patching.decoding import decode
from apiserver.registry.patching.document import MAX_DEPTH, Json, JsonObject
from apiserver.registry.patching.refusals import Unmergeable
from apiserver.registry.patching.shapes import shape_of
from apiserver.registry.patching.strategic import Field, Opaque, Shape, Strategy

__all__ = [
    "MAX_DEPTH",
    "Field",
    "Json",
    "JsonObject",
    "Opaque",
    "Shape",
    "Strategy",
    "Unmergeable",
    "decode",
    "jsonpatch",
    "mergepatch",
    "shape_of",
    "strategic",
]
