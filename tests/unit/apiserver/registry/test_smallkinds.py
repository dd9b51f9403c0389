"""ConfigMaps, Namespaces and Leases: their defaults and every one of their rules."""

from __future__ import annotations

import base64

import pytest
from msgspec.structs import replace

from apiserver.registry.configmap import CONFIGMAP
from apiserver.registry.lease import LEASE
from apiserver.registry.namespace import NAMESPACE, validate_finalize, validate_status_update
from steersman.api.coordination import Lease
from steersman.api.core import ConfigMap, Namespace, NamespaceSpec
from steersman.api.part import Time
from tests.unit.apiserver.registry.pods import CONFIG_KEY, NAME_PART, Manifest, decode, shown

FROZEN = "Forbidden: field is immutable when `immutable` is set"
UNQUALIFIED = "name is neither a standard finalizer name nor is it fully qualified"


def encoded(text: bytes) -> str:
    return base64.b64encode(text).decode()


CONFIGMAPS: dict[str, tuple[Manifest, list[str]]] = {
    "empty": ({}, []),
    "full": ({"data": {"a": "1"}, "binaryData": {"b": encoded(b"\x00")}}, []),
    "bad key": ({"data": {"a/b": ""}}, [f'data[a/b]: Invalid value: "a/b": {CONFIG_KEY}']),
    "key of dots": ({"binaryData": {"..": ""}}, ["binaryData[..]: Invalid value: \"..\": must not be '..'"]),
    "key that begins with dots": (
        {"data": {"..a": ""}},
        ["data[..a]: Invalid value: \"..a\": must not start with '..'"],
    ),
    "key twice": (
        {"data": {"a": ""}, "binaryData": {"a": ""}},
        ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ),
    "just small enough": ({"data": {"a": "x" * 2**20}}, []),
    "too large": ({"data": {"a": "x" * (2**20 + 1)}}, ["[]: Too long: may not be more than 1048576 bytes"]),
    "too large in bytes": ({"data": {"a": "ä" * (2**19 + 1)}}, ["[]: Too long: may not be more than 1048576 bytes"]),
    "too large together": (
        {"data": {"a": "x" * 2**19}, "binaryData": {"b": encoded(b"x" * (2**19 + 1))}},
        ["[]: Too long: may not be more than 1048576 bytes"],
    ),
}


@pytest.mark.parametrize("name", CONFIGMAPS)
def test_configmap(name: str) -> None:
    manifest, complaints = CONFIGMAPS[name]
    assert shown(CONFIGMAP.validate(decode(ConfigMap, manifest))) == complaints


CONFIGMAP_STEPS: dict[str, tuple[Manifest, Manifest, list[str]]] = {
    "anything, while it may": ({"data": {"a": "1"}}, {"data": {"b": "2"}}, []),
    "frozen": ({"data": {"a": "1"}}, {"data": {"b": "2"}, "immutable": True}, []),
    "frozen already, unchanged": ({"immutable": True}, {"immutable": True}, []),
    "thawed": ({"immutable": True}, {"immutable": False}, [f"immutable: {FROZEN}"]),
    "changed altogether": (
        {"immutable": True, "data": {"a": "1"}},
        {"binaryData": {"a": encoded(b"1")}},
        [f"immutable: {FROZEN}", f"data: {FROZEN}", f"binaryData: {FROZEN}"],
    ),
}


@pytest.mark.parametrize("name", CONFIGMAP_STEPS)
def test_configmap_update(name: str) -> None:
    before, after, complaints = CONFIGMAP_STEPS[name]
    assert shown(CONFIGMAP.validate_update(decode(ConfigMap, after), decode(ConfigMap, before))) == complaints


def namespace(name: str = "n", *finalizers: str) -> Namespace:
    return decode(Namespace, {"metadata": {"name": name}, "spec": {"finalizers": finalizers}})


def test_a_new_namespace_is_labelled_active_and_held() -> None:
    new = NAMESPACE.default(namespace())
    assert new.metadata.labels == {"kubernetes.io/metadata.name": "n"}
    assert new.spec.finalizers == ("kubernetes",)
    assert new.status.phase == "Active"


def test_a_new_namespace_keeps_finalizers_of_its_own() -> None:
    assert NAMESPACE.default(namespace("n", "a.b/c")).spec.finalizers == ("a.b/c", "kubernetes")
    assert NAMESPACE.default(namespace("n", "kubernetes", "a.b/c")).spec.finalizers == ("kubernetes", "a.b/c")


def test_an_old_namespace_gets_its_label_back_but_not_its_finalizer() -> None:
    old = NAMESPACE.default(namespace())
    emptied = replace(old, metadata=replace(old.metadata, labels={"a": "b"}), spec=NamespaceSpec())
    again = NAMESPACE.default(emptied)
    assert again.metadata.labels == {"a": "b", "kubernetes.io/metadata.name": "n"}
    assert again.spec.finalizers == ()


def test_an_update_leaves_the_finalizers_of_a_namespace_alone() -> None:
    old = NAMESPACE.default(namespace())
    assert NAMESPACE.prepare_update(replace(old, spec=NamespaceSpec()), old).spec == old.spec
    assert NAMESPACE.prepare_update(old, old) is old


def test_finalizers_of_a_namespace_have_names() -> None:
    new = namespace("n", "kubernetes", "orphan", "foregroundDeletion", "a.b/c", "mine", "-")
    assert shown(NAMESPACE.validate(new)) == [
        f'spec.finalizers: Invalid value: "mine": {UNQUALIFIED}',
        f'spec.finalizers: Invalid value: "-": {NAME_PART}',
        f'spec.finalizers: Invalid value: "-": {UNQUALIFIED}',
    ]
    assert shown(validate_finalize(namespace("n", "a.b/c", "mine"), new)) == [
        f'spec.finalizers[1]: Invalid value: "mine": {UNQUALIFIED}'
    ]


def test_the_phase_of_a_namespace_tells_whether_it_goes() -> None:
    active = NAMESPACE.default(namespace())
    going = replace(active, status=replace(active.status, phase="Terminating"))
    deleted = replace(active.metadata, deletion_timestamp=Time("2026-11-18T06:59:47Z"))
    assert validate_status_update(active, active) == []
    assert validate_status_update(replace(going, metadata=deleted), active) == []
    assert shown(validate_status_update(going, active)) == [
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"
    ]
    assert shown(validate_status_update(replace(active, metadata=deleted), active)) == [
        "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"
    ]


def test_a_namespace_is_called_like_one_part_of_a_domain() -> None:
    assert list(NAMESPACE.name_rule("a.b")) == ["must not contain dots"]


LEASES: dict[str, tuple[Manifest, list[str]]] = {
    "empty": ({}, []),
    "held": ({"holderIdentity": "a", "leaseDurationSeconds": 1, "leaseTransitions": 0}, []),
    "for no time": (
        {"leaseDurationSeconds": 0},
        ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"],
    ),
    "fewer than no transitions": (
        {"leaseTransitions": -1},
        ["spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"],
    ),
    "known strategy": ({"strategy": "OldestEmulationVersion", "preferredHolder": "a"}, []),
    "own strategy": ({"strategy": "a.b/c"}, []),
    "unknown strategy": (
        {"strategy": "Youngest"},
        ['spec.strategy.strategy: Unsupported value: "Youngest": supported values: "OldestEmulationVersion"'],
    ),
    "badly named strategy": ({"strategy": "a.b/-"}, [f'spec.strategy.strategy: Invalid value: "a.b/-": {NAME_PART}']),
    "heir without a strategy": (
        {"preferredHolder": "a"},
        ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"],
    ),
}


@pytest.mark.parametrize("name", LEASES)
def test_lease(name: str) -> None:
    spec, complaints = LEASES[name]
    assert shown(LEASE.validate(decode(Lease, {"spec": spec}))) == complaints
