from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager import services, triggertimes
from controller_manager.derivation import Derivation
from controller_manager.pacing import Pace
from controller_manager.triggertimes import TriggerTimes
from steersman.api.core import Pod, Service
from steersman.client.cache import Cache, ObjectKey
from tests.unit.controller_manager.networks import NAMED, crowd, make_backend, make_service
from tests.unit.controller_manager.workloads import ago

WEB = ObjectKey("default", "web")


def cached_pods(*pods: Pod) -> Cache[Pod]:
    cache: Cache[Pod] = Cache({services.BY_LABEL: services.label_index})
    for pod in pods:
        cache.put(pod)
    return cache


def cached_services(*values: Service) -> Cache[Service]:
    cache: Cache[Service] = Cache({services.BY_SELECTOR: services.selector_index})
    for value in values:
        cache.put(value)
    return cache


def test_pods_are_found_by_all_labels_of_the_selector() -> None:
    both = make_backend(2, labels={"app": "web", "tier": "front", "other": "x"})
    pods = cached_pods(make_backend(1), both, make_backend(3, labels={"tier": "front"}))
    service = make_service(selector={"app": "web", "tier": "front"})
    assert services.selected_by(service, pods) == [both]
    assert services.selected_by(make_service(), cached_pods(*reversed(crowd(3)))) == crowd(3), "ordered by name"
    assert services.selected_by(make_service(selector={}), pods) == []


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param({"app": "web"}, [WEB], id="matches"),
        pytest.param({"app": "web", "more": "x"}, [WEB], id="has more labels"),
        pytest.param({"app": "other"}, [], id="another value"),
        pytest.param({}, [], id="no labels"),
    ],
)
def test_services_are_found_by_their_selector(labels: dict[str, str], expected: list[ObjectKey]) -> None:
    cache = cached_services(make_service())
    assert services.leading_to(make_backend(labels=labels), cache) == expected


@pytest.mark.parametrize(
    "spec",
    [pytest.param({"selector": {}}, id="no selector"), pytest.param({"type": "ExternalName"}, id="external name")],
)
def test_a_service_that_leads_elsewhere_has_no_backends(spec: dict[str, Any]) -> None:
    service = make_service(**spec)
    assert not services.has_backends(service)
    assert services.leading_to(make_backend(), cached_services(service)) == []


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(make_backend(), True, id="running"),
        pytest.param(make_backend(ready=False), True, id="not ready"),
        pytest.param(make_backend(deleted=True), True, id="going"),
        pytest.param(make_backend(phase="Succeeded"), False, id="finished"),
        pytest.param(make_backend(phase="Failed"), False, id="failed"),
        pytest.param(make_backend(ips=()), False, id="without an address"),
    ],
)
def test_who_is_a_backend(pod: Pod, expected: bool) -> None:
    assert services.is_backend(pod) is expected


SIDECAR = {"name": "side", "restartPolicy": "Always", "ports": [{"name": "web", "containerPort": 7, "protocol": "TCP"}]}


@pytest.mark.parametrize(
    ("port", "pod", "expected"),
    [
        pytest.param({"targetPort": 8080}, make_backend(), 8080, id="a number"),
        pytest.param({"targetPort": "web"}, make_backend(ports={"web": 9}), 9, id="a name"),
        pytest.param({"targetPort": "web"}, make_backend(ports={"other": 9}), None, id="an unknown name"),
        pytest.param(
            {"targetPort": "web", "protocol": "UDP"}, make_backend(ports={"web": 9}), None, id="another protocol"
        ),
        pytest.param({"targetPort": "web"}, make_backend(initContainers=[SIDECAR]), 7, id="of a sidecar"),
        pytest.param(
            {"targetPort": "web"},
            make_backend(initContainers=[{**SIDECAR, "restartPolicy": None}]),
            None,
            id="not of an init container",
        ),
    ],
)
def test_target_ports(port: dict[str, Any], pod: Pod, expected: int | None) -> None:
    (service_port,) = make_service({**NAMED, **port}).spec.ports
    assert services.resolved_port(pod, service_port) == expected


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        pytest.param(make_service(), ("IPv4",), id="as it says"),
        pytest.param(make_service(ipFamilies=["IPv6", "IPv4"]), ("IPv6", "IPv4"), id="two, in its order"),
        pytest.param(make_service(ipFamilies=[], cluster_ip="fd00::1"), ("IPv6",), id="by its address"),
        pytest.param(make_service(ipFamilies=[], cluster_ip="None"), ("IPv4", "IPv6"), id="headless: both"),
    ],
)
def test_families(service: Service, expected: tuple[str, ...]) -> None:
    assert services.families(service) == expected


def test_addresses_are_those_of_the_family_in_canonical_form() -> None:
    pod = make_backend(ips=("10.0.0.1", "FD00:0::1"))
    assert services.addresses(pod, "IPv4") == ("10.0.0.1",)
    assert services.addresses(pod, "IPv6") == ("fd00::1",)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"hostname": "db-0", "subdomain": "web"}, "db-0", id="in the service's domain"),
        pytest.param({"hostname": "db-0", "subdomain": "other"}, "", id="in another domain"),
        pytest.param({"hostname": "db-0"}, "", id="in no domain"),
    ],
)
def test_hostnames(spec: dict[str, Any], expected: str) -> None:
    assert services.hostname(make_backend(**spec), make_service()) == expected


def test_the_trigger_is_the_earliest_change_not_told_yet() -> None:
    triggers, service = TriggerTimes(), make_service()
    assert triggers.advance(service, {"1": ago(100)}) == ago(1000), "a service not seen before: its creation"
    assert triggers.advance(service, {"1": ago(100)}) == "", "nothing has changed"
    assert triggers.advance(service, {"1": ago(50), "2": ago(70), "3": ago(60)}) == ago(70)
    assert triggers.advance(service, {"1": ago(50)}) == "", "that a pod is gone has no known time"
    triggers.forget(WEB)
    assert triggers.advance(service, {"1": ago(50)}) == ago(1000)
    newer = replace(service, metadata=replace(service.metadata, creation_timestamp=ago(10)))
    assert triggers.advance(newer, {"1": ago(50)}) == ago(10)
    assert triggertimes.readiness_changed_at(make_backend(changed=7)) == ago(7)


def test_a_change_waits_for_company_and_acts_are_not_too_close() -> None:
    pace, other = Pace(), ObjectKey("default", "other")
    assert pace.wait(WEB, 5.0) == pytest.approx(0.01)
    assert pace.wait(WEB, 5.004) == pytest.approx(0.006), "more company does not make it wait longer"
    assert pace.wait(WEB, 5.02) == 0
    pace.acted(WEB, 5.02)
    assert pace.wait(WEB, 5.04) == pytest.approx(0.08)
    assert pace.wait(other, 5.04) == pytest.approx(0.01)
    assert pace.wait(WEB, 5.13) == 0
    assert pace.wait(WEB, 5.13) == pytest.approx(0.01), "each change waits anew"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(1, 0.1, id="few"),
        pytest.param(500, 0.25, id="many"),
        pytest.param(50_000, 1.0, id="never longer than a second"),
    ],
)
def test_what_is_large_is_acted_upon_more_seldom(parts: int, expected: float) -> None:
    pace = Pace()
    pace.acted(WEB, 5.0, parts)
    assert pace.wait(WEB, 5.0) == pytest.approx(expected)


def test_the_pace_remembers_no_more_than_it_must() -> None:
    pace = Pace()
    for number in range(10_000):
        pace.acted(ObjectKey("default", str(number)), float(number))
    assert len(pace._next) < 512


def test_what_follows_from_a_pod_is_derived_once() -> None:
    asked: list[str] = []

    def derive(pod: Pod) -> str:
        asked.append(pod.metadata.name)
        return pod.metadata.uid

    derivation: Derivation[str] = Derivation()
    pods = crowd(3)
    assert derivation.of(WEB, "basis", pods, derive) == ["uid-1", "uid-2", "uid-3"]
    changed = [pods[0], make_backend(2, ready=False), make_backend(4)]
    assert derivation.of(WEB, "basis", changed, derive) == ["uid-1", "uid-2", "uid-4"]
    assert asked == ["web-0001", "web-0002", "web-0003", "web-0002", "web-0004"]
    derivation.of(WEB, "another basis", changed[:1], derive)
    assert asked[5:] == ["web-0001"], "on another basis all is new"
