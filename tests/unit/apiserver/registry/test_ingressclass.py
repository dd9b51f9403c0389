"""IngressClasses: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.ingressclass import INGRESS_CLASS
from steersman.api.networking import IngressClass
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Subject, ids, row, step

SUBJECT = Subject(IngressClass, INGRESS_CLASS, {"metadata": {"name": "c"}, "spec": {"controller": "example.com/c"}})
PREFIXED = 'must be a domain-prefixed path (such as "acme.io/foo")'


def controller(name: str) -> dict[str, Any]:
    return {"spec": {"controller": name}}


def parameters(**given: Any) -> dict[str, Any]:
    return {"spec": {"parameters": {"kind": "Settings", "name": "s", **given}}}


def test_defaults() -> None:
    assert "parameters" not in SUBJECT.defaulted()["spec"]
    assert SUBJECT.defaulted(parameters())["spec"]["parameters"]["scope"] == "Cluster"
    assert SUBJECT.defaulted(parameters(scope="Namespace"))["spec"]["parameters"]["scope"] == "Namespace"


ROWS = [
    row("as it should be", {}),
    row("parameters", parameters(apiGroup="example.com")),
    row("parameters in a namespace", parameters(scope="Namespace", namespace="n")),
    row("no controller", controller(""), "spec.controller: Required value"),
    row("a controller of nobody", controller("c"), f'spec.controller: Invalid value: "c": {PREFIXED}'),
    row("a domain alone", controller("a.io/"), f'spec.controller: Invalid value: "a.io/": {PREFIXED}'),
    row(
        "a bad domain and a bad path",
        controller("A/b c"),
        f'spec.controller: Invalid value: "A": {DNS_SUBDOMAIN}',
        'spec.controller: Invalid value: "b c": Invalid path '
        r"(regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')",
    ),
    row(
        "a long controller",
        controller("a.io/" + "b" * 250),
        "spec.controller: Too long: may not be more than 250 bytes",
    ),
    row(
        "parameters of nothing",
        parameters(apiGroup="A", kind="", name=""),
        f'spec.parameters.apiGroup: Invalid value: "A": {DNS_SUBDOMAIN}',
        "spec.parameters.kind: Required value",
        "spec.parameters.name: Required value",
    ),
    row(
        "parameters elsewhere",
        parameters(kind="a/b", name="c%d"),
        "spec.parameters.kind: Invalid value: \"a/b\": may not contain '/'",
        "spec.parameters.name: Invalid value: \"c%d\": may not contain '%'",
    ),
    row(
        "no such scope",
        parameters(scope="World"),
        'spec.parameters.scope: Unsupported value: "World": supported values: "Cluster", "Namespace"',
    ),
    row(
        "no namespace",
        parameters(scope="Namespace"),
        "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ),
    row(
        "a bad namespace",
        parameters(scope="Namespace", namespace="N"),
        f'spec.parameters.namespace: Invalid value: "N": {DNS_LABEL}',
    ),
    row(
        "a namespace too many",
        parameters(namespace="n"),
        "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def test_the_controller_is_chosen_once() -> None:
    assert SUBJECT.complaints_about_step(step("parameters", parameters())) == []
    assert SUBJECT.complaints_about_step(step("another", controller("example.com/d"))) == [
        'spec.controller: Invalid value: "example.com/d": field is immutable'
    ]
