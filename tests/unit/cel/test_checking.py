"""Types: what fits its environment, of which type it is, and what is said where it does not fit."""

from __future__ import annotations

import pytest

from steersman.cel import compilation, kubernetes, types
from steersman.cel.source import CompilationError

POD = {
    "name": types.STRING,
    "ports": types.list_of(types.struct("Port")),
    "labels": types.map_of(types.STRING, types.STRING),
}
ENVIRONMENT = kubernetes.ENVIRONMENT.with_objects({"Pod": POD, "Port": {"number": types.INT}}).with_variables(
    {
        "object": types.DYN,
        "pod": types.struct("Pod"),
        "n": types.INT,
        "s": types.STRING,
        "t": types.TIMESTAMP,
        "texts": types.list_of(types.STRING),
        "authorizer": types.struct("kubernetes.authorization.Authorizer"),
        "authorizer.requestResource": types.struct("kubernetes.authorization.ResourceCheck"),
    }
)

TYPES = {
    "null": "null_type",
    "1u": "uint",
    "object.a.b[0]": "dyn",
    "pod.ports": "list(Port)",
    "pod.ports.map(p, p.number)": "list(int)",
    "pod.labels.map(k, k)": "list(string)",
    "pod.labels.transformMap(k, v, size(v))": "map(string, int)",
    "pod.?labels[?'a']": "optional_type(string)",
    "pod.labels.?a.orValue('x')": "string",
    "optional.of(n).optMap(v, v > 1)": "optional_type(bool)",
    "[]": "list(dyn)",
    "{}": "map(dyn, dyn)",
    "[1, object.a]": "list(dyn)",
    "n > 1 ? s : 'b'": "string",
    "type(n)": "type(int)",
    "t - t": "google.protobuf.Duration",
    "t + duration('1h')": "google.protobuf.Timestamp",
    "1 < 2.5 && 1u <= 3": "bool",
    "quantity('1').add(quantity('2')).compareTo(quantity('3'))": "int",
    "authorizer.group('').resource('pods').namespace('a').check('get').allowed()": "bool",
    "authorizer.requestResource.check('get').reason()": "string",
    "cidr('10.0.0.0/8').ip().family()": "int",
    "format.named('uri').value().validate(s)": "optional_type(list(string))",
    "semver('1.0.0') == semver('v1', true)": "bool",
    "'a,b'.split(',').sort().reverse().first()": "optional_type(string)",
    "pod.ports.sortBy(p, p.number)": "list(Port)",
    "lists.range(3).sum()": "int",
    "Pod{name: s}": "Pod",
}
COMPLAINTS = {
    "x": (1, "undeclared reference to 'x' (in container '')"),
    "n.foo()": (6, "undeclared reference to 'foo' (in container '')"),
    "foo(n)": (4, "undeclared reference to 'foo' (in container '')"),
    "cel.bind(a, 1, a)": (1, "undeclared reference to 'cel' (in container '')"),
    "pod.spec": (4, "undefined field 'spec'"),
    "has(pod.spec)": (4, "undefined field 'spec'"),
    "pod.?spec": (4, "undefined field 'spec'"),
    "s.length": (2, "type 'string' does not support field selection"),
    "n == s": (3, "found no matching overload for '_==_' applied to '(int, string)'"),
    "s + 1": (3, "found no matching overload for '_+_' applied to '(string, int)'"),
    "!n": (1, "found no matching overload for '!_' applied to '(int)'"),
    "n ? 1 : 2": (3, "found no matching overload for '_?_:_' applied to '(int, int, int)'"),
    "n in texts": (3, "found no matching overload for '@in' applied to '(int, list(string))'"),
    "texts['a']": (6, "found no matching overload for '_[_]' applied to '(list(string), string)'"),
    "s.startsWith(n)": (13, "found no matching overload for 'startsWith' applied to 'string.(int)'"),
    "size()": (5, "found no matching overload for 'size' applied to '()'"),
    "n && true": (1, "expected type 'bool' but found 'int'"),
    "[1, 'a']": (5, "expected type 'int' but found 'string'"),
    "{'a': 1, 'b': ''}": (15, "expected type 'int' but found 'string'"),
    "texts.all(e, e)": (14, "expected type 'bool' but found 'string'"),
    "n.all(e, true)": (
        1,
        "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ),
    "[?1]": (3, "expected type 'optional_type(int)' but found 'int'"),
    "Pod{name: 1}": (9, "expected type of field 'name' is 'string' but provided type is 'int'"),
    "Pod{a: 1}": (6, "undefined field 'a'"),
    "Node{}": (5, "undeclared reference to 'Node' (in container '')"),
    "int{}": (4, "'int' is not a message type"),
    "quantity('1').x": (14, "unexpected failed resolution of 'kubernetes.Quantity'"),
    "duration('1x')": (10, "invalid duration argument"),
    "timestamp('today')": (11, "invalid timestamp argument"),
    "s.matches('(')": (11, "invalid matches argument"),
}


@pytest.mark.parametrize("text", TYPES)
def test_types(text: str) -> None:
    assert str(compilation.compile(text, ENVIRONMENT).result) == TYPES[text]


@pytest.mark.parametrize("text", COMPLAINTS)
def test_complaints(text: str) -> None:
    column, message = COMPLAINTS[text]
    with pytest.raises(CompilationError) as caught:
        compilation.compile(text, ENVIRONMENT)
    assert str(caught.value).split("\n")[0] == f"ERROR: <input>:1:{column}: {message}"


def test_all_complaints_are_told() -> None:
    with pytest.raises(CompilationError) as caught:
        compilation.compile("x == 1 &&\n  y.z > n.a", ENVIRONMENT)
    assert str(caught.value) == "\n".join(
        [
            "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')",
            " | x == 1 &&",
            " | ^",
            "ERROR: <input>:2:3: undeclared reference to 'y' (in container '')",
            " |   y.z > n.a",
            " | ..^",
            "ERROR: <input>:2:10: type 'int' does not support field selection",
            " |   y.z > n.a",
            " | .........^",
        ]
    )
