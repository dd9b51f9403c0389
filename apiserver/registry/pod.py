"""Pods: defaults, rules, and what each way of writing them may change."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from apiserver.registry import podresources
from apiserver.registry.defaults import pod as defaults
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import pod as rules
from apiserver.registry.validation import podstatus, podupdate
from steersman.api.core import Pod, PodCondition, PodStatus
from steersman.api.errors import Cause

qos_class = podresources.qos_class


def validate_update(new: Pod, old: Pod) -> list[Cause]:
    """The rules of both endpoints: the main one leaves status alone, the status one spec, so each meets its own."""
    causes = podupdate.validate_pod_update(new, old)
    if new.status is not old.status and new.status != old.status:
        causes += podstatus.validate_pod_status_update(new, old)
    return causes


def prepare_update(new: Pod, old: Pod) -> Pod:
    """What a status must not lose by being left out: its class of service, and which generation it has seen."""
    if new.status is old.status or new.status == old.status:
        return new
    return replace(new, status=_remembering(new.status, old.status))


def _remembering(new: PodStatus, old: PodStatus) -> PodStatus:
    return replace(
        new,
        qos_class=new.qos_class or old.qos_class,
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
    validate_update=validate_update,
    prepare_update=prepare_update,
)
