"""What a front hands to the registry, and what it gets back. The same for gRPC and REST.

**Bodies.** `create`, `update` and `bind` take the body as it came; `WriteOptions.content_type` is the request's
Content-Type (JSON, YAML or Kubernetes' protobuf), and whatever else it says is refused with UnsupportedMediaType.

**Warnings.** What the writer should be told although the write was carried out is in `Written.warnings`, each text
once; when it was refused, what was noticed before is in `ApiError.warnings`. They are bare texts: a front puts them
into headers (`Warning: 299 - "…"`) or into its reply. That a whole kind is deprecated is not among them but in the
table of kinds (`Kind.deprecated`), because it is to be said of reads too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from apiserver.auth.identity import Caller
from apiserver.storage import keys
from apiserver.storage.interface import Guard
from steersman.api import bodies
from steersman.api.codec import FieldValidation
from steersman.api.kinds import Kind
from steersman.api.names import Revision, Uid


@dataclass(frozen=True, slots=True)
class Target:
    """Which object, or with an empty name which collection. `namespace` empty: cluster-wide, or all namespaces."""

    kind: Kind
    namespace: str = ""
    name: str = ""

    @property
    def collection(self) -> str:
        """The resource under which the objects are stored and cached, whatever the version that was asked for."""
        return self.kind.storage.qualified_resource

    @property
    def key(self) -> str:
        return keys.key_of(self.collection, self.namespace, self.name)

    @property
    def prefix(self) -> str:
        return keys.collection(self.collection, self.namespace)


@dataclass(frozen=True, slots=True)
class Term:
    """A leader's term: its writes land only while the Lease's fence is at `token`."""

    namespace: str
    lease: str
    token: Revision

    @property
    def guard(self) -> Guard:
        return Guard(keys.fence_of(self.namespace, self.lease), self.token)


ITSELF = Caller("system:apiserver", ("system:masters", "system:authenticated"))
"""This server, where it writes on its own account."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    content_type: str = bodies.JSON
    """What the body is; of a patch the type is said by the call."""
    dry_run: bool = False
    field_manager: str = ""
    field_validation: FieldValidation = FieldValidation.WARN
    term: Term | None = None
    caller: Caller = ITSELF
    """Who writes."""

    @property
    def guards(self) -> tuple[Guard, ...]:
        return () if self.term is None else (self.term.guard,)


PLAIN = WriteOptions()


class PatchType(StrEnum):
    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"


class Subresource(StrEnum):
    """The part of an object that an update or patch speaks about."""

    NONE = ""
    STATUS = "status"
    SCALE = "scale"
    FINALIZE = "finalize"
    APPROVAL = "approval"
    EPHEMERAL_CONTAINERS = "ephemeralcontainers"
    RESIZE = "resize"


class Propagation(StrEnum):
    """What becomes of an object's dependents."""

    UNSAID = ""
    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    grace_period_seconds: int | None = None
    propagation: Propagation = Propagation.UNSAID
    uid: Uid | None = None
    resource_version: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a collection, and how fresh. The texts are as the client sent them."""

    label_selector: str = ""
    field_selector: str = ""
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""


EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class WatchOptions:
    selection: Selection = EVERYTHING
    bookmarks: bool = False
    initial_events: bool | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """An object as it is stored: `json` has its resourceVersion, which is `revision`."""

    json: bytes
    revision: Revision


class Listed(Protocol):
    """An object of a list: a `Found`, or what the cache holds, of which the JSON is made when it is looked at."""

    @property
    def json(self) -> bytes: ...

    @property
    def revision(self) -> Revision: ...


@dataclass(frozen=True, slots=True)
class FoundList:
    items: tuple[Listed, ...]
    revision: Revision
    continue_token: str = ""
    remaining: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a write left behind. `gone`: the object was removed, `json` is its last state.

    `warnings`: what to tell the writer besides; see the head of this module.
    """

    json: bytes
    revision: Revision
    created: bool = False
    gone: bool = False
    uid: str = ""
    warnings: tuple[str, ...] = ()
