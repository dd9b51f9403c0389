"""What is said about fields: of those that exist, and of all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from steersman.api import apps, choices, descriptions, kinds, schema
from steersman.api.descriptions import catalog
from steersman.api.descriptions.meta import CONDITION
from steersman.api.kinds import Kind
from steersman.api.part import Part
from steersman.api.schema import Shape


@pytest.mark.parametrize("struct", catalog.BY_STRUCT, ids=lambda struct: f"{struct.__module__}.{struct.__name__}")
def test_only_fields_that_exist_are_described(struct: type[Part]) -> None:
    told = catalog.BY_STRUCT[struct]
    shared = {name for name, text in told.items() if CONDITION.get(name) == text}
    assert set(told) - shared <= set(schema.fields(struct))


@pytest.mark.parametrize("struct", choices.BY_STRUCT, ids=lambda struct: f"{struct.__module__}.{struct.__name__}")
def test_only_fields_that_exist_have_choices(struct: type[Part]) -> None:
    assert set(choices.BY_STRUCT[struct]) <= set(schema.fields(struct))


def parts_of(struct: type[Part], seen: set[type[Part]]) -> Iterator[type[Part]]:
    if struct in seen:
        return
    seen.add(struct)
    yield struct
    for field in schema.fields(struct).values():
        inner = inside(field.shape)
        if inner is not None:
            yield from parts_of(inner, seen)


def inside(shape: Shape) -> type[Part] | None:
    while shape.item is not None:
        shape = shape.item
    return shape.struct


@pytest.mark.parametrize("kind", kinds.ALL, ids=lambda kind: f"{kind.api_version}.{kind.kind}")
def test_every_field_is_described(kind: Kind) -> None:
    silent = [
        f"{struct.__name__}.{name}"
        for struct in parts_of(kind.struct, set())
        for name in schema.fields(struct)
        if not descriptions.of_field(struct, name)
    ]
    assert silent == []


def test_a_line_is_a_line() -> None:
    texts = [text for told in catalog.BY_STRUCT.values() for text in told.values()]
    assert all(text.endswith(".") and "\n" not in text and len(text) <= 120 for text in texts)


def test_the_docstring_describes_a_struct() -> None:
    assert descriptions.of_struct(apps.Deployment).startswith("Pods of one template")
    assert descriptions.of_struct(apps.DeploymentStrategy) == ""
