"""EndpointSlices: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.endpointslice import ENDPOINT_SLICE
from steersman.api.discovery import EndpointSlice
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN, LABEL_VALUE, NAME_PART
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    EndpointSlice,
    ENDPOINT_SLICE,
    {
        "metadata": {"name": "web-1", "namespace": "default"},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"]}],
        "ports": [{"port": 80}],
    },
)
ONE = "endpoints[0]"


def endpoint(**fields: Any) -> Patch:
    return {"endpoints": [{"addresses": ["10.0.0.1"], **fields}]}


def of_type(address_type: str, address: str) -> Patch:
    return {"addressType": address_type, **endpoint(addresses=[address])}


def test_defaults() -> None:
    made = SUBJECT.defaulted({"ports": [{"port": 80}, {"name": "dns", "protocol": "UDP"}]})
    assert made["ports"] == [{"name": "", "protocol": "TCP", "port": 80}, {"name": "dns", "protocol": "UDP"}]


def test_topology_of_older_versions_is_dropped() -> None:
    made = SUBJECT.defaulted(endpoint(deprecatedTopology={"kubernetes.io/hostname": "n"}))
    assert "deprecatedTopology" not in made["endpoints"][0]


ROWS = [
    row("whole", endpoint(nodeName="n", hostname="h", zone="z", hints={"forZones": [{"name": "z"}]})),
    row("empty", {"endpoints": [], "ports": []}),
    row("no type", {"addressType": None}, "addressType: Required value"),
    row(
        "a strange type",
        {"addressType": "IPX"},
        'addressType: Unsupported value: "IPX": supported values: "FQDN", "IPv4", "IPv6"',
    ),
    row("too many ports", {"ports": [{"port": 1}] * 20001}, "ports: Too many: 20001: must have at most 20000 items"),
    row("a bad port name", {"ports": [{"name": "A"}]}, f'ports[0].name: Invalid value: "A": {DNS_LABEL}'),
    row("port names twice", {"ports": [{"name": "a"}, {"name": "a"}]}, 'ports[1].name: Duplicate value: "a"'),
    row("nameless ports", {"ports": [{"port": 1}, {"port": 2}]}, 'ports[1].name: Duplicate value: ""'),
    row(
        "a strange protocol",
        {"ports": [{"protocol": "IP"}]},
        'ports[0].protocol: Unsupported value: "IP": supported values: "SCTP", "TCP", "UDP"',
    ),
    row(
        "a bad app protocol",
        {"ports": [{"appProtocol": "!"}]},
        f'ports[0].appProtocol: Invalid value: "!": {NAME_PART}',
    ),
    row(
        "too many endpoints",
        {"endpoints": [{"addresses": []}] * 1001},
        "endpoints: Too many: 1001: must have at most 1000 items",
    ),
    row("no addresses", endpoint(addresses=[]), f"{ONE}.addresses: Required value: must contain at least 1 address"),
    row(
        "too many addresses",
        endpoint(addresses=[f"10.0.0.{number}" for number in range(1, 102)]),
        f"{ONE}.addresses: Too many: 101: must have at most 100 items",
    ),
    row(
        "no address at all",
        endpoint(addresses=["x"]),
        f'{ONE}.addresses[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ),
    row(
        "v6 in v4",
        endpoint(addresses=["2001:db8::1"]),
        f'{ONE}.addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
    ),
    row(
        "v4 in v6", of_type("IPv6", "10.0.0.1"), f'{ONE}.addresses: Invalid value: "10.0.0.1": must be an IPv6 address'
    ),
    row("v6", of_type("IPv6", "2001:db8::1")),
    row(
        "v6 of another spelling",
        of_type("IPv6", "2001:DB8::1"),
        f'{ONE}.addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
    ),
    row(
        "loopback",
        endpoint(addresses=["127.0.0.1"]),
        f'{ONE}.addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ),
    row("a domain", of_type("FQDN", "www.example.com.")),
    row("no domain", of_type("FQDN", ""), f"{ONE}.addresses[0]: Required value"),
    row("a bad domain", of_type("FQDN", "A.com"), f'{ONE}.addresses[0]: Invalid value: "A.com": {DNS_SUBDOMAIN}'),
    row(
        "a short domain",
        of_type("FQDN", "com"),
        f'{ONE}.addresses[0]: Invalid value: "com": should be a domain with at least two segments separated by dots',
    ),
    row(
        "a long label",
        of_type("FQDN", f"{'a' * 64}.com"),
        f'{ONE}.addresses[0]: Invalid value: "{"a" * 64}": must be no more than 63 characters',
    ),
    row("a bad node name", endpoint(nodeName="A"), f'{ONE}.nodeName: Invalid value: "A": {DNS_SUBDOMAIN}'),
    row("a bad host name", endpoint(hostname="A"), f'{ONE}.hostname: Invalid value: "A": {DNS_LABEL}'),
    row(
        "too many zones",
        endpoint(hints={"forZones": [{"name": f"z{number}"} for number in range(9)]}),
        f"{ONE}.hints.forZones: Too many: 9: must have at most 8 items",
    ),
    row(
        "zones twice and badly named",
        endpoint(hints={"forZones": [{"name": "-"}, {"name": "-"}]}),
        f'{ONE}.hints.forZones[0].name: Invalid value: "-": {LABEL_VALUE}',
        f'{ONE}.hints.forZones[1].name: Duplicate value: "-"',
        f'{ONE}.hints.forZones[1].name: Invalid value: "-": {LABEL_VALUE}',
    ),
    row(
        "too many nodes",
        endpoint(hints={"forNodes": [{"name": f"n{number}"} for number in range(9)]}),
        f"{ONE}.hints.forNodes: Too many: 9: must have at most 8 items",
    ),
    row(
        "a badly named node",
        endpoint(hints={"forNodes": [{"name": "A"}]}),
        f'{ONE}.hints.forNodes[0].name: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


@pytest.mark.parametrize(("labels", "generation"), [({}, 3), ({"a": "b"}, 4)], ids=["same", "others"])
def test_other_labels_are_another_generation(labels: Patch, generation: int) -> None:
    old = SUBJECT.make({"metadata": {"generation": 3}})
    new = SUBJECT.make({"metadata": {"generation": 3, "labels": labels}})
    assert ENDPOINT_SLICE.prepare_update(new, old).metadata.generation == generation


STEPS = [
    step("other endpoints", endpoint(addresses=["10.0.0.2"])),
    step("another type", {"addressType": "FQDN"}, 'addressType: Invalid value: "FQDN": field is immutable'),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
