"""Where a cluster of this machine lives: one folder, and what is where in it. Paths only, nothing is touched.

A cluster *is* its folder. `--data-dir` names it; without that it is the folder of the cluster's name under
STEER_HOME, or under ~/.steersman.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DEFAULT_NAME = "default"

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Site:
    """`flags`: what to add to a `steer` command so that it means this cluster; empty for the default one."""

    name: str
    folder: Path
    flags: str = ""

    @property
    def lock(self) -> Path:
        """Held by whoever keeps the cluster running, and by the kernel's word free when that process is gone."""
        return self.folder / "steer.lock"

    @property
    def ledger(self) -> Path:
        return self.folder / "steer.json"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def keeper_log(self) -> Path:
        """What a detached `steer up` says."""
        return self.logs / "steer.log"

    def log_of(self, component: str) -> Path:
        return self.logs / f"{component.replace('/', '-')}.log"

    @property
    def pki(self) -> Path:
        return self.folder / "pki"

    @property
    def admin_config(self) -> Path:
        """The kubeconfig that the API server makes; of several servers the one that wrote last."""
        return self.folder / "admin.conf"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def nodes(self) -> Path:
        return self.folder / "nodes"


def find(name: str | None, data_dir: Path | None, environment: Mapping[str, str]) -> Site:
    """ValueError for what cannot be a cluster's name."""
    if name is not None and _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} is no name for a cluster: lower-case letters, digits and hyphens, at most 63")
    if data_dir is not None:
        folder = data_dir.expanduser().absolute()
        return Site(name or folder.name.lstrip(".") or DEFAULT_NAME, folder, f" --data-dir {data_dir}")
    chosen = name or DEFAULT_NAME
    given = environment.get("STEER_HOME")
    home = Path(given).expanduser().absolute() if given else Path.home() / ".steersman"
    return Site(chosen, home / chosen, "" if chosen == DEFAULT_NAME else f" --name {chosen}")
