"""The volumes of a pod or of a template, each with the sort that it is. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steersman.api.core import DownwardAPIVolumeFile, ProjectedVolumeSource, Volume
from steersman.cli.pages.page import NONE, UNSET, Page, flag

Pair = tuple[str, object]


def write(page: Page, volumes: Sequence[Volume], *, in_template: bool) -> None:
    indent, deeper = ("  ", " ") if in_template else ("", "")
    if not volumes:
        page.line(f"{indent}Volumes:\t{NONE}")
        return
    page.line(f"{indent}Volumes:")
    for volume in volumes:
        page.line(f"{deeper}{volume.name}:", 1)
        for label, value in told(volume):
            page.pair(label, value, 2)
        if volume.downward_api is not None:
            _write_items(page, volume.downward_api.items)


def told(volume: Volume) -> list[Pair]:
    """What sort it is first. The sorts that no node of ours knows are not told apart."""
    if volume.host_path is not None:
        sort = "HostPath (bare host directory volume)"
        kept = volume.host_path.type
        return [("Type", sort), ("Path", volume.host_path.path), ("HostPathType", NONE if kept is None else kept)]
    if volume.empty_dir is not None:
        sort = "EmptyDir (a temporary directory that shares a pod's lifetime)"
        limit = volume.empty_dir.size_limit or UNSET
        return [("Type", sort), ("Medium", volume.empty_dir.medium), ("SizeLimit", limit)]
    if volume.secret is not None:
        name, optional = volume.secret.secret_name, flag(volume.secret.optional)
        return [("Type", "Secret (a volume populated by a Secret)"), ("SecretName", name), ("Optional", optional)]
    if volume.config_map is not None:
        name, optional = volume.config_map.name, flag(volume.config_map.optional)
        return [("Type", "ConfigMap (a volume populated by a ConfigMap)"), ("Name", name), ("Optional", optional)]
    if volume.projected is not None:
        sort = "Projected (a volume that contains injected data from multiple sources)"
        return [("Type", sort), *_sources(volume.projected)]
    return _told_more(volume)


def _told_more(volume: Volume) -> list[Pair]:
    if volume.persistent_volume_claim is not None:
        claim = volume.persistent_volume_claim
        sort = "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)"
        return [("Type", sort), ("ClaimName", claim.claim_name), ("ReadOnly", flag(claim.read_only))]
    if volume.downward_api is not None:
        return [("Type", "DownwardAPI (a volume populated by information about the pod)")]
    if volume.nfs is not None:
        nfs = volume.nfs
        sort = "NFS (an NFS mount that lasts the lifetime of a pod)"
        return [("Type", sort), ("Server", nfs.server), ("Path", nfs.path), ("ReadOnly", flag(nfs.read_only))]
    if volume.image is not None:
        sort = "Image (a container image or OCI artifact)"
        return [("Type", sort), ("Reference", volume.image.reference), ("PullPolicy", volume.image.pull_policy)]
    return [("Type", "<unknown>")]


def _sources(projected: ProjectedVolumeSource) -> Iterator[Pair]:
    for source in projected.sources or ():
        if source.secret is not None:
            yield "SecretName", source.secret.name
            yield "Optional", flag(source.secret.optional)
        elif source.downward_api is not None:
            yield "DownwardAPI", "true"
        elif source.config_map is not None:
            yield "ConfigMapName", source.config_map.name
            yield "Optional", flag(source.config_map.optional)
        elif source.service_account_token is not None:
            yield "TokenExpirationSeconds", source.service_account_token.expiration_seconds or 0


def _write_items(page: Page, items: Sequence[DownwardAPIVolumeFile]) -> None:
    page.line("Items:", 2)
    for item in items:
        ref = item.field_ref.field_path if item.field_ref is not None else ""
        ref = item.resource_field_ref.resource if item.resource_field_ref is not None else ref
        page.line(f"{ref} -> {item.path}", 3)
