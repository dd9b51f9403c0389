"""IPAddresses and ServiceCIDRs: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.ipaddress import IP_ADDRESS
from apiserver.registry.servicecidr import SERVICE_CIDR
from steersman.api.networking import IPAddress, ServiceCIDR
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

ADDRESS = Subject(
    IPAddress,
    IP_ADDRESS,
    {"metadata": {"name": "10.0.0.1"}, "spec": {"parentRef": {"resource": "services", "namespace": "n", "name": "s"}}},
)
RANGE = Subject(ServiceCIDR, SERVICE_CIDR, {"metadata": {"name": "r"}, "spec": {"cidrs": ["10.0.0.0/8"]}})
PARENT = "spec.parentRef"


def parent(**given: Any) -> dict[str, Any]:
    return {"spec": {"parentRef": given}}


def ranges(*cidrs: str) -> dict[str, Any]:
    return {"spec": {"cidrs": list(cidrs)}}


ADDRESS_ROWS = [
    row("as it should be", {}),
    row("of a cluster's own", parent(group="example.com", namespace=None)),
    row("of nobody", {"spec": {"parentRef": None}}, f"{PARENT}: Required value"),
    row(
        "of nobody in particular",
        parent(group="A", resource="", name="", namespace="a/b"),
        f'{PARENT}.group: Invalid value: "A": {DNS_SUBDOMAIN}',
        f"{PARENT}.resource: Required value",
        f"{PARENT}.name: Required value",
        f"{PARENT}.namespace: Invalid value: \"a/b\": may not contain '/'",
    ),
    row(
        "of somebody elsewhere",
        parent(resource=".", name="%"),
        f"{PARENT}.resource: Invalid value: \".\": may not be '.'",
        f"{PARENT}.name: Invalid value: \"%\": may not contain '%'",
    ),
]


@pytest.mark.parametrize("case", ADDRESS_ROWS, ids=ids(ADDRESS_ROWS))
def test_addresses(case: Row) -> None:
    assert ADDRESS.complaints(case.patch) == list(case.complaints)


def test_an_address_keeps_its_parent() -> None:
    assert ADDRESS.complaints_about_step(step("other", parent(name="t"))) == [
        f'{PARENT}: Invalid value: {{"Group":"","Resource":"services","Namespace":"n","Name":"t"}}: field is immutable'
    ]


@pytest.mark.parametrize(
    ("name", "complaints"),
    [
        ("10.0.0.1", []),
        ("2001:db8::1", []),
        ("web", ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]),
        ("010.0.0.1", ["must not have leading 0s"]),
        ("::ffff:10.0.0.1", ["must not be an IPv4-mapped IPv6 address"]),
        ("2001:DB8:0::1", ['must be in canonical form ("2001:db8::1")']),
    ],
)
def test_names_of_addresses(name: str, complaints: list[str]) -> None:
    assert IP_ADDRESS.name_rule(name) == complaints


RANGE_ROWS = [
    row("as it should be", {}),
    row("one of each family", ranges("10.0.0.0/8", "2001:db8::/64")),
    row("none", ranges(), "spec.cidrs: Required value: at least one CIDR required"),
    row(
        "three",
        ranges("10.0.0.0/8", "2001:db8::/64", "x"),
        'spec.cidrs: Invalid value: {"CIDRs":["10.0.0.0/8","2001:db8::/64","x"]}: may only hold up to 2 values',
    ),
    row(
        "two of one family",
        ranges("10.0.0.0/8", "11.0.0.0/8"),
        'spec.cidrs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: '
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
    ),
    row(
        "not as it is written",
        ranges("x", "2001:DB8::/64"),
        'spec.cidrs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.cidrs[1]: Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64")',
    ),
]


@pytest.mark.parametrize("case", RANGE_ROWS, ids=ids(RANGE_ROWS))
def test_ranges(case: Row) -> None:
    assert RANGE.complaints(case.patch) == list(case.complaints)


RANGE_STEPS = [
    step("nothing", {}),
    step("a second family", ranges("10.0.0.0/8", "2001:db8::/64")),
    step("another range", ranges("11.0.0.0/8"), 'spec.cidrs[0]: Invalid value: "11.0.0.0/8": field is immutable'),
    step(
        "another range and a second one",
        ranges("11.0.0.0/8", "x"),
        'spec.cidrs[0]: Invalid value: "11.0.0.0/8": field is immutable',
        'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ),
    step("nothing left", ranges(), "spec.cidrs: Invalid value: null: field is immutable"),
]


@pytest.mark.parametrize("case", RANGE_STEPS, ids=ids(RANGE_STEPS))
def test_updates_of_ranges(case: Step) -> None:
    assert RANGE.complaints_about_step(case) == list(case.complaints)
