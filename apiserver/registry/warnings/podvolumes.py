"""Warnings about volumes: of sorts that are gone, and with files that lie on top of each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from apiserver.registry.warnings import amounts
from steersman.api.core import Volume, VolumeProjection
from steersman.api.errors import quoted
from steersman.api.fields import Path

# Attribute, the field as users know it, and what has become of it.
DEPRECATED: Final = (
    ("photon_persistent_disk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("git_repo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scale_io", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("ephemeral", "ephemeral", ""),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)


_USUAL: Final = ("config_map", "secret", "projected", "empty_dir", "host_path", "persistent_volume_claim")
"""A volume has one source, and mostly one of these."""


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    source: str = ""

    def __str__(self) -> str:
        return f"{quoted(self.path)} ({self.source})" if self.source else quoted(self.path)


def of_volumes(volumes: Sequence[Volume], path: Path) -> list[str]:
    if not volumes:
        return []
    warnings: list[str] = []
    for index, volume in enumerate(volumes):
        warnings += _of_sort(volume, path.index(index))
    for volume in volumes:
        warnings += _of_overlaps(volume)
    return warnings


def _of_sort(volume: Volume, path: Path) -> list[str]:
    if any(getattr(volume, attribute) is not None for attribute in _USUAL):
        return []
    warnings: list[str] = []
    for attribute, field, message in DEPRECATED:
        source = getattr(volume, attribute)
        if source is None:
            continue
        if attribute != "ephemeral":
            warnings.append(f"{path.child(field)}: {message}")
        elif source.volume_claim_template is not None:
            where = path.child(field, "volumeClaimTemplate", "spec")
            warnings += amounts.of_claim(source.volume_claim_template.spec, where)
    return warnings


def _of_overlaps(volume: Volume) -> list[str]:
    name = volume.name
    if volume.config_map is not None:
        files = (_File(item.path) for item in volume.config_map.items)
        return _overlaps(name, f"ConfigMap {quoted(volume.config_map.name)}", files)
    if volume.secret is not None:
        files = (_File(item.path) for item in volume.secret.items)
        return _overlaps(name, f"Secret {quoted(volume.secret.secret_name)}", files)
    if volume.downward_api is not None:
        return _overlaps(name, "DownwardAPI", (_File(item.path) for item in volume.downward_api.items))
    if volume.projected is not None:
        empty, sources = VolumeProjection(), volume.projected.sources or ()
        unsaid = [source for source in sources if source == empty]
        warnings = [f"volume {quoted(name)} (Projected) has no sources provided" for _ in unsaid]
        files = (file for source in sources for file in _projected(source))
        return warnings + _overlaps(name, "Projected", files)
    return []


def _projected(source: VolumeProjection) -> Sequence[_File]:
    """Where one source of a projected volume puts files; without a list of items nobody can tell."""
    if source.config_map is not None and source.config_map.items:
        origin = f"ConfigMap {quoted(source.config_map.name)}"
        return [_File(item.path, origin) for item in source.config_map.items]
    if source.secret is not None and source.secret.items:
        return [_File(item.path, f"Secret {quoted(source.secret.name)}") for item in source.secret.items]
    if source.downward_api is not None and source.downward_api.items:
        return [_File(item.path, "DownwardAPI") for item in source.downward_api.items]
    if source.service_account_token is not None:
        return [_File(source.service_account_token.path, "ServiceAccountToken")]
    if source.cluster_trust_bundle is not None:
        bundle = source.cluster_trust_bundle
        called = (bundle.name if bundle.name is not None else bundle.signer_name) or ""
        return [_File(bundle.path, f"ClusterTrustBundle {quoted(called)}")]
    if source.pod_certificate is not None:
        made = source.pod_certificate
        files = (
            _File(made.certificate_chain_path, "PodCertificate chain"),
            _File(made.key_path, "PodCertificate key"),
            _File(made.credential_bundle_path, "PodCertificate credential bundle"),
        )
        return [file for file in files if file.path]
    return ()


def _overlaps(volume: str, what: str, files: Iterable[_File]) -> list[str]:
    warnings: list[str] = []
    seen: list[_File] = []
    for given in files:
        file = _File(given.path.rstrip("/"), given.source)
        where = f"{file.path}/"
        for other in seen:
            there = f"{other.path}/"
            if file.path and other.path and (there.startswith(where) or where.startswith(there)):
                warnings.append(f"volume {quoted(volume)} ({what}): overlapping paths: {file} with {other}")
        seen.append(file)
    return warnings
