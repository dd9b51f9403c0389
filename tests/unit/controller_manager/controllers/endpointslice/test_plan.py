from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller_manager.controllers.endpointslice import plan
from controller_manager.controllers.endpointslice.plan import Action, CreateSlice, DeleteSlice, UpdateSlice
from steersman.api.core import Pod, Service
from steersman.api.discovery import Endpoint, EndpointSlice
from tests.unit.controller_manager.networks import HTTP, NAMED, crowd, make_backend, make_service, named
from tests.unit.controller_manager.workloads import ago

ZONES = {"node-1": "zone-a"}


def planned(
    service: Service,
    backends: Iterable[Pod],
    zones: Mapping[str, str],
    present: Sequence[EndpointSlice],
    trigger: str = "",
) -> list[Action]:
    candidates = [plan.candidate(service, zones, pod) for pod in backends]
    return plan.plan(service, candidates, present, trigger)


def short(endpoint: Endpoint) -> str:
    conditions = endpoint.conditions
    marks = zip("rst", (conditions.ready, conditions.serving, conditions.terminating), strict=True)
    return "+".join(endpoint.addresses) + ":" + "".join(mark for mark, is_so in marks if is_so)


def told(actions: Sequence[Action]) -> list[str]:
    """Actions as short texts: "create IPv4 http:8080 10.0.0.2:rs"; r: ready, s: serving, t: terminating."""
    verbs = {CreateSlice: "create", UpdateSlice: "update", DeleteSlice: "delete"}
    return [
        " ".join(
            [
                verbs[type(action)],
                action.slice.metadata.name or action.slice.address_type,
                *(f"{port.name}:{port.port}" for port in action.slice.ports or ()),
                *([] if isinstance(action, DeleteSlice) else map(short, action.slice.endpoints or ())),
            ]
        )
        for action in actions
    ]


def made(service: Service, *pods: Pod, zones: Mapping[str, str] = ZONES) -> list[EndpointSlice]:
    """The slices s-0, s-1, … as they are when a first plan has been carried out."""
    actions = planned(service, pods, zones, [])
    assert all(isinstance(action, CreateSlice) for action in actions)
    return [named(action.slice, f"s-{index}") for index, action in enumerate(actions)]


DUAL = ("10.0.0.2", "fd00::2")


@pytest.mark.parametrize(
    ("service", "backends", "expected"),
    [
        pytest.param(make_service(), [], ["create IPv4"], id="nobody: an empty slice"),
        pytest.param(
            make_service(ipFamilies=["IPv4", "IPv6"]), [], ["create IPv4", "create IPv6"], id="nobody, two families"
        ),
        pytest.param(make_service(), [make_backend()], ["create IPv4 http:8080 10.0.0.2:rs"], id="ready"),
        pytest.param(make_service(), [make_backend(ready=False)], ["create IPv4 http:8080 10.0.0.2:"], id="not ready"),
        pytest.param(
            make_service(),
            [make_backend(deleted=True)],
            ["create IPv4 http:8080 10.0.0.2:st"],
            id="going, still serving",
        ),
        pytest.param(
            make_service(),
            [make_backend(ready=False, deleted=True)],
            ["create IPv4 http:8080 10.0.0.2:t"],
            id="going, no longer serving",
        ),
        pytest.param(
            make_service(publishNotReadyAddresses=True),
            [make_backend(1, ready=False), make_backend(2, deleted=True)],
            ["create IPv4 http:8080 10.0.0.2:r 10.0.0.3:rst"],
            id="all are called ready on request",
        ),
        pytest.param(make_service(), [make_backend(phase="Succeeded")], ["create IPv4"], id="finished"),
        pytest.param(make_service(), [make_backend(ips=())], ["create IPv4"], id="without an address"),
        pytest.param(make_service(), [make_backend(node="gone")], ["create IPv4"], id="on a node that is gone"),
        pytest.param(
            make_service(publishNotReadyAddresses=True),
            [make_backend(node="gone")],
            ["create IPv4 http:8080 10.0.0.2:rs"],
            id="on a node that is gone, on request",
        ),
        pytest.param(
            make_service(ipFamilies=["IPv6", "IPv4"]),
            [make_backend(ips=DUAL)],
            ["create IPv6 http:8080 fd00::2:rs", "create IPv4 http:8080 10.0.0.2:rs"],
            id="one slice a family",
        ),
        pytest.param(
            make_service(ipFamilies=["IPv4", "IPv6"]),
            [make_backend()],
            ["create IPv4 http:8080 10.0.0.2:rs", "create IPv6"],
            id="a pod with one family only",
        ),
        pytest.param(
            make_service(NAMED),
            [make_backend(1, ports={"web": 1}), make_backend(2, ports={"web": 2})],
            ["create IPv4 http:1 10.0.0.2:rs", "create IPv4 http:2 10.0.0.3:rs"],
            id="one slice a set of ports",
        ),
        pytest.param(make_service(NAMED), [make_backend()], ["create IPv4 10.0.0.2:rs"], id="a port it does not have"),
        pytest.param(
            make_service(HTTP, NAMED | {"name": "other"}),
            [make_backend()],
            ["create IPv4 http:8080 10.0.0.2:rs"],
            id="one of two ports",
        ),
        pytest.param(
            replace(make_service(), spec=replace(make_service(cluster_ip="None").spec, ports=())),
            [make_backend()],
            ["create IPv4 10.0.0.2:rs"],
            id="headless without ports",
        ),
    ],
)
def test_first_slices(service: Service, backends: list[Pod], expected: list[str]) -> None:
    assert told(planned(service, backends, ZONES, [])) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param([], [], [], id="still nobody"),
        pytest.param(crowd(2), crowd(2), [], id="unchanged"),
        pytest.param([], crowd(1), ["update s-0 http:8080 10.0.0.2:rs"], id="the empty slice is used"),
        pytest.param(crowd(1), [], ["update s-0"], id="the last slice becomes the empty one"),
        pytest.param(
            crowd(1), crowd(2), ["update s-0 http:8080 10.0.0.2:rs 10.0.0.3:rs"], id="one more fits into the slice"
        ),
        pytest.param(crowd(2), crowd(1), ["update s-0 http:8080 10.0.0.2:rs"], id="one less"),
        pytest.param(crowd(1), crowd(1, ready=False), ["update s-0 http:8080 10.0.0.2:"], id="no longer ready"),
        pytest.param(
            crowd(1), crowd(1, first=2), ["update s-0 http:8080 10.0.0.3:rs"], id="replaced: the slice is reused"
        ),
        pytest.param(crowd(1), crowd(1, node="node-2"), ["update s-0 http:8080 10.0.0.2:rs"], id="on another node"),
    ],
)
def test_what_follows_a_change(before: list[Pod], after: list[Pod], expected: list[str]) -> None:
    zones = {**ZONES, "node-2": "zone-b"}
    present = made(make_service(), *before, zones=zones)
    assert told(planned(make_service(), after, zones, present)) == expected


def test_a_crowd_is_spread_over_slices_and_stays_where_it_is() -> None:
    present = made(make_service(), *crowd(250))
    assert [len(each.endpoints or ()) for each in present] == [100, 100, 50]
    arrived = planned(make_service(), crowd(251), ZONES, present)
    assert [action.slice.metadata.name for action in arrived] == ["s-2"]
    left = planned(make_service(), [*crowd(99), *crowd(150, first=101)], ZONES, present)
    assert [(type(action), action.slice.metadata.name) for action in left] == [(UpdateSlice, "s-0")]
    gone = planned(make_service(), crowd(200), ZONES, present)
    assert gone == [DeleteSlice(present[2])]


def test_labels_follow_the_service() -> None:
    ours = {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    (present,) = made(make_service(), make_backend())
    assert present.metadata.labels == ours
    assert [owner.uid for owner in present.metadata.owner_references] == ["service-uid"]
    (action,) = planned(make_service(labels={"a": "b"}), [make_backend()], ZONES, [present])
    assert action.slice.metadata.labels == {"a": "b", **ours}
    (action,) = planned(make_service(cluster_ip="None"), [make_backend()], ZONES, [present])
    assert action.slice.metadata.labels == {"service.kubernetes.io/headless": "", **ours}
    reserved = {"service.kubernetes.io/headless": "", "kubernetes.io/service-name": "x"}
    assert planned(make_service(labels=reserved), [make_backend()], ZONES, [present]) == []


def test_an_endpoint_says_where_it_is() -> None:
    (present,) = made(make_service(), make_backend(hostname="web-0", subdomain="web"))
    (endpoint,) = present.endpoints or ()
    assert (endpoint.node_name, endpoint.zone, endpoint.hostname) == ("node-1", "zone-a", "web-0")
    assert endpoint.target_ref is not None
    assert (endpoint.target_ref.kind, endpoint.target_ref.name) == ("Pod", "web-0001")
    (plain,) = made(make_service(), make_backend(), zones={"node-1": ""})
    assert [each.zone for each in plain.endpoints or ()] == [None]


def test_a_family_that_the_service_lost_is_taken_away() -> None:
    present = made(make_service(ipFamilies=["IPv4", "IPv6"]), make_backend(ips=DUAL))
    assert told(planned(make_service(), [make_backend(ips=DUAL)], ZONES, present)) == ["delete s-1 http:8080"]


def test_other_ports_reuse_the_slice() -> None:
    present = made(make_service(), make_backend())
    other = make_service({**HTTP, "targetPort": 9090})
    assert told(planned(other, [make_backend()], ZONES, present)) == ["update s-0 http:9090 10.0.0.2:rs"]


def test_slices_of_an_earlier_service_of_that_name_are_not_reused() -> None:
    present = made(make_service(), make_backend())
    meta = replace(make_service().metadata, uid="another")
    later = replace(make_service(), metadata=meta)
    assert told(planned(later, [make_backend()], ZONES, present)) == [
        "create IPv4 http:8080 10.0.0.2:rs",
        "delete s-0 http:8080",
    ]


def test_nothing_is_created_for_a_service_that_is_going() -> None:
    going = replace(make_service(), metadata=replace(make_service().metadata, deletion_timestamp=ago(1)))
    assert planned(going, [make_backend()], ZONES, []) == []
    present = made(make_service(), *crowd(100))
    (action,) = planned(going, [*crowd(99), *crowd(100, first=101)], ZONES, present)
    assert isinstance(action, UpdateSlice)


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        pytest.param("now", {"endpoints.kubernetes.io/last-change-trigger-time": "now"}, id="known"),
        pytest.param("", {}, id="unknown"),
    ],
)
def test_the_trigger_is_told_with_a_change(trigger: str, expected: dict[str, Any]) -> None:
    present = [named(each.slice, "s-0") for each in planned(make_service(), [], ZONES, [], "then")]
    (action,) = planned(make_service(), crowd(1), ZONES, present, trigger)
    assert action.slice.metadata.annotations == expected
    assert planned(make_service(), crowd(1), ZONES, [action.slice], "later") == []


PODS = st.builds(
    lambda number, port, ready, deleted, ips: make_backend(
        number, ports={"web": port}, ready=ready, deleted=deleted, ips=ips
    ),
    st.integers(1, 6),
    st.sampled_from((1, 2)),
    st.booleans(),
    st.booleans(),
    st.sampled_from((("10.0.0.1",), ("10.0.0.2", "fd00::2"), ())),
)
STATES = st.lists(PODS, max_size=6, unique_by=lambda pod: pod.metadata.name)
FAMILIES = st.sampled_from((["IPv4"], ["IPv6"], ["IPv4", "IPv6"]))


@settings(max_examples=30, deadline=None)
@given(history=st.lists(st.tuples(STATES, FAMILIES), min_size=1, max_size=4))
def test_whatever_happened_before_the_slices_end_as_if_made_anew(
    history: list[tuple[list[Pod], list[str]]],
) -> None:
    present: dict[str, EndpointSlice] = {}
    names = (f"s-{number}" for number in itertools.count())
    for backends, families in history:
        service = make_service(NAMED, ipFamilies=families)
        for action in planned(service, backends, ZONES, list(present.values())):
            name = action.slice.metadata.name or next(names)
            if isinstance(action, DeleteSlice):
                del present[name]
            else:
                present[name] = named(action.slice, name)
        assert planned(service, backends, ZONES, list(present.values())) == [], "nothing is left to do"
        anew = [action.slice for action in planned(service, backends, ZONES, [])]
        assert contents(present.values()) == contents(anew)


def contents(slices: Iterable[EndpointSlice]) -> set[tuple[str, tuple[int | None, ...], frozenset[str]]]:
    return {
        (each.address_type, tuple(port.port for port in each.ports or ()), frozenset(map(short, each.endpoints or ())))
        for each in slices
    }
