"""The roles and bindings that an empty cluster has, ready to be created.

Gathered roles (`view`, `edit`, `admin`) already have the rules of their parts, so they hold from the first moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.bootstrap import rules
from apiserver.bootstrap.controllers import CONTROLLERS
from apiserver.bootstrap.policy import (
    CLUSTER_BINDINGS,
    CLUSTER_ROLES,
    GATHERED,
    NAMESPACE_BINDINGS,
    NAMESPACE_ROLES,
)
from steersman.api.meta import LabelSelector, ObjectMeta
from steersman.api.rbac import AggregationRule, ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef

API_VERSION: Final = "rbac.authorization.k8s.io/v1"
_GROUP: Final = "rbac.authorization.k8s.io"
_LABELS: Final = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_ANNOTATIONS: Final = {"rbac.authorization.kubernetes.io/autoupdate": "true"}


def gathered(role: ClusterRole, roles: Sequence[ClusterRole]) -> tuple[PolicyRule, ...]:
    """The rules of all roles that have one of the labels a gathered role asks for: by name, none of them twice."""
    wanted = role.aggregation_rule.cluster_role_selectors if role.aggregation_rule is not None else ()
    parts = [
        part
        for part in sorted(roles, key=lambda other: other.metadata.name)
        if part.metadata.name != role.metadata.name
        and any(selector.match_labels.items() <= part.metadata.labels.items() for selector in wanted)
    ]
    return tuple(dict.fromkeys(each for part in parts for each in part.rules or ()))


def _aggregation_label(name: str) -> dict[str, str]:
    return {f"{_GROUP}/aggregate-to-{name}": "true"}


def _metadata(name: str, namespace: str = "", labels: dict[str, str] | None = None) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=namespace, labels={**_LABELS, **(labels or {})}, annotations=_ANNOTATIONS)


def _cluster_role(name: str, lines: Iterable[str]) -> ClusterRole:
    part_of = name.removeprefix("system:aggregate-to-")
    labels = _aggregation_label(part_of) if part_of in GATHERED else {}
    return ClusterRole(
        api_version=API_VERSION, kind="ClusterRole", metadata=_metadata(name, labels=labels), rules=_rules(lines)
    )


def _gathered_roles(parts: Sequence[ClusterRole]) -> list[ClusterRole]:
    known = list(parts)
    made: list[ClusterRole] = []
    for name, next_name in zip(GATHERED, (*GATHERED[1:], ""), strict=True):
        labels = _aggregation_label(next_name) if next_name else {}
        selector = LabelSelector(match_labels=_aggregation_label(name))
        role = ClusterRole(
            api_version=API_VERSION,
            kind="ClusterRole",
            metadata=_metadata(name, labels=labels),
            aggregation_rule=AggregationRule(cluster_role_selectors=(selector,)),
        )
        made.append(replace(role, rules=gathered(role, known) or None))
        known.append(made[-1])
    return made


def _rules(lines: Iterable[str]) -> tuple[PolicyRule, ...]:
    return tuple(map(rules.rule, lines))


def _cluster_binding(name: str, whom: str) -> ClusterRoleBinding:
    return ClusterRoleBinding(
        api_version=API_VERSION,
        kind="ClusterRoleBinding",
        metadata=_metadata(name),
        subjects=rules.subjects(whom),
        role_ref=RoleRef(api_group=_GROUP, kind="ClusterRole", name=name),
    )


def _all() -> Iterator[Role | ClusterRole | RoleBinding | ClusterRoleBinding]:
    controllers = {f"system:controller:{name}": (name, lines) for name, lines in CONTROLLERS.items()}
    cluster_roles = [_cluster_role(name, lines) for name, lines in CLUSTER_ROLES.items()]
    yield from cluster_roles
    yield from _gathered_roles(cluster_roles)
    yield from (_cluster_role(name, lines) for name, (_, lines) in controllers.items())
    yield from (_cluster_binding(name, whom) for name, whom in CLUSTER_BINDINGS.items())
    yield from (_cluster_binding(name, f"account {account}") for name, (account, _) in controllers.items())
    for (namespace, name), lines in NAMESPACE_ROLES.items():
        yield Role(api_version=API_VERSION, kind="Role", metadata=_metadata(name, namespace), rules=_rules(lines))
    for namespace, name, role, whom in NAMESPACE_BINDINGS:
        yield RoleBinding(
            api_version=API_VERSION,
            kind="RoleBinding",
            metadata=_metadata(name, namespace),
            subjects=rules.subjects(whom),
            role_ref=RoleRef(api_group=_GROUP, kind="Role", name=role or name),
        )


ROLES: Final[tuple[Role | ClusterRole | RoleBinding | ClusterRoleBinding, ...]] = tuple(_all())
"""Everything, each with its apiVersion and kind; roles come before what binds them."""
