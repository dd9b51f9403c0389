"""Pods: defaults and rules of the main endpoint (`POD`), and of the subresources that have rules of their own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from apiserver.registry.defaults import pod as defaults
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import pod as rules
from apiserver.registry.validation import podresize, podstatus, podupdate
from apiserver.registry.warnings import pod as warned
from steersman.api import podresources
from steersman.api.core import Pod, PodCondition, PodStatus

qos_class = podresources.qos_class
validate_status_update = podstatus.validate_pod_status_update
validate_ephemeral_containers_update = podupdate.validate_ephemeral_containers_update
prepare_ephemeral_containers_update = podupdate.only_ephemeral_containers
prepare_resize = podresize.only_resources
validate_resize = podresize.validate_resize


def prepare_status_update(new: Pod, old: Pod) -> Pod:
    """What a status must not lose by being left out: class of service, claims, and which generation it has seen."""
    if new.status is old.status or new.status == old.status:
        return new
    return replace(new, status=_remembering(new.status, old.status))


def _remembering(new: PodStatus, old: PodStatus) -> PodStatus:
    return replace(
        new,
        qos_class=new.qos_class or old.qos_class,
        resource_claim_statuses=new.resource_claim_statuses or old.resource_claim_statuses,
        extended_resource_claim_status=new.extended_resource_claim_status or old.extended_resource_claim_status,
        observed_generation=new.observed_generation or old.observed_generation,
        conditions=_with_generations(new.conditions, old.conditions),
    )


def _with_generations(new: Sequence[PodCondition], old: Sequence[PodCondition]) -> tuple[PodCondition, ...]:
    """Each condition with the generation that its predecessor of the same type had seen, unless it says otherwise."""
    seen: dict[str, list[int]] = {}
    for condition in old:
        seen.setdefault(condition.type, []).append(condition.observed_generation)
    kept = []
    for condition in new:
        generations = seen.get(condition.type)
        before = generations.pop(0) if generations else 0
        if before and not condition.observed_generation:
            condition = replace(condition, observed_generation=before)
        kept.append(condition)
    return tuple(kept)


POD = Strategy(
    default=defaults.default_pod,
    validate=rules.validate_pod,
    validate_create=rules.validate_new_pod,
    validate_update=podupdate.validate_pod_update,
    prepare_status_update=prepare_status_update,
    validate_status_update=validate_status_update,
    status_keeps=("owner_references",),
    warn=warned.of_pod,
    warn_of_status=warned.of_status,
)
