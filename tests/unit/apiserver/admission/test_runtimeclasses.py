"""What a RuntimeClass adds to a pod."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from apiserver.admission import runtimeclasses
from steersman.api import codec
from steersman.api.core import Toleration
from steersman.api.errors import Forbidden
from steersman.api.node import RuntimeClass
from tests.unit.apiserver.admission.conftest import Fields, Surroundings, make_pod

GPU: Fields = {"key": "gpu", "operator": "Exists"}


def make_runtime(**fields: Any) -> RuntimeClass:
    manifest = {"metadata": {"name": "gvisor"}, "handler": "runsc", **fields}
    return codec.decode(RuntimeClass, msgspec.json.encode(manifest))[0]


PLAIN = make_runtime()
COSTLY = make_runtime(overhead={"podFixed": {"cpu": "250m"}})
PICKY = make_runtime(scheduling={"nodeSelector": {"runtime": "gvisor"}, "tolerations": [GPU]})

ADDED: dict[str, tuple[RuntimeClass, Fields, Fields]] = {
    "nothing": (PLAIN, {}, {}),
    "overhead": (COSTLY, {}, {"overhead": {"cpu": "250m"}}),
    "overhead that the pod knew": (COSTLY, {"overhead": {"cpu": "0.25"}}, {"overhead": {"cpu": "250m"}}),
    "nodes": (PICKY, {}, {"nodeSelector": {"runtime": "gvisor"}, "tolerations": [GPU]}),
    "nodes beside the pod's own": (
        PICKY,
        {"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "night", "operator": "Exists"}]},
        {
            "nodeSelector": {"disk": "ssd", "runtime": "gvisor"},
            "tolerations": [{"key": "night", "operator": "Exists"}, GPU],
        },
    ),
    "nodes that the pod knew": (
        PICKY,
        {"nodeSelector": {"runtime": "gvisor"}, "tolerations": [GPU]},
        {"nodeSelector": {"runtime": "gvisor"}, "tolerations": [GPU]},
    ),
}


@pytest.mark.parametrize(("runtime", "spec", "wanted"), ADDED.values(), ids=ADDED)
async def test_what_a_pod_gets(around: Surroundings, runtime: RuntimeClass, spec: Fields, wanted: Fields) -> None:
    await around.put(runtime)
    pod = await runtimeclasses.admit(make_pod(runtimeClassName="gvisor", **spec), around.lookup)
    given = codec.to_dict(pod)["spec"]
    assert {name: given[name] for name in ("nodeSelector", "overhead", "tolerations") if name in given} == wanted


async def test_a_pod_without_a_class_is_left_alone(around: Surroundings) -> None:
    pod = make_pod()
    assert await runtimeclasses.admit(pod, around.lookup) is pod


_NO_OVERHEAD = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"

REFUSED: dict[str, tuple[RuntimeClass, Fields, str]] = {
    "a missing class": (PLAIN, {"runtimeClassName": "kata"}, 'pod rejected: RuntimeClass "kata" not found'),
    "a class without a name": (PLAIN, {"runtimeClassName": ""}, 'pod rejected: RuntimeClass "" not found'),
    "overhead without a class": (PLAIN, {"overhead": {"cpu": "1"}}, _NO_OVERHEAD),
    "overhead that the class has not": (
        PLAIN,
        {"runtimeClassName": "gvisor", "overhead": {"cpu": "1"}},
        _NO_OVERHEAD,
    ),
    "overhead that the class has otherwise": (
        COSTLY,
        {"runtimeClassName": "gvisor", "overhead": {"cpu": "1"}},
        "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ),
    "nodes that the class excludes": (
        PICKY,
        {"runtimeClassName": "gvisor", "nodeSelector": {"runtime": "runc"}},
        "conflict: runtimeClass.scheduling.nodeSelector[runtime] = gvisor; pod.spec.nodeSelector[runtime] = runc",
    ),
}


@pytest.mark.parametrize(("runtime", "spec", "why"), REFUSED.values(), ids=REFUSED)
async def test_what_is_refused(around: Surroundings, runtime: RuntimeClass, spec: Fields, why: str) -> None:
    await around.put(runtime)
    with pytest.raises(Forbidden) as refused:
        await runtimeclasses.admit(make_pod(**spec), around.lookup)
    assert refused.value.message == f'pods "web" is forbidden: {why}'


EVERYTHING = Toleration(operator="Exists")
BLUE = Toleration(key="colour", operator="Equal", value="blue", effect="NoSchedule")
RED = Toleration(key="colour", operator="Equal", value="red", effect="NoSchedule")
COLOURS = Toleration(key="colour", operator="Exists", effect="NoSchedule")
EVERY_EFFECT = Toleration(key="colour", operator="Equal", value="blue")
SHORT = Toleration(key="lost", operator="Exists", effect="NoExecute", toleration_seconds=5)
LONG = Toleration(key="lost", operator="Exists", effect="NoExecute", toleration_seconds=50)
FOR_EVER = Toleration(key="lost", operator="Exists", effect="NoExecute")

MERGED: dict[str, tuple[tuple[Toleration, ...], tuple[Toleration, ...]]] = {
    "different ones": ((BLUE, RED, SHORT), (BLUE, RED, SHORT)),
    "the same twice": ((BLUE, RED, BLUE), (BLUE, RED)),
    "a wider one before": ((COLOURS, BLUE), (COLOURS,)),
    "a wider one behind": ((BLUE, RED, COLOURS), (COLOURS,)),
    "one for everything": ((BLUE, SHORT, EVERYTHING), (EVERYTHING,)),
    "one for every effect": ((BLUE, EVERY_EFFECT), (EVERY_EFFECT,)),
    "a longer one": ((SHORT, LONG), (LONG,)),
    "one for ever": ((SHORT, FOR_EVER), (FOR_EVER,)),
    "not the shorter one": ((FOR_EVER, SHORT), (FOR_EVER,)),
}


@pytest.mark.parametrize(("given", "wanted"), MERGED.values(), ids=MERGED)
def test_tolerations_that_say_nothing_new_are_dropped(
    given: tuple[Toleration, ...], wanted: tuple[Toleration, ...]
) -> None:
    assert runtimeclasses.merged(given) == wanted
