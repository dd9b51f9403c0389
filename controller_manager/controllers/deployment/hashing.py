"""The pod-template-hash: what tells the ReplicaSets of one Deployment apart. Pure.

The hash is part of names and of selectors that can never change, so it must be the same in every version of this
program: 32-bit FNV-1a of the template's canonical JSON, its decimal digits written in the alphabet of generated names.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from controller_manager.pods import NAME_ALPHABET
from steersman.api import codec
from steersman.api.core import PodTemplateSpec
from steersman.api.names import SUBDOMAIN_LENGTH

LABEL = "pod-template-hash"

_OFFSET_BASIS = 0x811C9DC5
_PRIME = 0x01000193
_MASK = 0xFFFFFFFF


def fnv1a(data: bytes) -> int:
    total = _OFFSET_BASIS
    for byte in data:
        total = ((total ^ byte) * _PRIME) & _MASK
    return total


def template_hash(template: PodTemplateSpec, collision_count: int | None = None) -> str:
    """The same for templates that differ only in this label. Each collision gives another hash."""
    plain = codec.to_dict(without_hash(template))
    salt = b"" if collision_count is None else collision_count.to_bytes(8, "little")
    digits = str(fnv1a(msgspec.json.encode(plain, order="sorted") + salt))
    return "".join(NAME_ALPHABET[ord(digit) % len(NAME_ALPHABET)] for digit in digits)


def without_hash(template: PodTemplateSpec) -> PodTemplateSpec:
    labels = template.metadata.labels
    if LABEL not in labels:
        return template
    rest = {key: value for key, value in labels.items() if key != LABEL}
    return replace(template, metadata=replace(template.metadata, labels=rest))


def is_same(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """Whether two templates ask for the same pods."""
    return one.spec == other.spec and without_hash(one) == without_hash(other)


def replicaset_name(deployment_name: str, hash_text: str) -> str:
    return f"{deployment_name[: SUBDOMAIN_LENGTH - 1 - len(hash_text)]}-{hash_text}"
