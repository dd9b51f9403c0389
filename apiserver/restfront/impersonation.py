"""Acting as somebody else (`kubectl --as`): from headers to the caller that a request is then carried out for. Pure.

Whether one may do that is a question of rights like any other. While there are none, all who are authenticated may.
"""

from __future__ import annotations

from urllib.parse import unquote

from multidict import MultiMapping

from apiserver.auth.identity import ANONYMOUS, AUTHENTICATED, Caller
from steersman.api import errors

UNAUTHENTICATED = "system:unauthenticated"
_EXTRA = "impersonate-extra-"
_SERVICE_ACCOUNT = "system:serviceaccount:"


def acting(caller: Caller, headers: MultiMapping[str]) -> Caller:
    """Who the request is carried out for: mostly the caller. Internal, as in Kubernetes, for half an identity."""
    for name in headers:
        if name[:12].lower() == "impersonate-":
            return _impersonated(headers)
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
    namespace, _, name = user.removeprefix(_SERVICE_ACCOUNT).partition(":")
    if not user.startswith(_SERVICE_ACCOUNT) or not namespace or not name:
        return []
    return ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]


def _extra(headers: MultiMapping[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, list[str]] = {}
    for name, value in headers.items():
        if name.lower().startswith(_EXTRA):
            found.setdefault(unquote(name.lower().removeprefix(_EXTRA)), []).append(value)
    return tuple((key, tuple(values)) for key, values in sorted(found.items()))
