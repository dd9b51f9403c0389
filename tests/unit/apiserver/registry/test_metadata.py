"""Metadata that is refused, with the field and the words that Kubernetes answers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.registry import metadata
from apiserver.registry.metadata import Findings, Look
from steersman.api import names
from steersman.api.errors import Cause
from steersman.api.meta import ManagedFieldsEntry, ObjectMeta, OwnerReference
from steersman.api.part import Time

GOOD = ObjectMeta(
    name="web-0",
    namespace="default",
    uid="1111",
    generation=3,
    creation_timestamp=Time("2026-11-18T07:00:00Z"),
    labels={"app": "web", "example.com/tier": "front", "empty": ""},
    annotations={"Example.com/Note": "Anything at all, ☃ included", "plain": ""},
    owner_references=(
        OwnerReference(api_version="apps/v1", kind="ReplicaSet", name="web", uid="2222", controller=True),
        OwnerReference(api_version="v1", kind="ConfigMap", name="cm", uid="3333", controller=False),
    ),
    finalizers=("example.com/guard", "orphan"),
    managed_fields=(ManagedFieldsEntry(manager="kubectl", operation="Update", fields_type="FieldsV1"),),
)

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def owner(**changes: Any) -> OwnerReference:
    return replace(OwnerReference(api_version="v1", kind="Pod", name="p", uid="1"), **changes)


def managed(**changes: Any) -> ManagedFieldsEntry:
    return replace(ManagedFieldsEntry(manager="me", operation="Apply"), **changes)


def said(causes: list[Cause]) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in causes]


ALWAYS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "good": ({}, []),
    "bare": ({"labels": {}, "annotations": {}, "owner_references": (), "finalizers": (), "managed_fields": ()}, []),
    "negative generation": (
        {"generation": -1},
        ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ),
    "label key with a blank": ({"labels": {"a b": "c"}}, [f'metadata.labels: Invalid value: "a b": {QUALIFIED}']),
    "annotation key with a blank": (
        {"annotations": {"a b": "c"}},
        [f'metadata.annotations: Invalid value: "a b": {QUALIFIED}'],
    ),
    "annotation keys may have capitals": ({"annotations": {"EXAMPLE.com/x": "c"}}, []),
    "annotations of exactly 256 KiB": ({"annotations": {"a": "x" * (262144 - 1)}}, []),
    "annotations one byte larger": (
        {"annotations": {"a": "x" * 262144}},
        ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ),
    "annotations are measured in bytes": (
        {"annotations": {"a": "é" * 131072}},
        ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ),
    "finalizer that is no name": (
        {"finalizers": ("example.com/a b",)},
        [f'metadata.finalizers: Invalid value: "example.com/a b": {QUALIFIED}'],
    ),
    "finalizer without a domain": (
        {"finalizers": ("example.com/a", "guard")},
        [
            'metadata.finalizers[1]: Invalid value: "guard": '
            "name is neither a standard finalizer name nor is it fully qualified"
        ],
    ),
    "standard finalizers": ({"finalizers": ("kubernetes", "foregroundDeletion")}, []),
    "finalizers that contradict each other": (
        {"finalizers": ("orphan", "foregroundDeletion")},
        [
            'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: '
            "finalizer orphan and foregroundDeletion cannot be both set"
        ],
    ),
    "owner without anything": (
        {"owner_references": (OwnerReference(),)},
        [
            "metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
            "metadata.ownerReferences[0].kind: Required value: must not be empty",
            "metadata.ownerReferences[0].name: Required value: must not be empty",
            "metadata.ownerReferences[0].uid: Required value: must not be empty",
        ],
    ),
    "second owner without uid": (
        {"owner_references": (owner(), owner(uid=""))},
        ["metadata.ownerReferences[1].uid: Required value: must not be empty"],
    ),
    "owner's version without a version": (
        {"owner_references": (owner(api_version="apps/"),)},
        ['metadata.ownerReferences[0].apiVersion: Invalid value: "apps/": must be <group>/<version> or <version>'],
    ),
    "owner's version with two slashes": (
        {"owner_references": (owner(api_version="a/b/c"),)},
        ['metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>'],
    ),
    "an Event owns nothing": (
        {"owner_references": (owner(kind="Event"),)},
        [
            'metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"1"}: '
            "/v1, Kind=Event is disallowed from being an owner"
        ],
    ),
    "an Event of another group may": ({"owner_references": (owner(kind="Event", api_version="x.io/v1"),)}, []),
    "two controllers": (
        {"owner_references": (owner(controller=True), owner(uid="2", kind="Job", name="j", controller=True))},
        [
            'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1",'
            '"controller":true},{"apiVersion":"v1","kind":"Job","name":"j","uid":"2","controller":true}]: '
            'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Job/j'
        ],
    ),
    "managed fields without operation": (
        {"managed_fields": (managed(operation=""),)},
        ["metadata.managedFields[0].operation: Required value: must not be empty"],
    ),
    "managed fields with an unknown operation": (
        {"managed_fields": (managed(operation="Patch"),)},
        ['metadata.managedFields[0].operation: Unsupported value: "Patch": supported values: "Apply", "Update"'],
    ),
    "managed fields of a type to come": (
        {"managed_fields": (managed(fields_type="FieldsV2"),)},
        ['metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`'],
    ),
    "manager with a long name": (
        {"managed_fields": (managed(manager="m" * 129),)},
        ["metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"],
    ),
    "subresource with a long name": (
        {"managed_fields": (managed(subresource="s" * 257),)},
        ["metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"],
    ),
}


@pytest.mark.parametrize(("changes", "expected"), ALWAYS.values(), ids=ALWAYS.keys())
def test_on_create(changes: dict[str, Any], expected: list[str]) -> None:
    meta = replace(GOOD, **changes)
    assert said(metadata.validate(meta, namespaced=True, name_rule=names.dns_subdomain)) == expected


@pytest.mark.parametrize(("changes", "expected"), ALWAYS.values(), ids=ALWAYS.keys())
def test_on_update(changes: dict[str, Any], expected: list[str]) -> None:
    meta = replace(GOOD, **changes)
    found = Findings.of(meta, replace(GOOD, generation=meta.generation))
    assert said(found.own(Look.WHOLE)) == expected


def test_one_mistake_is_named_once_by_each_look() -> None:
    meta = replace(GOOD, labels={"a b": "c"}, finalizers=("guard", "a b/c d"))
    label = f'metadata.labels: Invalid value: "a b": {QUALIFIED}'
    found = Findings.of(meta, GOOD)
    whole, step, own = (said(list(part)) for part in (found.whole, found.step, found.finalizers))
    assert step == [label]
    assert whole[0] == label
    assert {line.partition(":")[0] for line in whole[1:]} == {"metadata.finalizers"}
    assert {line.partition(":")[0] for line in own} == {"metadata.finalizers[0]"}
    assert said(found.of_every_kind()) == [*whole, *step]
    assert said(found.own(Look.STEP, Look.WHOLE)) == [*step, *own, *whole, *own]


def test_a_manager_that_rings_a_bell() -> None:
    meta = replace(GOOD, managed_fields=(managed(manager="é\a"),))
    (cause,) = metadata.validate_step(meta, GOOD)
    assert cause.field == "metadata.managedFields[0].manager"
    assert cause.message.endswith("invalid character U+0007 (at position 2)")


NAMES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no name": ({"name": ""}, ["metadata.name: Required value: name or generateName is required"]),
    "name against the rule": (
        {"name": "Not_A_Valid_Name"},
        [f'metadata.name: Invalid value: "Not_A_Valid_Name": {SUBDOMAIN}'],
    ),
    "generateName may end in a dash": ({"generate_name": "web-"}, []),
    "generateName against the rule": (
        {"generate_name": "Web-"},
        [f'metadata.generateName: Invalid value: "Web-": {SUBDOMAIN}'],
    ),
    "no namespace": ({"namespace": ""}, ["metadata.namespace: Required value"]),
    "namespace against the rule": (
        {"namespace": "A"},
        [f'metadata.namespace: Invalid value: "A": {LABEL}'],
    ),
    "several at once, in field order": (
        {"name": "", "namespace": "", "labels": {"a b": "c"}},
        [
            "metadata.name: Required value: name or generateName is required",
            "metadata.namespace: Required value",
            f'metadata.labels: Invalid value: "a b": {QUALIFIED}',
        ],
    ),
}


@pytest.mark.parametrize(("changes", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names_on_create(changes: dict[str, Any], expected: list[str]) -> None:
    meta = replace(GOOD, **changes)
    assert said(metadata.validate(meta, namespaced=True, name_rule=names.dns_subdomain)) == expected


def test_the_kind_decides_about_names() -> None:
    meta = replace(GOOD, name="a.b")
    assert said(metadata.validate(meta, namespaced=True, name_rule=names.dns_label)) == [
        'metadata.name: Invalid value: "a.b": must not contain dots'
    ]


def test_a_kind_without_namespaces() -> None:
    rule = names.dns_subdomain
    assert metadata.validate(replace(GOOD, namespace=""), namespaced=False, name_rule=rule) == []
    assert said(metadata.validate(GOOD, namespaced=False, name_rule=rule)) == [
        "metadata.namespace: Forbidden: not allowed on this type"
    ]


LATER = Time("2026-11-18T08:00:00Z")

STEPS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "name": ({}, {"name": "b"}, ['metadata.name: Invalid value: "b": field is immutable']),
    "namespace": ({}, {"namespace": "b"}, ['metadata.namespace: Invalid value: "b": field is immutable']),
    "uid": ({}, {"uid": "b"}, ['metadata.uid: Invalid value: "b": field is immutable']),
    "uid taken away": ({}, {"uid": ""}, ['metadata.uid: Invalid value: "": field is immutable']),
    "creation time": (
        {},
        {"creation_timestamp": LATER},
        ['metadata.creationTimestamp: Invalid value: "2026-11-18T08:00:00Z": field is immutable'],
    ),
    "deletion time set": (
        {},
        {"deletion_timestamp": LATER},
        ['metadata.deletionTimestamp: Invalid value: "2026-11-18T08:00:00Z": field is immutable'],
    ),
    "deletion time taken away": (
        {"deletion_timestamp": LATER},
        {"deletion_timestamp": None},
        ["metadata.deletionTimestamp: Invalid value: null: field is immutable"],
    ),
    "grace period": (
        {"deletion_grace_period_seconds": 30},
        {"deletion_grace_period_seconds": 0},
        ["metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable"],
    ),
    "generation goes up": ({"generation": 1}, {"generation": 2}, []),
    "generation goes down": (
        {"generation": 2},
        {"generation": 1},
        ["metadata.generation: Invalid value: 1: must not be decremented"],
    ),
    "a finalizer for a live object": ({}, {"finalizers": ("example.com/b",)}, []),
    "a finalizer for an object that is going": (
        {"deletion_timestamp": LATER},
        {"deletion_timestamp": LATER, "finalizers": ("example.com/z", "example.com/guard", "example.com/b")},
        [
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
            'found new finalizers []string{"example.com/b", "example.com/z"}'
        ],
    ),
    "a finalizer less for an object that is going": (
        {"deletion_timestamp": LATER},
        {"deletion_timestamp": LATER, "finalizers": ("orphan",)},
        [],
    ),
    "a generated name stays what it is": ({}, {"generate_name": "WEB"}, []),
}


@pytest.mark.parametrize(("before", "after", "expected"), STEPS.values(), ids=STEPS.keys())
def test_steps(before: dict[str, Any], after: dict[str, Any], expected: list[str]) -> None:
    old, new = replace(GOOD, **before), replace(GOOD, **after)
    assert said(metadata.validate_step(new, old)) == expected
    assert said(Findings.of(new, old).own(Look.STEP)) == expected


def test_an_update_that_must_say_what_it_was_made_from() -> None:
    assert metadata.validate_conditional(replace(GOOD, resource_version="7")) == []
    assert said(metadata.validate_conditional(GOOD)) == [
        "metadata.resourceVersion: Invalid value: 0x0: must be specified for an update"
    ]


def test_reasons_are_kubernetes_own() -> None:
    meta = replace(GOOD, name="", finalizers=("guard",), annotations={"a": "x" * 262144})
    causes = metadata.validate(meta, namespaced=False, name_rule=names.dns_subdomain)
    assert [cause.reason for cause in causes] == [
        "FieldValueRequired",
        "FieldValueForbidden",
        "FieldValueTooLong",
        "FieldValueInvalid",
    ]
