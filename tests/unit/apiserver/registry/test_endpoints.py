"""Endpoints: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.endpoints import ENDPOINTS
from steersman.api.core import Endpoints
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN, NAME_PART
from tests.unit.apiserver.registry.tables import Patch, Row, Subject, ids, row

SUBJECT = Subject(Endpoints, ENDPOINTS, {"metadata": {"name": "web", "namespace": "default"}})
ADDRESS = "subsets[0].addresses[0]"
PORT = "subsets[0].ports[0]"


def subset(**fields: Any) -> Patch:
    return {"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}], **fields}]}


def address(**fields: Any) -> Patch:
    return subset(addresses=[{"ip": "10.0.0.1", **fields}])


def port(**fields: Any) -> Patch:
    return subset(ports=[{"port": 80, **fields}])


def test_defaults() -> None:
    assert SUBJECT.defaulted(subset())["subsets"][0]["ports"] == [{"port": 80, "protocol": "TCP"}]
    assert SUBJECT.defaulted(port(protocol="UDP"))["subsets"][0]["ports"][0]["protocol"] == "UDP"


ROWS = [
    row("none", {}),
    row("whole", address(hostname="a", nodeName="n.example.com", targetRef={"kind": "Pod"})),
    row("no ports", subset(ports=[])),
    row(
        "no addresses",
        subset(addresses=[]),
        "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
    ),
    row("only waiting ones", subset(addresses=[], notReadyAddresses=[{"ip": "::2"}])),
    row(
        "no address at all",
        address(ip="x"),
        f'{ADDRESS}.ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        f'{ADDRESS}.ip: Invalid value: "x": must be a valid IP address',
    ),
    row(
        "leading zeros", address(ip="010.0.0.1"), f'{ADDRESS}.ip: Invalid value: "010.0.0.1": must not have leading 0s'
    ),
    row(
        "unspecified",
        address(ip="0.0.0.0"),
        f'{ADDRESS}.ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
    ),
    row(
        "loopback",
        address(ip="127.0.0.1"),
        f'{ADDRESS}.ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ),
    row(
        "link-local, waiting",
        subset(notReadyAddresses=[{"ip": "169.254.1.1"}]),
        'subsets[0].notReadyAddresses[0].ip: Invalid value: "169.254.1.1": '
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
    ),
    row(
        "link-local multicast",
        address(ip="224.0.0.9"),
        f'{ADDRESS}.ip: Invalid value: "224.0.0.9": '
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
    ),
    row(
        "link-local multicast, v6",
        address(ip="ff02::1"),
        f'{ADDRESS}.ip: Invalid value: "ff02::1": '
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
    ),
    row("other multicast", address(ip="224.0.1.1")),
    row("a bad host name", address(hostname="A"), f'{ADDRESS}.hostname: Invalid value: "A": {DNS_LABEL}'),
    row("a bad node name", address(nodeName="A"), f'{ADDRESS}.nodeName: Invalid value: "A": {DNS_SUBDOMAIN}'),
    row(
        "nameless ports",
        subset(ports=[{"port": 80}, {"port": 81}]),
        f"{PORT}.name: Required value",
        "subsets[0].ports[1].name: Required value",
    ),
    row("a bad port name", port(name="A"), f'{PORT}.name: Invalid value: "A": {DNS_LABEL}'),
    row("port zero", port(port=0), f"{PORT}.port: Invalid value: 0: must be between 1 and 65535, inclusive"),
    row(
        "a strange protocol",
        port(protocol="IP"),
        f'{PORT}.protocol: Unsupported value: "IP": supported values: "SCTP", "TCP", "UDP"',
    ),
    row("a bad app protocol", port(appProtocol="!"), f'{PORT}.appProtocol: Invalid value: "!": {NAME_PART}'),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)
