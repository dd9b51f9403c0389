"""What a front hands to the registry, and what it gets back. The same for gRPC and REST."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apiserver.storage import keys
from apiserver.storage.interface import Guard
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


@dataclass(frozen=True, slots=True)
class WriteOptions:
    dry_run: bool = False
    field_manager: str = ""
    field_validation: FieldValidation = FieldValidation.WARN
    term: Term | None = None
    user: str = ""
    """Who writes; empty: this server itself."""

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


@dataclass(frozen=True, slots=True)
class FoundList:
    items: tuple[Found, ...]
    revision: Revision
    continue_token: str = ""
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What a write left behind. `gone`: the object was removed, `json` is its last state."""

    json: bytes
    revision: Revision
    created: bool = False
    gone: bool = False
    uid: str = ""
    warnings: tuple[str, ...] = ()
