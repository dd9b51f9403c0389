"""Roles: rules about resources of one namespace."""

from __future__ import annotations

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import pathsegments, rights
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.rbac import Role


def validate(new: Role) -> list[Cause]:
    return rights.validate_rules(new.rules or (), Path("rules"), namespaced=True)


ROLE = Strategy(validate=validate, name_rule=pathsegments.path_segment)
