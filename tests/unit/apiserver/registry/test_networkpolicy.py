"""NetworkPolicies: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.networkpolicy import NETWORK_POLICY
from steersman.api.networking import NetworkPolicy
from tests.unit.apiserver.registry.pods import NAME_PART
from tests.unit.apiserver.registry.tables import Row, Subject, ids, row

SUBJECT = Subject(
    NetworkPolicy, NETWORK_POLICY, {"metadata": {"name": "p", "namespace": "n"}, "spec": {"podSelector": {}}}
)
PORT_NUMBER = "must be between 1 and 65535, inclusive"


def ports(*given: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"ingress": [{"ports": list(given)}]}}


def peers(*given: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"egress": [{"to": list(given)}]}}


def block(cidr: str, *exceptions: str) -> dict[str, Any]:
    return peers({"ipBlock": {"cidr": cidr, "except": list(exceptions)}})


def test_defaults() -> None:
    assert SUBJECT.defaulted()["spec"]["policyTypes"] == ["Ingress"]
    both = SUBJECT.defaulted({"spec": {"egress": [{"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53}]}]}})["spec"]
    assert both["policyTypes"] == ["Ingress", "Egress"]
    assert [port["protocol"] for port in both["egress"][0]["ports"]] == ["UDP", "TCP"]
    assert SUBJECT.defaulted({"spec": {"policyTypes": ["Egress"]}})["spec"]["policyTypes"] == ["Egress"]


ROWS = [
    row("as it should be", {}),
    row("ports by number, range and name", ports({"port": 80}, {"port": 80, "endPort": 90}, {"port": "http"})),
    row("peers of each sort", peers({"podSelector": {}, "namespaceSelector": {}}, {"ipBlock": {"cidr": "10.0.0.0/8"}})),
    row("a block with a hole", block("10.0.0.0/8", "10.1.0.0/16")),
    row(
        "a bad selector",
        {"spec": {"podSelector": {"matchLabels": {"-": "a"}}}},
        f'spec.podSelector.matchLabels: Invalid value: "-": {NAME_PART}',
    ),
    row(
        "an unknown protocol",
        ports({"protocol": "ICMP"}),
        'spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
    ),
    row("no such port", ports({"port": 0}), f"spec.ingress[0].ports[0].port: Invalid value: 0: {PORT_NUMBER}"),
    row(
        "a range that ends before it begins",
        ports({"port": 90, "endPort": 80}),
        "spec.ingress[0].ports[0].endPort: Invalid value: 90: must be greater than or equal to `port`",
    ),
    row(
        "a range without an end",
        ports({"port": 90, "endPort": 65536}),
        f"spec.ingress[0].ports[0].endPort: Invalid value: 65536: {PORT_NUMBER}",
    ),
    row(
        "a range from a name",
        ports({"port": "HTTP", "endPort": 80}),
        "spec.ingress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is non-numeric",
        'spec.ingress[0].ports[0].port: Invalid value: "HTTP": '
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        'spec.ingress[0].ports[0].port: Invalid value: "HTTP": must contain at least one letter (a-z)',
    ),
    row(
        "a range from nothing",
        ports({"endPort": 80}),
        "spec.ingress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is not specified",
    ),
    row("nobody", peers({}), "spec.egress[0].to[0]: Required value: must specify a peer"),
    row(
        "two sorts at once",
        {"spec": {"ingress": [{"from": [{"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8"}}]}]}},
        "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer",
    ),
    row("no block", block(""), "spec.egress[0].to[0].ipBlock.cidr: Required value"),
    row(
        "no range",
        block("10.0.0.0"),
        'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.0": '
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
    ),
    row(
        "an unclear range",
        block("010.0.0.0/8"),
        'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": '
        "must not have leading 0s in IP or prefix length",
    ),
    row(
        "an address that is no range",
        block("10.0.0.1/8", "10.1.0.0/8", "192.168.0.0/16", "fd00::/16", "x"),
        'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": '
        "must not have bits set beyond the prefix length",
        'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.1.0.0/8": '
        "must not have bits set beyond the prefix length",
        'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.1.0.0/8": must be a strict subset of `cidr`',
        'spec.egress[0].to[0].ipBlock.except[1]: Invalid value: "192.168.0.0/16": must be a strict subset of `cidr`',
        'spec.egress[0].to[0].ipBlock.except[2]: Invalid value: "fd00::/16": must be a strict subset of `cidr`',
        'spec.egress[0].to[0].ipBlock.except[3]: Invalid value: "x": '
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
    ),
    row(
        "too many types",
        {"spec": {"policyTypes": ["Ingress", "Egress", "Ingress"]}},
        'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ),
    row(
        "no such type",
        {"spec": {"policyTypes": ["Ingress", "Sideways"]}},
        'spec.policyTypes[1]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)
