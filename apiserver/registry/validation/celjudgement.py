"""What the rules in a schema of a custom resource say of a value, in Kubernetes' words. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from apiserver.registry.validation import celrules, celtypes, celvalues, structural
from steersman.api import fields
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.api.apiextensions import ValidationRule
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.cel import compilation, evaluator
from steersman.cel.checker import Checked
from steersman.cel.evaluator import CostExceeded
from steersman.cel.source import CompilationError
from steersman.cel.values import EvaluationError, Optional

BUDGET: Final = 10_000_000
"""The steps that all rules together may take for one object."""

MAX_MESSAGE_BYTES: Final = 5 * 1024


@dataclass(frozen=True, slots=True)
class _Place:
    """`is_object`: a whole object stands there, at the root or embedded."""

    schema: Schema
    path: Path
    is_object: bool


@dataclass(frozen=True, slots=True)
class Compiled:
    rule: ValidationRule
    condition: Checked
    message: Checked | None = None

    @property
    def uses_old(self) -> bool:
        return celrules.mentions_old(self.condition)


def _is_object(schema: Schema) -> bool:
    return schema.x_kubernetes_embedded_resource


def judge(value: Any, schema: Schema, path: Path, old: Any = None, *, is_object: bool = False) -> list[Cause]:
    """Complaints of the rules about a plain JSON value that fits the schema; `old`: what it replaces, if anything.

    Rules that do not compile say nothing: they were complained of where they were written.
    """
    return _Judge().judge(value, old, _Place(schema, path, is_object))


class _Judge:
    def __init__(self) -> None:
        self._budget = BUDGET

    def judge(self, value: Any, old: Any, place: _Place) -> list[Cause]:
        if value is None or self._budget < 0:
            return []
        causes = self._own(value, old, place)
        schema, path = place.schema, place.path
        if isinstance(value, list) and isinstance(schema.items, Schema):
            earlier = _by_keys(old, schema)
            for index, item in enumerate(value):
                below = _Place(schema.items, path.index(index), _is_object(schema.items))
                causes += self.judge(item, earlier.get(_key_of(item, schema)), below)
        elif isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            others = schema.additional_properties
            for key, item in value.items():
                child = schema.properties.get(key) or (others if isinstance(others, Schema) else None)
                if child is not None:
                    where = path.child(key) if key in schema.properties else path.key(key)
                    causes += self.judge(item, before.get(key), _Place(child, where, _is_object(child)))
        return causes

    def _own(self, value: Any, old: Any, place: _Place) -> list[Cause]:
        rules = place.schema.x_kubernetes_validations
        if not rules:
            return []
        schema = celtypes.with_object_fields(place.schema) if place.is_object else place.schema
        bound, before = celvalues.bind(value, schema), celvalues.bind(old, schema)
        causes: list[Cause] = []
        for compiled in compiled_rules(place.schema, is_object=place.is_object):
            if compiled.uses_old and old is None and not compiled.rule.optional_old_self:
                continue
            variables: dict[str, Any] = {"self": bound, celrules.OLD_SELF: before}
            if compiled.rule.optional_old_self:
                variables[celrules.OLD_SELF] = Optional(before, present=old is not None)
            causes += self._verdict(compiled, variables, value, place)
        return causes

    def _verdict(self, compiled: Compiled, variables: dict[str, Any], value: Any, place: _Place) -> list[Cause]:
        rule, path, kind = compiled.rule, place.path, place.schema.type
        name = rule.message.strip() or rule.rule.strip()
        try:
            holds, spent = evaluator.evaluate_costed(compiled.condition, variables)
        except CostExceeded as error:
            self._budget = -1
            why = "no further validation rules will be run due to call cost exceeds limit for rule"
            return [fields.invalid(path, kind, f"'{error}': {why}: {name}")]
        except EvaluationError as error:
            if str(error).startswith("no such overload"):
                why = "call arguments did not match a supported operator, function or macro signature for rule"
                return [fields.invalid(path, kind, f"'{error}': {why}: {name}")]
            return [fields.invalid(path, kind, f"{error} evaluating rule: {name}")]
        self._budget -= spent
        if self._budget < 0:
            why = "validation failed due to running out of cost budget, no further validation rules will be run"
            return [fields.invalid(path, kind, why)]
        if holds is True:
            return []
        where = Path(f"{path}{rule.field_path}") if rule.field_path else path
        return [_refusal(rule, where, value, _message(compiled, variables))]


def compiled_rules(schema: Schema, *, is_object: bool) -> Iterator[Compiled]:
    """The rules directly at a schema, as far as they compile."""
    declared = celtypes.declare(schema, is_object=is_object)
    if declared is None:
        return
    for rule in schema.x_kubernetes_validations:
        environment = celrules.environment_of(declared, rule)
        try:
            condition = compilation.compile(rule.rule, environment)
            message = compilation.compile(rule.message_expression, environment) if rule.message_expression else None
        except CompilationError:
            continue
        yield Compiled(rule, condition, message)


def _message(compiled: Compiled, variables: dict[str, Any]) -> str:
    rule = compiled.rule
    if compiled.message is not None:
        try:
            text = str(evaluator.evaluate(compiled.message, variables)).strip()
        except (EvaluationError, CostExceeded):
            text = ""
        if text and "\n" not in text and len(text.encode()) <= MAX_MESSAGE_BYTES:
            return text
    return rule.message.strip() or f"failed rule: {rule.rule.strip()}"


def _refusal(rule: ValidationRule, path: Path, value: Any, detail: str) -> Cause:
    shown = fields.UNSHOWN if isinstance(value, dict | list) else value
    match rule.reason:
        case "FieldValueForbidden":
            return fields.forbidden(path, detail)
        case "FieldValueRequired":
            return fields.required(path, detail)
        case "FieldValueDuplicate":
            return fields.duplicate(path, shown)
    return fields.invalid(path, shown, detail)


def _key_of(item: Any, schema: Schema) -> tuple[Any, ...] | None:
    """By what items of a list that is a map are told apart."""
    if schema.x_kubernetes_list_type != "map" or not isinstance(item, dict):
        return None
    return tuple(repr(item.get(key, _default(schema, key))) for key in schema.x_kubernetes_list_map_keys)


def _default(schema: Schema, key: str) -> Any:
    items = schema.items
    known = items.properties.get(key) if isinstance(items, Schema) else None
    return bytes(known.default) if known is not None and structural.is_given(known.default) else None


def _by_keys(old: Any, schema: Schema) -> dict[tuple[Any, ...] | None, Any]:
    items = old if isinstance(old, list) else []
    return {key: item for item in items if (key := _key_of(item, schema)) is not None}
