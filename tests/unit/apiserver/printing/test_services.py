"""How pods are reached, in a table."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.core import Endpoints, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.networking import Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR
from tests.unit.apiserver.printing.rows import shown


def balanced(*points: dict[str, Any]) -> dict[str, Any]:
    return {"loadBalancer": {"ingress": list(points)}}


@pytest.mark.parametrize(
    ("spec", "status", "text"),
    [
        pytest.param({"type": "ClusterIP"}, {}, "<none>", id="inside only"),
        pytest.param({"type": "ClusterIP", "externalIPs": ["1.1.1.1", "2.2.2.2"]}, {}, "1.1.1.1,2.2.2.2", id="given"),
        pytest.param({"type": "NodePort"}, {}, "<none>", id="on every node"),
        pytest.param({"type": "LoadBalancer"}, {}, "<pending>", id="balancer to come"),
        pytest.param(
            {"type": "LoadBalancer"},
            balanced({"ip": "9.9.9.9"}, {"hostname": "a.example"}, {"ip": "9.9.9.9"}),
            "9.9.9.9,a.example",
            id="balancers",
        ),
        pytest.param(
            {"type": "LoadBalancer", "externalIPs": ["1.1.1.1"]},
            balanced({"ip": "9.9.9.9"}),
            "9.9.9.9,1.1.1.1",
            id="both",
        ),
        pytest.param({"type": "LoadBalancer", "externalIPs": ["1.1.1.1"]}, {}, "1.1.1.1", id="given, balancer to come"),
        pytest.param({"type": "ExternalName", "externalName": "a.example"}, {}, "a.example", id="a name"),
        pytest.param({}, {}, "<unknown>", id="no type"),
    ],
)
def test_external_addresses(spec: dict[str, Any], status: dict[str, Any], text: str) -> None:
    assert shown(Service, spec=spec, status=status)["External-IP"] == text


@pytest.mark.parametrize(
    ("ports", "text"),
    [
        ([], "<none>"),
        ([{"port": 80, "protocol": "TCP"}], "80/TCP"),
        ([{"port": 80, "protocol": "TCP", "nodePort": 30080}, {"port": 53, "protocol": "UDP"}], "80:30080/TCP,53/UDP"),
    ],
)
def test_ports(ports: list[dict[str, Any]], text: str) -> None:
    assert shown(Service, spec={"ports": ports})["Port(s)"] == text


def test_the_rest_of_a_service() -> None:
    made = shown(Service, spec={"type": "ClusterIP", "clusterIPs": ["10.0.0.1", "fd00::1"], "selector": {"a": "1"}})
    assert (made["Type"], made["Cluster-IP"], made["Selector"], made["Age"]) == ("ClusterIP", "10.0.0.1", "a=1", "5m")
    assert (shown(Service)["Cluster-IP"], shown(Service)["Selector"]) == ("<none>", "<none>")


def subset(*ips: str, ports: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"addresses": [{"ip": ip} for ip in ips], "ports": [{"port": port} for port in ports]}


@pytest.mark.parametrize(
    ("subsets", "text"),
    [
        pytest.param([], "<none>", id="none"),
        pytest.param([subset()], "", id="none that is ready"),
        pytest.param([subset("1.1.1.1", "2.2.2.2")], "1.1.1.1,2.2.2.2", id="no ports"),
        pytest.param([subset("1.1.1.1", "fd00::1", ports=(80,))], "1.1.1.1:80,[fd00::1]:80", id="one port"),
        pytest.param([subset("a", "b", ports=(80, 443))], "a:80,b:80,a:443 + 1 more...", id="two ports"),
        pytest.param([subset("a", "b", "c"), subset("d", "e")], "a,b,c + 2 more...", id="two subsets"),
    ],
)
def test_endpoints(subsets: list[dict[str, Any]], text: str) -> None:
    assert shown(Endpoints, subsets=subsets) == {"Name": "x", "Endpoints": text, "Age": "5m"}


@pytest.mark.parametrize(
    ("ports", "endpoints", "texts"),
    [
        pytest.param([], [], ("<unset>", "<unset>"), id="empty"),
        pytest.param(
            [{"port": 80}, {"name": "web"}, {}],
            [{"addresses": ["a"]}, {"addresses": ["b"]}],
            ("80,web,*", "a,b"),
            id="few",
        ),
        pytest.param(
            [{"port": port} for port in range(1, 6)],
            [{"addresses": [each]} for each in "abcd"],
            ("1,2,3 + 2 more...", "a,b,c + 1 more..."),
            id="many",
        ),
    ],
)
def test_slices(ports: list[Any], endpoints: list[Any], texts: tuple[str, str]) -> None:
    made = shown(EndpointSlice, addressType="IPv4", ports=ports, endpoints=endpoints)
    assert (made["AddressType"], made["Ports"], made["Endpoints"]) == ("IPv4", *texts)


@pytest.mark.parametrize(
    ("hosts", "text"),
    [
        ([], "*"),
        (["", ""], "*"),
        (["a", "b"], "a,b"),
        (["a", "b", "c"], "a,b,c"),
        (["a", "", "b", "c", ""], "a,b,c + 2 more..."),
        (["a", "b", "c", "d"], "a,b,c + 1 more..."),
    ],
)
def test_hosts_of_an_ingress(hosts: list[str], text: str) -> None:
    assert shown(Ingress, spec={"rules": [{"host": host} for host in hosts]})["Hosts"] == text


def test_ingresses() -> None:
    assert list(shown(Ingress).values()) == ["x", "<none>", "*", "", "80", "5m"]
    made = shown(
        Ingress,
        spec={"ingressClassName": "c", "tls": [{"hosts": ["a"]}]},
        status=balanced({"ip": "203.0.113.100"}, {"ip": "203.0.113.101"}),
    )
    assert list(made.values()) == ["x", "c", "*", "203.0.113.100,203.0.113.101", "80, 443", "5m"]


@pytest.mark.parametrize(
    ("annotations", "spec", "name", "parameters"),
    [
        ({}, {"controller": "c"}, "x", "<none>"),
        ({"ingressclass.kubernetes.io/is-default-class": "true"}, {"controller": "c"}, "x (default)", "<none>"),
        ({}, {"controller": "c", "parameters": {"kind": "K", "name": "n"}}, "x", "K/n"),
        ({}, {"controller": "c", "parameters": {"apiGroup": "g", "kind": "K", "name": "n"}}, "x", "K.g/n"),
    ],
)
def test_ingress_classes(annotations: dict[str, str], spec: dict[str, Any], name: str, parameters: str) -> None:
    made = shown(IngressClass, metadata={"annotations": annotations}, spec=spec)
    assert list(made.values()) == [name, "c", parameters, "5m"]


def test_network_policies() -> None:
    assert shown(NetworkPolicy)["Pod-Selector"] == "<none>"
    assert shown(NetworkPolicy, spec={"podSelector": {"matchLabels": {"a": "1"}}})["Pod-Selector"] == "a=1"


@pytest.mark.parametrize(
    ("parent", "text"),
    [
        (None, "<none>"),
        ({"resource": "services", "namespace": "default", "name": "web"}, "services/default/web"),
        ({"group": "g.io", "resource": "things", "name": "t"}, "things.g.io/t"),
    ],
)
def test_addresses(parent: dict[str, str] | None, text: str) -> None:
    assert shown(IPAddress, spec={"parentRef": parent} if parent else {}) == {"Name": "x", "ParentRef": text}


def test_service_ranges() -> None:
    assert shown(ServiceCIDR, spec={"cidrs": ["10.0.0.0/8", "fd00::/64"]})["CIDRs"] == "10.0.0.0/8,fd00::/64"
