"""The rbac.authorization group, v1: who may do what."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import LabelSelector, Object
from steersman.api.part import At, Part, Some, atomic, empty, null, whole


class PolicyRule(Part):
    """Verbs on resources, or on plain URLs."""

    verbs: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    api_groups: Annotated[tuple[str, ...], atomic(2)] = ()
    resources: Annotated[tuple[str, ...], atomic(3)] = ()
    resource_names: Annotated[tuple[str, ...], atomic(4)] = ()
    non_resource_urls: Annotated[tuple[str, ...], atomic(5)] = field(default=(), name="nonResourceURLs")


class Role(Object):
    """Rules within one namespace."""

    rules: Annotated[Some[PolicyRule] | None, atomic(2, required=False)] = field(default_factory=null)


class AggregationRule(Part):
    cluster_role_selectors: Annotated[tuple[LabelSelector, ...], atomic(1)] = ()


class ClusterRole(Object):
    """Rules for the whole cluster, or for use in any namespace."""

    rules: Annotated[Some[PolicyRule] | None, atomic(2, required=False)] = field(default_factory=null)
    aggregation_rule: Annotated[AggregationRule | None, At(3)] = None


@whole
class RoleRef(Part):
    api_group: Annotated[str, At(1, required=False)] = field(default_factory=str)
    kind: Annotated[str, At(2)] = field(default_factory=str)
    name: Annotated[str, At(3)] = field(default_factory=str)


@whole
class Subject(Part):
    kind: Annotated[str, At(1)] = field(default_factory=str)
    api_group: Annotated[str, At(2)] = ""
    name: Annotated[str, At(3)] = field(default_factory=str)
    namespace: Annotated[str, At(4)] = ""


class RoleBinding(Object):
    """Who has a role within one namespace."""

    subjects: Annotated[tuple[Subject, ...], atomic(2)] = ()
    role_ref: Annotated[RoleRef, At(3, required=True)] = field(default_factory=RoleRef)


class ClusterRoleBinding(Object):
    """Who has a role everywhere."""

    subjects: Annotated[tuple[Subject, ...], atomic(2)] = ()
    role_ref: Annotated[RoleRef, At(3, required=True)] = field(default_factory=RoleRef)
