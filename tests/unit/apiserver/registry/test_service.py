"""Services: defaults, rules and updates; every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from apiserver.registry.claiming import Picks
from apiserver.registry.patching import mergepatch
from apiserver.registry.service import service_strategy
from steersman.api import codec
from steersman.api.core import Service
from steersman.api.errors import ApiError
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN, LABEL_VALUE, NAME_PART, decode, shown
from tests.unit.apiserver.registry.tables import Patch, Row, Step, ids, row, step

STRATEGY = service_strategy()
MANIFEST: Patch = {
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"clusterIP": "10.96.0.10", "selector": {"app": "web"}, "ports": [{"port": 80}]},
}
"""With an address of its own choice, so that nothing is left to chance."""

NO_ADDRESS = {"clusterIP": None}
ONLY_BALANCERS = "may only be used when `type` is 'LoadBalancer'"
PORTS = "must be between 1 and 65535, inclusive"


def spec(**fields: Any) -> Patch:
    return {"spec": fields}


def port(**fields: Any) -> Patch:
    return spec(ports=[{"port": 80, **fields}])


def balancer(**fields: Any) -> Patch:
    return spec(type="LoadBalancer", ports=[{"port": 80, "nodePort": 30080}], **fields)


def elsewhere(**fields: Any) -> Patch:
    return spec(type="ExternalName", externalName="example.com", clusterIP=None, **fields)


def make(patch: Patch) -> Service:
    """The Service as its creator gets it."""
    made = STRATEGY.default(decode(Service, mergepatch.apply(MANIFEST, patch)))
    allocated: Service = STRATEGY.claiming.allocate(made, None, Picks(Random(1)))
    return allocated


def update(old: Service, patch: Patch) -> Service:
    """The Service as its updater gets it, who sends the old one with changes."""
    new = STRATEGY.default(decode(Service, mergepatch.apply(codec.to_dict(old), patch)))
    allocated: Service = STRATEGY.claiming.allocate(STRATEGY.prepare_update(new, old), old, Picks(Random(1)))
    return allocated


def complaints_of(error: ApiError) -> list[str]:
    return shown(error.details.causes) if error.details is not None else []


# --- Defaults


def test_an_applied_service_reads_like_this() -> None:
    """What `kubectl get service web -o yaml` shows of a plain Service."""
    ports = [{"name": "http", "port": 80, "targetPort": 80}]
    made = make(spec(ports=ports, clusterIP=None))
    address = made.spec.cluster_ip
    assert address.startswith("10.")
    assert codec.to_dict(made)["spec"] == {
        "clusterIP": address,
        "clusterIPs": [address],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 80}],
        "selector": {"app": "web"},
        "sessionAffinity": "None",
        "type": "ClusterIP",
    }
    assert codec.to_dict(made)["status"] == {"loadBalancer": {}}


DEFAULTS: list[tuple[str, Patch, Patch]] = [
    ("a named target", port(targetPort="http"), {"ports": [{"port": 80, "protocol": "TCP", "targetPort": "http"}]}),
    ("a target left empty", port(targetPort=""), {"ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]}),
    (
        "affinity without a time",
        spec(sessionAffinity="ClientIP"),
        {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}},
    ),
    (
        "affinity with a time",
        spec(sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": {"timeoutSeconds": 5}}),
        {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}}},
    ),
    (
        "on nodes",
        spec(type="NodePort"),
        {"externalTrafficPolicy": "Cluster"},
    ),
    ("with external addresses", spec(externalIPs=["192.0.2.1"]), {"externalTrafficPolicy": "Cluster"}),
    ("balanced", balancer(), {"allocateLoadBalancerNodePorts": True, "internalTrafficPolicy": "Cluster"}),
    (
        "headless with selector",
        spec(clusterIP="None"),
        {"clusterIPs": ["None"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"},
    ),
    (
        "headless without selector",
        spec(clusterIP="None", selector=None),
        {"clusterIPs": ["None"], "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"},
    ),
    (
        "two stacks where there is one",
        spec(ipFamilyPolicy="PreferDualStack"),
        {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "PreferDualStack"},
    ),
]


@pytest.mark.parametrize(("patch", "wanted"), [case[1:] for case in DEFAULTS], ids=[case[0] for case in DEFAULTS])
def test_defaults(patch: Patch, wanted: Patch) -> None:
    made = codec.to_dict(make(patch))["spec"]
    assert {name: made.get(name) for name in wanted} == wanted


def test_a_service_elsewhere_gets_nothing() -> None:
    made = codec.to_dict(make(elsewhere(internalTrafficPolicy="Local")))["spec"]
    assert made.keys() == {"type", "externalName", "selector", "ports", "sessionAffinity"}


def test_affinity_that_is_not_wanted_loses_its_time() -> None:
    made = make(spec(sessionAffinityConfig={"clientIP": {"timeoutSeconds": 5}}))
    assert made.spec.session_affinity_config is None


# --- Allocation


def test_node_ports_are_picked_from_the_range() -> None:
    made = make(spec(type="NodePort", ports=[{"name": "a", "port": 80}, {"name": "b", "port": 81}]))
    picked = [each.node_port for each in made.spec.ports]
    assert len(set(picked)) == 2
    assert all(number in range(30000, 32768) for number in picked)


def test_protocols_of_one_port_share_a_node_port() -> None:
    ports = [{"name": "t", "port": 53}, {"name": "u", "port": 53, "protocol": "UDP"}]
    shared = make(spec(type="NodePort", ports=ports)).spec.ports
    assert shared[0].node_port == shared[1].node_port
    ports[1]["nodePort"] = 30053
    assert [each.node_port for each in make(spec(type="NodePort", ports=ports)).spec.ports] == [30053, 30053]


def test_balancers_that_reach_pods_themselves_get_no_node_ports() -> None:
    made = make(spec(type="LoadBalancer", allocateLoadBalancerNodePorts=False))
    assert made.spec.ports[0].node_port == 0


def test_local_balancers_get_a_port_for_health_checks() -> None:
    made = make(balancer(externalTrafficPolicy="Local"))
    assert made.spec.health_check_node_port in range(30000, 32768)
    assert made.spec.health_check_node_port != 30080


CLAIMED, CLAIMS_ON_PORTS = "/registry/ipaddresses.networking.k8s.io/10.96.0.10", "/steersman/claims/nodeports/"
CLAIMS: list[tuple[str, Patch, list[str]]] = [
    ("an address", {}, [CLAIMED]),
    ("headless", spec(clusterIP="None"), []),
    ("elsewhere", elsewhere(), []),
    (
        "on nodes",
        spec(type="NodePort", ports=[{"port": 80, "nodePort": 30001}]),
        [CLAIMED, f"{CLAIMS_ON_PORTS}30001"],
    ),
    (
        "one number for two protocols",
        spec(
            type="NodePort",
            ports=[
                {"name": "t", "port": 53, "nodePort": 30053},
                {"name": "u", "port": 53, "nodePort": 30053, "protocol": "UDP"},
            ],
        ),
        [CLAIMED, f"{CLAIMS_ON_PORTS}30053"],
    ),
    (
        "with health checks",
        balancer(externalTrafficPolicy="Local", healthCheckNodePort=31000),
        [CLAIMED, f"{CLAIMS_ON_PORTS}30080", f"{CLAIMS_ON_PORTS}31000"],
    ),
]


@pytest.mark.parametrize(("patch", "wanted"), [case[1:] for case in CLAIMS], ids=[case[0] for case in CLAIMS])
def test_claims(patch: Patch, wanted: list[str]) -> None:
    keys = [claim.key for claim in STRATEGY.claiming.claims(make(patch))]
    assert keys == wanted


FAMILY_ROWS = [
    row(
        "IPv6",
        spec(clusterIP=None, ipFamilies=["IPv6"]),
        'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ),
    row(
        "two stacks",
        spec(ipFamilyPolicy="RequireDualStack"),
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": '
        "this cluster is not configured for dual-stack services",
    ),
    row(
        "an IPv6 address",
        spec(clusterIP="fd00::1"),
        'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    ),
    row(
        "two of everything, but a single stack",
        spec(clusterIPs=["10.96.0.10", "fd00::1"], ipFamilies=["IPv4", "IPv6"], ipFamilyPolicy="SingleStack"),
        'spec.ipFamilyPolicy: Invalid value: "SingleStack": '
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
        'spec.ipFamilyPolicy: Invalid value: "SingleStack": '
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ),
    row(
        "addresses that disagree",
        spec(clusterIPs=["10.96.0.11"]),
        'spec.clusterIPs: Invalid value: ["10.96.0.11"]: first value must match `clusterIP`',
    ),
    row(
        "only the plural",
        spec(clusterIP=None, clusterIPs=["10.96.0.11"]),
        'spec.clusterIPs: Invalid value: ["10.96.0.11"]: must be empty when `clusterIP` is not specified',
    ),
    row(
        "a strange family",
        spec(ipFamilies=["IPX"]),
        'spec.ipFamilies[0]: Unsupported value: "IPX": supported values: "IPv4", "IPv6"',
    ),
    row("a family twice", spec(ipFamilies=["IPv4", "IPv4"]), 'spec.ipFamilies[1]: Duplicate value: "IPv4"'),
    row(
        "a strange policy",
        spec(ipFamilyPolicy="Some"),
        'spec.ipFamilyPolicy: Unsupported value: "Some": '
        'supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ),
    row(
        "no address",
        spec(clusterIP="x"),
        'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ),
    row(
        "headless and not",
        spec(clusterIP="None", clusterIPs=["None", "10.96.0.11"]),
        'spec.clusterIPs: Invalid value: ["None","10.96.0.11"]: \'None\' must be the first and only value',
    ),
    row(
        "three addresses",
        spec(clusterIPs=["10.96.0.10", "fd00::1", "fd00::2"]),
        'spec.clusterIPs: Invalid value: ["10.96.0.10","fd00::1","fd00::2"]: may only hold up to 2 values',
    ),
    row(
        "two addresses of one family",
        spec(clusterIPs=["10.96.0.10", "10.96.0.11"]),
        'spec.clusterIPs: Invalid value: ["10.96.0.10","10.96.0.11"]: '
        "may specify no more than one IP for each IP family",
    ),
    row(
        "an address of another family",
        spec(ipFamilies=["IPv6"]),
        'spec.clusterIPs[0]: Invalid value: "10.96.0.10": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ),
]


@pytest.mark.parametrize("case", FAMILY_ROWS, ids=ids(FAMILY_ROWS))
def test_families_that_cannot_be(case: Row) -> None:
    """Said before anything else is looked at."""
    with pytest.raises(ApiError) as refused:
        make(case.patch | {"metadata": {"annotations": {"!": ""}}})
    assert complaints_of(refused.value) == list(case.complaints)


# --- Rules

HINTS, MODE = "service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"
RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
AFFINITY = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
ROWS = [
    row("plain", {}),
    row("headless without ports", spec(clusterIP="None", ports=[])),
    row("elsewhere", elsewhere(ports=[])),
    row("on nodes", spec(type="NodePort")),
    row("balanced", balancer(loadBalancerSourceRanges=[" 10.0.0.0/8"], loadBalancerClass="example.com/lb")),
    row(
        "topology said twice",
        {"metadata": {"annotations": {HINTS: "Auto", MODE: "Disabled"}}},
        f'metadata.annotations[{MODE}]: Invalid value: "Disabled": must match annotations[{HINTS}] '
        "when both are specified",
    ),
    row("no ports", spec(ports=[]), "spec.ports: Required value"),
    row(
        "headless and on nodes",
        spec(type="NodePort", clusterIP="None"),
        "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
    ),
    row(
        "headless and balanced",
        balancer(clusterIP="None"),
        "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for LoadBalancer services",
    ),
    row(
        "elsewhere, with addresses",
        spec(type="ExternalName", externalName="a.b", ipFamilies=["IPv4"], ipFamilyPolicy="SingleStack"),
        "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
        "spec.ipFamilies: Forbidden: may not be set for ExternalName services",
        "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
    ),
    row(
        "elsewhere, nowhere",
        spec(type="ExternalName", clusterIP=None),
        "spec.externalName: Required value",
    ),
    row("elsewhere, with a dot", spec(type="ExternalName", clusterIP=None, externalName="example.com.")),
    row(
        "elsewhere, badly named",
        spec(type="ExternalName", clusterIP=None, externalName="!"),
        f'spec.externalName: Invalid value: "!": {DNS_SUBDOMAIN}',
    ),
    row(
        "nameless ports",
        spec(ports=[{"port": 80}, {"port": 81}]),
        "spec.ports[0].name: Required value",
        "spec.ports[1].name: Required value",
    ),
    row("a bad port name", port(name="A"), f'spec.ports[0].name: Invalid value: "A": {DNS_LABEL}'),
    row(
        "port names twice",
        spec(ports=[{"name": "a", "port": 80}, {"name": "a", "port": 81}]),
        'spec.ports[1].name: Duplicate value: "a"',
    ),
    row(
        "port zero",
        spec(ports=[{"port": 0}]),
        f"spec.ports[0].port: Invalid value: 0: {PORTS}",
        f"spec.ports[0].targetPort: Invalid value: 0: {PORTS}",
    ),
    row(
        "a strange protocol",
        port(protocol="IP"),
        'spec.ports[0].protocol: Unsupported value: "IP": supported values: "SCTP", "TCP", "UDP"',
    ),
    row("a target out of range", port(targetPort=65536), f"spec.ports[0].targetPort: Invalid value: 65536: {PORTS}"),
    row(
        "a bad target name",
        port(targetPort="a--b"),
        'spec.ports[0].targetPort: Invalid value: "a--b": must not contain consecutive hyphens',
    ),
    row("a bad app protocol", port(appProtocol="!"), f'spec.ports[0].appProtocol: Invalid value: "!": {NAME_PART}'),
    row("a bad selector", spec(selector={"a": "!"}), f'spec.selector: Invalid value: "!": {LABEL_VALUE}'),
    row(
        "a strange affinity",
        spec(sessionAffinity="Some"),
        'spec.sessionAffinity: Unsupported value: "Some": supported values: "ClientIP", "None"',
    ),
    row(
        "no time for affinity",
        spec(sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": {"timeoutSeconds": 0}}),
        f"{AFFINITY}: Invalid value: 0: must be greater than 0 and less than 86400",
    ),
    row(
        "affinity for ever",
        spec(sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": {"timeoutSeconds": 86401}}),
        f"{AFFINITY}: Invalid value: 86401: must be greater than 0 and less than 86400",
    ),
    row(
        "bad external addresses",
        spec(externalIPs=["x", "127.0.0.1"]),
        'spec.externalIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ),
    row(
        "a strange type",
        spec(type="Odd"),
        'spec.type: Unsupported value: "Odd": '
        'supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ),
    row(
        "a node port for nothing",
        port(nodePort=30001),
        "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ),
    row(
        "a node port twice",
        spec(
            type="NodePort",
            ports=[{"name": "a", "port": 80, "nodePort": 30001}, {"name": "b", "port": 81, "nodePort": 30001}],
        ),
        "spec.ports[1].nodePort: Duplicate value: 30001",
    ),
    row(
        "a port twice",
        spec(ports=[{"name": "a", "port": 80}, {"name": "b", "port": 80, "targetPort": 81}]),
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,'
        '"NodePort":0}',
    ),
    row(
        "source ranges for nothing",
        spec(loadBalancerSourceRanges=["x"]),
        f"spec.LoadBalancerSourceRanges: Forbidden: {ONLY_BALANCERS}",
        'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": '
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
    ),
    row(
        "source ranges in an annotation for nothing",
        {"metadata": {"annotations": {RANGES: "10.0.0.0/8, x"}}},
        f"metadata.annotations[{RANGES}]: Forbidden: {ONLY_BALANCERS}",
        f'metadata.annotations[{RANGES}]: Invalid value: "x": '
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
    ),
    row(
        "node ports of balancers for nothing",
        spec(allocateLoadBalancerNodePorts=True),
        f"spec.allocateLoadBalancerNodePorts: Forbidden: {ONLY_BALANCERS}",
    ),
    row(
        "a balancer for nothing",
        spec(loadBalancerClass="a"),
        f"spec.loadBalancerClass: Forbidden: {ONLY_BALANCERS}",
    ),
    row("a bad balancer", balancer(loadBalancerClass="!"), f'spec.loadBalancerClass: Invalid value: "!": {NAME_PART}'),
    row(
        "an outside policy inside",
        spec(externalTrafficPolicy="Local"),
        'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ),
    row(
        "a strange outside policy",
        spec(type="NodePort", externalTrafficPolicy="Some"),
        'spec.externalTrafficPolicy: Unsupported value: "Some": supported values: "Cluster", "Local"',
    ),
    row(
        "health checks for nothing",
        spec(healthCheckNodePort=30001),
        "spec.healthCheckNodePort: Invalid value: 30001: "
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ),
    row(
        "health checks out of range",
        balancer(externalTrafficPolicy="Local", healthCheckNodePort=65536),
        f"spec.healthCheckNodePort: Invalid value: 65536: {PORTS}",
    ),
    row(
        "a strange inside policy",
        spec(internalTrafficPolicy="Some"),
        'spec.internalTrafficPolicy: Unsupported value: "Some": supported values: "Cluster", "Local"',
    ),
    row(
        "a strange distribution",
        spec(trafficDistribution="Some"),
        'spec.trafficDistribution: Unsupported value: "Some": '
        'supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert shown(STRATEGY.validate(make(case.patch))) == list(case.complaints)


def test_without_defaults_what_is_missing_is_said() -> None:
    bare = decode(
        Service, {"metadata": {}, "spec": {"type": "LoadBalancer", "clusterIP": "10.96.0.1", "ports": [{"port": 80}]}}
    )
    assert shown(STRATEGY.validate(bare)) == [
        "spec.ports[0].protocol: Required value",
        f"spec.ports[0].targetPort: Invalid value: 0: {PORTS}",
        "spec.sessionAffinity: Required value",
        "spec.clusterIPs: Required value",
        "allocateLoadBalancerNodePorts: Required value",
        "spec.externalTrafficPolicy: Required value",
        "spec.internalTrafficPolicy: Required value",
    ]


# --- Updates

CHANGED = "may not change once set"
STEPS = [
    step("other ports", port(port=81)),
    step(
        "another address",
        spec(clusterIP="10.96.0.11"),
        f'spec.clusterIPs[0]: Invalid value: ["10.96.0.11"]: {CHANGED}',
    ),
    step("headless", spec(clusterIP="None"), f'spec.clusterIPs[0]: Invalid value: ["None"]: {CHANGED}'),
    step(
        "no longer headless",
        spec(clusterIP="10.96.0.11"),
        f'spec.clusterIPs[0]: Invalid value: ["10.96.0.11"]: {CHANGED}',
        before=spec(clusterIP="None"),
    ),
    step("elsewhere", spec(type="ExternalName", externalName="a.b")),
    step("no longer elsewhere", spec(type="ClusterIP", clusterIP="10.96.0.11"), before=elsewhere()),
    step(
        "another balancer",
        spec(loadBalancerClass="b"),
        f'spec.loadBalancerClass: Invalid value: "b": {CHANGED}',
        before=balancer(loadBalancerClass="a"),
    ),
    step(
        "another port for health checks",
        spec(healthCheckNodePort=31001),
        "spec.healthCheckNodePort: Forbidden: field is immutable",
        before=balancer(externalTrafficPolicy="Local", healthCheckNodePort=31000),
    ),
    step(
        "no second family",
        spec(ipFamilies=["IPv4"], ipFamilyPolicy="SingleStack"),
        before=spec(clusterIP="None", selector=None),
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    old = make(case.before or {})
    assert shown(STRATEGY.validate_update(update(old, case.patch), old)) == list(case.complaints)


def test_giving_up_a_family_needs_to_be_said() -> None:
    old = make(spec(clusterIP="None", selector=None))
    with pytest.raises(ApiError) as refused:
        update(old, spec(ipFamilies=["IPv4"]))
    assert complaints_of(refused.value) == [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": '
        "must be 'SingleStack' to release the secondary IP family"
    ]


def test_the_same_manifest_again_changes_nothing() -> None:
    patch = spec(type="LoadBalancer", externalTrafficPolicy="Local", **NO_ADDRESS)
    old = make(patch)
    again = STRATEGY.default(decode(Service, mergepatch.apply(MANIFEST, patch)))
    assert STRATEGY.claiming.allocate(STRATEGY.prepare_update(again, old), old, Picks(Random(2))) == old


LEFTOVERS: list[tuple[str, Patch, Patch]] = [
    ("from nodes to inside", spec(type="NodePort"), spec(type="ClusterIP")),
    (
        "from a balancer to inside",
        balancer(loadBalancerClass="a", externalTrafficPolicy="Local"),
        spec(type="ClusterIP"),
    ),
    ("from a balancer to nodes", balancer(externalTrafficPolicy="Local"), spec(type="NodePort")),
    ("from inside to elsewhere", {}, spec(type="ExternalName", externalName="a.b")),
    ("from a balancer to elsewhere", balancer(), spec(type="ExternalName", externalName="a.b")),
    ("external addresses given up", spec(externalIPs=["192.0.2.1"]), spec(externalIPs=None)),
    ("from inside to nodes", {}, spec(type="NodePort")),
    ("from elsewhere to nodes", elsewhere(), spec(type="NodePort")),
]


@pytest.mark.parametrize(("before", "patch"), [case[1:] for case in LEFTOVERS], ids=[case[0] for case in LEFTOVERS])
def test_a_change_of_type_is_all_that_must_be_said(before: Patch, patch: Patch) -> None:
    old = make(before)
    new = update(old, patch)
    assert shown([*STRATEGY.validate(new), *STRATEGY.validate_update(new, old)]) == []
    assert bool(new.spec.cluster_ip) == (new.spec.type != "ExternalName")
    assert all(bool(each.node_port) == (new.spec.type == "NodePort") for each in new.spec.ports)


def test_a_node_port_moved_to_another_port_stays_there() -> None:
    ports = [{"name": "a", "port": 80, "nodePort": 30001}, {"name": "b", "port": 81, "nodePort": 30002}]
    old = make(spec(type="NodePort", ports=ports))
    moved = update(old, spec(ports=[{"name": "a", "port": 80}, {"name": "b", "port": 81, "nodePort": 30001}]))
    assert moved.spec.ports[1].node_port == 30001
    assert moved.spec.ports[0].node_port not in (0, 30001)


def test_a_service_that_is_no_longer_balanced_forgets_its_balancer() -> None:
    old = make(balancer())
    told = decode(
        Service, mergepatch.apply(codec.to_dict(old), {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}})
    )
    assert update(told, spec(type="ClusterIP")).status.load_balancer.ingress == ()


# --- Status

INGRESS = "status.loadBalancer.ingress[0]"
STATUS_ROWS = [
    row("told", {"ip": "192.0.2.1", "hostname": "a.b", "ipMode": "Proxy"}),
    row("a mode is filled in", {"ip": "192.0.2.1"}),
    row(
        "no address",
        {"ip": "x", "ipMode": "VIP"},
        f'{INGRESS}.ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ),
    row(
        "a mode for nothing",
        {"ipMode": "VIP"},
        f"{INGRESS}.ipMode: Forbidden: may not be specified when `ip` is not set",
    ),
    row(
        "a strange mode",
        {"ip": "192.0.2.1", "ipMode": "Some"},
        f'{INGRESS}.ipMode: Unsupported value: "Some": supported values: "Proxy", "VIP"',
    ),
    row("a bad name", {"hostname": "!"}, f'{INGRESS}.hostname: Invalid value: "!": {DNS_SUBDOMAIN}'),
    row(
        "an address for a name",
        {"hostname": "192.0.2.1"},
        f'{INGRESS}.hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
    ),
]


@pytest.mark.parametrize("case", STATUS_ROWS, ids=ids(STATUS_ROWS))
def test_status(case: Row) -> None:
    old = make(balancer())
    told = mergepatch.apply(codec.to_dict(old), {"status": {"loadBalancer": {"ingress": [case.patch]}}})
    new = STRATEGY.default(decode(Service, told))
    assert shown(STRATEGY.validate_update(new, old)) == list(case.complaints)


def test_only_balancers_have_ingress() -> None:
    old = make({})
    new = decode(
        Service, mergepatch.apply(codec.to_dict(old), {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}})
    )
    assert shown(STRATEGY.validate_update(new, old)) == [
        "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"
    ]
