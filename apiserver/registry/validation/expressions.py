"""Rules around expressions in CEL: that they are there, compile, and have the names they need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apiserver.registry.validation import celadmission, checks
from apiserver.registry.validation.celadmission import Scope
from steersman.api import fields, names
from steersman.api.admissionregistration import MatchCondition, Variable
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.cel import types

MAX_MATCH_CONDITIONS: Final = 64

_IDENTIFIER: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*", re.ASCII)
_RESERVED: Final = re.compile(
    "true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void"
    "|while"
)


def is_identifier(name: str) -> bool:
    return _IDENTIFIER.fullmatch(name) is not None and _RESERVED.fullmatch(name) is None


def validate_match_conditions(conditions: Sequence[MatchCondition], path: Path, scope: Scope) -> list[Cause]:
    causes: list[Cause] = []
    if len(conditions) > MAX_MATCH_CONDITIONS:
        causes.append(fields.too_many(path, len(conditions), MAX_MATCH_CONDITIONS))
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        where = path.index(index)
        if expression := condition.expression.strip():
            causes += celadmission.validate_expression(expression, where.child("expression"), scope, types.BOOL)
        else:
            causes.append(fields.required(where.child("expression")))
        causes += checks.required_name(condition.name, where.child("name"), names.qualified_name)
        if condition.name and condition.name in seen:
            causes.append(fields.duplicate(where.child("name"), condition.name))
        seen.add(condition.name)
    return causes


def validate_variables(variables: Sequence[Variable], path: Path, scope: Scope) -> list[Cause]:
    """A variable may use those before it."""
    causes: list[Cause] = []
    for index, variable in enumerate(variables):
        where = path.index(index)
        if not variable.name.strip():
            causes.append(fields.required(where.child("name"), "name is not specified"))
        elif not is_identifier(variable.name):
            causes.append(fields.invalid(where.child("name"), variable.name, "must be a valid CEL identifier"))
        expression = where.child("expression")
        if variable.expression.strip():
            before = celadmission.with_variables(replace(scope, variables=()), variables[:index])
            causes += celadmission.validate_expression(variable.expression, expression, before)
        else:
            causes.append(fields.required(expression, "expression is not specified"))
    return causes
