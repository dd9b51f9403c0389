"""ClusterRoles: rules about resources anywhere and about plain URLs, written down or gathered from other roles."""

from __future__ import annotations

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, pathsegments, rights
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.rbac import AggregationRule, ClusterRole

_SELECTORS = Path("aggregationRule").child("clusterRoleSelectors")


def validate(new: ClusterRole) -> list[Cause]:
    causes = rights.validate_rules(new.rules or (), Path("rules"), namespaced=False)
    return causes if new.aggregation_rule is None else causes + _validate_aggregation(new.aggregation_rule)


def _validate_aggregation(aggregation: AggregationRule) -> list[Cause]:
    causes: list[Cause] = []
    if not aggregation.cluster_role_selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        causes.append(fields.required(_SELECTORS, detail))
    for index, selector in enumerate(aggregation.cluster_role_selectors):
        path = _SELECTORS.index(index)
        complaints = checks.validate_label_selector(selector, path)
        causes += complaints
        if complaints:
            # Kubernetes shows what became of the selector, which is nothing.
            causes.append(fields.invalid(path, None, "invalid label selector."))
    return causes


CLUSTER_ROLE = Strategy(validate=validate, name_rule=pathsegments.path_segment)
