"""Which places are in memory, by the kernel's table of mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeagent.volumes import memoryplace

MOUNTS = """\
20 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
21 20 0:20 / /run rw,nosuid,nodev,noexec - tmpfs tmpfs rw
22 20 0:21 / /dev/shm rw,nosuid,nodev shared:2 - tmpfs tmpfs rw
23 22 0:22 / /dev/shm/disk rw,relatime - ext4 /dev/vdb rw
24 20 0:23 / /read ro,relatime - tmpfs tmpfs rw
25 20 0:24 / /twice rw - ext4 /dev/vdc rw
26 20 0:25 / /twice rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("folder", "is_in_memory"),
    [
        ("/var/lib/steersman", False),
        ("/dev/shm/steersman", True),
        ("/dev/shm", True),
        ("/dev/shmelter", False),
        ("/dev/shm/disk/steersman", False),
        ("/run/steersman", False),
        ("/read/steersman", False),
        ("/twice/steersman", True),
    ],
)
def test_places(folder: str, is_in_memory: bool) -> None:
    assert memoryplace.is_in_memory(Path(folder), MOUNTS) == is_in_memory
