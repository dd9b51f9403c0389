"""Parameters of the verbs, and what Kubernetes says of bad ones."""

from __future__ import annotations

import pytest

from apiserver.auth.identity import Caller
from apiserver.registry.requests import DeleteOptions, Propagation
from apiserver.restfront import parameters, query
from steersman.api import meta
from steersman.api.codec import FieldValidation
from steersman.api.errors import BadRequest, Invalid, UnsupportedMediaType
from steersman.api.names import Uid

JANE = Caller("jane")


def test_selection() -> None:
    asked = query.parse("labelSelector=a%3Db&fieldSelector=x%3Dy&limit=5&continue=t&resourceVersion=7")
    wanted = parameters.selection(asked)
    assert (wanted.label_selector, wanted.field_selector) == ("a=b", "x=y")
    assert (wanted.limit, wanted.continue_token, wanted.resource_version) == (5, "t", "7")


@pytest.mark.parametrize(
    ("text", "bookmarks", "initial_events"),
    [
        ("", False, None),
        ("allowWatchBookmarks=true", True, None),
        ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", False, True),
        ("sendInitialEvents=false&resourceVersionMatch=NotOlderThan", False, False),
    ],
)
def test_watch_options(text: str, bookmarks: bool, initial_events: bool | None) -> None:
    options = parameters.watch_options(query.parse(text))
    assert (options.bookmarks, options.initial_events) == (bookmarks, initial_events)


def test_write_options() -> None:
    asked = query.parse("dryRun=All&fieldManager=kubectl-create&fieldValidation=Strict")
    options = parameters.write_options(asked, JANE, "application/yaml", "CreateOptions")
    assert options.dry_run
    assert options.field_manager == "kubectl-create"
    assert options.field_validation is FieldValidation.STRICT
    assert (options.caller, options.content_type) == (JANE, "application/yaml")


def test_write_options_without_any_parameter() -> None:
    options = parameters.write_options(query.NOTHING, JANE, "", "CreateOptions")
    assert (options.dry_run, options.field_validation) == (False, FieldValidation.WARN)
    assert (options.caller, options.content_type) == (JANE, "application/json")


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "CreateOptions",
            "dryRun=Some",
            'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
        ),
        (
            "UpdateOptions",
            "fieldValidation=Loose",
            'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loose": '
            'supported values: "", "Ignore", "Strict", "Warn"',
        ),
        (
            "PatchOptions",
            "force=true",
            'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
        ),
        (
            "CreateOptions",
            f"fieldManager={'m' * 129}",
            'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
        ),
        (
            "CreateOptions",
            "fieldManager=a%0Ab",
            'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": '
            "invalid character U+000A (at position 1)",
        ),
    ],
    ids=["dryRun", "fieldValidation", "force", "long manager", "unprintable manager"],
)
def test_bad_write_options(kind: str, text: str, message: str) -> None:
    with pytest.raises(Invalid) as refused:
        parameters.write_options(query.parse(text), JANE, "", kind)
    assert refused.value.message == message


def test_delete_options_of_the_query() -> None:
    asked = query.parse("gracePeriodSeconds=0&propagationPolicy=Foreground&dryRun=All&uid=u&resourceVersion=7")
    options = parameters.delete_options(asked, b"", "")
    assert parameters.how_to_delete(options) == DeleteOptions(0, Propagation.FOREGROUND, Uid("u"), "7")
    assert parameters.deletion_options(options, JANE).dry_run


def test_delete_options_of_a_body_are_the_only_ones() -> None:
    body = b'{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u","resourceVersion":"5"}}'
    options = parameters.delete_options(query.parse("gracePeriodSeconds=7"), body, "application/json")
    assert parameters.how_to_delete(options) == DeleteOptions(None, Propagation.UNSAID, Uid("u"), "5")


@pytest.mark.parametrize(
    ("orphan", "propagation"), [(None, Propagation.UNSAID), (True, Propagation.ORPHAN), (False, Propagation.BACKGROUND)]
)
def test_the_old_way_to_orphan(orphan: bool | None, propagation: Propagation) -> None:
    assert parameters.how_to_delete(meta.DeleteOptions(orphan_dependents=orphan)).propagation is propagation


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b'{"propagationPolicy":"Sideways"}',
            'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": '
            'supported values: "Foreground", "Background", "Orphan", "nil"',
        ),
        (
            b'{"propagationPolicy":"Orphan","orphanDependents":true}',
            'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": '
            "orphanDependents and deletionPropagation cannot be both set",
        ),
        (
            b'{"dryRun":["x"]}',
            'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
        ),
    ],
    ids=["policy", "both", "dryRun"],
)
def test_bad_delete_options(body: bytes, message: str) -> None:
    with pytest.raises(Invalid) as refused:
        parameters.delete_options(query.NOTHING, body, "application/json")
    assert refused.value.message == message


def test_delete_options_that_cannot_be_read() -> None:
    with pytest.raises(BadRequest):
        parameters.delete_options(query.NOTHING, b"{", "application/json")
    with pytest.raises(UnsupportedMediaType):
        parameters.delete_options(query.NOTHING, b"{}", "text/html")


@pytest.mark.parametrize(("text", "seconds"), [("", None), ("1m30s", 90.0), ("50ms", 0.05), ("0", None), ("-1s", None)])
def test_how_long_a_client_waits(text: str, seconds: float | None) -> None:
    assert parameters.timeout_seconds(query.parse(f"timeout={text}")) == seconds


def test_a_wait_that_is_no_time() -> None:
    with pytest.raises(BadRequest, match='in the request URL - time: invalid duration "soon"'):
        parameters.timeout_seconds(query.parse("timeout=soon"))
