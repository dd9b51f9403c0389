"""From query parameters (and the options in a body) to what the registry understands; complaints in Kubernetes' words.

Pure. What a parameter *means* is the registry's business; here it is only read, and refused where Kubernetes refuses
it before looking at any object.
"""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.auth.identity import Caller
from apiserver.registry.requests import DeleteOptions, Propagation, Selection, WatchOptions, WriteOptions
from apiserver.restfront.query import Query
from steersman.api import bodies, durations, errors, fields, meta
from steersman.api.codec import FieldValidation
from steersman.api.errors import BadRequest, Cause, Subject
from steersman.api.fields import Path
from steersman.api.names import Uid

MAX_FIELD_MANAGER_BYTES = 128
DRY_RUN_ALL = "All"

_PROPAGATIONS = ("Foreground", "Background", "Orphan", "nil")
_VALIDATIONS = ("", "Ignore", "Strict", "Warn")


def selection(query: Query) -> Selection:
    if not query:
        return _EVERYTHING
    return Selection(
        label_selector=query.text("labelSelector"),
        field_selector=query.text("fieldSelector"),
        limit=query.integer("limit") or 0,
        continue_token=query.text("continue"),
        resource_version=query.text("resourceVersion"),
        resource_version_match=query.text("resourceVersionMatch"),
    )


_EVERYTHING = Selection()


def timeout_seconds(query: Query) -> float | None:
    """How long the client waits for the whole of an answer; None: as long as it takes, which 0 means too."""
    text = query.text("timeout")
    if not text:
        return None
    try:
        nanoseconds = durations.parse(text)
    except ValueError as error:
        raise BadRequest(f"invalid timeout specified in the request URL - {error}") from error
    return nanoseconds / durations.SECOND if nanoseconds > 0 else None


def watch_options(query: Query) -> WatchOptions:
    wanted = selection(query)
    return WatchOptions(
        selection=Selection(
            label_selector=wanted.label_selector,
            field_selector=wanted.field_selector,
            resource_version=wanted.resource_version,
            resource_version_match=wanted.resource_version_match,
        ),
        bookmarks=query.flag("allowWatchBookmarks") or False,
        initial_events=query.flag("sendInitialEvents"),
    )


def write_options(query: Query, caller: Caller, content_type: str, options_kind: str) -> WriteOptions:
    """`options_kind` is what Kubernetes calls the parameters of this verb: CreateOptions, PatchOptions, …"""
    content_type = content_type or bodies.JSON
    if not query:
        return WriteOptions(content_type=content_type, caller=caller)
    manager, validation = query.text("fieldManager"), query.text("fieldValidation")
    dry_run = query.texts("dryRun")
    causes = [*_manager_faults(manager), *_dry_run_faults(dry_run)]
    if validation not in _VALIDATIONS:
        causes.append(fields.not_supported("fieldValidation", validation, _VALIDATIONS))
    if options_kind == "PatchOptions" and "force" in query:
        causes.insert(0, fields.forbidden("force", "may not be specified for non-apply patch"))
    _complain(options_kind, causes)
    return WriteOptions(
        content_type=content_type,
        dry_run=bool(dry_run),
        field_manager=manager,
        field_validation=FieldValidation(validation or FieldValidation.WARN),
        caller=caller,
    )


def delete_options(query: Query, body: bytes, content_type: str) -> meta.DeleteOptions:
    """The options of a deletion: those in the body if there is one, otherwise those in the query."""
    if body:
        options, _ = bodies.to_struct(meta.DeleteOptions, body, content_type)
    else:
        options = _delete_options_in(query)
    check_delete_options(options)
    return options


def check_delete_options(options: meta.DeleteOptions) -> None:
    causes = []
    policy = options.propagation_policy
    if policy is not None and options.orphan_dependents is not None:
        clash = "orphanDependents and deletionPropagation cannot be both set"
        causes.append(fields.invalid("propagationPolicy", policy, clash))
    if policy is not None and policy not in _PROPAGATIONS[:3]:
        causes.append(fields.not_supported("propagationPolicy", policy, _PROPAGATIONS))
    _complain("DeleteOptions", [*causes, *_dry_run_faults(options.dry_run)])


def deletion_options(options: meta.DeleteOptions, caller: Caller) -> WriteOptions:
    return WriteOptions(dry_run=bool(options.dry_run), caller=caller)


def how_to_delete(options: meta.DeleteOptions) -> DeleteOptions:
    propagation = Propagation(options.propagation_policy or "")
    if options.orphan_dependents is not None and not propagation:
        propagation = Propagation.ORPHAN if options.orphan_dependents else Propagation.BACKGROUND
    given = options.preconditions or meta.Preconditions()
    return DeleteOptions(
        grace_period_seconds=options.grace_period_seconds,
        propagation=propagation,
        uid=Uid(given.uid) if given.uid is not None else None,
        resource_version=given.resource_version or "",
    )


def _delete_options_in(query: Query) -> meta.DeleteOptions:
    uid, resource_version = query.text("uid") or None, query.text("resourceVersion") or None
    given = meta.Preconditions(uid=uid, resource_version=resource_version) if uid or resource_version else None
    return meta.DeleteOptions(
        grace_period_seconds=query.integer("gracePeriodSeconds"),
        preconditions=given,
        orphan_dependents=query.flag("orphanDependents"),
        propagation_policy=query.text("propagationPolicy") if "propagationPolicy" in query else None,
        dry_run=tuple(query.texts("dryRun")),
    )


def _manager_faults(manager: str) -> list[Cause]:
    path, causes = Path("fieldManager"), []
    if len(manager.encode()) > MAX_FIELD_MANAGER_BYTES:
        causes.append(fields.too_long(path, MAX_FIELD_MANAGER_BYTES))
    if not manager.isprintable():
        for position, character in enumerate(manager):
            if not character.isprintable():
                why = f"invalid character U+{ord(character):04X} (at position {position})"
                causes.append(fields.invalid(path, manager, why))
    return causes


def _dry_run_faults(dry_run: Sequence[str]) -> list[Cause]:
    if all(value == DRY_RUN_ALL for value in dry_run):
        return []
    return [fields.not_supported("dryRun", list(dry_run), (DRY_RUN_ALL,))]


def _complain(options_kind: str, causes: Sequence[Cause]) -> None:
    if causes:
        raise errors.invalid(Subject("meta.k8s.io", options_kind.lower(), options_kind), "", causes)
