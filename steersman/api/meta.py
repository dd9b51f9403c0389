"""What all kinds share: metadata, selectors, conditions, statuses and the options of calls.

The scalars (Time, Quantity, …) and the notation of the fields are in `part`.
"""

from typing import Annotated

from msgspec import field

from steersman.api.part import NO_JSON, At, Int32, Int64, Json, Part, Time, atomic, keyed, null, unique, whole

# --- Objects


@whole
class OwnerReference(Part):
    """The object that this one belongs to and goes with. At most one owner is the controller."""

    api_version: Annotated[str, At(5)] = field(default_factory=str)
    kind: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(3)] = field(default_factory=str)
    uid: Annotated[str, At(4)] = field(default_factory=str)
    controller: Annotated[bool | None, At(6)] = None
    block_owner_deletion: Annotated[bool | None, At(7)] = None


class ManagedFieldsEntry(Part):
    """The fields that one manager has set, as server-side apply keeps them."""

    manager: Annotated[str, At(1)] = ""
    operation: Annotated[str, At(2)] = ""
    api_version: Annotated[str, At(3)] = ""
    time: Annotated[Time | None, At(4)] = None
    fields_type: Annotated[str, At(6)] = ""
    fields_v1: Annotated[Json, At(7)] = NO_JSON
    subresource: Annotated[str, At(8)] = ""


class ObjectMeta(Part):
    """Who an object is: its names, its owners, and what the server has noted about it."""

    name: Annotated[str, At(1)] = ""
    generate_name: Annotated[str, At(2)] = ""
    namespace: Annotated[str, At(3)] = ""
    self_link: Annotated[str, At(4)] = ""
    uid: Annotated[str, At(5)] = ""
    resource_version: Annotated[str, At(6)] = ""
    generation: Annotated[Int64, At(7)] = 0
    creation_timestamp: Annotated[Time | None, At(8)] = None
    deletion_timestamp: Annotated[Time | None, At(9)] = None
    deletion_grace_period_seconds: Annotated[Int64 | None, At(10)] = None
    labels: Annotated[dict[str, str], At(11)] = field(default_factory=dict)
    annotations: Annotated[dict[str, str], At(12)] = field(default_factory=dict)
    owner_references: Annotated[tuple[OwnerReference, ...], keyed(13, "uid")] = ()
    finalizers: Annotated[tuple[str, ...], unique(14, patch="merge")] = ()
    managed_fields: Annotated[tuple[ManagedFieldsEntry, ...], atomic(17)] = ()


class Object(Part):
    """What every stored kind has. `metadata` stands first so that a stored value begins `{"metadata":{`."""

    metadata: Annotated[ObjectMeta, At(1)] = field(default_factory=ObjectMeta)
    api_version: str = ""
    kind: str = ""


# --- Selectors


class LabelSelectorRequirement(Part):
    """One demand on a label: In, NotIn, Exists or DoesNotExist."""

    key: Annotated[str, At(1)] = field(default_factory=str)
    operator: Annotated[str, At(2)] = field(default_factory=str)
    values: Annotated[tuple[str, ...], atomic(3)] = ()


@whole
class LabelSelector(Part):
    """Which labels are wanted: all of `match_labels` and all of `match_expressions`. Empty means everything."""

    match_labels: Annotated[dict[str, str], At(1)] = field(default_factory=dict)
    match_expressions: Annotated[tuple[LabelSelectorRequirement, ...], atomic(2)] = ()


class FieldSelectorRequirement(Part):
    """One demand on a field, as authorization reviews carry it."""

    key: Annotated[str, At(1)] = field(default_factory=str)
    operator: Annotated[str, At(2)] = field(default_factory=str)
    values: Annotated[tuple[str, ...], atomic(3)] = ()


# --- Conditions


class Condition(Part):
    """One observation about an object, in the form that the newer kinds share."""

    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    observed_generation: Annotated[Int64, At(3)] = 0
    last_transition_time: Annotated[Time | None, At(4, required=True)] = field(default_factory=null)
    reason: Annotated[str, At(5)] = field(default_factory=str)
    message: Annotated[str, At(6)] = field(default_factory=str)


# --- Lists and answers


class ShardInfo(Part):
    """Which share of a list an answer covers."""

    selector: Annotated[str, At(1)] = field(default_factory=str)


class ListMeta(Part):
    """What a list says about itself."""

    self_link: Annotated[str, At(1)] = ""
    resource_version: Annotated[str, At(2)] = ""
    continue_: Annotated[str, At(3)] = ""
    remaining_item_count: Annotated[Int64 | None, At(4)] = None
    shard_info: Annotated[ShardInfo | None, At(5)] = None


class StatusCause(Part):
    """One reason for a refusal, tied to a field where there is one."""

    reason: Annotated[str, At(1)] = ""
    message: Annotated[str, At(2)] = ""
    field: Annotated[str, At(3)] = ""


class StatusDetails(Part):
    """What an error is about."""

    name: Annotated[str, At(1)] = ""
    group: Annotated[str, At(2)] = ""
    kind: Annotated[str, At(3)] = ""
    uid: Annotated[str, At(6)] = ""
    causes: Annotated[tuple[StatusCause, ...], atomic(4)] = ()
    retry_after_seconds: Annotated[Int32, At(5)] = 0


class Status(Part):
    """The answer of a call that has no object to show, and of every call that failed."""

    metadata: Annotated[ListMeta, At(1)] = field(default_factory=ListMeta)
    status: Annotated[str, At(2)] = ""
    message: Annotated[str, At(3)] = ""
    reason: Annotated[str, At(4)] = ""
    details: Annotated[StatusDetails | None, At(5)] = None
    code: Annotated[Int32, At(6)] = 0
    api_version: str = ""
    kind: str = ""


# --- Options


class Preconditions(Part):
    """What must be true of an object for a deletion or binding to happen."""

    uid: Annotated[str | None, At(1)] = None
    resource_version: Annotated[str | None, At(2)] = None


class DeleteOptions(Part):
    """How to delete: grace, what becomes of dependents, and what must hold."""

    grace_period_seconds: Annotated[Int64 | None, At(1)] = None
    preconditions: Annotated[Preconditions | None, At(2)] = None
    orphan_dependents: Annotated[bool | None, At(3)] = None
    propagation_policy: Annotated[str | None, At(4)] = None
    dry_run: Annotated[tuple[str, ...], atomic(5)] = ()
    ignore_store_read_error_with_cluster_breaking_potential: Annotated[bool | None, At(6)] = None
    api_version: str = ""
    kind: str = ""
