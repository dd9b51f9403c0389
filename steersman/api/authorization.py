"""The authorization group, v1: questions about rights. Nothing of it is stored."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import FieldSelectorRequirement, LabelSelectorRequirement, Object
from steersman.api.part import At, Part, atomic, empty


class NonResourceAttributes(Part):
    path: Annotated[str, At(1)] = ""
    verb: Annotated[str, At(2)] = ""


class FieldSelectorAttributes(Part):
    raw_selector: Annotated[str, At(1)] = ""
    requirements: Annotated[tuple[FieldSelectorRequirement, ...], atomic(2)] = ()


class LabelSelectorAttributes(Part):
    raw_selector: Annotated[str, At(1)] = ""
    requirements: Annotated[tuple[LabelSelectorRequirement, ...], atomic(2)] = ()


class ResourceAttributes(Part):
    namespace: Annotated[str, At(1)] = ""
    verb: Annotated[str, At(2)] = ""
    group: Annotated[str, At(3)] = ""
    version: Annotated[str, At(4)] = ""
    resource: Annotated[str, At(5)] = ""
    subresource: Annotated[str, At(6)] = ""
    name: Annotated[str, At(7)] = ""
    field_selector: Annotated[FieldSelectorAttributes | None, At(8)] = None
    label_selector: Annotated[LabelSelectorAttributes | None, At(9)] = None


class SubjectAccessReviewSpec(Part):
    resource_attributes: Annotated[ResourceAttributes | None, At(1)] = None
    non_resource_attributes: Annotated[NonResourceAttributes | None, At(2)] = None
    user: Annotated[str, At(3)] = ""
    groups: Annotated[tuple[str, ...], atomic(4)] = ()
    extra: Annotated[dict[str, tuple[str, ...]], At(5)] = field(default_factory=dict)
    uid: Annotated[str, At(6)] = ""


class SubjectAccessReviewStatus(Part):
    allowed: Annotated[bool, At(1)] = field(default_factory=bool)
    denied: Annotated[bool, At(4)] = False
    reason: Annotated[str, At(2)] = ""
    evaluation_error: Annotated[str, At(3)] = ""


class SubjectAccessReview(Object):
    """The question whether somebody may do something."""

    spec: Annotated[SubjectAccessReviewSpec, At(2, required=True)] = field(default_factory=SubjectAccessReviewSpec)
    status: Annotated[SubjectAccessReviewStatus, At(3)] = field(default_factory=SubjectAccessReviewStatus)


class SelfSubjectAccessReviewSpec(Part):
    resource_attributes: Annotated[ResourceAttributes | None, At(1)] = None
    non_resource_attributes: Annotated[NonResourceAttributes | None, At(2)] = None


class SelfSubjectAccessReview(Object):
    """The question whether I may do something."""

    spec: Annotated[SelfSubjectAccessReviewSpec, At(2, required=True)] = field(
        default_factory=SelfSubjectAccessReviewSpec
    )
    status: Annotated[SubjectAccessReviewStatus, At(3)] = field(default_factory=SubjectAccessReviewStatus)


class LocalSubjectAccessReview(Object):
    """The question whether somebody may do something in one namespace."""

    spec: Annotated[SubjectAccessReviewSpec, At(2, required=True)] = field(default_factory=SubjectAccessReviewSpec)
    status: Annotated[SubjectAccessReviewStatus, At(3)] = field(default_factory=SubjectAccessReviewStatus)


class SelfSubjectRulesReviewSpec(Part):
    namespace: Annotated[str, At(1)] = ""


class NonResourceRule(Part):
    verbs: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    non_resource_urls: Annotated[tuple[str, ...], atomic(2)] = field(default=(), name="nonResourceURLs")


class ResourceRule(Part):
    verbs: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    api_groups: Annotated[tuple[str, ...], atomic(2)] = ()
    resources: Annotated[tuple[str, ...], atomic(3)] = ()
    resource_names: Annotated[tuple[str, ...], atomic(4)] = ()


class SubjectRulesReviewStatus(Part):
    resource_rules: Annotated[tuple[ResourceRule, ...], atomic(1)] = field(default_factory=empty)
    non_resource_rules: Annotated[tuple[NonResourceRule, ...], atomic(2)] = field(default_factory=empty)
    incomplete: Annotated[bool, At(3)] = field(default_factory=bool)
    evaluation_error: Annotated[str, At(4)] = ""


class SelfSubjectRulesReview(Object):
    """The question what I may do in one namespace."""

    spec: Annotated[SelfSubjectRulesReviewSpec, At(2, required=True)] = field(
        default_factory=SelfSubjectRulesReviewSpec
    )
    status: Annotated[SubjectRulesReviewStatus, At(3)] = field(default_factory=SubjectRulesReviewStatus)
