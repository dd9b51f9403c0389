from __future__ import annotations

import pytest

from steersman.api import kinds
from steersman.api.autoscaling import HorizontalPodAutoscaler, HorizontalPodAutoscalerV1, Scale
from steersman.api.kinds import Kind


def find(group: str, resource: str) -> Kind:
    kind = kinds.by_resource(group, resource)
    assert kind is not None
    return kind


def test_lookups() -> None:
    deployments = find("apps", "deployments")
    assert kinds.by_kind("apps", "v1", "Deployment") is deployments
    assert (deployments.api_version, deployments.qualified_resource) == ("apps/v1", "deployments.apps")
    assert (find("", "pods").api_version, find("", "pods").qualified_resource) == ("v1", "pods")
    assert kinds.by_resource("apps", "widgets") is None
    assert kinds.by_kind("apps", "v2", "Deployment") is None


def test_a_kind_in_several_versions() -> None:
    assert find("autoscaling", "horizontalpodautoscalers").struct is HorizontalPodAutoscaler
    old = kinds.by_resource("autoscaling", "horizontalpodautoscalers", "v1")
    assert old is not None
    assert (old.struct, old.kind, old.stored_as) == (
        HorizontalPodAutoscalerV1,
        "HorizontalPodAutoscaler",
        "autoscaling/v2",
    )
    assert find("events.k8s.io", "events").stored_as == "v1"


def test_nothing_is_in_the_table_twice() -> None:
    assert len({(kind.api_version, kind.kind) for kind in kinds.ALL}) == len(kinds.ALL)
    assert len({kind.struct for kind in kinds.ALL}) == len(kinds.ALL)


@pytest.mark.parametrize(
    ("group", "resource", "generation", "unconditional", "creates"),
    [
        ("", "pods", True, True, False),
        ("", "configmaps", False, True, False),
        ("", "services", False, True, True),
        ("", "endpoints", False, True, True),
        ("apps", "deployments", True, True, False),
        ("coordination.k8s.io", "leases", False, False, True),
        ("policy", "poddisruptionbudgets", True, False, False),
        ("rbac.authorization.k8s.io", "roles", False, True, True),
        ("apiextensions.k8s.io", "customresourcedefinitions", True, False, False),
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations", True, False, False),
    ],
)
def test_manners(group: str, resource: str, generation: bool, unconditional: bool, creates: bool) -> None:
    kind = find(group, resource)
    assert (kind.generation, kind.unconditional_update, kind.create_on_update) == (generation, unconditional, creates)


def test_only_pods_go_gracefully() -> None:
    assert [kind.resource for kind in kinds.ALL if kind.graceful] == ["pods"]


def test_what_scales_has_a_scale() -> None:
    assert all((kind.scale is not None) is ("scale" in kind.subresources) for kind in kinds.ALL)


def test_reviews_are_not_stored() -> None:
    assert not find("authorization.k8s.io", "subjectaccessreviews").is_stored
    assert find("", "secrets").is_stored


def test_names_for_errors() -> None:
    assert kinds.name_and_version(HorizontalPodAutoscalerV1) == ("HorizontalPodAutoscaler", "v1")
    assert kinds.name_and_version(HorizontalPodAutoscaler) == ("HorizontalPodAutoscaler", "v2")
    assert kinds.name_and_version(Scale) == ("Scale", "v1")
