"""ConfigMaps: which keys they may have, how large they may be, and what `immutable` freezes.

A key stands in `data` or in `binaryData`, never in both. Once immutable, a map stays so until it is deleted.
"""

from __future__ import annotations

from apiserver.registry.strategy import Strategy
from steersman.api import fields, names
from steersman.api.core import ConfigMap
from steersman.api.errors import Cause
from steersman.api.fields import Path

MAX_BYTES = 1024 * 1024
"""All values together; what etcd takes in one request is not much more."""

FROZEN = "field is immutable when `immutable` is set"
WHOLE_OBJECT = Path("[]")
"""How Kubernetes names a complaint that is about no field in particular."""


def validate(new: ConfigMap) -> list[Cause]:
    causes: list[Cause] = []
    size = 0
    for key, text in new.data.items():
        path = Path("data").key(key)
        causes += [fields.invalid(path, key, complaint) for complaint in names.config_map_key(key)]
        if key in new.binary_data:
            causes.append(fields.invalid(path, key, "duplicate of key present in binaryData"))
        size += len(text) if text.isascii() else len(text.encode())
    for key, value in new.binary_data.items():
        path = Path("binaryData").key(key)
        causes += [fields.invalid(path, key, complaint) for complaint in names.config_map_key(key)]
        size += len(value)
    if size > MAX_BYTES:
        causes.append(fields.too_long(WHOLE_OBJECT, MAX_BYTES))
    return causes


def validate_update(new: ConfigMap, old: ConfigMap) -> list[Cause]:
    if not old.immutable:
        return []
    causes: list[Cause] = []
    if not new.immutable:
        causes.append(fields.forbidden(Path("immutable"), FROZEN))
    if new.data != old.data:
        causes.append(fields.forbidden(Path("data"), FROZEN))
    if new.binary_data != old.binary_data:
        causes.append(fields.forbidden(Path("binaryData"), FROZEN))
    return causes


CONFIGMAP = Strategy(validate=validate, validate_update=validate_update)
