"""Our pods and complaints beside those of a real cluster, where recordings of one are at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.registry.defaults.pod import default_pod, default_pod_spec
from apiserver.registry.pod import POD
from steersman.api.core import Pod, PodTemplateSpec
from tests.unit.apiserver.registry.pods import decode

FACTS = os.environ.get("STEERSMAN_K8S_FACTS")
pytestmark = pytest.mark.skipif(not FACTS, reason="STEERSMAN_K8S_FACTS does not say where the recordings are")


@cache
def exchanges(name: str) -> list[Any]:
    recorded: list[Any] = json.loads((Path(FACTS or "") / "golden" / "http" / name).read_text())["exchanges"]
    return recorded


@cache
def answers() -> tuple[Any, ...]:
    """Every object that the cluster answered with, once per resourceVersion."""
    found: dict[tuple[str, str], Any] = {}
    for file in sorted((Path(FACTS or "") / "golden" / "http").glob("*.json")):
        for exchange in json.loads(file.read_text())["exchanges"]:
            for each in _objects(exchange["response"].get("body")):
                meta = each["metadata"]
                found[meta.get("uid", ""), meta.get("resourceVersion", "")] = each
    return tuple(found.values())


def _objects(body: Any) -> Iterator[Any]:
    if not isinstance(body, dict) or not ("spec" in body or "items" in body):
        return
    if "items" in body:
        kind = str(body.get("kind", "")).removesuffix("List")
        yield from ({"kind": kind, **item} for item in body["items"] if "spec" in item)
    elif "uid" in body.get("metadata", {}):
        yield body


def test_pods_of_a_cluster_are_complete_and_valid() -> None:
    pods = [decode(Pod, each) for each in answers() if each["kind"] == "Pod"]
    assert pods
    for pod in pods:
        assert default_pod(pod) is pod
        assert list(POD.validate(pod)) == []


def test_templates_of_a_cluster_are_complete() -> None:
    templates = [decode(PodTemplateSpec, each["spec"]["template"]) for each in answers() if "template" in each["spec"]]
    assert templates
    for template in templates:
        assert default_pod_spec(template.spec) is template.spec


def test_the_complaint_about_an_immutable_pod_is_the_same_to_the_letter() -> None:
    recorded = exchanges("189-err-immutable-pod.json")
    old = decode(Pod, recorded[1]["response"]["body"])
    [container] = old.spec.containers
    changed = replace(container, ports=(replace(container.ports[0], container_port=81),))
    new = replace(old, spec=replace(old.spec, containers=(changed,)))
    [cause] = POD.validate_update(new, old)
    [wanted] = recorded[2]["response"]["body"]["details"]["causes"]
    assert {"reason": cause.reason, "message": cause.message, "field": cause.field} == wanted
