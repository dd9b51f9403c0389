"""Which credentials of a pod's imagePullSecrets are meant for an image. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec

from nodeagent.runtime.specs import Credentials
from steersman.api.core import Secret

DOCKER_HUB = "docker.io"
_HUB_NAMES = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})


class _Login(msgspec.Struct):
    username: str = ""
    password: str = ""
    auth: str = ""
    identitytoken: str = ""


class _Logins(msgspec.Struct):
    auths: dict[str, _Login] = {}


def registry_of(image: str) -> str:
    """The host that the image comes from; what looks like no host is a repository on Docker's hub."""
    first, slash, _ = image.partition("/")
    is_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return first if is_host and first not in _HUB_NAMES else DOCKER_HUB


def credentials(image: str, secrets: Iterable[Secret]) -> list[Credentials]:
    """All that fit the image's registry, the most specific first. What cannot be read is passed over."""
    registry, repository = registry_of(image), image.partition("@")[0]
    found: list[tuple[int, Credentials]] = []
    for secret in secrets:
        for address, login in _logins(secret).items():
            host, path = _place(address)
            if host == registry and (not path or repository.startswith(f"{host}/{path}")):
                found.append((len(path), _credentials(address, login)))
    return [each for _, each in sorted(found, key=lambda pair: -pair[0])]


def _logins(secret: Secret) -> dict[str, _Login]:
    try:
        if ".dockerconfigjson" in secret.data:
            return msgspec.json.decode(secret.data[".dockerconfigjson"], type=_Logins).auths
        if ".dockercfg" in secret.data:
            return msgspec.json.decode(secret.data[".dockercfg"], type=dict[str, _Login])
    except msgspec.DecodeError:
        return {}
    return {}


def _place(address: str) -> tuple[str, str]:
    """Host and path of an entry: "registry.example.com/team", "https://index.docker.io/v1/"."""
    split = urlsplit(address if "//" in address else f"//{address}")
    host, path = split.netloc, split.path.strip("/")
    if host in _HUB_NAMES:
        return DOCKER_HUB, ""
    return host, "" if path in ("v1", "v2") else path


def _credentials(address: str, login: _Login) -> Credentials:
    username, password = login.username, login.password
    if login.auth and not username:
        try:
            username, _, password = base64.b64decode(login.auth).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            username = password = ""
    return Credentials(username, password, address, login.identitytoken)
