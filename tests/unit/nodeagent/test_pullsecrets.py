"""Which credentials are meant for an image."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from nodeagent import pullsecrets
from nodeagent.runtime.specs import Credentials
from steersman.api.core import Secret
from steersman.api.meta import ObjectMeta


def secret(**auths: Any) -> Secret:
    text = json.dumps({"auths": {key.replace("__", "/"): value for key, value in auths.items()}})
    return Secret(metadata=ObjectMeta(name="pull"), data={".dockerconfigjson": text.encode()})


@pytest.mark.parametrize(
    ("image", "registry"),
    [
        ("nginx", "docker.io"),
        ("library/nginx:1", "docker.io"),
        ("docker.io/library/nginx", "docker.io"),
        ("localhost/x", "localhost"),
        ("localhost:5000/x@sha256:1", "localhost:5000"),
        ("registry.example.com/team/x:1", "registry.example.com"),
    ],
)
def test_where_an_image_comes_from(image: str, registry: str) -> None:
    assert pullsecrets.registry_of(image) == registry


def test_the_most_specific_login_comes_first() -> None:
    secrets = [
        secret(**{"registry.example.com": {"username": "all", "password": "1"}}),
        secret(**{"https://registry.example.com/team": {"auth": base64.b64encode(b"team:2").decode()}}),
        secret(**{"other.example.com": {"username": "no", "password": "3"}}),
    ]
    found = pullsecrets.credentials("registry.example.com/team/x:1", secrets)
    assert [(each.username, each.password) for each in found] == [("team", "2"), ("all", "1")]


def test_dockers_hub_has_many_names() -> None:
    found = pullsecrets.credentials(
        "nginx", [secret(**{"https://index.docker.io/v1/": {"username": "u", "password": "p"}})]
    )
    assert found == [Credentials("u", "p", "https://index.docker.io/v1/")]


def test_the_older_form() -> None:
    data = {".dockercfg": b'{"example.com": {"username": "u", "password": "p"}}'}
    old = Secret(metadata=ObjectMeta(name="old"), data=data)
    assert [each.username for each in pullsecrets.credentials("example.com/x", [old])] == ["u"]


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"auths": 3}'])
def test_what_cannot_be_read_is_passed_over(data: bytes) -> None:
    broken = Secret(metadata=ObjectMeta(name="broken"), data={".dockerconfigjson": data})
    assert pullsecrets.credentials("nginx", [broken]) == []
