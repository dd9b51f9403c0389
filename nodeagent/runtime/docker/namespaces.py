"""Namespaces: whether the engine's view of files is ours, and connections from inside a pod's network.

A socket belongs to the namespace in which it was made, whoever uses it later. So one thread enters, makes the socket,
and returns; the connection is then used from here. An agent without the right to do so, or one that does not see the
engine's processes (it runs in a container, or the engine elsewhere), goes by the pod's address instead.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import struct
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_CONNECT_SECONDS = 5.0
_PEER = struct.Struct("3i")
"""Process, user and group at the other end of a socket."""
_libc = ctypes.CDLL(None, use_errno=True)


def visible(pid: int, container_id: str) -> bool:
    """Whether that process of the engine is the one that we see under this number."""
    try:
        return pid > 0 and container_id in Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return False


def is_shared_with(url: str) -> bool:
    """Whether whoever listens at the engine's socket has the same mounts as we. False where that cannot be seen."""
    if not url.startswith("unix://"):
        return False
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(_CONNECT_SECONDS)
            probe.connect(url.removeprefix("unix://"))
            found = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        pid, _, _ = _PEER.unpack(found)
        return pid > 0 and Path(f"/proc/{pid}/ns/mnt").samefile("/proc/self/ns/mnt")
    except OSError:
        return False


async def socket_inside(pid: int) -> socket.socket:
    """A TCP socket in the network namespace of a process. OSError when it may not be entered."""
    return await asyncio.to_thread(_socket_inside, pid)


def _socket_inside(pid: int) -> socket.socket:
    with open("/proc/thread-self/ns/net", "rb") as home, open(f"/proc/{pid}/ns/net", "rb") as there:
        _enter(there.fileno())
        try:
            return socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        finally:
            _enter(home.fileno())


def _enter(namespace: int) -> None:
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
