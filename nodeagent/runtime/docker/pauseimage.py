"""The pause image: made here from the machine's busybox, so that no registry is needed.

The image is one file and one command: a shell that waits, collects orphans (it is process 1 of a pod that shares its
processes) and ends at once when told to.
"""

from __future__ import annotations

import io
import shutil
import struct
import tarfile
from pathlib import Path

import msgspec

WAIT = "trap 'exit 0' TERM INT; while :; do /busybox sleep 2147483647 & wait $!; done"
ENTRYPOINT = "ENTRYPOINT " + msgspec.json.encode(["/busybox", "sh", "-c", WAIT]).decode()

_PROGRAM_HEADERS = struct.Struct("<32xQ14xHH")  # of a 64-bit ELF file: where they are, how long each is, how many
_INTERPRETER = 3


def find_busybox() -> Path | None:
    """The machine's busybox, if it needs no libraries: it will be alone in the image."""
    for name in ("busybox", "busybox.static"):
        found = shutil.which(name, path="/bin:/usr/bin:/sbin:/usr/sbin:/usr/local/bin")
        if found is not None and is_static(Path(found).read_bytes()):
            return Path(found)
    return None


def is_static(program: bytes) -> bool:
    """Whether it is a 64-bit little-endian ELF program that names no loader."""
    if program[:6] != b"\x7fELF\x02\x01":
        return False
    start, size, count = _PROGRAM_HEADERS.unpack_from(program)
    kinds = (struct.unpack_from("<I", program, start + index * size)[0] for index in range(count))
    return _INTERPRETER not in kinds


def archive(busybox: bytes) -> bytes:
    """The file system of the image, the same bytes each time."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        program = tarfile.TarInfo("busybox")
        program.size, program.mode = len(busybox), 0o755
        tar.addfile(program, io.BytesIO(busybox))
    return content.getvalue()
