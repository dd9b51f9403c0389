"""What may change in a pod and what may not, with the exact words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from apiserver.registry.validation.podupdate import (
    MUTABLE,
    only_ephemeral_containers,
    validate_ephemeral_containers_update,
    validate_pod_update,
)
from steersman.api.core import Pod
from tests.unit.apiserver.registry.pods import CONTAINER, Manifest, make_pod, shown

IMMUTABLE = f"spec: Forbidden: pod updates may not change fields other than {','.join(MUTABLE)}\n"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
MIRROR = "kubernetes.io/config.mirror"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
GATED = {"schedulingGates": [{"name": "example.com/hold"}, {"name": "example.com/more"}]}


def required(*terms: Manifest) -> Manifest:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def demand(key: str) -> Manifest:
    return {"matchExpressions": [{"key": key, "operator": "Exists"}]}


ALLOWED: dict[str, tuple[Manifest, Manifest]] = {
    "nothing": ({}, {}),
    "image": ({}, {"containers": [{"name": "c", "image": "nginx:1.28"}]}),
    "init image": (
        {"initContainers": [{"name": "i", "image": "a:1"}]},
        {"initContainers": [{"name": "i", "image": "a:2"}]},
    ),
    "first deadline": ({}, {"activeDeadlineSeconds": 9}),
    "nearer deadline": ({"activeDeadlineSeconds": 9}, {"activeDeadlineSeconds": 8}),
    "more tolerations": (
        {"tolerations": [{"key": "a", "operator": "Exists"}]},
        {"tolerations": [{"key": "b", "operator": "Exists"}, {"key": "a", "operator": "Exists"}]},
    ),
    "longer toleration": (
        {"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}]},
        {"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}]},
    ),
    "grace from below zero to one": (
        {"terminationGracePeriodSeconds": -1},
        {"terminationGracePeriodSeconds": 1},
    ),
    "gate opened": (GATED, {"schedulingGates": [{"name": "example.com/more"}]}),
    "all gates opened": (GATED, {}),
    "gated: more labels of nodes": (
        {**GATED, "nodeSelector": {"a": "b"}},
        {**GATED, "nodeSelector": {"a": "b", "c": "d"}},
    ),
    "gated: first affinity": (GATED, {**GATED, **required(demand("a"))}),
    "gated: more demands": (
        {**GATED, **required(demand("a"))},
        {
            **GATED,
            **required({"matchExpressions": [*demand("a")["matchExpressions"], *demand("b")["matchExpressions"]]}),
        },
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name: str) -> None:
    before, after = ALLOWED[name]
    assert validate_pod_update(make_pod(after), make_pod(before)) == []


REFUSED: dict[str, tuple[Manifest, Manifest, list[str]]] = {
    "a container more": (
        {},
        {"containers": [CONTAINER, {"name": "d", "image": "i"}]},
        ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    ),
    "an init container less": (
        {"initContainers": [{"name": "i", "image": "i"}]},
        {},
        ["spec.initContainers: Forbidden: pod updates may not add or remove containers"],
    ),
    "no image, padded image": (
        {"initContainers": [{"name": "i", "image": "i:1"}]},
        {"containers": [{"name": "c", "image": ""}], "initContainers": [{"name": "i", "image": "i "}]},
        [
            "spec.containers[0].image: Required value",
            'spec.initContainers[0].image: Invalid value: "i ": must not have leading or trailing whitespace',
        ],
    ),
    "deadline taken back": (
        {"activeDeadlineSeconds": 9},
        {},
        ["spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"],
    ),
    "later deadline": (
        {"activeDeadlineSeconds": 9},
        {"activeDeadlineSeconds": 10},
        ["spec.activeDeadlineSeconds: Invalid value: 10: must be less than or equal to previous value"],
    ),
    "impossible deadline": (
        {},
        {"activeDeadlineSeconds": -1},
        ["spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
    ),
    "toleration forgotten": (
        {"tolerations": [{"key": "a", "operator": "Exists"}]},
        {"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}]},
        ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
    ),
    "bad toleration added": (
        {},
        {"tolerations": [{"key": "a", "operator": "Is"}]},
        [
            'spec.tolerations[0].operator: Unsupported value: "Is": supported values: "Equal", "Exists"',
        ],
    ),
    "gate added": (
        {},
        {"schedulingGates": [{"name": "example.com/late"}]},
        [
            "spec.schedulingGates[0].name: Forbidden: "
            "only deletion is allowed, but found new scheduling gate 'example.com/late'"
        ],
    ),
    "gated: label of nodes changed": (
        {**GATED, "nodeSelector": {"a": "b"}},
        {**GATED, "nodeSelector": {"c": "d", "a": "x"}},
        [
            'spec.nodeSelector: Invalid value: {"a":"x","c":"d"}: '
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        ],
    ),
    "gated: term added": (
        {**GATED, **required(demand("a"))},
        {**GATED, **required(demand("a"), demand("b"))},
        [
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: Invalid value: "
            '[{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null},'
            '{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}]: '
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        ],
    ),
    "gated: affinity forgotten": (
        {**GATED, **required(demand("a"))},
        GATED,
        [
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: Invalid value: null: "
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        ],
    ),
    "gated: demand changed": (
        {**GATED, **required(demand("a"))},
        {**GATED, **required(demand("b"))},
        [
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]: Invalid value: "
            '{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}: '
            "only additions are allowed (no mutations or deletions)"
        ],
    ),
    "gated: demand added to none": (
        {**GATED, **required({})},
        {**GATED, **required(demand("b"))},
        [
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]: Invalid value: "
            '{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}: '
            "only additions are allowed (no mutations or deletions)"
        ],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    before, after, complaints = REFUSED[name]
    assert shown(validate_pod_update(make_pod(after), make_pod(before))) == complaints


UNCHANGEABLE: dict[str, tuple[Manifest, Manifest]] = {
    "restart policy": ({}, {"restartPolicy": "Never"}),
    "container name": ({}, {"containers": [{"name": "d", "image": "nginx:1.27"}]}),
    "environment": ({}, {"containers": [{**CONTAINER, "env": [{"name": "A", "value": "1"}]}]}),
    "node selector without a gate": ({}, {"nodeSelector": {"a": "b"}}),
    "affinity without a gate": ({}, required(demand("a"))),
    "grace": ({}, {"terminationGracePeriodSeconds": 1}),
    "service account": ({}, {"serviceAccountName": "other"}),
    "volumes": ({}, {"volumes": [{"name": "v", "emptyDir": {}}]}),
    "ephemeral containers": ({}, {"ephemeralContainers": [{"name": "e", "image": "i"}]}),
    "gated: pod affinity": (
        GATED,
        {**GATED, "affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone"}]}}},
    ),
    "gated: pod affinity beside node affinity": (
        {**GATED, **required(demand("a"))},
        {
            **GATED,
            "affinity": {
                **required({"matchExpressions": demand("a")["matchExpressions"] * 2})["affinity"],
                "podAffinity": {REQUIRED: [{"topologyKey": "zone"}]},
            },
        },
    ),
}


@pytest.mark.parametrize("name", UNCHANGEABLE)
def test_anything_else_is_refused_with_the_difference(name: str) -> None:
    before, after = UNCHANGEABLE[name]
    [complaint] = shown(validate_pod_update(make_pod(after), make_pod(before)))
    assert complaint.startswith(f"{IMMUTABLE}@@ -")


def test_the_difference_shows_the_lines_around_a_change() -> None:
    [complaint] = shown(validate_pod_update(make_pod({"hostname": "b"}), make_pod({"hostname": "a"})))
    assert complaint.removeprefix(IMMUTABLE).splitlines() == [
        "@@ -64,7 +64,7 @@",
        '   "SELinuxChangePolicy": null',
        "  },",
        '  "ImagePullSecrets": null,',
        '- "Hostname": "a",',
        '+ "Hostname": "b",',
        '  "Subdomain": "",',
        '  "SetHostnameAsFQDN": null,',
        '  "Affinity": null,',
    ]


def test_of_a_very_long_change_only_the_beginning_is_shown() -> None:
    def with_variables(value: str) -> Pod:
        return make_pod(
            {"containers": [{**CONTAINER, "env": [{"name": f"V{i}", "value": value} for i in range(2000)]}]}
        )

    [complaint] = shown(validate_pod_update(with_variables("b"), with_variables("a")))
    assert '"Name": "V0"' in complaint
    assert '"Name": "V100"' in complaint
    assert '"Name": "V1000"' not in complaint


def test_the_mark_of_a_mirror_is_given_for_good() -> None:
    plain = make_pod({"nodeName": "n"})
    mirror = make_pod({"nodeName": "n"}, {"annotations": {MIRROR: "x"}})
    where = f"metadata.annotations[{MIRROR}]: Forbidden: may not"
    assert shown(validate_pod_update(mirror, plain)) == [f"{where} add mirror pod annotation"]
    assert shown(validate_pod_update(plain, mirror)) == [f"{where} remove or update mirror pod annotation"]


def test_app_armor_annotations_are_given_for_good() -> None:
    with_profile = make_pod(metadata={"annotations": {APP_ARMOR: "unconfined"}})
    without = replace(with_profile, metadata=replace(with_profile.metadata, annotations={}))
    where = f"metadata.annotations[{APP_ARMOR}]: Forbidden: may not"
    assert shown(validate_pod_update(with_profile, without)) == [f"{where} add AppArmor annotations"]
    assert shown(validate_pod_update(without, with_profile)) == [f"{where} remove or update AppArmor annotations"]


def debugged(*containers: Manifest, **metadata: object) -> Pod:
    return make_pod({"ephemeralContainers": list(containers), "nodeName": "n"}, metadata)


def test_ephemeral_containers_are_added() -> None:
    old, new = debugged({"name": "a", "image": "i"}), debugged({"name": "b", "image": "i"}, {"name": "a", "image": "i"})
    assert validate_ephemeral_containers_update(new, old) == []


def test_ephemeral_containers_never_leave() -> None:
    assert shown(validate_ephemeral_containers_update(debugged(), debugged({"name": "a", "image": "i"}))) == [
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "a" may not be removed\n'
    ]


def test_ephemeral_containers_never_change() -> None:
    old, new = debugged({"name": "a", "image": "i"}), debugged({"name": "a", "image": "j"})
    assert shown(validate_ephemeral_containers_update(new, old)) == [
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "a" may not be changed\n'
        "@@ -1,6 +1,6 @@\n"
        " {\n"
        '  "Name": "a",\n'
        '- "Image": "i",\n'
        '+ "Image": "j",\n'
        '  "Command": null,\n'
        '  "Args": null,\n'
        '  "WorkingDir": "",\n'
    ]


def test_ephemeral_containers_are_looked_at() -> None:
    assert shown(validate_ephemeral_containers_update(debugged({"name": "", "image": ""}), debugged())) == [
        "spec.ephemeralContainers[0].name: Required value",
        "spec.ephemeralContainers[0].image: Required value",
    ]


def test_a_mirror_has_no_ephemeral_containers() -> None:
    mirror = debugged(annotations={MIRROR: "x"})
    assert shown(validate_ephemeral_containers_update(mirror, mirror)) == [
        "[]: Forbidden: static pods do not support ephemeral containers"
    ]


def test_their_subresource_takes_nothing_else() -> None:
    old = make_pod()
    new = make_pod({"hostname": "h", "ephemeralContainers": [{"name": "a", "image": "i"}]})
    taken = only_ephemeral_containers(new, old)
    assert taken.spec == replace(old.spec, ephemeral_containers=new.spec.ephemeral_containers)
