"""Every pod runs as somebody: its ServiceAccount, with a token in every container unless that is switched off."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from apiserver.admission import refusal, secrets
from apiserver.admission.lookup import Lookup
from steersman.api.core import (
    ConfigMapProjection,
    Container,
    DownwardAPIProjection,
    DownwardAPIVolumeFile,
    KeyToPath,
    ObjectFieldSelector,
    Pod,
    ProjectedVolumeSource,
    ServiceAccount,
    ServiceAccountTokenProjection,
    Volume,
    VolumeMount,
    VolumeProjection,
)

DEFAULT = "default"
MIRROR = "kubernetes.io/config.mirror"
MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
VOLUME_PREFIX = "kube-api-access-"
TOKEN_SECONDS = 3607
"""An hour and a little, so that the token outlives whoever renews it hourly."""

_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


async def admit(pod: Pod, lookup: Lookup, random: Random) -> Pod:
    if MIRROR in pod.metadata.annotations:
        why = _complain_of_mirror(pod)
        if why:
            raise refusal.of_pod(pod, why)
        return pod
    name = pod.spec.service_account_name or DEFAULT
    namespace = pod.metadata.namespace
    account = await lookup.find(ServiceAccount, name, namespace)
    if account is None:
        missing = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise refusal.of_pod(pod, missing)
    pod = running_as(pod, account, random)
    why = secrets.complain(pod, account)
    if why:
        raise refusal.of_pod(pod, why)
    return pod


def _complain_of_mirror(pod: Pod) -> str:
    """A mirror shows what a node runs on its own: nothing in it may depend on the cluster."""
    if pod.spec.service_account_name:
        return "a mirror pod may not reference service accounts"
    if any(secrets.named_by(pod)):
        return "a mirror pod may not reference secrets"
    projected = [volume.projected for volume in pod.spec.volumes if volume.projected is not None]
    if any(source.service_account_token is not None for each in projected for source in each.sources or ()):
        return "a mirror pod may not use ServiceAccountToken volume projections"
    return ""


def running_as(pod: Pod, account: ServiceAccount, random: Random) -> Pod:
    """Pure: the pod with its account's name, pull secrets and token."""
    name = account.metadata.name
    secrets = pod.spec.image_pull_secrets or account.image_pull_secrets
    spec = replace(pod.spec, service_account_name=name, service_account=name, image_pull_secrets=secrets)
    pod = replace(pod, spec=spec)
    return with_token(pod, random) if wants_token(pod, account) else pod


def wants_token(pod: Pod, account: ServiceAccount) -> bool:
    """The pod's own word counts, then the account's; silence means yes."""
    for said in (pod.spec.automount_service_account_token, account.automount_service_account_token):
        if said is not None:
            return said
    return True


def with_token(pod: Pod, random: Random) -> Pod:
    """A projected volume with token, CA and namespace, mounted wherever nothing else is at that path.

    A volume that has such a name already, in a pod copied from another, is taken for that one.
    """
    spec, volumes = pod.spec, pod.spec.volumes
    if all(_mounts_something(each) for each in (*spec.init_containers, *spec.containers)):
        return pod
    volume_name = next((volume.name for volume in volumes if volume.name.startswith(VOLUME_PREFIX)), "")
    if not volume_name:
        volume_name = VOLUME_PREFIX + "".join(random.choices(_SUFFIX_ALPHABET, k=5))
        volumes = (*volumes, token_volume(volume_name))
    mounted = replace(
        spec,
        volumes=volumes,
        init_containers=tuple(_mounted(each, volume_name) for each in spec.init_containers),
        containers=tuple(_mounted(each, volume_name) for each in spec.containers),
    )
    return replace(pod, spec=mounted)


def _mounts_something(container: Container) -> bool:
    return any(mount.mount_path == MOUNT_PATH for mount in container.volume_mounts)


def _mounted(container: Container, volume_name: str) -> Container:
    if _mounts_something(container):
        return container
    mount = VolumeMount(name=volume_name, read_only=True, mount_path=MOUNT_PATH)
    return replace(container, volume_mounts=(*container.volume_mounts, mount))


def token_volume(name: str) -> Volume:
    namespace = ObjectFieldSelector(api_version="v1", field_path="metadata.namespace")
    sources = (
        VolumeProjection(
            service_account_token=ServiceAccountTokenProjection(expiration_seconds=TOKEN_SECONDS, path="token")
        ),
        VolumeProjection(
            config_map=ConfigMapProjection(name="kube-root-ca.crt", items=(KeyToPath(key="ca.crt", path="ca.crt"),))
        ),
        VolumeProjection(
            downward_api=DownwardAPIProjection(items=(DownwardAPIVolumeFile(path="namespace", field_ref=namespace),))
        ),
    )
    return Volume(name=name, projected=ProjectedVolumeSource(sources=sources, default_mode=0o644))
