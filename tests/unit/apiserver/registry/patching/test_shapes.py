"""The shapes that patches are merged by, as they come off the real Structs."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import pytest

from apiserver.registry.patching import Field, Opaque, Shape, Strategy, Unmergeable
from apiserver.registry.patching.shapes import shape_of
from steersman.api import apps, core, policy
from steersman.api.apiextensions import CustomResourceDefinition
from steersman.api.part import Part


def at(struct: type[Part], path: str) -> Field:
    shape: Shape = shape_of(struct)
    *parents, last = path.split(".")
    for name in parents:
        shape = shape.field(name).shape
    return shape.field(last)


MERGES: dict[str, tuple[type[Part], str, Strategy, str]] = {
    "containers by name": (core.Pod, "spec.containers", Strategy.MERGE, "name"),
    "containers of a template": (apps.Deployment, "spec.template.spec.containers", Strategy.MERGE, "name"),
    "ports by containerPort alone": (core.Pod, "spec.containers.ports", Strategy.MERGE, "containerPort"),
    "mounts by path": (core.Pod, "spec.containers.volumeMounts", Strategy.MERGE, "mountPath"),
    "volumes by name, though keys are retained too": (core.Pod, "spec.volumes", Strategy.MERGE, "name"),
    "spread constraints by topologyKey": (core.Pod, "spec.topologySpreadConstraints", Strategy.MERGE, "topologyKey"),
    "service ports by port": (core.Service, "spec.ports", Strategy.MERGE, "port"),
    "owners by uid": (core.Pod, "metadata.ownerReferences", Strategy.MERGE, "uid"),
    "finalizers as a set": (core.Pod, "metadata.finalizers", Strategy.MERGE, ""),
    "tolerations not": (core.Pod, "spec.tolerations", Strategy.NONE, ""),
    "a command not": (core.Pod, "spec.containers.command", Strategy.NONE, ""),
    "a strategy as any map": (apps.Deployment, "spec.strategy", Strategy.NONE, ""),
    "a budget's selector is replaced": (policy.PodDisruptionBudget, "spec.selector", Strategy.REPLACE, ""),
}


@pytest.mark.parametrize(("struct", "path", "strategy", "merge_key"), MERGES.values(), ids=MERGES.keys())
def test_how_a_field_merges(struct: type[Part], path: str, strategy: Strategy, merge_key: str) -> None:
    field = at(struct, path)
    assert (field.strategy, field.merge_key) == (strategy, merge_key)


def test_names_are_those_of_the_wire() -> None:
    assert at(core.Pod, "spec.hostPID")
    with pytest.raises(Unmergeable, match='unable to find api field in struct PodSpec for the json field "host_pid"'):
        at(core.Pod, "spec.host_pid")


def test_a_map_has_no_fields() -> None:
    assert at(core.Pod, "metadata.labels").shape == Opaque("map")


def test_a_type_may_contain_itself() -> None:
    schema = at(CustomResourceDefinition, "spec.versions.schema.openAPIV3Schema").shape
    assert schema.field("not").shape is schema


def test_a_shape_is_built_once() -> None:
    assert shape_of(core.Pod) is shape_of(core.Pod)


def _facts() -> dict[str, Any]:
    folder = os.environ.get("STEERSMAN_K8S_FACTS")
    if not folder:
        pytest.skip("STEERSMAN_K8S_FACTS names no folder of facts about Kubernetes")
    facts: dict[str, Any] = json.loads((pathlib.Path(folder) / "fields.json").read_text())
    return facts


@pytest.mark.parametrize(("group", "module"), [("core.v1", core), ("apps.v1", apps), ("policy.v1", policy)], ids=str)
def test_every_strategy_is_the_published_one(group: str, module: Any) -> None:
    for name, facts in _facts().items():
        kind = name.removeprefix(f"{group}.")
        if kind == name or not hasattr(module, kind):
            continue
        for field_name, fact in facts["fields"].items():
            known = fact if isinstance(fact, dict) else {}
            words = [word for word in known.get("patch", "").split(",") if word not in ("", "retainKeys")]
            field = shape_of(getattr(module, kind)).field(field_name)
            wanted = (words[0] if words else "", known.get("mergeKey", ""))
            assert (field.strategy, field.merge_key) == wanted, f"{name}.{field_name}"
