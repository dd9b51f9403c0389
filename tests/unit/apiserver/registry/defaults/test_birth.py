"""What a pod is given once, at its creation."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from apiserver.registry.defaults.pod import default_pod
from steersman.api import codec
from steersman.api.part import Part
from tests.unit.apiserver.registry.pods import Manifest, make_pod


def plain(value: Part) -> Any:
    return msgspec.json.decode(codec.encode(value))


def test_a_gated_pod_says_so() -> None:
    pod = make_pod({"schedulingGates": [{"name": "a/b"}]}, {"creationTimestamp": "2026-11-18T07:00:00Z"})
    assert plain(pod.status) == {
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": "2026-11-18T07:00:00Z",
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }
        ],
        "qosClass": "BestEffort",
    }


LABEL_KEYS = {"labelSelector": {"matchLabels": {"app": "a"}}, "matchLabelKeys": ["hash", "missing"]}
SAME_HASH = {
    "matchLabels": {"app": "a"},
    "matchExpressions": [{"key": "hash", "operator": "In", "values": ["1"]}],
}


def test_label_keys_are_written_into_selectors_once() -> None:
    term = {"topologyKey": "zone", **LABEL_KEYS, "mismatchLabelKeys": ["tenant"]}
    spec = {
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **LABEL_KEYS}
        ],
        "affinity": {
            "podAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [term],
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}],
            }
        },
    }
    pod = make_pod(spec, {"labels": {"app": "a", "hash": "1", "tenant": "t"}})
    again = default_pod(msgspec.structs.replace(pod, status=type(pod.status)()))
    assert again.spec == pod.spec
    given = plain(pod.spec)
    assert given["topologySpreadConstraints"][0]["labelSelector"] == SAME_HASH
    affinity = given["affinity"]["podAffinity"]
    not_mine = {"key": "tenant", "operator": "NotIn", "values": ["t"]}
    both = {**SAME_HASH, "matchExpressions": [*SAME_HASH["matchExpressions"], not_mine]}
    assert affinity["requiredDuringSchedulingIgnoredDuringExecution"][0]["labelSelector"] == both
    preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"][0]["podAffinityTerm"]
    assert preferred["labelSelector"] == both


APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
PROFILES: dict[str, Manifest | None] = {
    "unconfined": {"type": "Unconfined"},
    "runtime/default": {"type": "RuntimeDefault"},
    "localhost/mine": {"type": "Localhost", "localhostProfile": "mine"},
    "localhost/": None,
    "localhost/ mine": None,
    "magic": None,
}


@pytest.mark.parametrize("annotation", PROFILES)
def test_app_armor_annotations_become_fields(annotation: str) -> None:
    pod = plain(make_pod(metadata={"annotations": {f"{APP_ARMOR}c": annotation}}).spec)
    context = pod["containers"][0].get("securityContext", {})
    assert context.get("appArmorProfile") == PROFILES[annotation]


def test_the_pods_own_profile_is_not_repeated() -> None:
    spec = {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}
    pod = make_pod(spec, {"annotations": {f"{APP_ARMOR}c": "unconfined"}})
    assert pod.spec.containers[0].security_context is None


def test_a_status_is_given_only_once() -> None:
    pod = make_pod()
    reported = msgspec.structs.replace(pod, status=msgspec.structs.replace(pod.status, phase="Running"))
    assert default_pod(reported) is reported
