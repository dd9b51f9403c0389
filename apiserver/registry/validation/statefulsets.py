"""Rules for the spec of a StatefulSet.

Each claim becomes a volume of its own name, so containers may mount claims that the template does not list; the
controller sets hostname and subdomain of its pods, so what the template says there does not count.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.validation import checks, claims, members, pod, podform, workloads
from steersman.api import fields, names
from steersman.api.apps import (
    RollingUpdateStatefulSetStrategy,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetSpec,
    StatefulSetUpdateStrategy,
)
from steersman.api.core import PersistentVolumeClaimVolumeSource, PodTemplateSpec, Volume
from steersman.api.errors import Cause
from steersman.api.fields import Path

ORDERED_READY = "OrderedReady"
PARALLEL = "Parallel"
ROLLING_UPDATE = "RollingUpdate"
ON_DELETE = "OnDelete"
RETAIN = "Retain"
DELETE = "Delete"


def validate_spec(spec: StatefulSetSpec, path: Path, *, is_new: bool) -> list[Cause]:
    """`is_new`: also look at what cannot change later on."""
    causes: list[Cause] = []
    if spec.pod_management_policy not in (ORDERED_READY, PARALLEL):
        detail = f"must be '{ORDERED_READY}' or '{PARALLEL}'"
        causes.append(fields.invalid(path.child("podManagementPolicy"), spec.pod_management_policy, detail))
    causes += _validate_strategy(spec.update_strategy, path.child("updateStrategy"))
    if spec.persistent_volume_claim_retention_policy is not None:
        where = path.child("persistentVolumeClaimRetentionPolicy")
        causes += _validate_retention(spec.persistent_volume_claim_retention_policy, where)
    if is_new:
        for index, claim in enumerate(spec.volume_claim_templates):
            where = path.child("volumeClaimTemplates").index(index).child("spec")
            causes += claims.validate_claim_spec(claim.spec, where)
    causes += members.not_negative(spec, path, "replicas", "min_ready_seconds")
    if spec.ordinals is not None:
        causes += members.not_negative(spec.ordinals, path.child("ordinals"), "start")
    if is_new and spec.service_name:
        causes += checks.name(spec.service_name, path.child("serviceName"), names.dns_label)
    causes += _validate_selection(spec, path)
    return causes + workloads.validate_runs_forever(spec.template, path.child("template"), workload="StatefulSet")


def _validate_strategy(strategy: StatefulSetUpdateStrategy, path: Path) -> list[Cause]:
    rolling, where = strategy.rolling_update, path.child("rollingUpdate")
    if strategy.type not in (ROLLING_UPDATE, ON_DELETE):
        return [fields.invalid(path, _shown_strategy(strategy), f"must be '{ROLLING_UPDATE}' or '{ON_DELETE}'")]
    if rolling is None:
        return []
    if strategy.type == ON_DELETE:
        detail = f"only allowed for updateStrategy '{ROLLING_UPDATE}'"
        return [fields.invalid(where, podform.as_json(_shown_rolling(rolling)), detail)]
    return _validate_rolling_update(rolling, where)


def _validate_rolling_update(rolling: RollingUpdateStatefulSetStrategy, path: Path) -> list[Cause]:
    causes = members.not_negative(rolling, path, "partition")
    unavailable, where = rolling.max_unavailable, path.child("maxUnavailable")
    if unavailable is None:
        return causes
    causes += workloads.validate_count_or_percent(unavailable, where)
    if workloads.magnitude(unavailable) == 0:
        causes.append(fields.invalid(where, unavailable, "cannot be 0"))
    return causes + workloads.validate_at_most_all(unavailable, where)


def _shown_strategy(strategy: StatefulSetUpdateStrategy) -> Any:
    rolling = strategy.rolling_update
    return podform.as_json(replace(strategy, rolling_update=_shown_rolling(rolling) if rolling else None))


def _shown_rolling(rolling: RollingUpdateStatefulSetStrategy) -> RollingUpdateStatefulSetStrategy:
    """Kubernetes shows a partition that was left out as the zero which it holds."""
    return replace(rolling, partition=rolling.partition or 0)


def _validate_retention(policy: StatefulSetPersistentVolumeClaimRetentionPolicy, path: Path) -> list[Cause]:
    causes = checks.choice(policy.when_deleted, path.child("whenDeleted"), (RETAIN, DELETE))
    return causes + checks.choice(policy.when_scaled, path.child("whenScaled"), (RETAIN, DELETE))


def _validate_selection(spec: StatefulSetSpec, path: Path) -> list[Cause]:
    where = path.child("selector")
    causes = workloads.validate_selector(spec.selector, where, workload="statefulset")
    if not workloads.is_usable(spec.selector):
        return [*causes, fields.invalid(where, spec.selector, "")]
    where = path.child("template")
    selector = spec.selector
    if selector is None or selector.match_labels or selector.match_expressions:
        causes += workloads.validate_selected(selector, spec.template, where)
    return causes + pod.validate_pod_template(_as_controller_sees_it(spec), where)


def _as_controller_sees_it(spec: StatefulSetSpec) -> PodTemplateSpec:
    template = spec.template.spec
    if not (template.subdomain or template.hostname or spec.volume_claim_templates):
        return spec.template
    claimed = {claim.metadata.name: _volume_of(claim.metadata.name) for claim in spec.volume_claim_templates}
    others = tuple(volume for volume in template.volumes if volume.name not in claimed)
    whole = replace(template, subdomain="", hostname="", volumes=(*claimed.values(), *others))
    return replace(spec.template, spec=whole)


def _volume_of(claim: str) -> Volume:
    return Volume(name=claim, persistent_volume_claim=PersistentVolumeClaimVolumeSource(claim_name=claim))
