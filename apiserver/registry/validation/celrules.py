"""The rules in a schema of a custom resource (`x-kubernetes-validations`): they compile and are affordable. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apiserver.registry.validation import celbudget, celtypes, internalform
from steersman.api import fields
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.api.apiextensions import ValidationRule
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.cel import compilation, cost, kubernetes, types
from steersman.cel.checker import Checked
from steersman.cel.environment import Environment
from steersman.cel.source import CompilationError

OLD_SELF: Final = "oldSelf"

_RULES: Final = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a schema we are; `times`: how often such a value may be in one object, None if nobody limits it."""

    schema: Schema
    path: Path
    is_object: bool
    times: int | None = 1
    uncorrelated: Path | None = None


def validate_rules(schema: Schema, path: Path, earlier: Sequence[Cause]) -> list[Cause]:
    """Complaints about the rules in a structural schema, but for parts that `earlier` complaints are about."""
    causes: list[Cause] = []
    budget = celbudget.Budget()
    for place in _places(_Place(schema, path, is_object=True)):
        if not place.schema.x_kubernetes_validations or any(cause.field.startswith(place.path) for cause in earlier):
            continue
        declared = celtypes.declare(place.schema, is_object=place.is_object)
        where = place.path.child(_RULES)
        if declared is None:
            why = "failed to construct type information for x-kubernetes-validations rules"
            detail = f"internal error: {why}: unable to convert structural schema to CEL declarations"
            causes.append(fields.internal(where, detail))
            continue
        for index, rule in enumerate(place.schema.x_kubernetes_validations):
            causes += _validate_rule(rule, declared, place, where.index(index), budget)
    return causes + budget.complain(path)


def _places(place: _Place) -> Iterator[_Place]:
    """All places at which rules may stand, the innermost first."""
    schema, path = place.schema, place.path
    times = celbudget.multiplied(place.times, _elements(schema))
    if isinstance(schema.additional_properties, Schema):
        where = path.child("additionalProperties")
        yield from _places(
            _Place(schema.additional_properties, where, _is_object(schema.additional_properties), times, _apart(place))
        )
    for name, child in schema.properties.items():
        where = path.child("properties").key(name)
        yield from _places(_Place(child, where, _is_object(child), times, _apart(place)))
    if isinstance(schema.items, Schema):
        apart = place.uncorrelated or (path if schema.x_kubernetes_list_type != "map" else None)
        yield from _places(_Place(schema.items, path.child("items"), _is_object(schema.items), times, apart))
    yield place


def _apart(place: _Place) -> Path | None:
    """From where on old and new values cannot be told to belong together: below what is replaced as a whole."""
    is_whole = place.schema.x_kubernetes_map_type not in (None, "granular")
    return place.uncorrelated or (place.path if is_whole else None)


def _is_object(schema: Schema) -> bool:
    return schema.x_kubernetes_embedded_resource


def _elements(schema: Schema) -> int | None:
    if schema.type == "object" and schema.additional_properties is not None:
        return None if schema.max_properties is None else max(schema.max_properties, 0)
    if schema.type == "array":
        return None if schema.max_items is None else max(schema.max_items, 0)
    return 1


def _validate_rule(
    rule: ValidationRule, declared: celtypes.Declared, place: _Place, path: Path, budget: celbudget.Budget
) -> list[Cause]:
    if not rule.rule.strip():
        return []
    environment = environment_of(declared, rule)
    where, shown = path.child("rule"), internalform.shown(rule)
    try:
        condition = compilation.compile(rule.rule, environment)
    except CompilationError as error:
        return [fields.invalid(where, shown, f"compilation failed: {error}"), *_unused_old(rule, path)]
    if condition.result != types.BOOL:
        return [fields.invalid(where, shown, "cel expression must evaluate to a bool"), *_unused_old(rule, path)]
    times = place.times if place.times is not None else celtypes.MAX_REQUEST_BYTES // (declared.least_bytes + 1)
    size_of = _sizes(declared)
    causes = budget.charge(where, "estimated rule cost", cost.estimate(condition, size_of) * times)
    causes += _validate_message(rule, environment, size_of, path.child("messageExpression"), budget)
    if not mentions_old(condition):
        return causes + _unused_old(rule, path)
    if place.uncorrelated is not None:
        detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.uncorrelated}"
        causes.append(fields.invalid(where, rule.rule, detail))
    return causes


def _unused_old(rule: ValidationRule, path: Path) -> list[Cause]:
    if rule.optional_old_self is None:
        return []
    detail = "may not be set if oldSelf is not used in rule"
    return [fields.invalid(path.child("optionalOldSelf"), rule.optional_old_self, detail)]


def _validate_message(
    rule: ValidationRule, environment: Environment, size_of: cost.SizeOf, path: Path, budget: celbudget.Budget
) -> list[Cause]:
    if not rule.message_expression:
        return []
    shown = internalform.shown(rule)
    try:
        message = compilation.compile(rule.message_expression, environment)
    except CompilationError as error:
        return [fields.invalid(path, shown, f"messageExpression compilation failed: {error}")]
    if message.result != types.STRING:
        return [fields.invalid(path, shown, "messageExpression must evaluate to a string")]
    return budget.charge(path, "estimated messageExpression cost", cost.estimate(message, size_of))


def environment_of(declared: celtypes.Declared, rule: ValidationRule) -> Environment:
    """What a rule may speak of: the value at its place, and the one that it replaces."""
    old = types.optional_of(declared.type) if rule.optional_old_self else declared.type
    variables = {"self": declared.type, OLD_SELF: old}
    return kubernetes.ENVIRONMENT.with_variables(variables).with_objects(declared.objects())


def mentions_old(condition: Checked) -> bool:
    return OLD_SELF in condition.references.values()


def _sizes(declared: celtypes.Declared) -> cost.SizeOf:
    def size_of(path: tuple[str, ...]) -> int | None:
        current: celtypes.Declared | None = declared
        for name in path[1:]:
            if current is None:
                return None
            if name == cost.KEYS:
                return None
            current = current.element if name == cost.ITEMS else current.fields.get(name)
        return None if current is None else current.most_elements

    return size_of
