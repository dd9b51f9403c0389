"""What STEERSMAN_REQUIRE names is there: in CI nothing is left out silently."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROOFS = {
    "etcd": (("etcd", "--version"), ("etcdctl", "version")),
    "docker": (("dockerd", "--version"), ("docker", "compose", "version")),
    "kubectl": (("kubectl", "version", "--client"),),
    "jaeger": ((str(ROOT / "deploy" / "dev" / "jaeger.sh"), "--find"),),
}


@pytest.mark.parametrize("component", PROOFS)
def test_component(component: str) -> None:
    if component not in os.environ.get("STEERSMAN_REQUIRE", "").split(","):
        pytest.skip(f"{component} is not required here")
    for command in PROOFS[component]:
        assert subprocess.run(command, capture_output=True, timeout=30, check=False).returncode == 0, command
