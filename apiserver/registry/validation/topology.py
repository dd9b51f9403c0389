"""Rules for topology spread constraints."""

from __future__ import annotations

from apiserver.registry.validation import affinity, checks
from steersman.api import fields
from steersman.api.core import TopologySpreadConstraint
from steersman.api.errors import Cause
from steersman.api.fields import Path

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_NOT_POSITIVE = "must be greater than zero"


def validate_spread(constraints: tuple[TopologySpreadConstraint, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    last = {(each.topology_key, each.when_unsatisfiable): index for index, each in enumerate(constraints)}
    for index, constraint in enumerate(constraints):
        where = path.index(index)
        if constraint.max_skew <= 0:
            causes.append(fields.invalid(where.child("maxSkew"), constraint.max_skew, _NOT_POSITIVE))
        if not constraint.topology_key:
            causes.append(fields.required(where.child("topologyKey"), "can not be empty"))
        causes += checks.choice(constraint.when_unsatisfiable, where.child("whenUnsatisfiable"), _ACTIONS)
        if last[constraint.topology_key, constraint.when_unsatisfiable] > index:
            shown = f"{{{constraint.topology_key}, {constraint.when_unsatisfiable}}}"
            causes.append(fields.duplicate(where.child("{topologyKey, whenUnsatisfiable}"), shown))
        causes += _validate_details(constraint, where)
    return causes


def _validate_details(constraint: TopologySpreadConstraint, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if constraint.min_domains is not None:
        where = path.child("minDomains")
        if constraint.min_domains <= 0:
            causes.append(fields.invalid(where, constraint.min_domains, _NOT_POSITIVE))
        if constraint.when_unsatisfiable != "DoNotSchedule":
            action = constraint.when_unsatisfiable
            detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            causes.append(fields.invalid(where, constraint.min_domains, detail))
    if constraint.node_affinity_policy is not None:
        causes += checks.choice(constraint.node_affinity_policy, path.child("nodeAffinityPolicy"), _POLICIES)
    if constraint.node_taints_policy is not None:
        causes += checks.choice(constraint.node_taints_policy, path.child("nodeTaintsPolicy"), _POLICIES)
    causes += affinity.validate_label_keys(path, constraint.match_label_keys, (), constraint.label_selector)
    return causes + checks.validate_label_selector(constraint.label_selector, path.child("labelSelector"))
