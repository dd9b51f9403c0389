"""StatefulSets: pods with names, an order and claims of their own.

What gives a pod its identity never changes: selector, claims, service and the way pods are managed.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import each, note
from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.defaults.resources import rounded
from apiserver.registry.defaults.volume import default_claim_spec
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import members, statefulsets
from apiserver.registry.warnings import workloads as warned
from steersman.api import fields, names
from steersman.api.apps import (
    RollingUpdateStatefulSetStrategy,
    StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetStatus,
    StatefulSetUpdateStrategy,
)
from steersman.api.core import PersistentVolumeClaim
from steersman.api.errors import Cause
from steersman.api.fields import Path

REVISION_HISTORY_LIMIT = 10

_SPEC = Path("spec")
_STATUS = Path("status")
_NO_POLICY = StatefulSetPersistentVolumeClaimRetentionPolicy()
_MAY_CHANGE = frozenset(
    {
        "replicas",
        "ordinals",
        "template",
        "update_strategy",
        "revision_history_limit",
        "persistent_volume_claim_retention_policy",
        "min_ready_seconds",
    }
)
_OTHERWISE_FORBIDDEN = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def default(new: StatefulSet) -> StatefulSet:
    spec = new.spec
    changes: dict[str, Any] = {}
    if not spec.pod_management_policy:
        changes["pod_management_policy"] = statefulsets.ORDERED_READY
    note(changes, "update_strategy", spec.update_strategy, _default_strategy(spec.update_strategy))
    policy = spec.persistent_volume_claim_retention_policy or _NO_POLICY
    if not (policy.when_deleted and policy.when_scaled):
        changes["persistent_volume_claim_retention_policy"] = StatefulSetPersistentVolumeClaimRetentionPolicy(
            when_deleted=policy.when_deleted or statefulsets.RETAIN,
            when_scaled=policy.when_scaled or statefulsets.RETAIN,
        )
    if spec.replicas is None:
        changes["replicas"] = 1
    if spec.revision_history_limit is None:
        changes["revision_history_limit"] = REVISION_HISTORY_LIMIT
    note(changes, "template", spec.template, default_pod_template(spec.template))
    claims = spec.volume_claim_templates
    note(changes, "volume_claim_templates", claims, each(claims, _default_claim))
    return replace(new, spec=replace(spec, **changes)) if changes else new


def _default_strategy(strategy: StatefulSetUpdateStrategy) -> StatefulSetUpdateStrategy:
    rolling = strategy.rolling_update
    if not strategy.type:
        strategy = replace(strategy, type=statefulsets.ROLLING_UPDATE)
        rolling = rolling or RollingUpdateStatefulSetStrategy()
    if strategy.type != statefulsets.ROLLING_UPDATE or rolling is None or rolling.partition is not None:
        return strategy
    return replace(strategy, rolling_update=replace(rolling, partition=0))


def _default_claim(claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    """A claim inside a set is a whole object: it says its kind, and it is not bound yet."""
    changes: dict[str, Any] = {}
    if (claim.api_version, claim.kind) != ("v1", "PersistentVolumeClaim"):
        changes.update(api_version="v1", kind="PersistentVolumeClaim")
    note(changes, "spec", claim.spec, default_claim_spec(claim.spec))
    status: dict[str, Any] = {}
    if not claim.status.phase:
        status["phase"] = "Pending"
    note(status, "capacity", claim.status.capacity, rounded(claim.status.capacity))
    note(status, "allocated_resources", claim.status.allocated_resources, rounded(claim.status.allocated_resources))
    if status:
        changes["status"] = replace(claim.status, **status)
    return replace(claim, **changes) if changes else claim


def validate(new: StatefulSet) -> list[Cause]:
    # What never changes was judged at creation; a change of spec always makes a new generation.
    return statefulsets.validate_spec(new.spec, _SPEC, is_new=new.metadata.generation <= 1)


def validate_update(new: StatefulSet, old: StatefulSet) -> list[Cause]:
    causes: list[Cause] = []
    fixed = (name for name in new.spec.__struct_fields__ if name not in _MAY_CHANGE)
    if any(getattr(new.spec, name) != getattr(old.spec, name) for name in fixed):
        causes.append(fields.forbidden(_SPEC, _OTHERWISE_FORBIDDEN))
    return causes if new.status == old.status else causes + validate_status(new.status, old.status)


def validate_status(new: StatefulSetStatus, old: StatefulSetStatus) -> list[Cause]:
    counted = ("ready_replicas", "current_replicas", "updated_replicas", "available_replicas")
    causes = members.not_negative(new, _STATUS, "replicas", *counted, "observed_generation", "collision_count")
    causes += members.not_above(new, _STATUS, "replicas", *counted, called="status.replicas")
    causes += members.not_above(new, _STATUS, "ready_replicas", "available_replicas", called="status.readyReplicas")
    return causes + members.not_decremented(new.collision_count, old.collision_count, _STATUS.child("collisionCount"))


STATEFULSET = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    name_rule=names.dns_label,
    warn=warned.of_statefulset,
)
