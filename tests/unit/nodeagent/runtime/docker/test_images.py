from __future__ import annotations

import base64
import io
import json
import struct
import tarfile

import pytest

from nodeagent.runtime.docker import images, pauseimage
from nodeagent.runtime.docker.settings import DockerSettings
from nodeagent.runtime.specs import Credentials


@pytest.mark.parametrize(
    ("credentials", "expected"),
    [
        (
            Credentials("me", "se/cr?et", "registry.test"),
            {"username": "me", "password": "se/cr?et", "serveraddress": "registry.test"},
        ),
        (Credentials(identity_token="t", server="r"), {"identitytoken": "t", "serveraddress": "r"}),
    ],
    ids=["user and password", "token"],
)
def test_credentials_travel_as_one_header(credentials: Credentials, expected: dict[str, str]) -> None:
    header = images.encode_credentials(credentials)
    assert json.loads(base64.urlsafe_b64decode(header)) == expected


def elf(*kinds: int) -> bytes:
    """The headers of a 64-bit program with segments of these kinds."""
    size = 56
    head = b"\x7fELF\x02\x01".ljust(32, b"\0") + struct.pack("<Q", 64)
    head = head.ljust(54, b"\0") + struct.pack("<HH", size, len(kinds))
    return head.ljust(64, b"\0") + b"".join(struct.pack("<I", kind).ljust(size, b"\0") for kind in kinds)


@pytest.mark.parametrize(
    ("program", "expected"),
    [(elf(1, 1, 4), True), (elf(1, 3, 1), False), (b"#!/bin/sh\n", False), (b"", False)],
    ids=["static", "needs a loader", "a script", "nothing"],
)
def test_only_a_program_that_needs_no_libraries_makes_a_pause_image(program: bytes, expected: bool) -> None:
    assert pauseimage.is_static(program) is expected


def test_the_pause_image_is_one_program() -> None:
    with tarfile.open(fileobj=io.BytesIO(pauseimage.archive(b"program"))) as tar:
        (entry,) = tar.getmembers()
    assert (entry.name, entry.size, entry.mode) == ("busybox", 7, 0o755)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"url": "docker.sock"}, "is not unix:///path"),
        ({"url": "ssh://host"}, "is not unix:///path"),
        ({"network_subnet": "10.0.0.1/8"}, "has host bits set"),
        ({"log_files": 0}, "at least one file"),
    ],
    ids=["no scheme", "unknown scheme", "not a network", "no log"],
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, str | int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        DockerSettings(**wrong)  # type: ignore[arg-type]
