"""Secrets: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import base64

import pytest

from apiserver.registry.secret import MAX_BYTES, SECRET
from steersman.api.core import Secret
from tests.unit.apiserver.registry.pods import CONFIG_KEY
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(Secret, SECRET, {"metadata": {"name": "login", "namespace": "default"}})
FROZEN = "Forbidden: field is immutable when `immutable` is set"
REDACTED = 'Invalid value: "<secret contents redacted>"'


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def of_type(short: str, **data: str) -> Patch:
    return {"type": f"kubernetes.io/{short}", "data": {key: b64(text) for key, text in data.items()}}


def config(key: str, text: str) -> Patch:
    return {
        "type": "kubernetes.io/dockerconfigjson" if "json" in key else "kubernetes.io/dockercfg",
        "data": {key: b64(text)},
    }


def test_defaults() -> None:
    assert SUBJECT.defaulted()["type"] == "Opaque"


def test_texts_become_data_and_win() -> None:
    made = SUBJECT.make({"data": {"a": b64("old"), "b": b64("kept")}, "stringData": {"a": "new", "c": "ü"}})
    assert made.data == {"a": b"new", "b": b"kept", "c": "ü".encode()}
    assert made.string_data == {}


ROWS = [
    row("empty", {}),
    row("a bad key", {"data": {"no spaces": ""}}, f'data[no spaces]: Invalid value: "no spaces": {CONFIG_KEY}'),
    row("a path for a key", {"data": {"..": ""}}, "data[..]: Invalid value: \"..\": must not be '..'"),
    row(
        "too large",
        {"stringData": {"a": "x" * (MAX_BYTES + 1)}},
        f"data: Too long: may not be more than {MAX_BYTES} bytes",
    ),
    row("a type of one's own", {"type": "example.com/anything"}),
    row(
        "a token for nobody",
        {"type": "kubernetes.io/service-account-token"},
        "metadata.annotations[kubernetes.io/service-account.name]: Required value",
    ),
    row(
        "a token for somebody",
        {
            "type": "kubernetes.io/service-account-token",
            "metadata": {"annotations": {"kubernetes.io/service-account.name": "default"}},
        },
    ),
    row("no dockercfg", of_type("dockercfg"), "data[.dockercfg]: Required value"),
    row("no dockerconfigjson", of_type("dockerconfigjson"), "data[.dockerconfigjson]: Required value"),
    row("a dockerconfigjson", config(".dockerconfigjson", '{"auths":{}}')),
    row("a dockercfg of null", config(".dockercfg", "null")),
    row(
        "an empty dockercfg",
        config(".dockercfg", ""),
        f"data[.dockercfg]: {REDACTED}: unexpected end of JSON input",
    ),
    row(
        "a dockerconfigjson that is no JSON",
        config(".dockerconfigjson", "secret"),
        f"data[.dockerconfigjson]: {REDACTED}: invalid character 's' looking for beginning of value",
    ),
    row(
        "a dockerconfigjson that is a list",
        config(".dockerconfigjson", "[]"),
        f"data[.dockerconfigjson]: {REDACTED}: "
        "json: cannot unmarshal array into Go value of type map[string]interface {}",
    ),
    row("no login", of_type("basic-auth"), "data[username]: Required value", "data[password]: Required value"),
    row("half a login, empty", of_type("basic-auth", password="")),
    row("no ssh key", of_type("ssh-auth"), "data[ssh-privatekey]: Required value"),
    row("an empty ssh key", of_type("ssh-auth", **{"ssh-privatekey": ""}), "data[ssh-privatekey]: Required value"),
    row("no certificate", of_type("tls"), "data[tls.crt]: Required value", "data[tls.key]: Required value"),
    row("an empty certificate", of_type("tls", **{"tls.crt": "", "tls.key": ""})),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


IMMUTABLE = {"immutable": True, "data": {"a": b64("1")}}
STEPS = [
    step("other data", {"data": {"a": b64("2")}}, before={"data": {"a": b64("1")}}),
    step("another type", {"type": "example.com/b"}, 'type: Invalid value: "example.com/b": field is immutable'),
    step("nothing, frozen", {}, before=IMMUTABLE),
    step("labels, frozen", {"metadata": {"labels": {"a": "b"}}}, before=IMMUTABLE),
    step("other data, frozen", {"data": {"a": b64("2")}}, f"data: {FROZEN}", before=IMMUTABLE),
    step("thawing", {"immutable": False}, f"immutable: {FROZEN}", before=IMMUTABLE),
    step("texts that change data, frozen", {"stringData": {"b": "2"}}, f"data: {FROZEN}", before=IMMUTABLE),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
