"""Where the two versions of OpenAPI say the same thing differently: references and values of several types. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dialect:
    """`wraps_references`: a reference may have nothing beside it, so that it has to stand in an `allOf`.

    `zero_defaults`: fields that are never absent say so by a default.
    """

    references: str
    wraps_references: bool
    zero_defaults: bool
    quantity: Schema = field(hash=False)
    int_or_string: Schema = field(hash=False)

    def reference(self, definition: str, notes: Schema | None = None) -> Schema:
        """A reference to a definition, with whatever is to be said about this one use of it."""
        plain = {"$ref": f"{self.references}{definition}"}
        if not notes:
            return plain
        return {"allOf": [plain], **notes} if self.wraps_references else {**plain, **notes}

    def referred(self, schema: Schema) -> str:
        """The definition that a plain reference leads to."""
        target: str = schema["$ref"]
        return target.removeprefix(self.references)


V2 = Dialect(
    references="#/definitions/",
    wraps_references=False,
    zero_defaults=False,
    quantity={"type": "string"},
    int_or_string={"type": "string", "format": "int-or-string"},
)
V3 = Dialect(
    references="#/components/schemas/",
    wraps_references=True,
    zero_defaults=True,
    quantity={"oneOf": [{"type": "string"}, {"type": "number"}]},
    int_or_string={"oneOf": [{"type": "integer"}, {"type": "string"}], "format": "int-or-string"},
)
