"""The finished documents: written when they are first asked for, kept compressed, and told apart by their hashes.

Writing all of them takes a good part of a second and some megabytes, kept they are a few hundred kilobytes. What is
served may change (custom resources come and go); then `replace` forgets what is no longer so.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import msgspec

from apiserver.openapi import gnostic, operations, v2, v3
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.dialects import V2, V3
from apiserver.openapi.documents import Document
from apiserver.openapi.served import NO_ADDITIONS, Additions, Resource

COMPRESSION = 6

JSON = "application/json"
V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Page:
    compressed: bytes
    hash: str

    @property
    def etag(self) -> str:
        return f'"{self.hash}"'

    def plain(self) -> bytes:
        return gzip.decompress(self.compressed)


class Write(Protocol):
    def __call__(self) -> bytes: ...


class Library:
    """Everything may be called from any thread; what takes long is not for the event loop's."""

    def __init__(
        self, resources: Sequence[Resource], info: Mapping[str, str], additions: Additions = NO_ADDITIONS
    ) -> None:
        self._info = dict(info)
        self._lock = threading.RLock()
        self.replace(resources, additions)

    def replace(self, resources: Sequence[Resource], additions: Additions = NO_ADDITIONS) -> None:
        """From now on this is what is served."""
        with self._lock:
            self._resources = sorted(resources, key=lambda each: (each.group_version, each.plural))
            self._additions = additions
            self._pages: dict[str, Page] = {}

    def index(self) -> Page:
        """The group-versions, each with the address and the hash of its document."""
        with self._lock:
            return self._page("v3", self._write_index)

    def v3(self, name: str) -> Page | None:
        """By the name that the index has for it: `api/v1`, `apis/apps/v1`."""
        with self._lock:
            if not any(_name_of(each) == name for each in self._resources):
                return None
            if f"v3/{name}" not in self._pages:
                self._write_v3()
            return self._pages[f"v3/{name}"]

    def v2(self, media_type: str) -> Page:
        """All of it in the older version, as JSON or as protobuf."""
        encode = gnostic.encode if media_type == V2_PROTOBUF else _ENCODER.encode
        with self._lock:
            return self._page(f"v2 {media_type}", lambda: encode(self._v2_document()))

    def _page(self, name: str, write: Write) -> Page:
        if name not in self._pages:
            self._pages[name] = _seal(write())
        return self._pages[name]

    def _write_index(self) -> bytes:
        names = dict.fromkeys(map(_name_of, self._resources))
        paths = {name: {"serverRelativeURL": f"/openapi/v3/{name}?hash={self._hash(name)}"} for name in names}
        return _ENCODER.encode({"paths": paths})

    def _hash(self, name: str) -> str:
        page = self.v3(name)
        assert page is not None
        return page.hash

    def _write_v3(self) -> None:
        """All of them, because they share most of their definitions and the index needs every hash."""
        definitions = Definitions(V3, self._additions.v3)
        groups: dict[tuple[str, str], list[Resource]] = {}
        for resource in self._resources:
            groups.setdefault(resource.group_version, []).append(resource)
        for (group, version), resources in groups.items():
            write = partial(v3.document, definitions, group, version, resources, self._info)
            self._page(f"v3/{_name_of(resources[0])}", lambda write=write: _ENCODER.encode(write()))

    def _v2_document(self) -> Document:
        return v2.document(Definitions(V2, self._additions.v2), self._resources, self._info)


def _seal(body: bytes) -> Page:
    return Page(gzip.compress(body, COMPRESSION, mtime=0), hashlib.sha512(body).hexdigest().upper())


def _name_of(resource: Resource) -> str:
    return operations.root_of(*resource.group_version).removeprefix("/")
