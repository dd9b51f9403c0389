"""Headers and bodies of answers."""

from __future__ import annotations

import json
import uuid

import pytest
import yaml
from aiohttp.test_utils import make_mocked_request

from apiserver.limits import Overloaded
from apiserver.restfront import authentication, replies
from apiserver.restfront.negotiation import JSON, YAML
from steersman.api.errors import BadRequest, Details, TooManyRequests


@pytest.mark.parametrize(
    ("warning", "header"),
    [
        ('unknown field "spec.x"', '299 - "unknown field \\"spec.x\\""'),
        ("back\\slash", '299 - "back\\\\slash"'),
        ("two\nlines", '299 - "two lines"'),
    ],
    ids=["quotes", "backslash", "control"],
)
def test_warnings(warning: str, header: str) -> None:
    assert replies.warning_headers((warning, warning)) == [header]


def test_no_more_warnings_than_clients_take() -> None:
    sent = replies.warning_headers(tuple(f"{number} {'x' * 1000}" for number in range(100)))
    assert 0 < sum(map(len, sent)) <= replies.MAX_WARNINGS_BYTES


def test_an_error_says_when_to_come_back() -> None:
    reply = replies.of_error(TooManyRequests("later", details=Details(retry_after_seconds=2)))
    assert (reply.status, reply.sent("Retry-After")) == (429, ["2"])
    assert (reply.content_type_text, reply.cache_control) == ("application/json", "no-cache, private")


def test_a_server_that_is_too_busy_says_so_in_plain_words() -> None:
    reply = replies.of_error(Overloaded())
    assert (reply.status, reply.body) == (429, b"Too many requests, please try again later.\n")
    assert (reply.content_type_text, reply.sent("Retry-After")) == ("text/plain; charset=utf-8", ["1"])


def test_a_refusal_carries_its_warnings() -> None:
    error = BadRequest("no")
    error.warnings = ("mind the gap",)
    assert replies.of_error(error).sent("Warning") == ['299 - "mind the gap"']


def test_an_unknown_page() -> None:
    reply = replies.page_not_found()
    assert (reply.status, reply.body) == (404, b"404 page not found\n")
    assert reply.content_type_text == "text/plain; charset=utf-8"
    assert reply.sent("X-Content-Type-Options") == ["nosniff"]


@pytest.mark.parametrize(("given", "kept"), [("mine", "mine"), ("x" * 100, "x" * 64)])
def test_a_clients_own_audit_id_is_kept(given: str, kept: str) -> None:
    assert replies.audit_id(make_mocked_request("GET", "/", headers={"Audit-ID": given})) == kept


def test_audit_ids_are_uuids_that_differ() -> None:
    request = make_mocked_request("GET", "/")
    first, second = replies.audit_id(request), replies.audit_id(request)
    assert first != second
    assert str(uuid.UUID(first)) == first


def test_shapes_of_json() -> None:
    compact = b'{"b":[1,"\xc3\xa4"],"a":null}'
    assert replies.shaped(compact, JSON, pretty=False) is compact
    pretty = replies.shaped(compact, JSON, pretty=True)
    assert json.loads(pretty) == json.loads(compact)
    assert pretty.startswith(b'{\n  "b"')
    assert yaml.safe_load(replies.shaped(compact, YAML, pretty=False)) == json.loads(compact)


@pytest.mark.parametrize(
    ("header", "token"),
    [("", ""), ("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", ""), ("Bearer", "")],
)
def test_bearer_tokens(header: str, token: str) -> None:
    assert authentication.bearer_token(header) == token
