"""Which Secrets a pod names, and whether its ServiceAccount lets it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steersman.api.core import Container, EphemeralContainer, Pod, ServiceAccount, Volume

ENFORCED = "kubernetes.io/enforce-mountable-secrets"
"""On a ServiceAccount: its pods may use no other Secrets than it lists itself."""

_YES = frozenset({"1", "t", "T", "true", "TRUE", "True"})


def named_by(pod: Pod) -> Iterator[str]:
    spec = pod.spec
    yield from (reference.name for reference in spec.image_pull_secrets if reference.name)
    containers: tuple[Container | EphemeralContainer, ...] = (*spec.init_containers, *spec.containers)
    for container in (*containers, *spec.ephemeral_containers):
        yield from (name for _, name in _of_environment(container) if name)
    for volume in spec.volumes:
        yield from (name for name in _of_volume(volume) if name)


def complain(pod: Pod, account: ServiceAccount) -> str:
    """What is wrong with the Secrets that a new pod of this account names; "" when nothing is."""
    if account.metadata.annotations.get(ENFORCED) not in _YES:
        return ""
    listed = {secret.name for secret in account.secrets}
    whose = f"is not allowed because service account {account.metadata.name} does not reference that"
    for volume in pod.spec.volumes:
        if volume.secret is not None and volume.secret.secret_name not in listed:
            return f'volume with secret.secretName="{volume.secret.secret_name}" {whose} secret'
    for what, containers in (("init container", pod.spec.init_containers), ("container", pod.spec.containers)):
        for container in containers:
            for where, name in _of_environment(container):
                if name not in listed:
                    return f'{what} {container.name} with {where} referencing secret.secretName="{name}" {whose} secret'
    pulled = {secret.name for secret in account.image_pull_secrets}
    return _complain_of_pull_secrets([secret.name for secret in pod.spec.image_pull_secrets], pulled, whose)


def _complain_of_pull_secrets(wanted: Sequence[str], listed: set[str], whose: str) -> str:
    for index, name in enumerate(wanted):
        if name not in listed:
            return f'imagePullSecrets[{index}].name="{name}" {whose} imagePullSecret'
    return ""


def _of_environment(container: Container | EphemeralContainer) -> Iterator[tuple[str, str]]:
    """Where in the environment a Secret is named, and its name."""
    for variable in container.env:
        if variable.value_from is not None and variable.value_from.secret_key_ref is not None:
            yield f"envVar {variable.name}", variable.value_from.secret_key_ref.name
    for source in container.env_from:
        if source.secret_ref is not None:
            yield "envFrom", source.secret_ref.name


def _of_volume(volume: Volume) -> Iterator[str]:
    if volume.secret is not None:
        yield volume.secret.secret_name
    if volume.azure_file is not None:
        yield volume.azure_file.secret_name
    if volume.projected is not None:
        yield from (source.secret.name for source in volume.projected.sources or () if source.secret is not None)
    references = [volume.csi.node_publish_secret_ref] if volume.csi is not None else []
    for source in (
        volume.cephfs,
        volume.cinder,
        volume.flex_volume,
        volume.iscsi,
        volume.rbd,
        volume.scale_io,
        volume.storageos,
    ):
        if source is not None:
            references.append(source.secret_ref)
    yield from (reference.name for reference in references if reference is not None)
