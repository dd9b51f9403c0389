"""The finished documents: written when they are first asked for, kept compressed, and told apart by their hashes.

Writing all of them takes a quarter of a second and some megabytes; kept they are a few hundred kilobytes. What is
served may change (custom resources come and go); then `replace` forgets what is no longer so.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from apiserver.openapi.served import NO_ADDITIONS, Additions, Resource

COMPRESSION = 6

JSON = "application/json"
V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"


@dataclass(frozen=True, slots=True)
class Page:
    compressed: bytes
    hash: str

    @property
    def etag(self) -> str:
        return f'"{self.hash}"'

    def plain(self) -> bytes:
        return gzip.decompress(self.compressed)


class Library:
    """Everything may be called from any thread; what takes long is not for the event loop's."""

    def __init__(
        self, resources: Sequence[Resource], info: Mapping[str, str], additions: Additions = NO_ADDITIONS
    ) -> None:
        self._info = info
        self._lock = threading.RLock()
        self.replace(resources, additions)

    def replace(self, resources: Sequence[Resource], additions: Additions = NO_ADDITIONS) -> None:
        """From now on this is what is served."""
        with self._lock:
            self._resources = sorted(resources, key=lambda each: (each.group_version, each.plural))
            self._additions = additions
            self._v3: dict[str, Page] = {}
            self._index: Page | None = None
            self._v2: dict[str, Page] = {}

    def index(self) -> Page:
        """The group-versions, each with the address and the hash of its document."""
        with self._lock:
            if self._index is None:
                pages = self._documents()
                urls = {name: f"/openapi/v3/{name}?hash={page.hash}" for name, page in pages.items()}
                paths = {name: {"serverRelativeURL": url} for name, url in urls.items()}
                self._index = _seal(msgspec.json.encode({"paths": paths}))
            return self._index

    def v3(self, name: str) -> Page | None:
        """By the name that the index has for it: `api/v1`, `apis/apps/v1`."""
        with self._lock:
            return self._documents().get(name)

    def v2(self, media_type: str) -> Page:
        """All of it in the older version, as JSON or as protobuf."""
        with self._lock:
            if media_type not in self._v2:
                from apiserver.openapi import writing

                write = writing.v2_protobuf if media_type == V2_PROTOBUF else writing.v2_json
                self._v2[media_type] = _seal(write(self._resources, self._additions, self._info))
            return self._v2[media_type]

    def _documents(self) -> Mapping[str, Page]:
        """All at once, because the index needs every hash."""
        if not self._v3:
            from apiserver.openapi import writing

            written = writing.v3_documents(self._resources, self._additions, self._info)
            self._v3 = {name: _seal(body) for name, body in written}
        return self._v3


def _seal(body: bytes) -> Page:
    return Page(gzip.compress(body, COMPRESSION, mtime=0), hashlib.sha512(body).hexdigest().upper())
