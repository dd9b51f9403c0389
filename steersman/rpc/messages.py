"""Messages inside a stream: five bytes (compressed or not, and how long), then the message. Pure."""

from __future__ import annotations

from struct import Struct

_PREFIX = Struct(">BL")
PREFIX_BYTES = _PREFIX.size


class Unreadable(Exception):
    """The stream cannot be cut into messages."""


class TooLarge(Exception):
    """A message above the limit, seen before it is taken in."""


def framed(message: bytes) -> bytes:
    return _PREFIX.pack(0, len(message)) + message


class Assembler:
    """Takes content as it comes, gives whole messages."""

    __slots__ = ("_max_bytes", "_parts", "_size")

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def is_empty(self) -> bool:
        """Whether no part of a message is waiting for the rest of it."""
        return not self._size

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that are now complete. Raises Unreadable, TooLarge."""
        if not self._size and len(data) >= PREFIX_BYTES and self._length(data) == len(data) - PREFIX_BYTES:
            return [data[PREFIX_BYTES:]]  # by far the most
        self._parts.append(data)
        self._size += len(data)
        if len(self._parts[0]) < PREFIX_BYTES:
            self._parts = [b"".join(self._parts)]
        return [] if self.missing or self._size < PREFIX_BYTES else self._cut(b"".join(self._parts))

    @property
    def missing(self) -> int:
        """How much the message that has begun still lacks, once that is known; else 0."""
        if self._size < PREFIX_BYTES:
            return 0
        return max(0, PREFIX_BYTES + self._length(self._parts[0]) - self._size)

    def _cut(self, data: bytes) -> list[bytes]:
        messages: list[bytes] = []
        position, end = 0, len(data)
        while end - position >= PREFIX_BYTES:
            begin = position + PREFIX_BYTES
            length = self._length(data, position)
            if begin + length > end:
                break
            position = begin + length
            messages.append(data[begin:position])
        rest = data[position:]
        self._parts, self._size = [rest] if rest else [], len(rest)
        return messages

    def _length(self, data: bytes, position: int = 0) -> int:
        flag, length = _PREFIX.unpack_from(data, position)
        if flag:
            raise Unreadable("a compressed message in a stream that is not compressed")
        if length > self._max_bytes:
            raise TooLarge(f"a message of {length} bytes, and no more than {self._max_bytes} are taken")
        return int(length)
