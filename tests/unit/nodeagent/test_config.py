"""The agent's settings: what is refused, and what follows from what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeagent.config import RuntimeKind, Settings
from steersman.base.values import Address, Duration


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"node_name": "Not A Name"}, "--node-name"),
        ({"server": ()}, "--server"),
        ({"server": ("nowhere",)}, "is not host:port"),
        ({"nodes": 2}, "only hollow nodes come in numbers"),
        ({"nodes": 0, "runtime": RuntimeKind.HOLLOW}, "--nodes"),
        ({"client_key": Path("key")}, "go together"),
        ({"max_pods": 0}, "positive"),
        ({"heartbeat_interval": Duration(0)}, "positive"),
        ({"eviction_hard": ("memory.free<1Gi",)}, "--eviction-hard: 'memory.free<1Gi' is not SIGNAL<AMOUNT"),
    ],
    ids=lambda each: each if isinstance(each, str) else next(iter(each)),
)
def test_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Settings(**{"node_name": "node-a", **fields})


def test_names() -> None:
    assert Settings(node_name="node-a").node_names == ("node-a",)
    hollow = Settings(runtime=RuntimeKind.HOLLOW, nodes=2)
    assert hollow.node_names == ("node-0", "node-1")
    assert Settings(node_name="rack", runtime=RuntimeKind.HOLLOW).node_names == ("rack-0",)


def test_credentials() -> None:
    assert Settings(node_name="a", insecure=True).credential_files() is None
    pki = Path("/c/pki")
    assert Settings(node_name="a", cluster_dir=Path("/c")).credential_files() == (
        pki / "ca.crt",
        pki / "node-a.crt",
        pki / "node-a.key",
    )
    files: dict[str, Any] = {
        "certificate_authority": Path("ca"),
        "client_certificate": Path("crt"),
        "client_key": Path("key"),
    }
    assert Settings(node_name="a", **files).credential_files() == (Path("ca"), Path("crt"), Path("key"))


@pytest.mark.parametrize(
    ("fields", "address"),
    [
        pytest.param({}, Address("127.0.0.1", 10255), id="a real node"),
        pytest.param({"runtime": RuntimeKind.HOLLOW}, None, id="hollow ones"),
        pytest.param({"http_address": Address("0.0.0.0", 1)}, Address("0.0.0.0", 1), id="as asked"),
        pytest.param(
            {"http_address": Address("0.0.0.0", 1), "insecure": True}, Address("127.0.0.1", 1), id="not in the clear"
        ),
    ],
)
def test_where_metrics_are_shown(fields: dict[str, Any], address: Address | None) -> None:
    assert Settings(**{"node_name": "node-a", **fields}).pages_address == address
