"""What clients accept."""

from __future__ import annotations

import pytest

from apiserver.restfront import negotiation, representation
from apiserver.restfront.negotiation import JSON, YAML, Transform
from steersman.api.errors import NotAcceptable

TABLE = Transform("Table", "meta.k8s.io", "v1")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("application/json, */*", JSON),
        ("application/json;stream=watch", JSON),
        ("application/vnd.kubernetes.protobuf,application/json", JSON),
        ("application/yaml", YAML),
        ("application/yaml;q=0.5, application/json;q=0.9", JSON),
        ("application/json;q=0, application/yaml", YAML),
        ("text/html, application/json;q=nonsense", JSON),
    ],
)
def test_media_types(accept: str, media_type: str) -> None:
    assert negotiation.choose(accept) == negotiation.Accepted(media_type)


@pytest.mark.parametrize("accept", ["text/html", "application/vnd.kubernetes.protobuf", "application/json;as=Table"])
def test_nothing_that_can_be_given(accept: str) -> None:
    with pytest.raises(NotAcceptable) as refused:
        negotiation.choose(accept)
    expected = "only the following media types are accepted: application/json, application/yaml"
    assert refused.value.message == expected


KUBECTL = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)


def test_a_form_that_can_be_given() -> None:
    assert negotiation.choose(KUBECTL, frozenset({TABLE})).transform == TABLE


def test_a_form_that_cannot_is_passed_over() -> None:
    assert negotiation.choose(KUBECTL).transform is None


def test_metadata_alone() -> None:
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    transform = representation.accepted(accept).transform
    assert transform == Transform("PartialObjectMetadataList", "meta.k8s.io", "v1")
