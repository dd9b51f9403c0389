"""Our keys and etcd's: UTF-8 bytes below a common root, so that several clusters (or tests) can share one etcd."""

from __future__ import annotations

from dataclasses import dataclass

ALL_KEYS = b"\0"
"""As a start: the lowest key there can be. As an end: etcd's word for "to the last key"."""


@dataclass(frozen=True, slots=True)
class Keyspace:
    root: str = ""

    def name(self, key: str) -> bytes:
        return (self.root + key).encode()

    def key(self, name: bytes) -> str:
        """A name that is not UTF-8 is none of ours: it gets a key that no object can have, and ends nothing."""
        return name.decode(errors="backslashreplace")[len(self.root) :]

    def span(self, prefix: str, after_key: str = "") -> tuple[bytes, bytes]:
        """The half-open range of names under `prefix`, above `after_key` if one is given."""
        lowest = self.name(prefix)
        end = following(lowest)
        start = max(lowest, self.name(after_key) + b"\0") if after_key else lowest
        return start or ALL_KEYS, end


def following(prefix: bytes) -> bytes:
    """The first name after all that begin with `prefix`."""
    bare = prefix.rstrip(b"\xff")
    return bare[:-1] + bytes([bare[-1] + 1]) if bare else ALL_KEYS
