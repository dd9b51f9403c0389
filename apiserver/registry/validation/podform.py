"""How Kubernetes shows parts of a pod inside its complaints: not as the API does, but as its server holds them.

Names begin with capitals, everything is there even when empty, and the host's namespaces sit in the security context.
People and tools compare these texts, so ours are the same. Nothing else should ever look like this.
"""

from __future__ import annotations

import difflib
import json
from functools import cache
from itertools import takewhile
from typing import Any

import msgspec

from steersman.api import codec
from steersman.api.core import (
    ClusterTrustBundleProjection,
    ConfigMapVolumeSource,
    DownwardAPIVolumeFile,
    DownwardAPIVolumeSource,
    EmptyDirVolumeSource,
    GlusterfsVolumeSource,
    GRPCAction,
    HTTPGetAction,
    KeyToPath,
    PersistentVolumeClaimTemplate,
    PodCertificateProjection,
    PodSecurityContext,
    PodSpec,
    ProjectedVolumeSource,
    RBDVolumeSource,
    SecretVolumeSource,
    ServiceAccountTokenProjection,
    Volume,
    VolumeMount,
)
from steersman.api.meta import LabelSelector, ObjectMeta
from steersman.api.part import Part

_CONTEXT_LINES = 3
_MOST_CHANGED_LINES = 1000
"""Finding the smallest difference takes time with the square of this; a hostile change must not hold up the server."""

_SPELLINGS = {
    "apiGroup": "APIGroup",
    "apiVersion": "APIVersion",
    "awsElasticBlockStore": "AWSElasticBlockStore",
    "cephfs": "CephFS",
    "chapAuthDiscovery": "DiscoveryCHAPAuth",
    "chapAuthSession": "SessionCHAPAuth",
    "csi": "CSI",
    "diskURI": "DataDiskURI",
    "dnsConfig": "DNSConfig",
    "dnsPolicy": "DNSPolicy",
    "fc": "FC",
    "fsGroup": "FSGroup",
    "fsGroupChangePolicy": "FSGroupChangePolicy",
    "fsType": "FSType",
    "gcePersistentDisk": "GCEPersistentDisk",
    "gmsaCredentialSpec": "GMSACredentialSpec",
    "gmsaCredentialSpecName": "GMSACredentialSpecName",
    "grpc": "GRPC",
    "httpGet": "HTTPGet",
    "httpHeaders": "HTTPHeaders",
    "ip": "IP",
    "iqn": "IQN",
    "iscsi": "ISCSI",
    "iscsiInterface": "ISCSIInterface",
    "nfs": "NFS",
    "os": "OS",
    "pdName": "PDName",
    "rbd": "RBD",
    "seLinuxChangePolicy": "SELinuxChangePolicy",
    "seLinuxOptions": "SELinuxOptions",
    "sslEnabled": "SSLEnabled",
    "storageos": "StorageOS",
    "tcpSocket": "TCPSocket",
    "tty": "TTY",
    "wwids": "WWIDs",
}
"""Names that a capital first letter does not explain."""

_OWN_SPELLINGS: dict[type[Part], dict[str, str]] = {
    GlusterfsVolumeSource: {"endpoints": "EndpointsName"},
    RBDVolumeSource: {"monitors": "CephMonitors", "image": "RBDImage", "pool": "RBDPool", "user": "RadosUser"},
}

_NEWER: dict[type[Part], frozenset[str]] = {
    ClusterTrustBundleProjection: frozenset({"user"}),
    ConfigMapVolumeSource: frozenset({"default_user"}),
    DownwardAPIVolumeFile: frozenset({"user"}),
    DownwardAPIVolumeSource: frozenset({"default_user"}),
    EmptyDirVolumeSource: frozenset({"mode"}),
    GRPCAction: frozenset({"mode"}),
    HTTPGetAction: frozenset({"protocol"}),
    KeyToPath: frozenset({"user"}),
    PodCertificateProjection: frozenset({"user"}),
    PodSpec: frozenset({"eviction_responders"}),
    ProjectedVolumeSource: frozenset({"default_user"}),
    SecretVolumeSource: frozenset({"default_user"}),
    ServiceAccountTokenProjection: frozenset({"user"}),
    VolumeMount: frozenset({"bind_mount_options"}),
}
"""Fields that the version which we say we are does not know: shown when set, not missed when absent."""

_MOVED_TO_CONTEXT = ("host_network", "host_pid", "host_ipc", "share_process_namespace", "host_users")
_HIDDEN = frozenset({"service_account", *_MOVED_TO_CONTEXT})
_PLACED_AFTER: dict[type[Part], tuple[tuple[str, str], ...]] = {
    # (field, the field that it follows), where the order differs from the API's
    PodSpec: (
        ("set_hostname_as_fqdn", "subdomain"),
        ("preemption_policy", "priority"),
        ("overhead", "runtime_class_name"),
        ("enable_service_links", "overhead"),
    ),
    PodSecurityContext: (("fs_group_change_policy", "fs_group"),),
    Volume: (("quobyte", "rbd"),),
}


def shown(value: Any) -> Any:
    """The value as plain dicts and lists, in the order and with the names of Kubernetes' server."""
    if isinstance(value, LabelSelector | ObjectMeta):
        return codec.to_dict(value)
    if isinstance(value, PodSpec):
        return _shown_spec(value)
    if isinstance(value, PersistentVolumeClaimTemplate):
        return {**codec.to_dict(value.metadata), "Spec": shown(value.spec)}
    if isinstance(value, Part):
        return _shown_struct(value)
    if isinstance(value, tuple):
        return [shown(item) for item in value] or None
    if isinstance(value, dict):
        return {key: value[key] for key in sorted(value)} or None
    return value


def as_json(value: Any) -> msgspec.Raw:
    """The value as it stands in a complaint: JSON in that order, on one line."""
    return msgspec.Raw(json.dumps(shown(value), ensure_ascii=False, separators=(",", ":")).encode())


def difference(old: Part, new: Part) -> str:
    """What changed, as a unified diff without a heading; of a very long change the beginning."""
    before, after = _lines(old), _lines(new)
    unchanged = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    end = unchanged + _MOST_CHANGED_LINES
    before, after = before[:end], after[:end]
    return "".join(list(difflib.unified_diff(before, after, n=_CONTEXT_LINES))[2:])


def _lines(value: Part) -> list[str]:
    text = json.dumps(shown(value), indent=1, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return [f"{line}\n" for line in text.split("\n")]


def _shown_struct(value: Part) -> dict[str, Any]:
    newer = _NEWER.get(type(value), frozenset())
    return {
        name: shown(getattr(value, attribute))
        for attribute, name in _layout(type(value))
        if attribute not in newer or getattr(value, attribute)
    }


def _shown_spec(spec: PodSpec) -> dict[str, Any]:
    fields = _shown_struct(spec)
    context = spec.security_context or PodSecurityContext()
    moved = {
        "HostNetwork": spec.host_network,
        "HostPID": spec.host_pid,
        "HostIPC": spec.host_ipc,
        "ShareProcessNamespace": spec.share_process_namespace,
        "HostUsers": spec.host_users,
    }
    fields["SecurityContext"] = {**moved, **_shown_struct(context)}
    return fields


@cache
def _layout(struct: type[Part]) -> tuple[tuple[str, str], ...]:
    """(attribute, shown name) of every field that is shown, in order."""
    own = _OWN_SPELLINGS.get(struct, {})
    names = dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
    order = [name for name in names if not (struct is PodSpec and name in _HIDDEN)]
    for field, before in _PLACED_AFTER.get(struct, ()):
        order.remove(field)
        order.insert(order.index(before) + 1, field)
    return tuple((field, own.get(names[field]) or _spelled(names[field])) for field in order)


def _spelled(name: str) -> str:
    return _SPELLINGS.get(name) or name[0].upper() + name[1:]
