from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager.controllers.endpointslice import mirroring
from controller_manager.controllers.endpointslice.plan import CreateSlice, DeleteSlice, UpdateSlice
from steersman.api.core import Endpoints, Service
from steersman.api.discovery import EndpointSlice
from tests.unit.controller_manager.networks import make_endpoints, make_service, named

PORTS = [{"name": "http", "port": 80, "protocol": "TCP"}]
USERS = make_service(selector={})


def subset(*ips: str, unready: tuple[str, ...] = (), ports: list[dict[str, Any]] = PORTS) -> dict[str, Any]:
    addresses = {"addresses": [{"ip": ip} for ip in ips]} if ips else {}
    return {**addresses, "notReadyAddresses": [{"ip": ip} for ip in unready], "ports": ports}


def mirrored(endpoints: Endpoints) -> list[EndpointSlice]:
    """The slices s-0, s-1, … as they are when a first plan has been carried out."""
    actions = mirroring.plan(endpoints, USERS, []).actions
    assert all(isinstance(action, CreateSlice) for action in actions)
    return [named(action.slice, f"s-{index}") for index, action in enumerate(actions)]


def told(slices: list[EndpointSlice]) -> list[str]:
    return [
        " ".join(
            [
                each.address_type,
                ",".join(f"{port.name}:{port.port}" for port in each.ports or ()),
                *(
                    endpoint.addresses[0] + ("" if endpoint.conditions.ready else "!")
                    for endpoint in each.endpoints or ()
                ),
            ]
        )
        for each in slices
    ]


OTHER = [{"name": "other", "port": 81, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("endpoints", "expected"),
    [
        pytest.param(make_endpoints(), [], id="nothing"),
        pytest.param(make_endpoints(subset("1.2.3.4")), ["IPv4 http:80 1.2.3.4"], id="one address"),
        pytest.param(
            make_endpoints(subset("1.2.3.4", unready=("1.2.3.5",))), ["IPv4 http:80 1.2.3.4 1.2.3.5!"], id="not ready"
        ),
        pytest.param(
            make_endpoints(subset("1.2.3.4", "fd00::1")),
            ["IPv4 http:80 1.2.3.4", "IPv6 http:80 fd00::1"],
            id="both families",
        ),
        pytest.param(
            make_endpoints(subset("1.2.3.4"), subset("1.2.3.4", ports=OTHER)),
            ["IPv4 http:80 1.2.3.4", "IPv4 other:81 1.2.3.4"],
            id="two sets of ports",
        ),
        pytest.param(
            make_endpoints(subset("1.2.3.4"), subset("1.2.3.5")), ["IPv4 http:80 1.2.3.4 1.2.3.5"], id="same ports"
        ),
        pytest.param(make_endpoints(subset("1.2.3.4", ports=[])), ["IPv4  1.2.3.4"], id="no ports"),
    ],
)
def test_what_is_mirrored(endpoints: Endpoints, expected: list[str]) -> None:
    slices = mirrored(endpoints)
    assert told(slices) == expected
    assert mirroring.plan(endpoints, USERS, slices).actions == (), "and then nothing is left to do"


SKIPPED = {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}}
ELECTION = {"annotations": {"control-plane.alpha.kubernetes.io/leader": "{}"}}


@pytest.mark.parametrize(
    ("endpoints", "service"),
    [
        pytest.param(None, USERS, id="no endpoints"),
        pytest.param(make_endpoints(subset("1.2.3.4")), None, id="no service"),
        pytest.param(make_endpoints(subset("1.2.3.4")), make_service(), id="a service with a selector"),
        pytest.param(make_endpoints(subset("1.2.3.4"), **SKIPPED), USERS, id="asked not to"),
        pytest.param(make_endpoints(subset("1.2.3.4"), **ELECTION), USERS, id="an election"),
        pytest.param(make_endpoints(), USERS, id="no addresses"),
    ],
)
def test_what_is_not_mirrored_goes(endpoints: Endpoints | None, service: Service | None) -> None:
    present = mirrored(make_endpoints(subset("1.2.3.4")))
    assert mirroring.plan(endpoints, service, present).actions == tuple(map(DeleteSlice, present))


def test_labels_and_annotations_are_mirrored() -> None:
    annotations = {"a": "b", "endpoints.kubernetes.io/last-change-trigger-time": "x", mirroring.LAST_APPLIED: "{}"}
    (slice,) = mirrored(make_endpoints(subset("1.2.3.4"), labels={"c": "d"}, annotations=annotations))
    assert slice.metadata.annotations == {"a": "b"}
    assert slice.metadata.labels == {
        "c": "d",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    }
    assert [(owner.kind, owner.uid) for owner in slice.metadata.owner_references] == [("Endpoints", "endpoints-uid")]


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(make_endpoints(subset("1.2.3.5")), id="another address"),
        pytest.param(make_endpoints(subset(unready=("1.2.3.4",))), id="no longer ready"),
        pytest.param(make_endpoints(subset("1.2.3.4", ports=OTHER)), id="other ports: the slice is reused"),
        pytest.param(make_endpoints(subset("1.2.3.4"), annotations={"a": "b"}), id="an annotation"),
        pytest.param(make_endpoints(subset("1.2.3.4"), uid="another"), id="made anew"),
    ],
)
def test_a_change_is_written_once(changed: Endpoints) -> None:
    present = mirrored(make_endpoints(subset("1.2.3.4")))
    (action,) = mirroring.plan(changed, USERS, present).actions
    assert isinstance(action, UpdateSlice)
    assert action.slice.metadata.name == "s-0"
    assert mirroring.plan(changed, USERS, [action.slice]).actions == ()


def test_the_trace_of_the_slice_is_its_own() -> None:
    trace = {"tracing.k8s.io/traceparent": "00-1-2-01"}
    (slice,) = mirrored(make_endpoints(subset("1.2.3.4"), annotations=trace))
    assert slice.metadata.annotations == {}
    held = replace(slice, metadata=replace(slice.metadata, annotations=trace))
    assert mirroring.plan(make_endpoints(subset("1.2.3.4")), USERS, [held]).actions == ()


def test_too_many_are_counted() -> None:
    ips = [f"10.0.{number // 250}.{number % 250}" for number in range(1010)]
    mirror = mirroring.plan(make_endpoints(subset(*ips)), USERS, [])
    assert mirror.skipped == 10
    assert len(mirror.actions[0].slice.endpoints or ()) == 1000


def test_slices_beyond_the_first_of_a_group_go() -> None:
    endpoints = make_endpoints(subset("1.2.3.4"))
    (first,) = mirrored(endpoints)
    assert mirroring.plan(endpoints, USERS, [first, named(first, "s-1")]).actions == (DeleteSlice(named(first, "s-1")),)
