"""Rules for files made out of objects: keys of ConfigMaps and Secrets, downward API files, projected volumes."""

from __future__ import annotations

from apiserver.registry.validation import checks, filepaths, podform, selectors, signers
from steersman.api import fields, names
from steersman.api.core import (
    ClusterTrustBundleProjection,
    ConfigMapProjection,
    DownwardAPIVolumeFile,
    DownwardAPIVolumeSource,
    KeyToPath,
    PodCertificateProjection,
    ProjectedVolumeSource,
    SecretProjection,
    ServiceAccountTokenProjection,
    VolumeProjection,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

SHORTEST_TOKEN_SECONDS = 10 * 60
LONGEST_TOKEN_SECONDS = 2**32
KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
SHORTEST_CERTIFICATE_SECONDS = 60 * 60
LONGEST_CERTIFICATE_SECONDS = 91 * 24 * 60 * 60
LONGEST_KUBERNETES_CERTIFICATE_SECONDS = 24 * 60 * 60

_TWICE = "conflicting duplicate paths"


def validate_keys(items: tuple[KeyToPath, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, item in enumerate(items):
        causes += _validate_key(item, path.index(index))
    return causes


def validate_downward_api(source: DownwardAPIVolumeSource, path: Path) -> list[Cause]:
    causes = filepaths.file_mode(source.default_mode, path.child("defaultMode"))
    for file in source.items:  # complaints name the volume, not the item
        causes += _validate_file(file, path)
    return causes


def validate_projected(source: ProjectedVolumeSource, path: Path) -> list[Cause]:
    causes = filepaths.file_mode(source.default_mode, path.child("defaultMode"))
    taken: set[str] = set()
    for index, projection in enumerate(source.sources or ()):
        causes += _validate_projection(projection, path, path.child("sources").index(index), taken)
    return causes


def _validate_key(item: KeyToPath, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not item.key:
        causes.append(fields.required(path.child("key")))
    if not item.path:
        causes.append(fields.required(path.child("path")))
    causes += filepaths.in_volume(item.path, path.child("path"))
    return causes + filepaths.file_mode(item.mode, path.child("mode"))


def _validate_file(file: DownwardAPIVolumeFile, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not file.path:
        causes.append(fields.required(path.child("path")))
    causes += filepaths.in_volume(file.path, path.child("path"))
    if file.field_ref is not None:
        causes += selectors.validate_field_selector(file.field_ref, path.child("fieldRef"), selectors.FILE_FIELDS)
        if file.resource_field_ref is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            causes.append(fields.invalid(path, "resource", detail))
    elif file.resource_field_ref is not None:
        where = path.child("resourceFieldRef")
        causes += selectors.validate_resource_selector(file.resource_field_ref, where, names_container=True)
    else:
        causes.append(fields.required(path, "one of fieldRef and resourceFieldRef is required"))
    return causes + filepaths.file_mode(file.mode, path.child("mode"))


def _validate_projection(projection: VolumeProjection, volume: Path, path: Path, taken: set[str]) -> list[Cause]:
    """`taken`: the file names of the projections before this one; its own are added."""
    causes: list[Cause] = []
    count = 0
    if projection.secret is not None:
        count += 1
        causes += _validate_objects_keys(projection.secret, volume, path.child("secret"), taken)
    if projection.config_map is not None:
        count += 1
        causes += _validate_objects_keys(projection.config_map, volume, path.child("configMap"), taken)
    if projection.downward_api is not None:
        count += 1
        for file in projection.downward_api.items:
            causes += _validate_file(file, path.child("downwardAPI"))
            causes += _take(file.path, file.path, volume, taken)
    if projection.service_account_token is not None:
        count += 1
        token = projection.service_account_token
        causes += _validate_token(token, volume, path.child("serviceAccountToken"))
    if projection.cluster_trust_bundle is not None:
        count += 1
        bundle = projection.cluster_trust_bundle
        causes += _validate_trust_bundle(bundle, volume, path.child("clusterTrustBundle"), taken)
    if projection.pod_certificate is not None:
        count += 1
        certificate = projection.pod_certificate
        causes += _validate_certificate(certificate, volume, path.child("podCertificate"), taken)
    if count > 1:
        causes.append(fields.forbidden(path, "may not specify more than 1 volume type per source"))
    return causes


def _take(file_path: str, shown: str, volume: Path, taken: set[str]) -> list[Cause]:
    if not file_path:
        return []
    if file_path in taken:
        return [fields.invalid(volume, shown, _TWICE)]
    taken.add(file_path)
    return []


def _validate_objects_keys(
    source: SecretProjection | ConfigMapProjection, volume: Path, path: Path, taken: set[str]
) -> list[Cause]:
    causes = [] if source.name else [fields.required(path.child("name"))]
    for index, item in enumerate(source.items):
        causes += _validate_key(item, path.child("items").index(index))
        causes += _take(item.path, source.name, volume, taken)
    return causes


def _validate_token(token: ServiceAccountTokenProjection, volume: Path, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seconds = token.expiration_seconds or 0
    if seconds < SHORTEST_TOKEN_SECONDS:
        detail = "may not specify a duration less than 10 minutes"
        causes.append(fields.invalid(path.child("expirationSeconds"), seconds, detail))
    if seconds > LONGEST_TOKEN_SECONDS:
        detail = "may not specify a duration larger than 2^32 seconds"
        causes.append(fields.invalid(path.child("expirationSeconds"), seconds, detail))
    if not token.path:
        return [*causes, fields.required(volume.child("path"))]
    return causes + filepaths.in_volume(token.path, volume.child("path"))


def _validate_trust_bundle(
    bundle: ClusterTrustBundleProjection, volume: Path, path: Path, taken: set[str]
) -> list[Cause]:
    causes: list[Cause] = []
    if bundle.name is not None and bundle.signer_name is not None:
        detail = "only one of name and signerName may be used"
        causes.append(fields.invalid(path, podform.as_json(bundle), detail))
    elif bundle.name is not None:
        causes += _validate_bundle_name(bundle.name, path.child("name"))
        if bundle.label_selector is not None:
            detail = "labelSelector must be unset if name is specified"
            causes.append(fields.invalid(path.child("labelSelector"), podform.as_json(bundle.label_selector), detail))
    elif bundle.signer_name is not None:
        if not bundle.signer_name:
            causes.append(fields.required(path.child("signerName"), "must be a valid signer name"))
        causes += signers.validate_signer_name(bundle.signer_name, path.child("signerName"))
        causes += checks.validate_label_selector(bundle.label_selector, path.child("labelSelector"))
    else:
        causes.append(fields.required(path, "either name or signerName must be specified"))
    if not bundle.path:
        causes.append(fields.required(path.child("path")))
    causes += filepaths.in_volume(bundle.path, path.child("path"))
    if bundle.path in taken:
        causes.append(fields.invalid(volume, bundle.path, _TWICE))
    taken.add(bundle.path)
    return causes


def _validate_bundle_name(name: str, path: Path) -> list[Cause]:
    causes = [] if name else [fields.required(path, "must be a valid object name")]
    complaints = signers.trust_bundle_name(name)
    return causes + [fields.invalid(path, name, f"not a valid clustertrustbundlename: {text}") for text in complaints]


def _validate_certificate(
    certificate: PodCertificateProjection, volume: Path, path: Path, taken: set[str]
) -> list[Cause]:
    causes = signers.validate_signer_name(certificate.signer_name, path.child("signerName"))
    for key in certificate.user_annotations:
        where = path.child("userAnnotations")
        causes += [fields.invalid(where, key, complaint) for complaint in names.qualified_name(key.lower())]
    causes += checks.choice(certificate.key_type, path.child("keyType"), KEY_TYPES)
    if certificate.max_expiration_seconds is not None:
        where = path.child("maxExpirationSeconds")
        causes += _validate_lifetime(certificate.max_expiration_seconds, certificate.signer_name, where)
    files = (
        (certificate.credential_bundle_path, "credentialBundlePath"),
        (certificate.key_path, "keyPath"),
        (certificate.certificate_chain_path, "certificateChainPath"),
    )
    for file_path, shown in files:
        if file_path:
            causes += filepaths.in_volume(file_path, path.child(shown))
            causes += _take(file_path, file_path, volume, taken)
    if not any(file_path for file_path, _ in files):
        detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        causes.append(fields.required(path, detail))
    return causes


def _validate_lifetime(seconds: int, signer_name: str, path: Path) -> list[Cause]:
    kubernetes = signers.is_kubernetes(signer_name)
    longest = LONGEST_KUBERNETES_CERTIFICATE_SECONDS if kubernetes else LONGEST_CERTIFICATE_SECONDS
    if seconds < SHORTEST_CERTIFICATE_SECONDS:
        return [fields.invalid(path, seconds, "if provided, maxExpirationSeconds must be >= 3600")]
    if seconds > longest:
        return [fields.invalid(path, seconds, f"if provided, maxExpirationSeconds must be <= {longest}")]
    return []
