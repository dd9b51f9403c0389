"""Secrets: which keys each type must have, how large they may be, and what `immutable` freezes.

`stringData` is a way of writing only: its texts are in `data` by the time that anybody looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.warnings import small as warned
from steersman.api import fields, jsontext, names
from steersman.api.core import Secret
from steersman.api.errors import Cause
from steersman.api.fields import Path

MAX_BYTES = 1024 * 1024
"""All values together; what etcd takes in one request is not much more."""

OPAQUE = "Opaque"
SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name"
FROZEN = "field is immutable when `immutable` is set"

_DATA = Path("data")


def default(new: Secret) -> Secret:
    if new.string_data:
        written = {key: text.encode() for key, text in new.string_data.items()}
        new = replace(new, data={**new.data, **written}, string_data={})
    return new if new.type else replace(new, type=OPAQUE)


def validate(new: Secret) -> list[Cause]:
    causes = [
        fields.invalid(_DATA.key(key), key, complaint) for key in new.data for complaint in names.config_map_key(key)
    ]
    if sum(map(len, new.data.values())) > MAX_BYTES:
        causes.append(fields.too_long(_DATA, MAX_BYTES))
    rule = _RULES.get(new.type)
    return causes if rule is None else causes + rule(new)


def validate_update(new: Secret, old: Secret) -> list[Cause]:
    causes: list[Cause] = []
    if new.type != old.type:
        causes.append(fields.invalid(Path("type"), new.type, IMMUTABLE))
    if old.immutable:
        if not new.immutable:
            causes.append(fields.forbidden(Path("immutable"), FROZEN))
        if new.data != old.data:
            causes.append(fields.forbidden(_DATA, FROZEN))
    return causes


def _token(secret: Secret) -> list[Cause]:
    """The token itself is put in later, by a controller."""
    if secret.metadata.annotations.get(SERVICE_ACCOUNT_NAME):
        return []
    return [fields.required(Path("metadata").child("annotations").key(SERVICE_ACCOUNT_NAME))]


def _registry_login(key: str) -> Callable[[Secret], list[Cause]]:
    def rule(secret: Secret) -> list[Cause]:
        if key not in secret.data:
            return [fields.required(_DATA.key(key))]
        complaint = _why_no_json_object(secret.data[key])
        if not complaint:
            return []
        return [fields.invalid(_DATA.key(key), "<secret contents redacted>", complaint)]

    return rule


def _basic_login(secret: Secret) -> list[Cause]:
    """One of the two is enough, and may be empty."""
    keys = ("username", "password")
    return [] if secret.data.keys() & keys else [fields.required(_DATA.key(key)) for key in keys]


def _ssh_key(secret: Secret) -> list[Cause]:
    return [] if secret.data.get("ssh-privatekey") else [fields.required(_DATA.key("ssh-privatekey"))]


def _certificate(secret: Secret) -> list[Cause]:
    return [fields.required(_DATA.key(key)) for key in ("tls.crt", "tls.key") if key not in secret.data]


def _why_no_json_object(data: bytes) -> str:
    try:
        tree = jsontext.parse(data)
    except jsontext.SyntaxFault as fault:
        return str(fault)
    except RecursionError:
        return "exceeded max depth"
    if tree is None or isinstance(tree, jsontext.Members):
        return ""
    return f"json: cannot unmarshal {jsontext.kind_of(tree)} into Go value of type map[string]interface {{}}"


_RULES: Mapping[str, Callable[[Secret], list[Cause]]] = {
    "kubernetes.io/service-account-token": _token,
    "kubernetes.io/dockercfg": _registry_login(".dockercfg"),
    "kubernetes.io/dockerconfigjson": _registry_login(".dockerconfigjson"),
    "kubernetes.io/basic-auth": _basic_login,
    "kubernetes.io/ssh-auth": _ssh_key,
    "kubernetes.io/tls": _certificate,
}

SECRET = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_secret,
)
