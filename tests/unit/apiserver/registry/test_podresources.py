"""The class of service, and what the containers of a pod need together."""

from __future__ import annotations

import pytest

from apiserver.registry.pod import qos_class
from steersman.api.podresources import Side, effective
from tests.unit.apiserver.registry.pods import Manifest, make_pod

FULL = {"limits": {"cpu": "1", "memory": "1Gi"}}
CLASSES: dict[str, tuple[list[Manifest], str]] = {
    "nothing": ([{}], "BestEffort"),
    "zero": ([{"requests": {"cpu": "0"}}], "BestEffort"),
    "other resources": ([{"limits": {"ephemeral-storage": "1Gi"}}], "BestEffort"),
    "limits": ([FULL], "Guaranteed"),
    "equal in other words": (
        [{"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"memory": "1024Mi"}}],
        "Guaranteed",
    ),
    "less asked than allowed": ([{**FULL, "requests": {"cpu": "500m"}}], "Burstable"),
    "only CPU": ([{"limits": {"cpu": "1"}}], "Burstable"),
    "only asked": ([{"requests": {"cpu": "1", "memory": "1Gi"}}], "Burstable"),
    "one of two": ([FULL, {}], "Burstable"),
    "both": ([FULL, FULL], "Guaranteed"),
}


@pytest.mark.parametrize("name", CLASSES)
def test_class_of_service(name: str) -> None:
    resources, wanted = CLASSES[name]
    containers = [{"name": f"c{index}", "image": "i", "resources": own} for index, own in enumerate(resources)]
    pod = make_pod({"containers": containers})
    assert qos_class(pod) == wanted
    assert pod.status.qos_class == wanted


def test_init_containers_count_for_the_class() -> None:
    full = {"name": "c", "image": "i", "resources": FULL}
    assert qos_class(make_pod({"containers": [full], "initContainers": [{"name": "i", "image": "i"}]})) == "Burstable"


WHOLE_PODS: dict[str, tuple[Manifest, str]] = {
    "limits of both": (FULL, "Guaranteed"),
    "limit of one": ({"limits": {"cpu": "1"}}, "Burstable"),
    "requests": ({"requests": {"cpu": "1"}}, "Burstable"),
    "nothing": ({}, "BestEffort"),
}


@pytest.mark.parametrize("name", WHOLE_PODS)
def test_class_of_whole_pods(name: str) -> None:
    resources, wanted = WHOLE_PODS[name]
    assert qos_class(make_pod({"resources": resources})) == wanted


def test_less_asked_by_containers_than_allowed_for_the_pod() -> None:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}
    assert qos_class(make_pod({"containers": [container], "resources": FULL})) == "Burstable"


def test_what_containers_need_together() -> None:
    def container(name: str, cpu: str, **more: str) -> Manifest:
        return {"name": name, "image": "i", "resources": {"requests": {"cpu": cpu}}, **more}

    pod = make_pod(
        {
            "containers": [container("a", "1"), container("b", "500m")],
            "initContainers": [
                container("first", "3"),
                container("sidecar", "250m", restartPolicy="Always"),
                container("second", "2"),
            ],
        }
    )
    assert effective(pod.spec, Side.REQUESTS) == {"cpu": "3"}
    assert effective(pod.spec, Side.LIMITS) == {}
    without_first = make_pod(
        {
            "containers": [container("a", "1")],
            "initContainers": [
                container("sidecar", "250m", restartPolicy="Always"),
                container("second", "900m"),
            ],
        }
    )
    assert effective(without_first.spec, Side.REQUESTS) == {"cpu": "1250m"}
