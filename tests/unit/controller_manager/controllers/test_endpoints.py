from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager.controllers import endpoints
from controller_manager.controllers.endpoints import (
    Action,
    Candidate,
    CreateEndpoints,
    DeleteEndpoints,
    UpdateEndpoints,
)
from steersman.api.core import EndpointAddress, Endpoints, EndpointSubset, Pod, Service
from tests.unit.controller_manager.networks import HTTP, NAMED, crowd, make_backend, make_endpoints, make_service

READY, UNREADY = make_backend(1), make_backend(2, ready=False)
GOING = make_backend(3, deleted=True)
METRICS = {"name": "metrics", "port": 90, "targetPort": "metrics", "protocol": "TCP"}


def told(subsets: tuple[EndpointSubset, ...]) -> list[str]:
    """Subsets as short texts: "http:8080 10.0.0.2 !10.0.0.3", what is not ready with a mark."""
    return [
        " ".join(
            [
                ",".join(f"{port.name}:{port.port}" for port in each.ports),
                *(address.ip for address in each.addresses),
                *(f"!{address.ip}" for address in each.not_ready_addresses),
            ]
        )
        for each in subsets
    ]


def candidates(service: Service, backends: Iterable[Pod]) -> list[Candidate]:
    return [endpoints.candidate(service, pod) for pod in backends]


def planned(service: Service, backends: Iterable[Pod], present: Endpoints | None, trigger: str) -> Action | None:
    return endpoints.plan(service, candidates(service, backends), present, trigger)


@pytest.mark.parametrize(
    ("service", "backends", "expected"),
    [
        pytest.param(make_service(), [], [], id="nobody"),
        pytest.param(make_service(), [READY, UNREADY], ["http:8080 10.0.0.2 !10.0.0.3"], id="ready and not ready"),
        pytest.param(make_service(), [GOING], [], id="who is going is left out"),
        pytest.param(
            make_service(publishNotReadyAddresses=True),
            [READY, UNREADY, GOING],
            ["http:8080 10.0.0.2 10.0.0.3 10.0.0.4"],
            id="everybody on request",
        ),
        pytest.param(make_service(), [make_backend(phase="Failed")], [], id="who has failed is left out"),
        pytest.param(make_service(), [make_backend(ips=())], [], id="who has no address is left out"),
        pytest.param(make_service(), [make_backend(ips=("fd00::1",))], [], id="who has none in the family is left out"),
        pytest.param(
            make_service(), [make_backend(10), make_backend(9)], ["http:8080 10.0.0.10 10.0.0.11"], id="as numbers"
        ),
        pytest.param(
            make_service(NAMED),
            [make_backend(1, ports={"web": 1}), make_backend(2, ports={"web": 2}), make_backend(3, ports={"web": 1})],
            ["http:1 10.0.0.2 10.0.0.4", "http:2 10.0.0.3"],
            id="pods that name their ports differently",
        ),
        pytest.param(make_service(NAMED), [make_backend(1)], [], id="a pod without that port"),
        pytest.param(
            make_service(HTTP, METRICS),
            [make_backend(1, ports={"metrics": 9}), make_backend(2)],
            ["http:8080 10.0.0.3", "http:8080,metrics:9 10.0.0.2"],
            id="a pod with one of two ports",
        ),
        pytest.param(
            replace(make_service(), spec=replace(make_service(cluster_ip="None").spec, ports=())),
            [READY],
            [" 10.0.0.2"],
            id="headless without ports",
        ),
        pytest.param(
            make_service(cluster_ip="None", ipFamilies=[]),
            [make_backend(1, ips=("fd00::1",)), READY],
            ["http:8080 10.0.0.2 fd00::1"],
            id="headless without a family: each as it is",
        ),
    ],
)
def test_subsets(service: Service, backends: list[Pod], expected: list[str]) -> None:
    assert told(endpoints.subsets_of(candidates(service, backends))) == expected


def test_an_address_says_whose_it_is() -> None:
    pod = make_backend(1, hostname="web-0", subdomain="web")
    address = endpoints.address_of(make_service(), pod)
    assert address is not None
    assert (address.hostname, address.node_name) == ("web-0", "node-1")
    assert address.target_ref is not None
    assert (address.target_ref.kind, address.target_ref.name, address.target_ref.uid) == ("Pod", "web-0001", "uid-1")


def created(service: Service, *pods: Pod, trigger: str = "") -> Endpoints:
    action = planned(service, pods, None, trigger)
    assert isinstance(action, CreateEndpoints)
    return action.endpoints


@pytest.mark.parametrize(
    ("service", "labels"),
    [
        pytest.param(make_service(), {}, id="none of its own"),
        pytest.param(make_service(labels={"a": "b"}), {"a": "b"}, id="the service's"),
        pytest.param(make_service(cluster_ip="None"), {"service.kubernetes.io/headless": ""}, id="headless"),
        pytest.param(make_service(labels={"service.kubernetes.io/headless": ""}), {}, id="falsely headless"),
    ],
)
def test_labels(service: Service, labels: dict[str, str]) -> None:
    ours = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    assert created(service).metadata.labels == {**labels, **ours}


def test_an_unchanged_state_is_not_written() -> None:
    present = created(make_service(), READY, trigger="2030-01-01T00:00:00Z")
    assert planned(make_service(), [READY], present, "2030-01-01T00:00:09Z") is None


def annotated(present: Endpoints, **annotations: str) -> Endpoints:
    held = {
        **present.metadata.annotations,
        **{f"endpoints.kubernetes.io/{key}": annotations[key] for key in annotations},
    }
    return replace(present, metadata=replace(present.metadata, annotations=held))


@pytest.mark.parametrize(
    ("service", "backends", "annotations"),
    [
        pytest.param(make_service(), [UNREADY], {}, id="other addresses"),
        pytest.param(make_service(labels={"new": "label"}), [READY], {}, id="other labels"),
        pytest.param(make_service(), [READY], {"over-capacity": "truncated"}, id="no longer truncated"),
    ],
)
def test_a_change_is_written(service: Service, backends: list[Pod], annotations: dict[str, str]) -> None:
    present = annotated(created(make_service(), READY, trigger="then"), **annotations)
    action = planned(service, backends, present, "now")
    assert isinstance(action, UpdateEndpoints)
    assert action.endpoints.metadata.annotations == {"endpoints.kubernetes.io/last-change-trigger-time": "now"}
    assert planned(service, backends, action.endpoints, "later") is None


def test_an_unknown_trigger_takes_the_annotation_away() -> None:
    action = planned(make_service(), [], created(make_service(), READY, trigger="then"), "")
    assert isinstance(action, UpdateEndpoints)
    assert action.endpoints.metadata.annotations == {}


def test_too_many_are_cut_and_it_is_said_once() -> None:
    present = created(make_service(), *crowd(1100))
    assert len(present.subsets[0].addresses) == 1000
    assert present.metadata.annotations == {"endpoints.kubernetes.io/over-capacity": "truncated"}
    assert planned(make_service(), crowd(1100), present, "later") is None


def addresses(count: int) -> tuple[EndpointAddress, ...]:
    return tuple(EndpointAddress(ip=f"10.0.0.{number}") for number in range(count))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        pytest.param([(6, 4)], [(6, 4)], id="just enough room"),
        pytest.param([(6, 5)], [(6, 4)], id="first what is not ready"),
        pytest.param([(12, 5)], [(10, 0)], id="then what is ready"),
        pytest.param([(8, 0), (8, 0)], [(5, 0), (5, 0)], id="in proportion"),
        pytest.param([(10, 0), (5, 0)], [(7, 0), (3, 0)], id="rounded up from the first"),
        pytest.param([(2, 4), (3, 4)], [(2, 3), (3, 2)], id="what is not ready in proportion"),
        pytest.param([(10, 0), (0, 3)], [(10, 0)], id="a subset that is left empty goes"),
    ],
)
def test_truncation(sizes: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    subsets = tuple(EndpointSubset(addresses=addresses(a), not_ready_addresses=addresses(b)) for a, b in sizes)
    left = endpoints.truncated(subsets, capacity=10)
    assert [(len(each.addresses), len(each.not_ready_addresses)) for each in left] == expected


OURS = {"labels": {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}}
ELECTION = {"annotations": {"control-plane.alpha.kubernetes.io/leader": "{}"}}


@pytest.mark.parametrize(
    ("metadata", "served", "deleted"),
    [
        pytest.param(OURS, False, True, id="ours, left from an earlier term"),
        pytest.param({}, True, True, id="a user's, whose service was deleted"),
        pytest.param({}, False, False, id="a user's, whose service is still to come"),
        pytest.param(ELECTION, True, False, id="an election"),
    ],
)
def test_endpoints_without_a_service(metadata: dict[str, Any], served: bool, deleted: bool) -> None:
    present = make_endpoints(**metadata)
    assert endpoints.abandoned(present, served=served) == (DeleteEndpoints(present) if deleted else None)
    assert endpoints.abandoned(None, served=served) is None
