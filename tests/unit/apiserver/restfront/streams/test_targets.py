"""Which container, node and address a stream goes to."""

from __future__ import annotations

import pytest

from apiserver import nodes
from apiserver.restfront.streams import proxying, targets
from apiserver.restfront.streams.proxying import Backend
from steersman.api.core import Container, ContainerPort, Node, NodeAddress, NodeStatus, Pod, PodSpec
from steersman.api.errors import BadRequest, Unavailable
from steersman.api.meta import ObjectMeta


def pod_with(*containers: str, init: tuple[str, ...] = (), node: str = "node-a") -> Pod:
    spec = PodSpec(
        containers=tuple(Container(name=name) for name in containers),
        init_containers=tuple(Container(name=name) for name in init),
        node_name=node,
    )
    return Pod(metadata=ObjectMeta(name="web", namespace="default", uid="u1"), spec=spec)


def test_the_only_container_need_not_be_named() -> None:
    assert targets.container_of(pod_with("main", init=("first",)), "") == "main"
    assert targets.container_of(pod_with("main", init=("first",)), "first") == "first"


@pytest.mark.parametrize(
    ("pod", "asked", "message"),
    [
        pytest.param(
            pod_with("a", "b", init=("i",)),
            "",
            "a container name must be specified for pod web, choose one of: [i a b]",
            id="several",
        ),
        pytest.param(pod_with("a"), "b", "container b is not valid for pod web", id="none of that name"),
        pytest.param(pod_with(), "", "a container name must be specified for pod web", id="none at all"),
    ],
)
def test_containers_that_are_not_clear(pod: Pod, asked: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        targets.container_of(pod, asked)
    assert caught.value.message == message


def test_a_pod_without_a_node_has_no_streams() -> None:
    with pytest.raises(BadRequest, match="pod web does not have a host assigned"):
        targets.node_name(pod_with("a", node=""))


def node_at(**addresses: str) -> Node:
    listed = tuple(NodeAddress(type=kind, address=address) for kind, address in addresses.items())
    return Node(metadata=ObjectMeta(name="node-a"), status=NodeStatus(addresses=listed))


def test_a_node_is_dialled_at_its_internal_address_under_its_host_name() -> None:
    node = node_at(Hostname="host", ExternalIP="192.0.2.1", InternalIP="10.0.0.1")
    assert (nodes.address(node), nodes.host_name(node)) == ("10.0.0.1", "host")
    assert nodes.host_name(node_at(InternalIP="10.0.0.1")) == "node-a"
    with pytest.raises(Unavailable):
        nodes.address(node_at())


@pytest.mark.parametrize(
    ("text", "backend"),
    [
        ("web", Backend("http", "web", "")),
        ("web:8080", Backend("http", "web", "8080")),
        ("https:web:8443", Backend("https", "web", "8443")),
        ("https:web:", Backend("https", "web", "")),
        ("ftp:web:21", None),
        (":80", None),
        ("a:b:c:d", None),
    ],
)
def test_what_a_proxied_name_says(text: str, backend: Backend | None) -> None:
    assert proxying.backend_of(text) == backend


def test_the_port_is_the_one_asked_for_or_declared_or_the_usual() -> None:
    declared = Pod(spec=PodSpec(containers=(Container(ports=(ContainerPort(container_port=81),)),)))
    assert proxying.port_of(declared, "", "http") == 81
    assert proxying.port_of(declared, "82", "http") == 82
    assert proxying.port_of(pod_with("a"), "", "https") == 443
    with pytest.raises(BadRequest):
        proxying.port_of(declared, "http", "http")


@pytest.mark.parametrize(
    ("below", "rest"), [("", ""), ("/", "/"), ("/a/proxy/b", "/a/proxy/b"), ("?x=1", "?x=1"), ("/a?x=/1", "/a?x=/1")]
)
def test_what_stands_below_a_proxy(below: str, rest: str) -> None:
    prefix = "/api/v1/namespaces/proxy/pods/proxy/proxy"
    assert proxying.below_proxy(prefix + below) == (prefix, rest)


def test_headers_between_the_caller_and_us_do_not_pass() -> None:
    sent = [("Authorization", "Bearer x"), ("Connection", "close"), ("Impersonate-User", "y"), ("X-Own", "z")]
    assert proxying.passed_on(sent) == [("X-Own", "z")]
    answered = [("Location", "/a"), ("Transfer-Encoding", "chunked"), ("location", "//elsewhere"), ("Server", "s")]
    assert proxying.passed_back(answered, "/p") == [("Location", "/p/a"), ("location", "//elsewhere"), ("Server", "s")]
