"""`steer explain`: what the fields of a kind mean. Reads the same Structs that the server reads; asks nobody."""

from __future__ import annotations

import textwrap

import click

from steersman.api import descriptions, schema
from steersman.api.kinds import Kind
from steersman.api.part import Part
from steersman.api.schema import Field, Form, Shape
from steersman.cli import arguments, naming, refusals

WIDTH = 80
_NAMES = {
    Form.STRING: "string",
    Form.INT32: "integer",
    Form.INT64: "integer",
    Form.DOUBLE: "number",
    Form.BOOL: "boolean",
    Form.BYTES: "string",
    Form.TIME: "string",
    Form.MICRO_TIME: "string",
    Form.QUANTITY: "Quantity",
    Form.INT_OR_STRING: "IntOrString",
    Form.JSON: "Object",
    Form.CHOICE: "Object",
}


@click.command()
@click.argument("what", metavar="TYPE[.FIELD…]", shell_complete=arguments.complete)
@click.option("--recursive", is_flag=True, help="The names of all fields below, and nothing about them.")
def explain(what: str, recursive: bool) -> None:  # noqa: FBT001 -- a flag
    """Say what the fields of a kind mean."""
    word, *path = what.split(".")
    (one,) = arguments.understood(naming.wanted, [word])[:1]
    try:
        click.echo(explanation(one.kind, path, recursive=recursive), nl=False)
    except KeyError as error:
        refusals.fail(f"error: field {error.args[0]!r} does not exist")


def explanation(kind: Kind, path: list[str], *, recursive: bool) -> str:
    """KeyError with the name that leads nowhere."""
    head = [
        *([f"GROUP:      {kind.group}"] if kind.group else []),
        f"KIND:       {kind.kind}",
        f"VERSION:    {kind.version}",
    ]
    struct: type[Part] | None = kind.struct
    said, field = descriptions.of_struct(kind.struct), None
    for name in path:
        found = schema.fields(struct).get(name) if struct is not None else None
        if found is None or struct is None:
            raise KeyError(name)
        said, field, struct = descriptions.of_field(struct, name), found, _inside(found.shape)
    lines = [*head, ""]
    if field is not None:
        lines += [f"FIELD: {field.name} <{type_name(field.shape)}>", ""]
    lines += ["", "DESCRIPTION:", *_wrapped(said or "<empty>", 4)]
    if struct is not None:
        lines += ["", "FIELDS:", *(_names(struct, 1, frozenset()) if recursive else _fields(struct))]
    return "\n".join(lines) + "\n"


def type_name(shape: Shape) -> str:
    if shape.form is Form.LIST and shape.item is not None:
        return f"[]{type_name(shape.item)}"
    if shape.form is Form.MAP and shape.item is not None:
        return f"map[string]{type_name(shape.item)}"
    if shape.struct is not None:
        return shape.struct.__name__
    return _NAMES.get(shape.form, "Object")


def _inside(shape: Shape) -> type[Part] | None:
    while shape.item is not None:
        shape = shape.item
    return shape.struct


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)


def _fields(struct: type[Part]) -> list[str]:
    lines: list[str] = []
    for name, field in sorted(schema.fields(struct).items()):
        lines += [_title(name, field, 1), *_wrapped(descriptions.of_field(struct, name) or "<no description>", 4), ""]
    return lines


def _names(struct: type[Part], depth: int, above: frozenset[type[Part]]) -> list[str]:
    """A type that holds itself is not entered again."""
    lines: list[str] = []
    for name, field in sorted(schema.fields(struct).items()):
        lines.append(_title(name, field, depth))
        inside = _inside(field.shape)
        if inside is not None and inside not in above:
            lines += _names(inside, depth + 1, above | {struct, inside})
    return lines


def _title(name: str, field: Field, depth: int) -> str:
    required = " -required-" if field.required else ""
    return f"{'  ' * depth}{name}\t<{type_name(field.shape)}>{required}"
