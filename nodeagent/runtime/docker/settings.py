"""What can be chosen about a Docker engine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

OUR_PAUSE_IMAGE = "steersman/pause:1"
"""Made on this machine, never fetched: see `pauseimage`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerSettings:
    """`network_subnet` empty: the engine chooses. Each container's log is kept in `log_files` files of `log_bytes`."""

    url: str = "unix:///var/run/docker.sock"
    pause_image: str = OUR_PAUSE_IMAGE
    network: str = "steersman"
    network_subnet: str = ""
    log_bytes: int = 10 << 20
    log_files: int = 5

    def __post_init__(self) -> None:
        scheme, _, rest = self.url.partition("://")
        if scheme not in ("unix", "tcp", "http") or not rest:
            raise ValueError(f"{self.url!r} is not unix:///path or tcp://host:port")
        if self.network_subnet:
            ipaddress.ip_network(self.network_subnet)
        if self.log_bytes < 4096 or self.log_files < 1:
            raise ValueError("a log needs at least one file of 4096 bytes")
