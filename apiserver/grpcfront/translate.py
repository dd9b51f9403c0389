"""Between the messages of proto/steersman/v1 and the registry's own words. Pure."""

from __future__ import annotations

from apiserver.auth.identity import Caller
from apiserver.registry.requests import (
    DeleteOptions,
    Found,
    PatchType,
    Propagation,
    Selection,
    Subresource,
    Target,
    Term,
    WatchOptions,
    WriteOptions,
    Written,
)
from steersman.api import errors, kinds
from steersman.api.codec import FieldValidation
from steersman.api.core import Pod
from steersman.api.errors import BadRequest, MethodNotAllowed, NotFound
from steersman.api.kinds import Kind
from steersman.api.names import Revision, Uid
from steersman.pb import objects_pb2, resources_pb2

MAX_SEGMENT_LENGTH = 512
"""Longer than any valid name: enough for the error about it, too short to hurt."""

_VALIDATION = {
    resources_pb2.WARN: FieldValidation.WARN,
    resources_pb2.STRICT: FieldValidation.STRICT,
    resources_pb2.IGNORE: FieldValidation.IGNORE,
}
_PATCH = {
    resources_pb2.PatchRequest.JSON: PatchType.JSON,
    resources_pb2.PatchRequest.MERGE: PatchType.MERGE,
    resources_pb2.PatchRequest.STRATEGIC: PatchType.STRATEGIC,
}


def kind_of(message: objects_pb2.Target) -> Kind:
    kind = kinds.by_resource(message.group, message.resource, message.version)
    if kind is None:
        raise NotFound("the server could not find the requested resource")
    return kind


def collection(message: objects_pb2.Target) -> Target:
    """The target of a create, list, watch or deletecollection; a name narrows a list or watch to one object."""
    kind = kind_of(message)
    _check_segment("namespace", message.namespace)
    _check_segment("name", message.name)
    if message.namespace and not kind.namespaced:
        raise BadRequest(f"{kind.subject.qualified_resource} is not namespaced")
    return Target(kind, message.namespace, message.name)


def one_object(message: objects_pb2.Target) -> Target:
    target = collection(message)
    if not target.name:
        raise BadRequest("a resource name may not be empty")
    _check_namespace(target)
    return target


def new_object(message: objects_pb2.Target) -> Target:
    target = collection(message)
    _check_namespace(target)
    return target


def pod(message: objects_pb2.Target) -> Target:
    """The target of bind and evict, which are about pods whatever else there may be."""
    target = one_object(message)
    if target.kind.struct is not Pod:
        raise MethodNotAllowed(f"{target.kind.subject.qualified_resource} cannot be bound or evicted")
    return target


def _check_namespace(target: Target) -> None:
    if target.kind.namespaced and not target.namespace:
        raise BadRequest("an empty namespace may not be set when a resource name is provided")


def _check_segment(what: str, text: str) -> None:
    if "/" in text or "\0" in text or text in (".", "..") or len(text) > MAX_SEGMENT_LENGTH:
        raise BadRequest(
            f"invalid {what} {errors.quoted(text[:64])}: may not be '.', '..', contain '/', or be that long"
        )


def selection(message: resources_pb2.ListRequest) -> Selection:
    return Selection(
        label_selector=message.label_selector,
        field_selector=message.field_selector,
        limit=message.limit,
        continue_token=getattr(message, "continue"),
        resource_version=message.resource_version,
        resource_version_match=message.resource_version_match,
    )


def watch_options(message: resources_pb2.WatchStart) -> WatchOptions:
    return WatchOptions(
        selection=Selection(
            label_selector=message.label_selector,
            field_selector=message.field_selector,
            resource_version=message.resource_version,
            resource_version_match=message.resource_version_match,
        ),
        bookmarks=message.bookmarks,
        initial_events=message.initial_events if message.HasField("initial_events") else None,
    )


def write_options(message: resources_pb2.WriteOptions, caller: Caller) -> WriteOptions:
    if not message.ByteSize():
        return WriteOptions(caller=caller)
    return WriteOptions(
        dry_run=message.dry_run,
        field_manager=message.field_manager,
        field_validation=_VALIDATION.get(message.field_validation, FieldValidation.WARN),
        term=term(message.term) if message.HasField("term") else None,
        caller=caller,
    )


def term(message: objects_pb2.Term) -> Term:
    return Term(message.lease_namespace, message.lease_name, Revision(message.token))


def patch_type(message: resources_pb2.PatchRequest) -> PatchType:
    try:
        return _PATCH[message.type]
    except KeyError:
        raise BadRequest("unknown patch type") from None


def subresource(name: str) -> Subresource:
    try:
        return Subresource(name)
    except ValueError:
        raise NotFound("the server could not find the requested resource") from None


def delete_options(message: resources_pb2.DeleteOptions) -> DeleteOptions:
    try:
        propagation = Propagation(message.propagation_policy)
    except ValueError:
        supported = ", ".join(errors.quoted(value) for value in Propagation if value)
        raise BadRequest(
            f"propagationPolicy: Unsupported value: {errors.quoted(message.propagation_policy)}: "
            f"supported values: {supported}"
        ) from None
    if message.HasField("orphan_dependents") and propagation is Propagation.UNSAID:
        propagation = Propagation.ORPHAN if message.orphan_dependents else Propagation.BACKGROUND
    return DeleteOptions(
        grace_period_seconds=message.grace_period_seconds if message.HasField("grace_period_seconds") else None,
        propagation=propagation,
        uid=Uid(message.uid) if message.uid else None,
        resource_version=message.resource_version,
    )


def found(kind: Kind, result: Found | Written) -> objects_pb2.Object:
    return objects_pb2.Object(
        json=result.json, group=kind.group, version=kind.version, kind=kind.kind, revision=result.revision
    )


def written(target: Target, result: Written) -> resources_pb2.WriteReply:
    reply = resources_pb2.WriteReply(
        object=found(target.kind, result), warnings=result.warnings, created=result.created
    )
    if result.gone:
        reply.status.CopyFrom(
            objects_pb2.Status(
                code=200,
                revision=result.revision,
                details=objects_pb2.StatusDetails(name=target.name, group=target.kind.group, kind=target.kind.resource),
            )
        )
    return reply


def kind_info(kind: Kind) -> resources_pb2.KindInfo:
    return resources_pb2.KindInfo(
        group=kind.group,
        version=kind.version,
        kind=kind.kind,
        resource=kind.resource,
        singular=kind.singular,
        short_names=kind.short_names,
        categories=kind.categories,
        namespaced=kind.namespaced,
        subresources=kind.subresources,
        verbs=kind.verbs,
    )
