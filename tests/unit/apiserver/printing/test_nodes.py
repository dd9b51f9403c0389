"""Nodes in a table."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.core import Node
from tests.unit.apiserver.printing.rows import shown


def ready(status: str) -> dict[str, Any]:
    return {"conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": status}]}


@pytest.mark.parametrize(
    ("spec", "status", "text"),
    [
        pytest.param({}, {}, "Unknown", id="not heard of"),
        pytest.param({}, ready("True"), "Ready", id="ready"),
        pytest.param({}, ready("False"), "NotReady", id="not ready"),
        pytest.param({}, ready("Unknown"), "NotReady", id="unknown"),
        pytest.param({"unschedulable": True}, ready("True"), "Ready,SchedulingDisabled", id="cordoned"),
    ],
)
def test_status(spec: dict[str, Any], status: dict[str, Any], text: str) -> None:
    assert shown(Node, spec=spec, status=status)["Status"] == text


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({}, "<none>"),
        ({"node-role.kubernetes.io/worker": ""}, "worker"),
        (
            {"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "true"},
            "control-plane,worker",
        ),
        ({"kubernetes.io/role": "old", "node-role.kubernetes.io/new": ""}, "new,old"),
        ({"kubernetes.io/role": "", "node-role.kubernetes.io/": "x"}, "<none>"),
    ],
)
def test_roles(labels: dict[str, str], text: str) -> None:
    assert shown(Node, metadata={"labels": labels})["Roles"] == text


def test_wide_columns() -> None:
    info = {
        "kubeletVersion": "v1",
        "osImage": "Debian",
        "kernelVersion": "6.1",
        "architecture": "amd64",
        "containerRuntimeVersion": "docker://1",
    }
    addresses = [{"type": "Hostname", "address": "h"}, {"type": "InternalIP", "address": "10.0.0.1"}]
    made = shown(Node, status={"nodeInfo": info, "addresses": addresses})
    assert list(made.values())[3:] == ["5m", "v1", "10.0.0.1", "<none>", "Debian", "6.1 (amd64)", "docker://1"]
    assert list(shown(Node).values())[4:] == ["", "<none>", "<none>", *["<unknown>"] * 3]
