"""Whether the machine runs out of memory, disk or process numbers, as a node's conditions tell it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_MEMORY_BYTES = 100 << 20
LEAST_DISK_SHARE = 0.10
LEAST_INODES_SHARE = 0.05
LEAST_PIDS_SHARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserves:
    """What is left of it all; shares of the whole, from 0 to 1."""

    memory_bytes: int
    disk_share: float
    inodes_share: float
    pids_share: float


def conditions(left: Reserves) -> frozenset[str]:
    """The types of the conditions that hold."""
    found = set()
    if left.memory_bytes < LEAST_MEMORY_BYTES:
        found.add("MemoryPressure")
    if left.disk_share < LEAST_DISK_SHARE or left.inodes_share < LEAST_INODES_SHARE:
        found.add("DiskPressure")
    if left.pids_share < LEAST_PIDS_SHARE:
        found.add("PIDPressure")
    return frozenset(found)
