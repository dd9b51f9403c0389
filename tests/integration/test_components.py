"""What STEERSMAN_REQUIRE names is there: in CI nothing is left out silently."""

from __future__ import annotations

import os
import subprocess

import pytest

PROOFS = {
    "etcd": (("etcd", "--version"), ("etcdctl", "version")),
    "docker": (("dockerd", "--version"), ("docker", "compose", "version")),
    "kubectl": (("kubectl", "version", "--client"),),
}


@pytest.mark.parametrize("component", PROOFS)
def test_component(component: str) -> None:
    if component not in os.environ.get("STEERSMAN_REQUIRE", "").split(","):
        pytest.skip(f"{component} is not required here")
    for command in PROOFS[component]:
        assert subprocess.run(command, capture_output=True, timeout=30, check=False).returncode == 0, command
