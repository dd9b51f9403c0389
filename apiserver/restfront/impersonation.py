"""Acting as somebody else (`kubectl --as`): from headers to the caller that a request is then carried out for. Pure.

Whether one may do that is a question of rights like any other. While there are none, those may who may do everything
on Kubernetes too: system:masters.
"""

from __future__ import annotations

from urllib.parse import unquote

from multidict import MultiMapping

from apiserver.auth.identity import ANONYMOUS, AUTHENTICATED, MASTERS, Caller
from steersman.api import errors
from steersman.api.errors import Forbidden, Subject, quoted

UNAUTHENTICATED = "system:unauthenticated"
_EXTRA = "impersonate-extra-"
_SERVICE_ACCOUNT = "system:serviceaccount:"


def acting(caller: Caller, headers: MultiMapping[str]) -> Caller:
    """Who the request is carried out for: mostly the caller.

    Internal, as in Kubernetes, for half an identity; Forbidden for those who may not act as others.
    """
    for name in headers:
        if name[:12].lower() == "impersonate-":
            wanted = _impersonated(headers)
            if MASTERS not in caller.groups:
                raise _refusal(caller, wanted.user)
            return wanted
    return caller


def _impersonated(headers: MultiMapping[str]) -> Caller:
    user = headers.get("Impersonate-User", "")
    groups, uid = headers.getall("Impersonate-Group", []), headers.get("Impersonate-Uid", "")
    extra = _extra(headers)
    if user:
        return Caller(user, _groups(user, groups), uid, extra)
    raise errors.internal("requested to impersonate groups, a uid or extra values without impersonating a user")


def _groups(user: str, given: list[str]) -> tuple[str, ...]:
    groups = given or _groups_of_service_account(user)
    if user == ANONYMOUS.user:
        return tuple(groups if UNAUTHENTICATED in groups else [*groups, UNAUTHENTICATED])
    is_said = AUTHENTICATED in groups or UNAUTHENTICATED in groups
    return tuple(groups if is_said else [*groups, AUTHENTICATED])


def _groups_of_service_account(user: str) -> list[str]:
    namespace, _ = _service_account(user)
    return ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"] if namespace else []


def _service_account(user: str) -> tuple[str, str]:
    """Its namespace and name; two empty texts for a user of another kind."""
    namespace, _, name = user.removeprefix(_SERVICE_ACCOUNT).partition(":")
    is_one = user.startswith(_SERVICE_ACCOUNT) and namespace and name
    return (namespace, name) if is_one else ("", "")


def _refusal(caller: Caller, user: str) -> Forbidden:
    namespace, account = _service_account(user)
    resource = "serviceaccounts" if namespace else "users"
    where = f"in the namespace {quoted(namespace)}" if namespace else "at the cluster scope"
    why = f'User {quoted(caller.user)} cannot impersonate resource "{resource}" in API group "" {where}'
    return errors.forbidden(Subject("", resource, ""), account or user, why)


def _extra(headers: MultiMapping[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, list[str]] = {}
    for name, value in headers.items():
        if name.lower().startswith(_EXTRA):
            found.setdefault(unquote(name.lower().removeprefix(_EXTRA)), []).append(value)
    return tuple((key, tuple(values)) for key, values in sorted(found.items()))
