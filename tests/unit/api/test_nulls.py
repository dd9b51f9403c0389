"""Lists that are always written: as `null` when there is nothing in them, whoever leaves them out and however."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from steersman.api import (
    admissionregistration,
    apiextensions,
    authorization,
    autoscaling,
    batch,
    codec,
    core,
    discovery,
    flowcontrol,
    kinds,
    networking,
    protobuf,
    rbac,
    schema,
    storage,
)
from steersman.api.codec import FieldValidation
from steersman.api.errors import BadRequest
from steersman.api.part import Part
from steersman.api.schema import Form, Shape

NULLS: dict[tuple[type[Part], str], Any] = {
    (apiextensions.CustomResourceDefinitionStatus, "conditions"): {
        "type": "Established",
        "status": "True",
        "lastTransitionTime": "2026-11-18T07:18:31Z",
    },
    (apiextensions.CustomResourceDefinitionStatus, "storedVersions"): "v1",
    (autoscaling.HorizontalPodAutoscalerStatus, "currentMetrics"): {"type": "Resource"},
    (batch.PodFailurePolicy, "rules"): {"action": "Ignore"},
    (core.ContainerImage, "names"): "nginx:1.27",
    (core.LimitRangeSpec, "limits"): {"type": "Pod"},
    (core.ProjectedVolumeSource, "sources"): {},
    (discovery.EndpointSlice, "endpoints"): {"addresses": ["10.0.0.1"], "conditions": {}},
    (discovery.EndpointSlice, "ports"): {"port": 80},
    (rbac.ClusterRole, "rules"): {"verbs": ["get"]},
    (rbac.Role, "rules"): {"verbs": ["get"]},
    (storage.CSINodeDriver, "topologyKeys"): "zone",
    (storage.CSINodeSpec, "drivers"): {"name": "d", "nodeID": "n", "topologyKeys": None},
}
"""Each with an item that may be in it."""

NEVER_EMPTY = {
    (admissionregistration.MutatingWebhook, "admissionReviewVersions"),
    (admissionregistration.ValidatingWebhook, "admissionReviewVersions"),
    (apiextensions.CustomResourceDefinitionSpec, "versions"),
    (apiextensions.WebhookConversion, "conversionReviewVersions"),
    (authorization.NonResourceRule, "verbs"),
    (authorization.ResourceRule, "verbs"),
    (authorization.SubjectRulesReviewStatus, "nonResourceRules"),
    (authorization.SubjectRulesReviewStatus, "resourceRules"),
    (batch.PodFailurePolicyOnExitCodesRequirement, "values"),
    (batch.SuccessPolicy, "rules"),
    (core.CephFSPersistentVolumeSource, "monitors"),
    (core.CephFSVolumeSource, "monitors"),
    (core.NodeSelector, "nodeSelectorTerms"),
    (core.PodExtendedResourceClaimStatus, "requestMappings"),
    (core.PodSpec, "containers"),
    (core.RBDPersistentVolumeSource, "monitors"),
    (core.RBDVolumeSource, "monitors"),
    (core.TopologySelectorLabelRequirement, "values"),
    (discovery.Endpoint, "addresses"),
    (flowcontrol.NonResourcePolicyRule, "nonResourceURLs"),
    (flowcontrol.NonResourcePolicyRule, "verbs"),
    (flowcontrol.PolicyRulesWithSubjects, "subjects"),
    (flowcontrol.ResourcePolicyRule, "apiGroups"),
    (flowcontrol.ResourcePolicyRule, "resources"),
    (flowcontrol.ResourcePolicyRule, "verbs"),
    (networking.HTTPIngressRuleValue, "paths"),
    (rbac.PolicyRule, "verbs"),
}
"""Refused by validation when empty, or filled in by the server, a review's results also with nothing."""


def structs(shape: Shape, seen: set[type[Part]]) -> Iterator[type[Part]]:
    """Every Struct that occurs in a value of this shape."""
    for inner in (shape.item, *shape.choices):
        if inner is not None:
            yield from structs(inner, seen)
    if shape.struct is not None and shape.struct not in seen:
        seen.add(shape.struct)
        yield shape.struct
        for field in schema.fields(shape.struct).values():
            yield from structs(field.shape, seen)


def read(struct: type[Part], document: Any, validation: FieldValidation = FieldValidation.STRICT) -> Part:
    return codec.decode(struct, msgspec.json.encode(document), validation=validation)[0]


def test_every_list_that_is_always_written_is_of_one_sort_or_the_other() -> None:
    seen: set[type[Part]] = set()
    written = {
        ((struct, field.name), field.null_when_empty)
        for kind in kinds.ALL
        for struct in structs(Shape(Form.STRUCT, struct=kind.struct), seen)
        for field in schema.fields(struct).values()
        if field.shape.form is Form.LIST and field.written
    }
    assert {where for where, null in written if null} == NULLS.keys()
    assert {where for where, null in written if not null} == NEVER_EMPTY


IDS = [f"{struct.__name__}.{name}" for struct, name in NULLS]


@pytest.mark.parametrize(("struct", "name"), NULLS, ids=IDS)
@pytest.mark.parametrize("document", ["absent", None, []], ids=["absent", "null", "empty"])
def test_nothing_is_written_as_null(struct: type[Part], name: str, document: Any) -> None:
    value = read(struct, {} if document == "absent" else {name: document})
    assert value == struct()
    stored = codec.encode(value)
    assert msgspec.json.decode(stored)[name] is None
    assert codec.load(struct, stored) == value
    assert codec.encode(codec.load(struct, stored)) == stored


@pytest.mark.parametrize(("struct", "name"), NULLS, ids=IDS)
def test_something_is_written_as_it_came(struct: type[Part], name: str) -> None:
    item = NULLS[struct, name]
    assert codec.to_dict(read(struct, {name: [item]}))[name] == [item]


def test_a_map_is_still_no_list() -> None:
    with pytest.raises(BadRequest, match="cannot unmarshal object into Go struct field Role.rules of type"):
        read(rbac.Role, {"rules": {}})


def test_protobuf_knows_no_empty_lists_either() -> None:
    unknown = b"\x0a\x24\x0a\x1crbac.authorization.k8s.io/v1\x12\x04Role"
    assert protobuf.decode(rbac.Role, protobuf.MAGIC + unknown).rules is None
