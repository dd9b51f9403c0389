"""Expressions of admission policies: what they may speak of, and what is said of those that do not compile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.apiserver.registry.tables import Row, ids, row
from tests.unit.apiserver.registry.test_admissionpolicy import MUTATING, VALIDATING, spec


def undeclared(path: str, text: str, name: str, at: int = 1) -> str:
    mark = "." * (at - 1) + "^"
    complaint = f"ERROR: <input>:1:{at}: undeclared reference to '{name}' (in container '')\n | {text}\n | {mark}"
    return f'{path}: Invalid value: "{text}": compilation failed: {complaint}'


def checked(*expressions: str, **more: Any) -> dict[str, Any]:
    return spec(validations=[{"expression": each} for each in expressions], **more)


FIRST = "spec.validations[0]"
PARAMS = {"apiVersion": "v1", "kind": "ConfigMap"}
VALIDATIONS = [
    row(
        "what there is",
        checked(
            "object.spec.replicas <= 5 && oldObject == null",
            "request.operation in ['CREATE'] && request.userInfo.groups.all(g, g != 'x') && !request.dryRun",
            "namespaceObject.metadata.labels['a'] == 'b'",
            "authorizer.group('apps').resource('deployments').check('delete').allowed()",
            "authorizer.requestResource.check('get').allowed()",
        ),
    ),
    row("parameters", checked("object.x < params.x", paramKind=PARAMS)),
    row("no parameters", checked("params.x"), undeclared(f"{FIRST}.expression", "params.x", "params")),
    row("no such name", checked("x.y"), undeclared(f"{FIRST}.expression", "x.y", "x")),
    row("no such function", checked("object.x()"), undeclared(f"{FIRST}.expression", "object.x()", "x", 9)),
    row(
        "no such field",
        checked("request.verb == 'a'"),
        f"{FIRST}.expression: Invalid value: \"request.verb == 'a'\": compilation failed: ERROR: <input>:1:8: "
        "undefined field 'verb'\n | request.verb == 'a'\n | .......^",
    ),
    row(
        "no condition",
        checked("request.name"),
        f'{FIRST}.expression: Invalid value: "request.name": must evaluate to bool but got string',
    ),
    row(
        "anything is no condition",
        checked("object.spec"),
        f'{FIRST}.expression: Invalid value: "object.spec": must evaluate to bool but got dyn',
    ),
    row(
        "no message",
        spec(validations=[{"expression": "true", "messageExpression": "1"}]),
        f'{FIRST}.messageExpression: Invalid value: "1": must evaluate to string but got int',
    ),
    row(
        "a message that asks",
        spec(validations=[{"expression": "true", "messageExpression": "authorizer.a"}]),
        undeclared(f"{FIRST}.messageExpression", "authorizer.a", "authorizer"),
    ),
    row(
        "a note of nothing",
        spec(auditAnnotations=[{"key": "a", "valueExpression": "null"}, {"key": "b", "valueExpression": " 1"}]),
        'spec.auditAnnotations[1].valueExpression: Invalid value: " 1": '
        "must evaluate to one of [string null_type] but got int",
    ),
    row(
        "variables",
        checked(
            "variables.small && variables.name == 'a'",
            variables=[
                {"name": "n", "expression": "object.spec.replicas"},
                {"name": "small", "expression": "variables.n < 5"},
                {"name": "name", "expression": "request.name"},
            ],
        ),
    ),
    row(
        "variables too early",
        checked(
            "variables.b", variables=[{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "true"}]
        ),
        'spec.variables[0].expression: Invalid value: "variables.b": compilation failed: ERROR: <input>:1:10: '
        "undefined field 'b'\n | variables.b\n | .........^",
    ),
    row(
        "variables of another type",
        checked("variables.a > 1", variables=[{"name": "a", "expression": "'x'"}]),
        f'{FIRST}.expression: Invalid value: "variables.a \\u003e 1": compilation failed: '.replace("\\u003e", ">")
        + "ERROR: <input>:1:13: found no matching overload for '_>_' applied to '(string, int)'\n"
        " | variables.a > 1\n | ............^",
    ),
    row("no variables", checked("variables.a"), undeclared(f"{FIRST}.expression", "variables.a", "variables")),
    row(
        "conditions know no variables",
        spec(
            variables=[{"name": "a", "expression": "true"}],
            matchConditions=[{"name": "a", "expression": " variables.a "}, {"name": "b", "expression": "1"}],
        ),
        undeclared("spec.matchConditions[0].expression", "variables.a", "variables"),
        'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int',
    ),
]


@pytest.mark.parametrize("case", VALIDATIONS, ids=ids(VALIDATIONS))
def test_expressions_of_validating_policies(case: Row) -> None:
    assert VALIDATING.complaints(case.patch) == list(case.complaints)


def patched(expression: str) -> dict[str, Any]:
    return spec(mutations=[{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}])


def applied(expression: str, **more: Any) -> dict[str, Any]:
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
    return spec(mutations=[mutation], **more)


PATCH = "spec.mutations[0].jsonPatch.expression"
APPLY = "spec.mutations[0].applyConfiguration.expression"
MUTATIONS = [
    row("applied", applied("Object{spec: Object.spec{replicas: object.spec.replicas + 1}}")),
    row(
        "applied or not", applied("has(object.spec) ? Object{} : Object{metadata: Object.metadata{labels: {'a': 'b'}}}")
    ),
    row(
        "patched", patched("[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'x'}]")
    ),
    row("patched with parts", patched("[JSONPatch{op: 'add', path: '/spec', value: Object.spec{replicas: 1}}]")),
    row(
        "applied to nothing",
        applied("object"),
        f'{APPLY}: Invalid value: "object": must evaluate to Object but got dyn',
    ),
    row(
        "patched by nothing",
        patched("[]"),
        f'{PATCH}: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)',
    ),
    row(
        "patched by one",
        patched("JSONPatch{}"),
        f'{PATCH}: Invalid value: "JSONPatch{{}}": must evaluate to list(JSONPatch) but got JSONPatch',
    ),
    row(
        "no such field of a patch",
        patched("[JSONPatch{verb: 'add'}]"),
        f"{PATCH}: Invalid value: \"[JSONPatch{{verb: 'add'}}]\": compilation failed: ERROR: <input>:1:16: "
        "undefined field 'verb'\n | [JSONPatch{verb: 'add'}]\n | ...............^",
    ),
    row("no such type", applied("Thing{}"), undeclared(APPLY, "Thing{}", "Thing", 6)),
]


@pytest.mark.parametrize("case", MUTATIONS, ids=ids(MUTATIONS))
def test_expressions_of_mutating_policies(case: Row) -> None:
    assert MUTATING.complaints(case.patch) == list(case.complaints)
