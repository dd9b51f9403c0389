"""A JSON value against the schema of a custom resource: what is wrong with it, in Kubernetes' words. Pure.

Values are plain: dicts, lists, texts, ints, floats, bools and None. The same complaint is made once. Of several
alternatives none of which fits, the complaints of the one that fits best are told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from apiserver.registry.validation import schemaformats
from steersman.api import fields, patterns
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

_INT32: Final = 2**31
_INT64: Final = 2**63
_NATIVE_FORMATS: Final = {"integer": "int64", "number": "float64"}


class _Outcome:
    """Complaints about a value, and how much of its schema was gone through."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.causes: dict[str, Cause] = {}
        self.matches = 0

    def add(self, name: str, cause: Cause) -> None:
        self.causes.setdefault(f"{name}\0{cause.message}", cause)

    def place(self, name: str) -> Path:
        bare = name.removeprefix(".")
        return self.root.child(bare) if bare and self.root else Path(bare) if bare else self.root

    def invalid(self, name: str, value: Any, detail: str) -> None:
        self.add(name, fields.invalid(self.place(name), value, f"{name} in body {detail}"))

    def of_the_whole(self, detail: str) -> None:
        """A complaint that belongs to no field."""
        self.add("", fields.invalid(self.root or "<nil>", "", detail))

    def merge(self, other: _Outcome) -> None:
        for key, cause in other.causes.items():
            self.causes.setdefault(key, cause)
        self.matches += other.matches


def validate_value(value: Any, schema: Schema, path: Path) -> list[Cause]:
    """`path`: where the value is; empty for a whole object."""
    return list(_outcome(value, schema, "", path).causes.values())


def _outcome(value: Any, schema: Schema, name: str, root: Path) -> _Outcome:
    out = _Outcome(root)
    _check_type(value, schema, name, out)
    if value is not None:
        _check_alternatives(value, schema, name, out)
        if isinstance(value, str):
            _check_string(value, schema, name, out)
            _check_format(value, schema, name, out)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            _check_number(value, schema, name, out)
        elif isinstance(value, list):
            _check_list(value, schema, name, out)
        elif isinstance(value, dict):
            _check_object(value, schema, name, out)
    _check_enum(value, schema, name, out)
    out.matches += 1
    return out


# --- Types


def type_of(value: Any) -> str:
    """JSON's word for the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    words = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return words[type(value)]


def _check_type(value: Any, schema: Schema, name: str, out: _Outcome) -> None:
    wanted = ("integer", "string") if schema.x_kubernetes_int_or_string else (schema.type,) if schema.type else ()
    actual = type_of(value)
    if value is None:
        if wanted and not schema.nullable:
            _complain_of_type(name, ",".join(wanted), actual, out)
        return
    if not wanted and not schema.format:
        return
    is_whole = isinstance(value, float) and value.is_integer() and "integer" in wanted
    fits = actual in wanted or is_whole or (actual == "integer" and "number" in wanted)
    is_text_or_list = isinstance(value, str | list)
    if schema.format and is_text_or_list and not {"number", "integer"} & set(wanted):
        return  # the format decides
    if schema.format and not is_text_or_list and not fits:
        _complain_of_type(name, schema.format, _NATIVE_FORMATS.get(actual, ""), out)
    elif not fits:
        _complain_of_type(name, ",".join(wanted), actual, out)


def _complain_of_type(name: str, wanted: str, actual: str, out: _Outcome) -> None:
    detail = f"{name} in body must be of type {wanted}: {quoted(actual)}"
    out.add(name, fields.type_invalid(out.place(name), actual, detail))


# --- Alternatives


def _check_alternatives(value: Any, schema: Schema, name: str, out: _Outcome) -> None:
    shown = quoted(name)
    if schema.any_of:
        results = [_outcome(value, each, name, out.root) for each in schema.any_of]
        good = next((each for each in results if not each.causes), None)
        if good is None:
            out.of_the_whole(f"{shown} must validate at least one schema (anyOf)")
        out.merge(good or _best(results))
    if schema.one_of:
        results = [_outcome(value, each, name, out.root) for each in schema.one_of]
        valid = [each for each in results if not each.causes]
        if len(valid) == 1:
            out.merge(valid[0])
        else:
            found = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
            out.of_the_whole(f"{shown} must validate one and only one schema (oneOf). {found}")
            if not valid:
                out.merge(_best(results))
    if schema.all_of:
        results = [_outcome(value, each, name, out.root) for each in schema.all_of]
        for each in results:
            out.merge(each)
        failed = sum(bool(each.causes) for each in results)
        if failed:
            none = ". None validated" if failed == len(results) else ""
            out.of_the_whole(f"{shown} must validate all the schemas (allOf){none}")
    if schema.not_ is not None and not _outcome(value, schema.not_, name, out.root).causes:
        out.of_the_whole(f"{shown} must not validate the schema (not)")


def _best(results: Iterable[_Outcome]) -> _Outcome:
    return max(results, key=lambda each: each.matches)


# --- Scalars


def _check_string(value: str, schema: Schema, name: str, out: _Outcome) -> None:
    """The first complaint is enough."""
    out.matches += 1
    if schema.max_length is not None and len(value) > schema.max_length:
        out.add(name, fields.too_long(out.place(name), schema.max_length))
    elif schema.min_length is not None and len(value) < schema.min_length:
        out.invalid(name, value, f"should be at least {schema.min_length} chars long")
    elif schema.pattern and (complaint := patterns.complain(schema.pattern)):
        out.invalid(name, value, f"should match '{schema.pattern}, but pattern is invalid: {complaint}'")
    elif schema.pattern and not patterns.compiled(schema.pattern).matches(value):
        out.invalid(name, value, f"should match '{schema.pattern}'")


def _check_format(value: str, schema: Schema, name: str, out: _Outcome) -> None:
    check = schemaformats.known(schema.format) if schema.format else None
    if check is not None and not check(value):
        detail = f"{name} in body must be of type {schema.format}: {quoted(value)}"
        out.add(name, fields.type_invalid(out.place(name), value, detail))


def _check_number(value: float, schema: Schema, name: str, out: _Outcome) -> None:
    out.matches += 1
    if schema.type == "integer":
        bound = _INT32 if schema.format == "int32" else _INT64
        if float(value).is_integer() and not -bound <= value < bound:
            form = f"with format {schema.format}" if schema.format in ("int32", "int64") else "(default format)"
            out.of_the_whole(f"Checked value must be of type integer {form} in {name}")
    factor, least, most = schema.multiple_of, schema.minimum, schema.maximum
    if factor is not None and factor > 0 and not float(value / factor).is_integer():
        out.invalid(name, value, f"should be a multiple of {_shown(factor)}")
    if least is not None and (value <= least if schema.exclusive_minimum else value < least):
        relation = "greater than" if schema.exclusive_minimum else "greater than or equal to"
        out.invalid(name, value, f"should be {relation} {_shown(least)}")
    if most is not None and (value >= most if schema.exclusive_maximum else value > most):
        relation = "less than" if schema.exclusive_maximum else "less than or equal to"
        out.invalid(name, value, f"should be {relation} {_shown(most)}")


def _shown(number: float) -> str:
    """As Go prints it."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e21 else repr(number)


def _check_enum(value: Any, schema: Schema, name: str, out: _Outcome) -> None:
    if not schema.enum:
        return
    allowed = [msgspec.json.decode(each) for each in schema.enum]
    if any(_same(value, each) for each in allowed):
        return
    shown = [each if isinstance(each, str) else msgspec.json.encode(each).decode() for each in allowed]
    out.add(name, fields.not_supported(out.place(name), value, shown))


def _same(left: Any, right: Any) -> bool:
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


# --- Lists and objects


def _check_list(value: list[Any], schema: Schema, name: str, out: _Outcome) -> None:
    out.matches += 1
    if isinstance(schema.items, Schema):
        for index, item in enumerate(value):
            out.merge(_outcome(item, schema.items, f"{name}[{index}]", out.root))
    size = len(value)
    if schema.min_items is not None and size < schema.min_items:
        out.invalid(name, size, f"should have at least {schema.min_items} items")
    if schema.max_items is not None and size > schema.max_items:
        out.add(name, fields.too_many(out.place(name), size, schema.max_items))


def _check_object(value: dict[str, Any], schema: Schema, name: str, out: _Outcome) -> None:
    out.matches += 1
    size, others = len(value), schema.additional_properties
    if schema.min_properties is not None and size < schema.min_properties:
        out.invalid(name, size, f"should have at least {schema.min_properties} properties")
    if schema.max_properties is not None and size > schema.max_properties:
        out.add(name, fields.too_many(out.place(name), size, schema.max_properties))
    for key, item in value.items():
        if key in schema.properties:
            continue
        if others is False:
            detail = f"{name}.{key} in body is a forbidden property"
            out.add(name, fields.invalid(out.place(name), key, detail))
        elif isinstance(others, Schema):
            out.merge(_outcome(item, others, f"{name}.{key}", out.root))
    for key, child in schema.properties.items():
        if key in value:
            out.merge(_outcome(value[key], child, f"{name}.{key}" if name else key, out.root))
    for key in schema.required:
        if key not in value:
            out.add(f"{name}.{key}", fields.required(out.place(f"{name}.{key}")))
