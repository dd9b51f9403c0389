from __future__ import annotations

from typing import Any

import pytest

from apiserver.auth.identity import ANONYMOUS, Caller
from apiserver.registry.reviews import ReviewDesk
from steersman.api import codec, kinds
from steersman.api.errors import BadRequest, Invalid
from steersman.api.meta import Object
from tests.fakes.clock import FakeClock

JANE = Caller("jane", ("dev", "system:authenticated"), "42", (("example.com/team", ("red", "blue")),))
PODS = {"verb": "get", "resource": "pods", "namespace": "default"}
EITHER = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


async def answer(kind: str, asked: dict[str, Any], caller: Caller = JANE) -> dict[str, Any]:
    struct: type[Object] = next(each.struct for each in kinds.ALL if each.kind == kind)
    review, _ = codec.from_dict(struct, asked)
    return codec.to_dict(await ReviewDesk(None, FakeClock()).answer(review, caller))


async def test_who_am_i() -> None:
    found = await answer("SelfSubjectReview", {})
    assert found["status"]["userInfo"] == {
        "username": "jane",
        "uid": "42",
        "groups": ["dev", "system:authenticated"],
        "extra": {"example.com/team": ["red", "blue"]},
    }
    assert found["metadata"]["creationTimestamp"]


@pytest.mark.parametrize(
    ("kind", "spec", "caller", "allowed"),
    [
        ("SelfSubjectAccessReview", {"resourceAttributes": PODS}, JANE, True),
        ("SelfSubjectAccessReview", {"nonResourceAttributes": {"path": "/metrics", "verb": "get"}}, JANE, True),
        ("SelfSubjectAccessReview", {"resourceAttributes": PODS}, ANONYMOUS, False),
        ("SubjectAccessReview", {"resourceAttributes": PODS, "user": "joe"}, ANONYMOUS, True),
        ("SubjectAccessReview", {"resourceAttributes": PODS, "user": "system:anonymous"}, JANE, False),
        ("SubjectAccessReview", {"resourceAttributes": PODS, "groups": ["system:unauthenticated"]}, JANE, False),
    ],
)
async def test_who_says_who_he_is_may_do_everything(
    kind: str, spec: dict[str, Any], caller: Caller, allowed: bool
) -> None:
    found = await answer(kind, {"spec": spec}, caller)
    assert found["status"]["allowed"] is allowed
    assert found["spec"] == spec


async def test_rights_in_one_namespace() -> None:
    asked = {"metadata": {"namespace": "default"}, "spec": {"resourceAttributes": PODS, "user": "joe"}}
    assert (await answer("LocalSubjectAccessReview", asked))["status"] == {"allowed": True}


async def test_all_my_rights() -> None:
    found = await answer("SelfSubjectRulesReview", {"spec": {"namespace": "default"}})
    assert found["status"] == {
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }
    assert found["spec"] == {}


async def test_those_who_do_not_say_who_they_are_have_none() -> None:
    found = await answer("SelfSubjectRulesReview", {"spec": {"namespace": "default"}}, ANONYMOUS)
    assert found["status"] == {"resourceRules": [], "nonResourceRules": [], "incomplete": False}


async def test_without_an_issuer_no_token_is_known() -> None:
    found = await answer("TokenReview", {"spec": {"token": "a.b.c"}})
    assert found["status"] == {"user": {}}


@pytest.mark.parametrize(
    ("kind", "asked", "message"),
    [
        ("TokenReview", {"spec": {"token": ""}}, "token is required for TokenReview in authentication"),
        ("SelfSubjectRulesReview", {"spec": {}}, "no namespace on request"),
    ],
)
async def test_questions_that_make_no_sense(kind: str, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        await answer(kind, asked)
    assert refused.value.message == message


@pytest.mark.parametrize(
    ("kind", "asked", "causes"),
    [
        pytest.param("SelfSubjectAccessReview", {"spec": {}}, [f"spec: Invalid value: null: {EITHER}"], id="neither"),
        pytest.param(
            "SelfSubjectAccessReview",
            {"spec": {"resourceAttributes": PODS, "nonResourceAttributes": {"path": "/x", "verb": "get"}}},
            [f'spec: Invalid value: {{"Path":"/x","Verb":"get"}}: {EITHER}'],
            id="both",
        ),
        pytest.param(
            "SelfSubjectAccessReview",
            {"metadata": {"name": "x"}, "spec": {"resourceAttributes": PODS}},
            ['metadata: Invalid value: {"name":"x"}: must be empty'],
            id="named",
        ),
        pytest.param(
            "SubjectAccessReview",
            {"spec": {"resourceAttributes": PODS}},
            ['spec.user: Invalid value: "": at least one of user or group must be specified'],
            id="about nobody",
        ),
        pytest.param(
            "LocalSubjectAccessReview",
            {"metadata": {"namespace": "other"}, "spec": {"resourceAttributes": PODS, "user": "joe"}},
            ['spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace'],
            id="another namespace",
        ),
        pytest.param(
            "LocalSubjectAccessReview",
            {
                "metadata": {"namespace": "default"},
                "spec": {"nonResourceAttributes": {"path": "/x", "verb": "get"}, "user": "joe"},
            },
            [
                'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: '
                "disallowed on this kind of request"
            ],
            id="a path in a namespace",
        ),
        pytest.param(
            "SelfSubjectAccessReview",
            {"spec": {"resourceAttributes": {**PODS, "labelSelector": {}}}},
            [
                "spec.resourceAttributes.labelSelector.requirements: Required value: when "
                "spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required"
            ],
            id="an empty selector",
        ),
        pytest.param(
            "SelfSubjectAccessReview",
            {
                "spec": {
                    "resourceAttributes": {
                        **PODS,
                        "fieldSelector": {"rawSelector": "a=b", "requirements": [{"key": "", "operator": "In"}]},
                    }
                }
            },
            [
                'spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a=b": '
                "may not specified at the same time as requirements",
                "spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified",
                "spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: "
                "must be specified when `operator` is 'In' or 'NotIn'",
            ],
            id="a selector said twice",
        ),
    ],
)
async def test_refusals(kind: str, asked: dict[str, Any], causes: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        await answer(kind, asked)
    details = refused.value.details
    assert details is not None
    assert [f"{cause.field}: {cause.message}" for cause in details.causes] == causes
    assert refused.value.message.startswith('.authorization.k8s.io "" is invalid: ')
