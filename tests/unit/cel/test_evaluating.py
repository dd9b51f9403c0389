"""What expressions come to: a table by library, errors and who forgets them, and limits that hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from steersman.cel import compilation, cost, evaluator, kubernetes, types
from steersman.cel.evaluator import CostExceeded
from steersman.cel.library.authorization import Authorizer, Decision
from steersman.cel.source import CompilationError
from steersman.cel.values import EvaluationError

VARIABLES: dict[str, Any] = {
    "object": {"spec": {"replicas": 3, "names": ["a", "b"]}, "big": list(range(1000))},
    "n": 5,
    "authorizer": Authorizer(lambda question: Decision(question.verb == "get", f"{question.user}/{question.resource}")),
}
ENVIRONMENT = kubernetes.ENVIRONMENT.with_variables(
    {"object": types.DYN, "n": types.INT, "authorizer": types.struct("kubernetes.authorization.Authorizer")}
)


def evaluate(text: str, **limits: int) -> Any:
    return evaluator.evaluate(compilation.compile(text, ENVIRONMENT), VARIABLES, **limits)


TRUE = [
    # arithmetic
    "7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && 7u % 4u == 3u",
    "1.0 / 0.0 > 1e300 && 0.1 + 0.2 != 0.3",
    "dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1) != dyn('1')",
    "'a' + 'b' == 'ab' && b'a' + b'b' == b'ab' && [1] + [2] == [1, 2]",
    "'a' < 'b' && b'a' < b'b' && false < true && 1 < 1.5 && 2u > 1",
    "2 in [1, 2] && 'k' in {'k': 1} && !(3 in [])",
    "dyn({'a': [1, 2], 'b': []}) == {'b': [], 'a': [1.0, 2.0]} && {'a': 1} != {'b': 1}",
    # conversions
    "int('42') == 42 && uint(3) == 3u && double('1.5') == 1.5 && int(-1.9) == -1",
    "string(1) + string(2.5) + string(true) + string(b'x') == '12.5truex'",
    "bytes('é') == b'\\303\\251' && size('é') == 1 && size(bytes('é')) == 2",
    "type(1) == int && type([]) == list && type(type(1)) == type && bool('true')",
    # texts
    "'tacocat'.charAt(3) == 'o' && 'a-b'.replace('-', '+') == 'a+b' && ' x '.trim() == 'x'",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && ['a', 'b'].join('-') == 'a-b' && 'abc'.substring(1, 2) == 'b'",
    "'hello'.indexOf('l') == 2 && 'hello'.lastIndexOf('l') == 3 && 'AbC'.lowerAscii() == 'abc'",
    "'%s is %d or %.2f or %x'.format([dyn('it'), 10, 2.5, 255]) == 'it is 10 or 2.50 or ff'",
    "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"'",
    "'v1.2'.matches('^v[0-9]+') && 'abc123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]') == ['1', '2']",
    "'baac'.findAll('a*') == ['', 'aa', ''] && 'baac'.findAll('a', 1) == ['a'] && 'x'.find('y') == ''",
    "!'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'.matches('(a+)+$') && 'αβ'.matches('^\\\\p{Greek}+$')",
    # collections
    "[1, 2, 3].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2, 2].exists_one(x, x == 1)",
    "[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6] && [1, 2].map(x, x > 1, x) == [2]",
    "{'a': 1}.all(k, v, k == 'a' && v == 1) && [5, 6].exists(i, v, i == 1 && v == 6)",
    "{'a': 1, 'b': 2}.transformList(k, v, v > 1, k) == ['b'] && [7].transformMap(i, v, v) == {0: 7}",
    "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}",
    "[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2]",
    "[1, 2, 3].slice(1, 3) == [2, 3] && [1, 2].reverse() == [2, 1] && lists.range(2) == [0, 1]",
    "['bb', 'a'].sortBy(e, size(e)) == ['a', 'bb'] && [1, 2].last().value() == 2",
    "[1, 2].isSorted() && [1, 2].sum() == 3 && [1, 2].max() == 2 && [1, 2].min() == 1 && [1, 2].indexOf(2) == 1",
    "sets.contains([1, 2], [1]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2])",
    # optionals
    "object.?spec.?replicas.orValue(1) == 3 && object.?nothing.?at.orValue(7) == 7",
    "object.spec.names[?5].hasValue() == false && [?optional.none(), ?optional.of(1)] == [1]",
    "optional.of(1).optMap(x, x + 1) == optional.of(2)",
    "optional.ofNonZeroValue('').or(optional.of('a')).value() == 'a'",
    "optional.of([1]).optFlatMap(l, l[?0]).value() == 1 && {?'a': optional.none()} == {}",
    # times
    "timestamp('2024-02-29T12:30:45.5Z').getDayOfYear() == 59 && timestamp('2024-02-29T12:00:00Z').getDayOfWeek() == 4",
    "timestamp('2024-01-01T00:00:00Z').getHours('+02:30') == 2 && timestamp('2024-01-01T00:00:00Z').getMonth() == 0",
    "duration('1h30m').getMinutes() == 90 && duration('-1.5s').getMilliseconds() == -1500",
    "timestamp('2024-01-01T00:00:00Z') + duration('24h') == timestamp('2024-01-02T00:00:00Z')",
    "string(duration('90s')) == '90s' && string(timestamp(0)) == '1970-01-01T00:00:00Z'",
    # Kubernetes
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1.5').asApproximateFloat() == 1.5",
    "sign(quantity('-1')) == -1",
    "isQuantity('50k') && !isQuantity('x') && quantity('50k').add(1).asInteger() == 50001",
    "quantity('1000m') == quantity('1')",
    "ip('10.0.0.1').family() == 4 && isIP('::1') && !isIP('10.0.0.01') && ip('::1').isLoopback()",
    "ip.isCanonical('::1')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "!isCIDR('10.0.0.0')",
    "cidr('10.0.0.1/8').masked() == cidr('10.0.0.0/8') && string(cidr('10.0.0.0/8')) == '10.0.0.0/8'",
    "url('https://a.b:80/c%20d?x=1&x=2').getQuery() == {'x': ['1', '2']} && url('https://a:80').getPort() == '80'",
    "url('https://[::1]:80/').getHostname() == '::1' && !isURL('a b')",
    "url('/a b'.replace(' ', '')).getScheme() == ''",
    "semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('v1.2', true).minor() == 2 && !isSemver('1.2')",
    "!format.dns1123Label().validate('abc').hasValue() && format.named('nope') == optional.none()",
    "format.uuid().validate('x').value() == ['does not match the UUID format']",
    "authorizer.group('apps').resource('pods').check('get').allowed() && !authorizer.path('/').check('post').allowed()",
    "authorizer.serviceAccount('a', 'b').group('').resource('r').check('x').reason() == 'system:serviceaccount:a:b/r'",
    # errors that nobody needs
    "1 / 0 == 1 || true",
    "!(false && [1][5] == 1)",
    "[0, 1].exists(x, 1 / x == 1)",
    "!has(object.nothing) && has(object.spec.replicas)",
]


@pytest.mark.parametrize("text", TRUE)
def test_true(text: str) -> None:
    assert evaluate(text) is True


ERRORS = {
    "1 / 0": "division by zero",
    "1 % 0": "modulus by zero",
    "9223372036854775807 + 1": "integer overflow",
    "0u - 1u": "unsigned integer overflow",
    "[1][1]": "index out of bounds: 1",
    "{'a': 1}['b']": "no such key: b",
    "object.nothing": "no such key: nothing",
    "object.spec + 1": "no such overload",
    "object.spec.replicas.startsWith('a')": "no such overload",
    "[1, 0].all(x, 1 / x == 1)": "division by zero",
    "optional.none().value()": "optional.none() dereference",
    "'a'.charAt(5)": "index out of range: 5",
    "int('x')": "type conversion error from 'string' to 'int'",
    "{'a': 1, 'a': 2}": "Failed with repeated key: a",
    "[1].slice(2, 1)": "cannot slice(2, 1), start index must be less than or equal to end index",
    "object.spec.replicas ? 1 : 2": "no such overload",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluate(text)
    assert str(caught.value) == ERRORS[text]


DEAR = [
    "object.big.all(a, object.big.all(b, object.big.exists(c, a + b + c < 0 || true)))",
    "object.big.map(a, object.big.map(b, object.big.map(c, c))) == []",
    "object.big.exists(a, object.big.all(b, 1 / (a - a) == b)) || true",
]


@pytest.mark.parametrize("text", DEAR)
def test_too_many_steps_are_never_forgotten(text: str) -> None:
    with pytest.raises(CostExceeded, match="operation cancelled: actual cost limit exceeded"):
        evaluate(text, limit=20_000)


def test_texts_that_double_cost_what_they_grow() -> None:
    doubled = "lists.range(60).map(i, 'x').join('')" + "".join(f".replace('x', '{'x' * 50}')" for _ in range(8))
    with pytest.raises(CostExceeded):
        evaluate(f"size({doubled}) > 0")


FORMS = [
    "{0} + {1}",
    "{0} == {1}",
    "{0} in {1}",
    "({0}) ? {1} : {0}",
    "{0}.map(e, {1})",
    "{0}.all(e, e == {1})",
    "dyn({0})[{1}]",
    "[{0}].sort()",
    "-{0}",
    "{0} < dyn({1})",
    "string({0}) + '%s'.format([dyn({1})])",
]
LEAVES = ["n", "1", "2.5", "'a'", "object.spec", "object.big", "[1, n]", "{'a': n}", "null", "true"]


@given(
    some.recursive(
        some.sampled_from(LEAVES),
        lambda inner: some.tuples(some.sampled_from(FORMS), inner, inner).map(
            lambda drawn: drawn[0].format(*drawn[1:])
        ),
        max_leaves=12,
    ),
    some.integers(1, 3000),
)
def test_whatever_compiles_ends_within_its_limit(text: str, limit: int) -> None:
    try:
        checked = compilation.compile(text, ENVIRONMENT)
        _, spent = evaluator.evaluate_costed(checked, VARIABLES, limit=limit)
    except (CompilationError, EvaluationError, CostExceeded):
        return
    assert spent <= limit


SIZES = {("self",): 10, ("self", "@items"): 20}
ESTIMATES = {
    "1 + 1 == 2": 2,
    "self.size() > 1": 3,
    "self.all(x, x == 'a')": 52,
    "self.all(x, self.all(y, x != y))": 752,
    "true ? 1 : [1, 2, 3][0]": 11,
}


@pytest.mark.parametrize("text", ESTIMATES)
def test_estimates(text: str) -> None:
    environment = kubernetes.ENVIRONMENT.with_variables({"self": types.list_of(types.STRING)})
    checked = compilation.compile(text, environment)
    assert cost.estimate(checked, SIZES.get) == ESTIMATES[text]


def test_what_nobody_limits_costs_without_limit() -> None:
    environment = kubernetes.ENVIRONMENT.with_variables({"self": types.list_of(types.STRING)})
    checked = compilation.compile("self.all(x, true)", environment)
    assert cost.estimate(checked, lambda _: None) == cost.UNLIMITED
