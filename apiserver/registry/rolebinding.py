"""RoleBindings: who has a role, or a cluster role, within one namespace. The role is chosen once."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import pathsegments, rights
from steersman.api.errors import Cause
from steersman.api.rbac import RoleBinding

ROLE_KINDS = ("Role", "ClusterRole")


def default(new: RoleBinding) -> RoleBinding:
    return replace(new, role_ref=rights.default_role_ref(new.role_ref), subjects=rights.default_subjects(new.subjects))


def validate(new: RoleBinding) -> list[Cause]:
    return [
        *rights.validate_role_ref(new.role_ref, ROLE_KINDS),
        *rights.validate_subjects(new.subjects, namespaced=True),
    ]


ROLE_BINDING = Strategy(
    default=default,
    validate=validate,
    validate_update=rights.validate_binding_update,
    name_rule=pathsegments.path_segment,
)
