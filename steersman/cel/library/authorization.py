"""May somebody do something? Kubernetes' functions for asking an authorizer, which whoever evaluates provides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from steersman.cel.environment import Library

AUTHORIZATION: Final = Library()
_PACKAGE: Final = "kubernetes.authorization"
AUTHORIZER: Final = f"{_PACKAGE}.Authorizer"
RESOURCE_CHECK: Final = f"{_PACKAGE}.ResourceCheck"


@dataclass(frozen=True, slots=True)
class Question:
    """Who (empty: the one who makes the request) wants to do what, with which path or resource."""

    user: str = ""
    verb: str = ""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    type_name: ClassVar[str] = f"{_PACKAGE}.Decision"
    allowed: bool
    reason: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Authorizer:
    type_name: ClassVar[str] = AUTHORIZER
    decide: Callable[[Question], Decision]
    question: Question = Question()


@dataclass(frozen=True, slots=True)
class PathCheck:
    type_name: ClassVar[str] = f"{_PACKAGE}.PathCheck"
    decide: Callable[[Question], Decision]
    question: Question


@dataclass(frozen=True, slots=True)
class GroupCheck:
    type_name: ClassVar[str] = f"{_PACKAGE}.GroupCheck"
    decide: Callable[[Question], Decision]
    question: Question


@dataclass(frozen=True, slots=True)
class ResourceCheck:
    type_name: ClassVar[str] = RESOURCE_CHECK
    decide: Callable[[Question], Decision]
    question: Question


@AUTHORIZATION.member("path", f"{AUTHORIZER}, string -> {_PACKAGE}.PathCheck")
def path(authorizer: Authorizer, text: str) -> PathCheck:
    return PathCheck(authorizer.decide, replace(authorizer.question, path=text))


@AUTHORIZATION.member("group", f"{AUTHORIZER}, string -> {_PACKAGE}.GroupCheck")
def group(authorizer: Authorizer, text: str) -> GroupCheck:
    return GroupCheck(authorizer.decide, replace(authorizer.question, group=text))


@AUTHORIZATION.member("serviceAccount", f"{AUTHORIZER}, string, string -> {AUTHORIZER}")
def service_account(authorizer: Authorizer, namespace: str, name: str) -> Authorizer:
    user = f"system:serviceaccount:{namespace}:{name}"
    return Authorizer(authorizer.decide, replace(authorizer.question, user=user))


@AUTHORIZATION.member("resource", f"{_PACKAGE}.GroupCheck, string -> {RESOURCE_CHECK}")
def resource(check: GroupCheck, text: str) -> ResourceCheck:
    return ResourceCheck(check.decide, replace(check.question, resource=text))


def _narrowing(field: str) -> Callable[[ResourceCheck, str], ResourceCheck]:
    return lambda check, text: ResourceCheck(check.decide, replace(check.question, **{field: text}))


for _function, _field in (
    ("subresource", "subresource"),
    ("namespace", "namespace"),
    ("name", "name"),
    ("fieldSelector", "field_selector"),
    ("labelSelector", "label_selector"),
):
    AUTHORIZATION.member(_function, f"{RESOURCE_CHECK}, string -> {RESOURCE_CHECK}")(_narrowing(_field))


@AUTHORIZATION.member(
    "check", f"{_PACKAGE}.PathCheck, string -> {_PACKAGE}.Decision", f"{RESOURCE_CHECK}, string -> {_PACKAGE}.Decision"
)
def check(given: PathCheck | ResourceCheck, verb: str) -> Decision:
    return given.decide(replace(given.question, verb=verb))


@AUTHORIZATION.member("allowed", f"{_PACKAGE}.Decision -> bool")
def allowed(decision: Decision) -> bool:
    return decision.allowed


@AUTHORIZATION.member("reason", f"{_PACKAGE}.Decision -> string")
def reason(decision: Decision) -> str:
    return decision.reason


@AUTHORIZATION.member("errored", f"{_PACKAGE}.Decision -> bool")
def errored(decision: Decision) -> bool:
    return bool(decision.error)


@AUTHORIZATION.member("error", f"{_PACKAGE}.Decision -> string")
def error(decision: Decision) -> str:
    return decision.error
