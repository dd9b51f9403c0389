"""Ingresses: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.ingress import INGRESS
from steersman.api.networking import Ingress
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

WEB = {"service": {"name": "web", "port": {"number": 80}}}
SUBJECT = Subject(Ingress, INGRESS, {"metadata": {"name": "i", "namespace": "n"}, "spec": {"defaultBackend": WEB}})
WILDCARD = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
    r"regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
PATH = "spec.rules[0].http.paths[0]"
BACKEND = f"{PATH}.backend"


def backend(given: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"rules": [{"http": {"paths": [{"pathType": "ImplementationSpecific", "backend": given}]}}]}}


def path(kind: str | None, text: str = "") -> dict[str, Any]:
    entry = {"path": text, "backend": WEB} if kind is None else {"path": text, "pathType": kind, "backend": WEB}
    return {"spec": {"rules": [{"http": {"paths": [entry]}}]}}


def host(name: str) -> dict[str, Any]:
    return {"spec": {"rules": [{"host": name}]}}


ROWS = [
    row("as it should be", {}),
    row("hosts", {"spec": {"rules": [{"host": "a.example.com"}, {"host": "*.example.com"}, {}]}}),
    row("paths", path("Prefix", "/a")),
    row("a path of the controller's own", path("ImplementationSpecific")),
    row("a resource", backend({"resource": {"apiGroup": "example.com", "kind": "Bucket", "name": "b"}})),
    row("a port by name", backend({"service": {"name": "1web", "port": {"name": "http"}}})),
    row(
        "nowhere to go",
        {"spec": {"defaultBackend": None}},
        "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
    ),
    row(
        "no backend",
        backend({}),
        f'{BACKEND}: Invalid value: "": resource or service backend is required',
    ),
    row(
        "two backends",
        backend({**WEB, "resource": {"kind": "Bucket", "name": "b"}}),
        f'{BACKEND}: Invalid value: "": cannot set both resource and service backends',
    ),
    row(
        "no service, no port",
        backend({"service": {"name": ""}}),
        f"{BACKEND}.service.name: Required value",
        f"{BACKEND}: Required value: port name or number is required",
    ),
    row(
        "two ports",
        backend({"service": {"name": "Web", "port": {"name": "http", "number": 80}}}),
        f'{BACKEND}.service.name: Invalid value: "Web": {DNS_LABEL}',
        f'{BACKEND}: Invalid value: "": cannot set both port name & port number',
    ),
    row(
        "no such port",
        backend({"service": {"name": "web", "port": {"number": 65536}}}),
        f"{BACKEND}.service.port.number: Invalid value: 65536: must be between 1 and 65535, inclusive",
    ),
    row(
        "a bad name of a port",
        backend({"service": {"name": "web", "port": {"name": "a--b"}}}),
        f'{BACKEND}.service.port.name: Invalid value: "a--b": must not contain consecutive hyphens',
    ),
    row(
        "a resource of nothing",
        backend({"resource": {"apiGroup": "A", "kind": "", "name": ""}}),
        f'{BACKEND}.resource.apiGroup: Invalid value: "A": {DNS_SUBDOMAIN}',
        f"{BACKEND}.resource.kind: Required value",
        f"{BACKEND}.resource.name: Required value",
    ),
    row(
        "a resource elsewhere",
        backend({"resource": {"kind": "a/b", "name": ".."}}),
        f"{BACKEND}.resource.kind: Invalid value: \"a/b\": may not contain '/'",
        f"{BACKEND}.resource.name: Invalid value: \"..\": may not be '..'",
    ),
    row(
        "an address",
        host("10.0.0.1"),
        'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ),
    row("a bad host", host("A"), f'spec.rules[0].host: Invalid value: "A": {DNS_SUBDOMAIN}'),
    row("a bad wildcard", host("a.*.com"), f'spec.rules[0].host: Invalid value: "a.*.com": {WILDCARD}'),
    row("no paths", {"spec": {"rules": [{"http": {"paths": []}}]}}, "spec.rules[0].http.paths: Required value"),
    row("no type of path", path(None), f"{PATH}.pathType: Required value: pathType must be specified"),
    row(
        "no such type of path",
        path("Regex"),
        f'{PATH}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ),
    row("a relative path", path("Exact", "a"), f'{PATH}.path: Invalid value: "a": must be an absolute path'),
    row("no path", path("Prefix"), f'{PATH}.path: Invalid value: "": must be an absolute path'),
    row(
        "a relative path of the controller's own",
        path("ImplementationSpecific", "a"),
        f'{PATH}.path: Invalid value: "a": must be an absolute path',
    ),
    row(
        "a path with everything wrong",
        path("Exact", "//./../%2f%2F/.."),
        *(
            f"{PATH}.path: Invalid value: \"//./../%2f%2F/..\": must not contain '{piece}'"
            for piece in ("//", "/./", "/../", "%2f", "%2F")
        ),
        f"{PATH}.path: Invalid value: \"//./../%2f%2F/..\": cannot end with '/..'",
    ),
    row("a path that stays", path("Prefix", "/."), f"{PATH}.path: Invalid value: \"/.\": cannot end with '/.'"),
    row(
        "bad certificates",
        {"spec": {"tls": [{"hosts": ["a", "B", "*.C"], "secretName": "D"}]}},
        f'spec.tls[0].hosts[1]: Invalid value: "B": {DNS_SUBDOMAIN}',
        f'spec.tls[0].hosts[2]: Invalid value: "*.C": {WILDCARD}',
        f'spec.tls[0].secretName: Invalid value: "D": {DNS_SUBDOMAIN}',
    ),
    row(
        "a bad class",
        {"spec": {"ingressClassName": ""}},
        f'spec.ingressClassName: Invalid value: "": {DNS_SUBDOMAIN}',
    ),
    row(
        "two classes",
        {"metadata": {"annotations": {"kubernetes.io/ingress.class": "a"}}, "spec": {"ingressClassName": "b"}},
        'annotations.kubernetes.io/ingress.class: Invalid value: "a": '
        "must match `ingressClassName` when both are specified",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def balanced(**entry: Any) -> dict[str, Any]:
    return {"status": {"loadBalancer": {"ingress": [entry]}}}


INGRESS_0 = "status.loadBalancer.ingress[0]"
STEPS = [
    step("an address", balanced(ip="10.0.0.1")),
    step("a host", balanced(hostname="a.example.com")),
    step(
        "no address",
        balanced(ip="x"),
        f'{INGRESS_0}.ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ),
    step(
        "an address for a host",
        balanced(hostname="10.0.0.1"),
        f'{INGRESS_0}.hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ),
    step("a bad host", balanced(hostname="A"), f'{INGRESS_0}.hostname: Invalid value: "A": {DNS_SUBDOMAIN}'),
    step(
        "two classes later on",
        {"metadata": {"annotations": {"kubernetes.io/ingress.class": "a"}}, "spec": {"ingressClassName": "b"}},
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
