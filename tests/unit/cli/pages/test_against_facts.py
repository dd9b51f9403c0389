"""Recorded answers of Kubernetes, described: line by line what kubectl has printed about them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from steersman.api import codec, kinds
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.coordination import Lease
from steersman.api.core import Pod
from steersman.api.discovery import EndpointSlice
from steersman.api.meta import Object, ObjectMeta
from steersman.cli.pages import catalog
from steersman.cli.pages.around import Around
from tests.unit.api import facts

pytestmark = facts.needed
NOW = datetime(2026, 11, 18, 7, 19, tzinfo=UTC)
OLDER_THAN_THE_RECORDING = "  Kube-Proxy Version:"
"""kubectl no longer prints this."""


def recorded(name: str) -> tuple[Any, list[str]]:
    """The object that was described, and the lines about it up to the Events."""
    golden = Path(facts.FOLDER) / "golden"
    body = json.loads((golden / "http" / f"{name}.json").read_text())["exchanges"][0]["response"]["body"]
    group, _, version = body["apiVersion"].rpartition("/")
    kind = kinds.by_kind(group, version, body["kind"])
    assert kind is not None
    printed = (golden / f"{name}.txt").read_text().partition("--- stdout\n")[2].partition("Events:")[0]
    lines = [line for line in printed.splitlines() if not line.startswith(OLDER_THAN_THE_RECORDING)]
    return codec.load(kind.struct, json.dumps(body).encode()), lines


def made(struct: type[Object], **fields: Any) -> Any:
    return codec.load(struct, json.dumps(fields).encode())


def replicasets(deployment: Deployment) -> list[ReplicaSet]:
    meta = deployment.spec.template.metadata
    hashed = structs.replace(meta, labels={**meta.labels, "pod-template-hash": "6b78dbb95b"})
    template = structs.replace(deployment.spec.template, metadata=hashed)
    new = made(ReplicaSet, metadata={"name": "web-6b78dbb95b"}, spec={"replicas": 3}, status={"replicas": 3})
    new = structs.replace(new, spec=structs.replace(new.spec, template=template))
    return [new, made(ReplicaSet, metadata={"name": "web-57794f8f99"}, spec={"replicas": 0})]


def beside(name: str, value: Any) -> Around:
    match name:
        case "099-describe-deployment":
            return Around(now=NOW, replicasets=replicasets(value))
        case "101-describe-service":
            endpoints = [{"addresses": [f"10.201.0.{number}"]} for number in (15, 16, 17)]
            ports = [{"name": "http", "port": 80}]
            return Around(now=NOW, slices=[made(EndpointSlice, endpoints=endpoints, ports=ports)])
        case "103-describe-sts":
            return Around(now=NOW, pods=[made(Pod, status={"phase": "Running"})] * 2)
        case _:
            spec = {"holderIdentity": "node-0", "renewTime": "2026-11-18T07:18:41.000000Z"}
            return Around(now=NOW, lease=made(Lease, metadata={}, spec=spec))


@pytest.mark.parametrize(
    "name",
    ["013-describe-node", "099-describe-deployment", "101-describe-service", "103-describe-sts", "105-describe-cm"],
)
def test_the_page_is_what_kubectl_prints(name: str) -> None:
    value, expected = recorded(name)
    assert isinstance(value.metadata, ObjectMeta)
    page = catalog.PAGES[type(value)](value, beside(name, value))
    assert [line.rstrip() for line in page.text().splitlines()] == [line.rstrip() for line in expected]
