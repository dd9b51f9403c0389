"""A place in memory for what must not reach a disk: secrets, tokens, and what pods are told about themselves.

Found in a tmpfs that the machine has already, not mounted by us: a mount would outlive an agent that is killed, and
keep its folder from being removed. Nobody but us can read it. Where there is none, such files lie on disk, in folders
that are as private.

What is there belongs to a data dir. When that has been removed, with its cluster, the next agent clears it away.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from steersman.base import log

PRIVATE = 0o700
_IN_MEMORY = frozenset({"tmpfs", "ramfs"})
_OWNER = "data-dir"
_MOUNTS = Path("/proc/self/mountinfo")

_log = log.get("volumes")


def find(wanted: Path, cluster: str, node: str, data_dir: Path) -> Path | None:
    """A folder for this node of this cluster below `wanted`; None where that is not in memory, or not ours."""
    if not is_in_memory(wanted, _MOUNTS.read_text()):
        return None
    found = wanted
    try:
        for part in ("", cluster, node):
            found = found / part
            _make_private(found)
        (found / _OWNER).write_text(str(data_dir))
        _sweep(wanted)
    except OSError as error:
        _log.warning("secrets of pods are kept on disk", wanted=str(wanted), reason=str(error))
        return None
    return found


def _sweep(wanted: Path) -> None:
    for owner in wanted.glob(f"*/*/{_OWNER}"):
        if not Path(owner.read_text()).exists():
            shutil.rmtree(owner.parent, ignore_errors=True)
            with suppress(OSError):
                owner.parents[1].rmdir()  # if that was the cluster's last node
            _log.info("left-over secrets removed", of=str(owner.parent.relative_to(wanted)))


def is_in_memory(folder: Path, mounts: str) -> bool:
    """Whether what is written to `folder` stays in memory, by the kernel's table of mounts. A file system from which
    nothing may be executed does not count: pods may have programs in their secrets."""
    best, kind, options = "", "", ""
    for line in mounts.splitlines():
        fields, _, source = line.partition(" - ")
        point = fields.split(" ")[4]
        if folder.is_relative_to(point) and len(point) >= len(best):  # of two at one point, the later one is on top
            best, kind, options = point, source.split(" ")[0], fields.split(" ")[5]
    return kind in _IN_MEMORY and "noexec" not in options.split(",") and "ro" not in options.split(",")


def _make_private(folder: Path) -> None:
    """PermissionError for one that somebody else has made: everybody may write to such places."""
    try:
        folder.mkdir(PRIVATE)
    except FileExistsError:
        found = folder.lstat()
        is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if not is_ours or stat.S_IMODE(found.st_mode) != PRIVATE:
            raise PermissionError(f"{folder} is not a private folder of ours") from None
