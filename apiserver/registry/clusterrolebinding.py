"""ClusterRoleBindings: who has a cluster role everywhere. The role is chosen once."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import pathsegments, rights
from steersman.api.errors import Cause
from steersman.api.rbac import ClusterRoleBinding

ROLE_KINDS = ("ClusterRole",)


def default(new: ClusterRoleBinding) -> ClusterRoleBinding:
    return replace(new, role_ref=rights.default_role_ref(new.role_ref), subjects=rights.default_subjects(new.subjects))


def validate(new: ClusterRoleBinding) -> list[Cause]:
    return [
        *rights.validate_role_ref(new.role_ref, ROLE_KINDS),
        *rights.validate_subjects(new.subjects, namespaced=False),
    ]


CLUSTER_ROLE_BINDING = Strategy(
    default=default,
    validate=validate,
    validate_update=rights.validate_binding_update,
    name_rule=pathsegments.path_segment,
)
