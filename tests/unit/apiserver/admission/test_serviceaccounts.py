"""Every pod runs as somebody, with a token unless that is switched off."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.admission import serviceaccounts
from steersman.api import codec
from steersman.api.core import LocalObjectReference, ObjectReference, ServiceAccount
from steersman.api.errors import Forbidden
from steersman.api.meta import ObjectMeta
from tests.unit.apiserver.admission.conftest import Fields, Surroundings, make_account, make_pod

PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
MIRROR: Fields = {"annotations": {"kubernetes.io/config.mirror": "hash"}}
ENFORCING = replace(
    make_account("default", secrets=(ObjectReference(name="listed"),)),
    metadata=ObjectMeta(
        name="default", namespace="default", annotations={"kubernetes.io/enforce-mountable-secrets": "true"}
    ),
    image_pull_secrets=(LocalObjectReference(name="registry"),),
)
TOKEN_SOURCES = [
    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    {
        "downwardAPI": {
            "items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]
        }
    },
]


async def admitted(around: Surroundings, account: ServiceAccount, **pod: Any) -> Fields:
    await around.put(account)
    result = await serviceaccounts.admit(make_pod(**pod), around.lookup, Random(1))
    spec: Fields = codec.to_dict(result)["spec"]
    return spec


async def refusal(around: Surroundings, account: ServiceAccount, **pod: Any) -> str:
    with pytest.raises(Forbidden) as refused:
        await admitted(around, account, **pod)
    return refused.value.message


async def test_a_silent_pod_is_of_the_default_account(around: Surroundings) -> None:
    spec = await admitted(around, make_account())
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("default", "default")
    [volume] = spec["volumes"]
    name = volume["name"]
    assert name.removeprefix("kube-api-access-").isalnum()
    assert len(name) == len("kube-api-access-") + 5
    assert volume["projected"] == {"defaultMode": 420, "sources": TOKEN_SOURCES}
    assert spec["containers"][0]["volumeMounts"] == [{"mountPath": PATH, "name": name, "readOnly": True}]


async def test_a_pod_may_be_of_another_account(around: Surroundings) -> None:
    spec = await admitted(around, make_account("builder"), serviceAccountName="builder")
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("builder", "builder")


AUTOMOUNT: dict[str, tuple[bool | None, bool | None, bool]] = {
    "nobody says anything": (None, None, True),
    "the account says no": (None, False, False),
    "the pod says no": (False, None, False),
    "the pod says yes, the account no": (True, False, True),
    "the pod says no, the account yes": (False, True, False),
}


@pytest.mark.parametrize(("of_pod", "of_account", "mounted"), AUTOMOUNT.values(), ids=AUTOMOUNT)
async def test_who_gets_a_token(
    around: Surroundings, of_pod: bool | None, of_account: bool | None, mounted: bool
) -> None:
    pod = {} if of_pod is None else {"automountServiceAccountToken": of_pod}
    spec = await admitted(around, make_account(automount_service_account_token=of_account), **pod)
    assert bool(spec.get("volumes")) == mounted
    assert bool(spec["containers"][0].get("volumeMounts")) == mounted


async def test_init_containers_get_one_too_and_what_is_mounted_there_stays(around: Surroundings) -> None:
    own = {"mountPath": PATH, "name": "mine"}
    spec = await admitted(
        around,
        make_account(),
        volumes=[{"name": "mine", "emptyDir": {}}],
        initContainers=[{"name": "first", "image": "nginx:1.27"}],
        containers=[{"name": "main", "image": "nginx:1.27", "volumeMounts": [own]}],
    )
    mine, token = spec["volumes"]
    assert mine["name"] == "mine"
    assert spec["initContainers"][0]["volumeMounts"] == [{"mountPath": PATH, "name": token["name"], "readOnly": True}]
    assert spec["containers"][0]["volumeMounts"] == [own]


async def test_no_volume_where_no_container_needs_it(around: Surroundings) -> None:
    mounts = [{"mountPath": PATH, "name": "mine"}]
    container = {"name": "main", "image": "nginx:1.27", "volumeMounts": mounts}
    spec = await admitted(around, make_account(), volumes=[{"name": "mine", "emptyDir": {}}], containers=[container])
    assert [volume["name"] for volume in spec["volumes"]] == ["mine"]


async def test_a_copied_token_volume_is_used_again(around: Surroundings) -> None:
    copied = {"name": "kube-api-access-abcde", "projected": {"sources": TOKEN_SOURCES}}
    spec = await admitted(around, make_account(), volumes=[copied])
    assert [volume["name"] for volume in spec["volumes"]] == ["kube-api-access-abcde"]
    assert spec["containers"][0]["volumeMounts"][0]["name"] == "kube-api-access-abcde"


PULL_SECRETS: dict[str, tuple[list[Fields], list[Fields]]] = {
    "those of the account": ([], [{"name": "registry"}]),
    "the pod's own, if it has any": ([{"name": "other"}], [{"name": "other"}]),
}


@pytest.mark.parametrize(("own", "wanted"), PULL_SECRETS.values(), ids=PULL_SECRETS)
async def test_pull_secrets(around: Surroundings, own: list[Fields], wanted: list[Fields]) -> None:
    account = make_account(image_pull_secrets=(LocalObjectReference(name="registry"),))
    assert (await admitted(around, account, imagePullSecrets=own))["imagePullSecrets"] == wanted


MISSING = 'error looking up service account default/nobody: serviceaccount "nobody" not found'


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [({}, "web"), ({"name": "web-x7x2c", "generateName": "web-"}, "web-")],
    ids=["by its name", "by what its name will begin with"],
)
async def test_an_account_that_is_missing(around: Surroundings, metadata: Fields, shown: str) -> None:
    message = await refusal(around, make_account(), metadata=metadata, serviceAccountName="nobody")
    assert message == f'pods "{shown}" is forbidden: {MISSING}'


async def test_a_mirror_pod_is_left_alone(around: Surroundings) -> None:
    mirror = make_pod(MIRROR)
    assert await serviceaccounts.admit(mirror, around.lookup, Random(1)) is mirror


MIRRORS: dict[str, tuple[Fields, str]] = {
    "account": ({"serviceAccountName": "default"}, "a mirror pod may not reference service accounts"),
    "secret volume": (
        {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]},
        "a mirror pod may not reference secrets",
    ),
    "projected secret": (
        {"volumes": [{"name": "v", "projected": {"sources": [{"secret": {"name": "s"}}]}}]},
        "a mirror pod may not reference secrets",
    ),
    "secret of a driver": (
        {"volumes": [{"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "s"}}}]},
        "a mirror pod may not reference secrets",
    ),
    "pull secret": ({"imagePullSecrets": [{"name": "s"}]}, "a mirror pod may not reference secrets"),
    "secret in the environment": (
        {"containers": [{"name": "main", "image": "i", "envFrom": [{"secretRef": {"name": "s"}}]}]},
        "a mirror pod may not reference secrets",
    ),
    "token": (
        {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]},
        "a mirror pod may not use ServiceAccountToken volume projections",
    ),
}


@pytest.mark.parametrize(("spec", "why"), MIRRORS.values(), ids=MIRRORS)
async def test_what_a_mirror_pod_may_not_have(around: Surroundings, spec: Fields, why: str) -> None:
    assert await refusal(around, make_account(), metadata=MIRROR, **spec) == f'pods "web" is forbidden: {why}'


def _environment(**source: Any) -> list[Fields]:
    return [{"name": "main", "image": "i", **source}]


_NOT_REFERENCED = "is not allowed because service account default does not reference that"
_VARIABLE = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "stolen", "key": "k"}}}

LIMITED: dict[str, tuple[Fields, str]] = {
    "volume": (
        {"volumes": [{"name": "v", "secret": {"secretName": "stolen"}}]},
        f'volume with secret.secretName="stolen" {_NOT_REFERENCED} secret',
    ),
    "variable": (
        {"containers": _environment(env=[_VARIABLE])},
        f'container main with envVar PASSWORD referencing secret.secretName="stolen" {_NOT_REFERENCED} secret',
    ),
    "environment of an init container": (
        {"initContainers": _environment(envFrom=[{"secretRef": {"name": "stolen"}}])},
        f'init container main with envFrom referencing secret.secretName="stolen" {_NOT_REFERENCED} secret',
    ),
    "pull secret": (
        {"imagePullSecrets": [{"name": "registry"}, {"name": "stolen"}]},
        f'imagePullSecrets[1].name="stolen" {_NOT_REFERENCED} imagePullSecret',
    ),
}


@pytest.mark.parametrize(("spec", "why"), LIMITED.values(), ids=LIMITED)
async def test_an_account_may_limit_its_pods_to_its_secrets(around: Surroundings, spec: Fields, why: str) -> None:
    assert await refusal(around, ENFORCING, **spec) == f'pods "web" is forbidden: {why}'


async def test_what_a_limiting_account_lists_may_be_used(around: Surroundings) -> None:
    spec = await admitted(around, ENFORCING, volumes=[{"name": "v", "secret": {"secretName": "listed"}}])
    assert spec["imagePullSecrets"] == [{"name": "registry"}]
