"""Acting as somebody else."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from apiserver.auth.identity import Caller
from apiserver.restfront import impersonation
from steersman.api.errors import Forbidden, Internal

ADMIN = Caller("admin", ("system:masters",))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param([], ADMIN, id="nobody else"),
        pytest.param([("Impersonate-User", "jane")], Caller("jane", ("system:authenticated",)), id="a user"),
        pytest.param(
            [("Impersonate-User", "jane"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b")],
            Caller("jane", ("a", "b", "system:authenticated")),
            id="with groups",
        ),
        pytest.param(
            [("Impersonate-User", "jane"), ("Impersonate-Group", "system:unauthenticated")],
            Caller("jane", ("system:unauthenticated",)),
            id="who is nobody",
        ),
        pytest.param(
            [("Impersonate-User", "system:anonymous")],
            Caller("system:anonymous", ("system:unauthenticated",)),
            id="anonymous",
        ),
        pytest.param(
            [("Impersonate-User", "system:serviceaccount:ns:robot")],
            Caller(
                "system:serviceaccount:ns:robot",
                ("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"),
            ),
            id="a service account",
        ),
        pytest.param(
            [("Impersonate-User", "jane"), ("Impersonate-Uid", "7"), ("Impersonate-Extra-Scopes%2fall", "x")],
            Caller("jane", ("system:authenticated",), "7", (("scopes/all", ("x",)),)),
            id="uid and extra",
        ),
    ],
)
def test_who_a_request_is_for(headers: list[tuple[str, str]], expected: Caller) -> None:
    assert impersonation.acting(ADMIN, CIMultiDict(headers)) == expected


@pytest.mark.parametrize("header", ["Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-a"])
def test_half_an_identity(header: str) -> None:
    with pytest.raises(Internal, match="without impersonating a user"):
        impersonation.acting(ADMIN, CIMultiDict([(header, "x")]))


@pytest.mark.parametrize(
    ("user", "message"),
    [
        pytest.param(
            "jane",
            'users "jane" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster '
            "scope",
            id="a user",
        ),
        pytest.param(
            "system:serviceaccount:ns:robot",
            'serviceaccounts "robot" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API '
            'group "" in the namespace "ns"',
            id="a service account",
        ),
    ],
)
def test_who_may_not_act_as_somebody_else(user: str, message: str) -> None:
    with pytest.raises(Forbidden) as caught:
        impersonation.acting(Caller("bob", ("system:authenticated",)), CIMultiDict([("Impersonate-User", user)]))
    assert caught.value.message == message
