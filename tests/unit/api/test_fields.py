from __future__ import annotations

import pytest

from steersman.api import fields
from steersman.api.core import ContainerPort, ResourceRequirements
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Quantity


def test_paths() -> None:
    path = Path("spec").child("containers").index(0).child("env", "name")
    assert path == "spec.containers[0].env.name"
    assert Path("metadata.labels").key("a/b") == "metadata.labels[a/b]"
    assert Path().child("metadata") == "metadata"


@pytest.mark.parametrize(
    ("cause", "reason", "message"),
    [
        (fields.required("a"), "FieldValueRequired", "Required value"),
        (fields.required("a", "why"), "FieldValueRequired", "Required value: why"),
        (fields.invalid("a", "x", "why"), "FieldValueInvalid", 'Invalid value: "x": why'),
        (fields.invalid("a", 'é"\n', "why"), "FieldValueInvalid", 'Invalid value: "é\\"\\n": why'),
        (fields.invalid("a", 5, "why"), "FieldValueInvalid", "Invalid value: 5: why"),
        (fields.invalid("a", True, "why"), "FieldValueInvalid", "Invalid value: true: why"),
        (fields.invalid("a", None, "why"), "FieldValueInvalid", "Invalid value: null: why"),
        (fields.invalid("a", {"b": "<c>", "a": 1}, "no"), "FieldValueInvalid", None),
        (
            fields.not_supported("a", "x", ["A", "B"]),
            "FieldValueNotSupported",
            'Unsupported value: "x": supported values: "A", "B"',
        ),
        (fields.not_supported("a", "x", []), "FieldValueNotSupported", 'Unsupported value: "x"'),
        (fields.forbidden("a", "why"), "FieldValueForbidden", "Forbidden: why"),
        (fields.duplicate("a", "x"), "FieldValueDuplicate", 'Duplicate value: "x"'),
        (fields.not_found("a", "x"), "FieldValueNotFound", 'Not found: "x"'),
        (fields.too_long("a", 63), "FieldValueTooLong", "Too long: may not be more than 63 bytes"),
        (fields.too_long("a", 1), "FieldValueTooLong", "Too long: may not be more than 1 byte"),
        (fields.too_many("a", 11, 10), "FieldValueTooMany", "Too many: 11: must have at most 10 items"),
        (fields.type_invalid("a", "x", "why"), "FieldValueTypeInvalid", 'Invalid value: "x": why'),
        (fields.internal("a", "why"), "InternalError", "Internal error: why"),
    ],
)
def test_causes(cause: Cause, reason: str, message: str | None) -> None:
    expected = message or 'Invalid value: {"a":1,"b":"\\u003cc\\u003e"}: no'
    assert cause == Cause(reason, expected, "a")


def test_structs_are_shown_as_json_in_their_own_order() -> None:
    shown = fields.duplicate("spec.ports[1]", ContainerPort(name="b", container_port=1)).message
    assert shown == 'Duplicate value: {"name":"b","containerPort":1}'
    limits = ResourceRequirements(limits={"memory": Quantity("1Gi"), "cpu": Quantity("1")})
    assert fields.duplicate("x", limits).message == 'Duplicate value: {"limits":{"cpu":"1","memory":"1Gi"}}'
