"""What there is to describe: resources with their verbs and subresources, whoever serves them. Pure values.

The kinds of the table become resources by `of_kind`; whoever serves more (custom resources) makes further ones, with
definitions of its own in `Additions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from apiserver.openapi.dialects import Schema
from apiserver.openapi.names import Gvk
from steersman.api.kinds import Kind
from steersman.api.part import Part


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent or answered: a Struct, or a definition that somebody brought along."""

    struct: type[Part] | None = None
    definition: str = ""


NOTHING = Body()
"""Any text."""


@dataclass(frozen=True, slots=True)
class Subresource:
    """A door to a part of an object. `connects`: the methods that open a stream instead of answering."""

    name: str
    gvk: Gvk
    verbs: tuple[str, ...] = ()
    body: Body = NOTHING
    connects: tuple[str, ...] = ()
    with_path: bool = False
    """Whether a path of somebody else's may follow it."""


@dataclass(frozen=True, slots=True)
class Resource:
    gvk: Gvk
    plural: str
    namespaced: bool
    verbs: tuple[str, ...]
    body: Body
    list_body: Body
    subresources: tuple[Subresource, ...] = ()
    patch_types: tuple[str, ...] = ()
    shown_when_deleted: bool = False

    @property
    def group_version(self) -> tuple[str, str]:
        return self.gvk[0], self.gvk[1]


@dataclass(frozen=True, slots=True)
class Additions:
    """Definitions from elsewhere, by name, in both dialects."""

    v2: Mapping[str, Schema] = field(default_factory=dict)
    v3: Mapping[str, Schema] = field(default_factory=dict)


NO_ADDITIONS = Additions()


def of_kind(
    kind: Kind,
    subresources: Sequence[Subresource] = (),
    *,
    patch_types: Sequence[str] = (),
    shown_when_deleted: bool = False,
) -> Resource:
    body = Body(kind.struct)
    return Resource(
        gvk=(kind.group, kind.version, kind.kind),
        plural=kind.resource,
        namespaced=kind.namespaced,
        verbs=kind.verbs,
        body=body,
        list_body=body,
        subresources=tuple(subresources),
        patch_types=tuple(patch_types),
        shown_when_deleted=shown_when_deleted,
    )
