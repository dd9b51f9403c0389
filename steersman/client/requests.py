"""What a caller says beside the object, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from steersman.api import codec
from steersman.api.codec import FieldValidation
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.client.transport import CALL_SECONDS
from steersman.pb import objects_pb2, resources_pb2

T = TypeVar("T")
Struct = TypeVar("Struct", bound=Object)


@dataclass(frozen=True, slots=True)
class Term:
    """A leader's term: a write that names it lands only while it lasts, else the caller is Deposed."""

    lease_namespace: str
    lease_name: str
    token: Revision


@dataclass(frozen=True, slots=True)
class WriteOptions:
    dry_run: bool = False
    field_manager: str = ""
    field_validation: FieldValidation = FieldValidation.WARN
    term: Term | None = None
    timeout_seconds: float = CALL_SECONDS


PLAIN = WriteOptions()


class PatchType(StrEnum):
    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"


class Propagation(StrEnum):
    """What becomes of an object's dependents."""

    UNSAID = ""
    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


@dataclass(frozen=True, slots=True)
class Items(Generic[T]):
    """A list, or a page of it: as it was at `revision`. `continue_token` is empty behind the last page."""

    items: tuple[T, ...]
    revision: Revision
    continue_token: str = ""
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """The object as a write has left it. `gone`: it took away what held a deleted object, which is now removed."""

    object: T
    revision: Revision
    created: bool = False
    gone: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deleted(Generic[T]):
    """`gone`: removed; otherwise marked, and somebody must let go first. `object`: its last state, if known."""

    object: T | None
    revision: Revision
    gone: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    name: str
    namespace: str
    resource_version: str
    uid: str


class _Metadata(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    uid: str = ""


class _Named(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_NAMED = msgspec.json.Decoder(_Named)


def identify_json(json: bytes) -> Identity:
    """Empty where the bytes cannot be read: the server says what is wrong with them."""
    try:
        meta = _NAMED.decode(json).metadata
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Identity("", "", "", "")
    return Identity(meta.name, meta.namespace, meta.resource_version, meta.uid)


class _Row(msgspec.Struct):
    object: _Named


class _Rows(msgspec.Struct):
    rows: tuple[_Row]


_ROWS = msgspec.json.Decoder(_Rows)


def identify_row(json: bytes) -> Identity:
    """Of a Table with one row."""
    meta = _ROWS.decode(json).rows[0].object.metadata
    return Identity(meta.name, meta.namespace, meta.resource_version, meta.uid)


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """In which form a caller holds objects: as Structs, as JSON bytes, or as rows of a Table.

    `shown`: what the server is asked for; `named`: which object it is that came so.
    """

    load: Callable[[bytes], T]
    dump: Callable[[T], bytes]
    identify: Callable[[T], Identity]
    shown: resources_pb2.Form = resources_pb2.OBJECT
    named: Callable[[bytes], Identity] = identify_json


def typed(struct: type[Struct]) -> Form[Struct]:
    def load(json: bytes) -> Struct:
        return codec.load(struct, json)

    def identify(value: Struct) -> Identity:
        meta = value.metadata
        return Identity(meta.name, meta.namespace, meta.resource_version, meta.uid)

    return Form(load, codec.encode, identify)


def _as_is(json: bytes) -> bytes:
    return json


RAW: Form[bytes] = Form(_as_is, _as_is, identify_json)
TABLE: Form[bytes] = Form(_as_is, _as_is, identify_json, resources_pb2.TABLE, identify_row)

_VALIDATION = {
    FieldValidation.WARN: resources_pb2.WARN,
    FieldValidation.STRICT: resources_pb2.STRICT,
    FieldValidation.IGNORE: resources_pb2.IGNORE,
}


def options_message(options: WriteOptions) -> resources_pb2.WriteOptions | None:
    if options is PLAIN:
        return None
    term = options.term
    return resources_pb2.WriteOptions(
        dry_run=options.dry_run,
        field_manager=options.field_manager,
        field_validation=_VALIDATION[options.field_validation],
        term=objects_pb2.Term(lease_namespace=term.lease_namespace, lease_name=term.lease_name, token=term.token)
        if term is not None
        else None,
    )


def target_message(kind: Kind, namespace: str = "", name: str = "") -> objects_pb2.Target:
    return objects_pb2.Target(
        group=kind.group, version=kind.version, resource=kind.resource, namespace=namespace, name=name
    )


def delete_message(
    uid: str, resource_version: str, grace_period_seconds: int | None, propagation: Propagation
) -> resources_pb2.DeleteOptions:
    return resources_pb2.DeleteOptions(
        uid=uid,
        resource_version=resource_version,
        grace_period_seconds=grace_period_seconds,
        propagation_policy=propagation.value,
    )


def written(reply: resources_pb2.WriteReply, form: Form[T]) -> Written[T]:
    return Written(
        form.load(reply.object.json),
        Revision(reply.object.revision),
        created=reply.created,
        gone=reply.HasField("status"),
        warnings=tuple(reply.warnings),
    )


def deleted(reply: resources_pb2.WriteReply, form: Form[T]) -> Deleted[T]:
    gone = reply.HasField("status")
    return Deleted(
        form.load(reply.object.json) if reply.object.json else None,
        Revision(reply.object.revision or reply.status.revision),
        gone=gone,
        warnings=tuple(reply.warnings),
    )


def listed(reply: resources_pb2.ListReply, form: Form[T]) -> Items[T]:
    load = form.load
    return Items(
        tuple([load(item.json) for item in reply.items]),
        Revision(reply.revision),
        getattr(reply, "continue"),
        reply.remaining or None,
    )
