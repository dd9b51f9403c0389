"""`Status` objects, as clients of Kubernetes know them."""

from __future__ import annotations

import json

from apiserver.restfront import status
from steersman.api import errors
from steersman.api.errors import Cause, Details, Expired, Subject, TooManyRequests, Unauthenticated

DEPLOYMENT = Subject("apps", "deployments", "Deployment")


def test_not_found() -> None:
    assert status.of_error(errors.not_found(DEPLOYMENT, "web")) == (
        b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",'
        b'"message":"deployments.apps \\"web\\" not found","reason":"NotFound",'
        b'"details":{"name":"web","group":"apps","kind":"deployments"},"code":404}'
    )


def test_causes() -> None:
    made = json.loads(status.of_error(errors.invalid(DEPLOYMENT, "web", [Cause("FieldValueRequired", "why", "spec")])))
    assert made["details"]["causes"] == [{"reason": "FieldValueRequired", "message": "why", "field": "spec"}]


def test_without_details() -> None:
    assert "details" not in json.loads(status.of_error(Unauthenticated("Unauthorized")))


def test_empty_details_are_still_details() -> None:
    assert json.loads(status.of_error(TooManyRequests("later", details=Details())))["details"] == {}


def test_when_to_come_back() -> None:
    error = TooManyRequests("later", details=Details(retry_after_seconds=3))
    assert json.loads(status.of_error(error))["details"] == {"retryAfterSeconds": 3}


def test_how_an_expired_list_goes_on() -> None:
    error = Expired("too old")
    error.continue_token = "fresh"
    assert json.loads(status.of_error(error))["metadata"] == {"continue": "fresh"}


def test_success() -> None:
    assert json.loads(status.of_success(details=DEPLOYMENT.details("web", uid="u"))) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "web", "group": "apps", "kind": "deployments", "uid": "u"},
    }
    assert json.loads(status.of_success(201))["code"] == 201
