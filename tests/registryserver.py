"""A real image registry for tests: Debian's `docker-registry` on loopback, its images in a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import runtimes

READY_SECONDS = 30.0
USER, PASSWORD = "me", "secret"
_HASH = "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"  # of the password, as the registry wants it


@dataclass(frozen=True)
class Registry:
    """`address` is how its images are named: `address/name:tag`. Engines talk to loopback without TLS."""

    address: str


def require_registry() -> None:
    """Skip where there is no registry program; fail where STEERSMAN_REQUIRE names docker."""
    if shutil.which("docker-registry") is not None:
        return
    message = "the program `docker-registry` is not on the PATH"
    if "docker" in os.environ.get("STEERSMAN_REQUIRE", ""):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def registry_server() -> Iterator[Registry]:
    """Only USER with PASSWORD may pull or push."""
    require_registry()
    folder = Path(tempfile.mkdtemp(prefix="steersman-registry-"))
    port = runtimes.free_port()
    (folder / "htpasswd").write_text(f"{USER}:{_HASH}\n")
    config = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "images")}},
        "http": {"addr": f"127.0.0.1:{port}", "secret": "only for tests"},
        "auth": {"htpasswd": {"realm": "tests", "path": str(folder / "htpasswd")}},
    }
    (folder / "config.yml").write_text(json.dumps(config))  # JSON is YAML
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(["docker-registry", "serve", str(folder / "config.yml")], stdout=log, stderr=log)
    try:
        _until_it_listens(process, port, folder / "log")
        yield Registry(f"127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _until_it_listens(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the registry does not start: {log.read_text()[-2000:]}")
        time.sleep(0.05)
