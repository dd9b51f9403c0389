"""Which pods stand behind a service's port."""

from __future__ import annotations

import pytest

from apiserver.restfront.streams import serviceproxy
from apiserver.restfront.streams.serviceproxy import Candidate
from steersman.api.core import ObjectReference, Service, ServicePort, ServiceSpec
from steersman.api.discovery import Endpoint, EndpointConditions, EndpointPort, EndpointSlice
from steersman.api.errors import Unavailable
from steersman.api.meta import ObjectMeta


def endpoint(pod: str, *, ready: bool | None = True, namespace: str = "default") -> Endpoint:
    return Endpoint(
        addresses=(f"10.0.0.{len(pod)}",),
        conditions=EndpointConditions(ready=ready),
        target_ref=ObjectReference(kind="Pod", namespace=namespace, name=pod),
    )


def slice_of(*endpoints: Endpoint, port: EndpointPort) -> EndpointSlice:
    return EndpointSlice(address_type="IPv4", endpoints=endpoints, ports=(port,))


HTTP = EndpointPort(name="http", port=8080)


@pytest.mark.parametrize(
    ("slices", "port_name", "found"),
    [
        pytest.param([slice_of(endpoint("a"), port=HTTP)], "http", [Candidate("a", "10.0.0.1", 8080)], id="one"),
        pytest.param([slice_of(endpoint("a"), port=HTTP)], "", [], id="another port"),
        pytest.param(
            [slice_of(endpoint("a"), port=EndpointPort(port=80))], "", [Candidate("a", "10.0.0.1", 80)], id="no name"
        ),
        pytest.param([slice_of(endpoint("a", ready=False), port=HTTP)], "http", [], id="not ready"),
        pytest.param(
            [slice_of(endpoint("a", ready=None), port=HTTP)], "http", [Candidate("a", "10.0.0.1", 8080)], id="unknown"
        ),
        pytest.param([slice_of(endpoint("a", namespace="b"), port=HTTP)], "http", [], id="of another namespace"),
        pytest.param([slice_of(Endpoint(addresses=("10.0.0.1",)), port=HTTP)], "http", [], id="no pod"),
        pytest.param([slice_of(endpoint("a"), port=EndpointPort(name="http"))], "http", [], id="no number"),
        pytest.param(
            [slice_of(endpoint("a"), port=HTTP), slice_of(endpoint("bb"), port=HTTP)],
            "http",
            [Candidate("a", "10.0.0.1", 8080), Candidate("bb", "10.0.0.2", 8080)],
            id="several slices",
        ),
    ],
)
def test_who_may_answer(slices: list[EndpointSlice], port_name: str, found: list[Candidate]) -> None:
    assert list(serviceproxy.candidates(slices, "default", port_name)) == found


def test_a_port_is_known_by_its_number() -> None:
    ports = (ServicePort(name="http", port=80), ServicePort(name="https", port=443))
    service = Service(metadata=ObjectMeta(name="web"), spec=ServiceSpec(ports=ports))
    assert serviceproxy.name_of_port(service, 443) == "https"
    with pytest.raises(Unavailable, match='no service port 81 found for service "web"'):
        serviceproxy.name_of_port(service, 81)
