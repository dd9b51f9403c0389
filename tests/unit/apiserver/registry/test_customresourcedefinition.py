"""CustomResourceDefinitions: defaults, names, versions, conversion, and what never changes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.registry.customresourcedefinition import CUSTOM_RESOURCE_DEFINITION
from steersman.api.apiextensions import CustomResourceDefinition, CustomResourceDefinitionCondition
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN, shown
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step
from tests.unit.apiserver.registry.test_webhookconfiguration import DNS_1035

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"color": {"type": "string"}, "count": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"count": {"type": "integer"}}},
    },
}
V1 = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}
V2 = {**V1, "name": "v2", "storage": False}
SUBJECT = Subject(
    CustomResourceDefinition,
    CUSTOM_RESOURCE_DEFINITION,
    {
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [V1],
        },
    },
)


def spec(**given: Any) -> dict[str, Any]:
    return {"spec": given}


def version(**given: Any) -> dict[str, Any]:
    return spec(versions=[{**V1, **given}])


def internal(name: str, *, storage: bool) -> str:
    storage_text = "true" if storage else "false"
    return (
        f'{{"Name":"{name}","Served":true,"Storage":{storage_text},"Deprecated":false,"DeprecationWarning":null,'
        '"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}'
    )


def test_defaults() -> None:
    made = SUBJECT.defaulted()
    assert made["spec"]["names"] == {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "listKind": "WidgetList",
    }
    assert made["spec"]["conversion"] == {"strategy": "None"}
    assert made["status"]["storedVersions"] == ["v1"]
    hook = {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"namespace": "n", "name": "s"}}}}
    service = SUBJECT.defaulted(spec(conversion=hook))["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    assert service["port"] == 443


WIDGET = {
    **V1,
    "schema": {
        "openAPIV3Schema": {
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "required": ["color"],
                    "properties": {
                        "color": {"type": "string", "enum": ["red", "green", "blue"]},
                        "count": {"type": "integer", "minimum": 0, "maximum": 10, "default": 1},
                    },
                    "x-kubernetes-validations": [
                        {"rule": "self.color != 'red' || self.count <= 5", "message": "red widgets are limited to 5"}
                    ],
                },
                "status": {"type": "object", "properties": {"count": {"type": "integer"}}},
            },
        }
    },
    "subresources": {
        "status": {},
        "scale": {"specReplicasPath": ".spec.count", "statusReplicasPath": ".status.count"},
    },
    "additionalPrinterColumns": [
        {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ],
    "selectableFields": [{"jsonPath": ".spec.color"}],
}

ROWS = [
    row("as it should be", {}),
    row("with everything", spec(versions=[WIDGET], names={"shortNames": ["wd"], "categories": ["all"]})),
    row("two versions", spec(versions=[V1, V2])),
    row(
        "another name",
        {"metadata": {"name": "mine"}},
        'metadata.name: Invalid value: "mine": must be spec.names.plural+"."+spec.group',
    ),
    row(
        "no group, no scope",
        {"metadata": {"name": "widgets."}, **spec(group="", scope="")},
        "spec.group: Required value",
        "spec.scope: Required value",
    ),
    row(
        "a bad group and a bad scope",
        {"metadata": {"name": "widgets.A"}, **spec(group="A", scope="World")},
        f'spec.group: Invalid value: "A": {DNS_SUBDOMAIN}',
        'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    ),
    row(
        "a group without a domain",
        {"metadata": {"name": "widgets.mine"}, **spec(group="mine")},
        'spec.group: Invalid value: "mine": should be a domain with at least one dot',
    ),
    row(
        "a group of Kubernetes",
        {"metadata": {"name": "widgets.x.k8s.io"}, **spec(group="x.k8s.io")},
        "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval "
        'annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ),
    row(
        "a group of Kubernetes, approved by me",
        {
            "metadata": {"name": "widgets.x.k8s.io", "annotations": {"api-approved.kubernetes.io": "me"}},
            **spec(group="x.k8s.io"),
        },
        'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "me": protected groups must have approval '
        'annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", '
        "see https://github.com/kubernetes/enhancements/pull/1111",
    ),
    row(
        "a group of Kubernetes, approved",
        {
            "metadata": {"name": "widgets.x.k8s.io", "annotations": {"api-approved.kubernetes.io": "https://a.b/1"}},
            **spec(group="x.k8s.io"),
        },
    ),
    row("no schema", version(schema=None), "spec.versions[0].schema.openAPIV3Schema: Required value"),
    row("an empty schema", version(schema={}), "spec.versions[0].schema.openAPIV3Schema: Required value"),
    row(
        "no versions",
        {**spec(versions=[]), "status": {"storedVersions": ["v1"]}},
        "spec.versions: Invalid value: null: must have exactly one version marked as storage version",
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage '
        "version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 "
        "and removes v1 from status.storedVersions",
    ),
    row(
        "nothing stored",
        spec(versions=[V2]),
        f"spec.versions: Invalid value: [{internal('v2', storage=False)}]: "
        "must have exactly one version marked as storage version",
        "status.storedVersions: Invalid value: null: must have at least one stored version",
    ),
    row(
        "a version twice",
        spec(versions=[V1, {**V2, "name": "v1"}]),
        f"spec.versions: Invalid value: [{internal('v1', storage=True)},{internal('v1', storage=False)}]: "
        "must contain unique version names",
    ),
    row(
        "a bad version",
        version(name="1"),
        f'spec.versions[0].name: Invalid value: "1": {DNS_1035}',
        f'spec.version: Invalid value: "1": {DNS_1035}',
    ),
    row(
        "a warning without need",
        version(deprecationWarning="old"),
        'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
    ),
    row(
        "an empty warning",
        version(deprecated=True, deprecationWarning=""),
        'spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string',
    ),
    row(
        "no names",
        {"metadata": {"name": ".example.com"}, **spec(names={"plural": "", "kind": ""})},
        "spec.names.plural: Required value",
        "spec.names.singular: Required value",
        "spec.names.kind: Required value",
        "spec.names.listKind: Required value",
    ),
    row(
        "bad names",
        {
            "metadata": {"name": "A.example.com"},
            **spec(
                names={
                    "plural": "A",
                    "singular": "B",
                    "kind": "C_",
                    "listKind": "C_",
                    "shortNames": ["d", "D"],
                    "categories": ["E"],
                }
            ),
        },
        f'spec.names.plural: Invalid value: "A": {DNS_1035}',
        f'spec.names.singular: Invalid value: "B": {DNS_1035}',
        f'spec.names.kind: Invalid value: "C_": may have mixed case, but should otherwise match: {DNS_1035}',
        f'spec.names.listKind: Invalid value: "C_": may have mixed case, but should otherwise match: {DNS_1035}',
        f'spec.names.shortNames[1]: Invalid value: "D": {DNS_1035}',
        'spec.names.listKind: Invalid value: "C_": kind and listKind may not be the same',
        f'spec.names.categories[0]: Invalid value: "E": {DNS_1035}',
    ),
    row(
        "anything goes",
        spec(preserveUnknownFields=True),
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
        "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def test_a_long_warning_with_a_bell() -> None:
    long, ringing = SUBJECT.complaints(version(deprecated=True, deprecationWarning="x" * 256 + "\a"))
    assert long.endswith(": must be <= 256 characters long")
    assert ringing.endswith(
        ": must only contain printable UTF-8 characters; non-printable character found at index 256"
    )


def test_where_anything_goes_there_are_no_defaults_and_no_conversion() -> None:
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}},
    }
    hook = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1"]},
    }
    found = SUBJECT.complaints(
        spec(preserveUnknownFields=True, conversion=hook, versions=[{**V1, "schema": {"openAPIV3Schema": schema}}])
    )
    assert found[:2] == [
        "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema",
        'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
    ]


def conversion(**given: Any) -> dict[str, Any]:
    return spec(conversion={"strategy": "Webhook", **given})


HOOK = {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1"]}
CONVERSION = "spec.conversion"
CONVERSIONS = [
    row("by a hook", conversion(webhook=HOOK)),
    row("in no way", conversion(strategy=""), f"{CONVERSION}.strategy: Required value"),
    row(
        "by magic",
        conversion(strategy="Magic"),
        f'{CONVERSION}.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
    ),
    row(
        "by a hook that is not wanted",
        conversion(strategy="None", webhook=HOOK),
        f"{CONVERSION}.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
        f"{CONVERSION}.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ),
    row(
        "by a hook that is not there",
        conversion(),
        f"{CONVERSION}.webhookClientConfig: Required value: required when strategy is set to Webhook",
        f"{CONVERSION}.conversionReviewVersions: Required value",
    ),
    row(
        "by nobody, in unknown versions",
        conversion(webhook={"clientConfig": {}, "conversionReviewVersions": ["v9", "v9", "1"]}),
        f"{CONVERSION}.webhookClientConfig: Required value: exactly one of url or service is required",
        f'{CONVERSION}.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
        f'{CONVERSION}.conversionReviewVersions[2]: Invalid value: "1": {DNS_1035}',
        f'{CONVERSION}.conversionReviewVersions: Invalid value: ["v9","v9","1"]: '
        "must include at least one of v1, v1beta1",
    ),
]


@pytest.mark.parametrize("case", CONVERSIONS, ids=ids(CONVERSIONS))
def test_conversions(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def scale(**given: Any) -> dict[str, Any]:
    whole = {"specReplicasPath": ".spec.count", "statusReplicasPath": ".status.count", **given}
    return version(subresources={"scale": whole, "status": {}})


def columns(**given: Any) -> dict[str, Any]:
    return version(additionalPrinterColumns=[{"name": "Color", "type": "string", "jsonPath": ".spec.color", **given}])


def selectable(*paths: str) -> dict[str, Any]:
    return version(selectableFields=[{"jsonPath": path} for path in paths])


SCALE, COLUMN, FIELD = "spec.subresources.scale", "spec.additionalPrinterColumns[0]", "spec.selectableFields"
SIMPLE = "must be a simple json path starting with ."
PARTS = [
    row("a scale", scale(labelSelectorPath=".status.selector")),
    row(
        "a scale of nothing",
        scale(specReplicasPath="", statusReplicasPath=""),
        f"{SCALE}.specReplicasPath: Required value",
        f"{SCALE}.statusReplicasPath: Required value",
    ),
    row(
        "a scale from nowhere",
        scale(specReplicasPath="spec", statusReplicasPath="status", labelSelectorPath="x"),
        f'{SCALE}.specReplicasPath: Invalid value: "spec": {SIMPLE}',
        f'{SCALE}.statusReplicasPath: Invalid value: "status": {SIMPLE}',
        f'{SCALE}.labelSelectorPath: Invalid value: "x": {SIMPLE}',
    ),
    row(
        "a scale from elsewhere",
        scale(specReplicasPath=".status.a", statusReplicasPath=".spec.a", labelSelectorPath=".metadata.a"),
        f'{SCALE}.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
        f'{SCALE}.statusReplicasPath: Invalid value: ".spec.a": should be a json path under .status',
        f'{SCALE}.labelSelectorPath: Invalid value: ".metadata.a": should be a json path under either .spec or .status',
    ),
    row("a column", columns(format="date-time")),
    row(
        "a column of nothing",
        columns(name="", type="", jsonPath=""),
        f"{COLUMN}.name: Required value",
        f"{COLUMN}.type: Required value: must be one of boolean,date,integer,number,string",
        f"{COLUMN}.JSONPath: Required value",
    ),
    row(
        "a column of nonsense",
        columns(type="poem", format="sonnet", jsonPath="x"),
        f'{COLUMN}.type: Invalid value: "poem": must be one of boolean,date,integer,number,string',
        f'{COLUMN}.format: Invalid value: "sonnet": '
        "must be one of byte,date,date-time,double,float,int32,int64,password",
        f'{COLUMN}.JSONPath: Invalid value: "x": {SIMPLE}',
    ),
    row("selectable", selectable(".spec.color", ".spec.count")),
    row(
        "selectable by nothing",
        selectable("", ".spec.size", ".spec['color']", "spec", ".spec", ".spec.color", ".spec.color", ".spec."),
        f"{FIELD}[0].jsonPath: Required value",
        f'{FIELD}[1].jsonPath: Invalid value: ".spec.size": is an invalid path: does not refer to a valid field',
        f"{FIELD}[2].jsonPath: Invalid value: \".spec['color']\": is an invalid path: array notation is not allowed",
        f'{FIELD}[3].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
        f'{FIELD}[4].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. '
        "Enum string fields and strings with formats are allowed.",
        f'{FIELD}[6].jsonPath: Duplicate value: ".spec.color"',
        f'{FIELD}[7].jsonPath: Invalid value: ".spec.": is an invalid path: unexpected end of JSON path',
    ),
]


@pytest.mark.parametrize("case", PARTS, ids=ids(PARTS))
def test_parts_of_versions(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def test_metadata_is_selectable_anyway() -> None:
    schema = {**SCHEMA, "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string"}}}}}
    patch = version(schema={"openAPIV3Schema": schema}, selectableFields=[{"jsonPath": ".metadata.name"}])
    assert SUBJECT.complaints(patch) == [
        f'{FIELD}[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata'
    ]


def test_too_many_selectable_fields() -> None:
    properties = {f"a{number}": {"type": "string"} for number in range(9)}
    schema = {"type": "object", "properties": properties}
    fields = [{"jsonPath": f".a{number}"} for number in range(9)]
    assert SUBJECT.complaints(version(schema={"openAPIV3Schema": schema}, selectableFields=fields)) == [
        f"{FIELD}: Too many: 9: must have at most 8 items"
    ]


def test_what_versions_do_not_share_is_complained_of_where_it_stands() -> None:
    odd = {
        **V2,
        "schema": {"openAPIV3Schema": {"type": "string"}},
        "additionalPrinterColumns": [{"name": "", "type": "date", "jsonPath": "."}],
    }
    assert SUBJECT.complaints(spec(versions=[V1, odd])) == [
        'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
        "spec.versions[1].additionalPrinterColumns[0].name: Required value",
    ]


def test_fields_are_selectable_only_where_the_version_has_its_own_schema() -> None:
    picky = {**V2, "selectableFields": [{"jsonPath": ".spec.color"}]}
    assert SUBJECT.complaints(spec(versions=[V1, picky])) == [
        'spec.versions[1].selectableFields: Invalid value: "": '
        "may only be set when `version.schema.openAPIV3Schema` is not included"
    ]


STEPS = [
    step("another short name", spec(names={"shortNames": ["wd"]})),
    step("another scope and kind before it is served", spec(scope="Cluster", names={"kind": "Gadget"})),
    step(
        "another group and plural",
        spec(group="example.org", names={"plural": "gadgets"}),
        'spec.group: Invalid value: "example.org": field is immutable',
        'spec.names.plural: Invalid value: "gadgets": field is immutable',
    ),
    step(
        "bad accepted names",
        {"status": {"acceptedNames": {"plural": "A", "kind": ""}}},
        f'status.acceptedNames.plural: Invalid value: "A": {DNS_1035}',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


def established(patch: dict[str, Any] | None = None) -> CustomResourceDefinition:
    made = SUBJECT.make(patch)
    served = CustomResourceDefinitionCondition(type="Established", status="True")
    established: CustomResourceDefinition = replace(made, status=replace(made.status, conditions=(served,)))
    return established


def complaints(new: CustomResourceDefinition, old: CustomResourceDefinition) -> list[str]:
    return shown(CUSTOM_RESOURCE_DEFINITION.validate_update(new, old))


def test_once_served_scope_and_kind_stay() -> None:
    assert complaints(established(spec(scope="Cluster", names={"kind": "Gadget"})), established()) == [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ]


def test_once_served_the_converter_must_be_trusted() -> None:
    rubbish = base64.b64encode(b"rubbish").decode()
    hook = conversion(webhook={"clientConfig": {"url": "https://a", "caBundle": rubbish}})
    assert complaints(established(hook), established()) == [
        f'spec.conversion.webhookClientConfig.caBundle: Invalid value: "{rubbish}": '
        "unable to load root certificates: unable to parse bytes as PEM block"
    ]
    assert complaints(established(hook), established(hook)) == []
    assert complaints(SUBJECT.make(hook), SUBJECT.make()) == []


def test_the_status_remembers_every_storage_version() -> None:
    old = SUBJECT.make(spec(versions=[V1, V2]))
    swapped = SUBJECT.make(spec(versions=[{**V1, "storage": False}, {**V2, "storage": True}]))
    new = CUSTOM_RESOURCE_DEFINITION.prepare_update(replace(swapped, status=old.status), old)
    assert new.status.stored_versions == ("v1", "v2")
    assert CUSTOM_RESOURCE_DEFINITION.prepare_update(new, old) is new
