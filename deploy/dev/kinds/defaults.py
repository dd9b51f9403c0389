"""The defaults of a kind: found out by letting its strategy complete an object, and looking at what was added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import msgspec

from apiserver.registry import versions
from apiserver.registry.catalog import STRATEGIES
from deploy.dev.kinds import fieldtables
from steersman.api import codec, schema
from steersman.api.core import PodTemplateSpec
from steersman.api.kinds import Kind
from steersman.api.part import Part
from steersman.api.schema import Form
from tests import manifests

Added = Mapping[str, Any]
"""Values by path."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """`always`: what a small valid object gets. `when_given`: what optional parts get, lists in them filled or not."""

    always: Added
    when_given: Added


def of(kind: Kind) -> Defaults:
    given = manifests.manifest_of(kind)
    always = {**_put_back(kind, given), **_added(kind, given)}
    parts = _every_part(kind.struct)
    within = {**_added(kind, _joined(given, _without_lists(parts))), **_added(kind, _joined(given, parts))}
    return Defaults(always, {path: value for path, value in within.items() if always.get(path) != value})


def template_paths(struct: type[Part], above: str = "") -> Iterator[str]:
    """Where a kind has pod templates."""
    for field in schema.fields(struct).values():
        inner = fieldtables.struct_of(field.shape)
        if inner is PodTemplateSpec:
            yield f"{above}{field.name}"
        elif inner is not None and field.shape.form is Form.STRUCT and field.name in ("spec", "jobTemplate"):
            yield from template_paths(inner, f"{above}{field.name}.")


def _added(kind: Kind, given: Any) -> Added:
    asked = codec.decode(kind.struct, msgspec.json.encode(given))[0]
    stored = versions.to_stored(kind, asked)
    completed = STRATEGIES[kind.qualified_resource].default(stored)
    before = codec.to_dict(versions.to_asked(kind, stored))
    after = codec.to_dict(versions.to_asked(kind, completed))
    return dict(_differences(before, after, ""))


def _put_back(kind: Kind, given: Any) -> Added:
    """What the strategy sets where the manifest, small as it is, says something that it need not say."""
    added: dict[str, Any] = {}
    for route in _leaves(given):
        without = deepcopy(given)
        holder = without
        for step in route[:-1]:
            holder = holder[step]
        del holder[route[-1]]
        path = "".join("[]" if isinstance(step, int) else f".{step}" for step in route).removeprefix(".")
        added.update((at, value) for at, value in _added(kind, without).items() if at == path)
    return added


def _leaves(given: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every list of a manifest and every field that holds no further fields, metadata aside."""
    if isinstance(given, list):
        yield from (route for item in given[:1] for route in _leaves(item, (*above, 0)))
    elif isinstance(given, dict):
        for name, value in given.items():
            holds_fields = isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict))
            if holds_fields and name != "metadata":
                yield from _leaves(value, (*above, name))
            if not isinstance(value, dict) and (above or name not in ("apiVersion", "kind")):
                yield (*above, name)


def _differences(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any]]:
    """What is in `after` alone; an addition that is itself an object is told leaf by leaf."""
    if isinstance(after, dict) and (isinstance(before, dict) or (before is None and after)):
        for name, value in after.items():
            below = f"{path}.{name}" if path else name
            yield from _differences((before or {}).get(name), value, below)
    elif isinstance(after, list) and isinstance(before, list) and len(before) == len(after):
        for old, new in zip(before, after, strict=True):
            yield from _differences(old, new, f"{path}[]")
    elif before != after:
        yield path, after


def _every_part(struct: type[Part], above: frozenset[type[Part]] = frozenset()) -> dict[str, Any]:
    """Every struct below this one, empty, once in every list and map: what defaults can be added to."""
    parts: dict[str, Any] = {}
    for field in schema.fields(struct).values():
        inner = fieldtables.struct_of(field.shape)
        if inner is None or inner is struct or inner in above or field.name == "metadata":
            continue
        value: Any = _every_part(inner, above | {struct})
        match field.shape.form:
            case Form.LIST:
                parts[field.name] = [value]
            case Form.MAP:
                parts[field.name] = {"key": value}
            case _:
                parts[field.name] = value
    return parts


def _without_lists(parts: dict[str, Any]) -> dict[str, Any]:
    """A list with an item in it is left alone where an absent one would be filled."""
    return {
        name: _without_lists(value) if isinstance(value, dict) else value
        for name, value in parts.items()
        if not isinstance(value, list)
    }


def _joined(given: Any, more: Any) -> Any:
    """`given`, and what `more` has beside it."""
    if isinstance(given, dict) and isinstance(more, dict):
        return {name: _joined(given.get(name), more.get(name)) for name in (*more, *given)}
    if isinstance(given, list) and isinstance(more, list) and more:
        return [_joined(item, more[0]) for item in given]
    return more if given is None else given
