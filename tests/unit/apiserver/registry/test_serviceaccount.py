"""ServiceAccounts: what is kept of a reference to a secret."""

from __future__ import annotations

from apiserver.registry.serviceaccount import SERVICE_ACCOUNT
from steersman.api.core import ServiceAccount
from tests.unit.apiserver.registry.tables import Subject

SUBJECT = Subject(ServiceAccount, SERVICE_ACCOUNT, {"metadata": {"name": "robot", "namespace": "default"}})


def test_references_to_secrets_are_names() -> None:
    made = SUBJECT.defaulted({"secrets": [{"name": "a", "namespace": "elsewhere", "kind": "Secret"}, {"name": "b"}]})
    assert made["secrets"] == [{"name": "a"}, {"name": "b"}]


def test_everything_else_stays_and_is_fine() -> None:
    patch = {"imagePullSecrets": [{"name": "a"}], "automountServiceAccountToken": False}
    assert SUBJECT.defaulted(patch).items() >= patch.items()
    assert SUBJECT.complaints(patch) == []
