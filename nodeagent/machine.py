"""What the agent finds out about the machine that it runs on."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

from nodeagent.pressure import Reserve, Reserves, Signal
from steersman.base import values

_MACHINE_ID = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_SYSTEM_UUID = (Path("/sys/class/dmi/id/product_uuid"), Path("/etc/machine-id"))
_BOOT_ID = (Path("/proc/sys/kernel/random/boot_id"),)
_MEMORY = Path("/proc/meminfo")
_LOAD = Path("/proc/loadavg")
_MOST_PIDS = Path("/proc/sys/kernel/pid_max")


def machine_id() -> str:
    return _first_line(_MACHINE_ID)


def system_uuid() -> str:
    return _first_line(_SYSTEM_UUID)


def boot_id() -> str:
    return _first_line(_BOOT_ID)


def disk_bytes(folder: Path) -> int:
    """The size of the disk that `folder` is on."""
    return shutil.disk_usage(folder).total


def reserves(folder: Path) -> Reserves:
    """What the machine has left; the disk is the one that `folder` is on. A disk without inodes never lacks them."""
    disk, memory = os.statvfs(folder), dict(line.split(":", 1) for line in _MEMORY.read_text().splitlines())
    most_pids = int(_MOST_PIDS.read_text())
    found = {
        Signal.MEMORY: Reserve(_kibibytes(memory["MemAvailable"]), _kibibytes(memory["MemTotal"])),
        Signal.DISK: Reserve(disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize),
        Signal.PIDS: Reserve(most_pids - int(_LOAD.read_text().split()[3].partition("/")[2]), most_pids),
    }
    return found | {Signal.INODES: Reserve(disk.f_favail, disk.f_files)} if disk.f_files else found


def _kibibytes(text: str) -> int:
    return int(text.split()[0]) * 1024


def address_towards(server: str) -> str:
    """Our address as `server` ("host:port") sees it. Nothing is sent: the system only chooses a way."""
    target = values.parse_address(server)
    family = socket.AF_INET6 if ":" in target.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target.host, target.port or 1))
        except OSError:
            return "127.0.0.1"
        found: str = probe.getsockname()[0]
        return found


def _first_line(candidates: tuple[Path, ...]) -> str:
    for path in candidates:
        try:
            text = path.read_text().strip()
        except OSError:
            continue
        if text:
            return text
    return ""
