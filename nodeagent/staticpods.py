"""Static pods: manifests in a folder of the machine, and the mirrors that show them in the API. Pure.

A static pod's uid is a hash of its manifest, so a changed file is another pod, and an agent that starts again finds
what it ran. Its mirror is an object of its own, with another uid: whoever deletes it deletes only the picture.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import yaml
from msgspec import structs

from steersman.api import codec
from steersman.api.core import Node, Pod, PodStatus, Toleration
from steersman.api.errors import ApiError
from steersman.api.meta import OwnerReference
from steersman.api.names import Uid

HASH = "kubernetes.io/config.hash"
SOURCE = "kubernetes.io/config.source"
MIRROR = "kubernetes.io/config.mirror"
SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class StaticPod:
    """What a file asks for."""

    uid: Uid
    manifest: Pod


class BadManifest(Exception):
    """A file that describes no pod; the text says why."""


def is_mirror(pod: Pod) -> bool:
    return MIRROR in pod.metadata.annotations


def is_static(pod: Pod) -> bool:
    return HASH in pod.metadata.annotations and not is_mirror(pod)


def read(content: bytes, file: str, node: str) -> StaticPod:
    """The pod in a file, named after its node as well. Raises BadManifest."""
    try:
        fields = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise BadManifest(str(error)) from error
    if not isinstance(fields, dict) or (fields.get("apiVersion"), fields.get("kind")) != ("v1", "Pod"):
        raise BadManifest("not a v1 Pod")
    try:
        pod, _ = codec.from_dict(Pod, fields)
    except ApiError as error:
        raise BadManifest(error.message) from error
    if not pod.metadata.name:
        raise BadManifest("a pod without a name")
    uid = Uid(hashlib.sha256(b"\0".join((node.encode(), file.encode(), content))).hexdigest()[:32])
    meta = structs.replace(
        pod.metadata,
        name=f"{pod.metadata.name}-{node}",
        namespace=pod.metadata.namespace or "default",
        annotations={**pod.metadata.annotations, HASH: uid, SOURCE: "file"},
        uid="",
    )
    spec = structs.replace(
        pod.spec,
        node_name=node,
        # Whatever befalls the node: nobody but the file says when the pod ends.
        tolerations=(*pod.spec.tolerations, Toleration(operator="Exists", effect="NoExecute")),
    )
    return StaticPod(uid, structs.replace(pod, metadata=meta, spec=spec))


def mirror(static: StaticPod, node: Node) -> Pod:
    """To be created in the API."""
    pod, owner = static.manifest, node.metadata
    reference = OwnerReference(api_version="v1", kind="Node", name=owner.name, uid=owner.uid, controller=True)
    meta = structs.replace(
        pod.metadata,
        annotations={**pod.metadata.annotations, MIRROR: static.uid},
        owner_references=(reference,),
    )
    return structs.replace(pod, metadata=meta, api_version="v1", kind="Pod")


def shows(found: Pod, static: StaticPod) -> bool:
    """Whether an object in the API is the mirror of this very pod, and is to stay."""
    meta = found.metadata
    return meta.annotations.get(MIRROR) == static.uid and meta.deletion_timestamp is None


def run_as(shown: Pod, static: StaticPod) -> Pod:
    """The pod to run: its mirror with all that the API has filled in, but under its own uid."""
    notes = {key: text for key, text in shown.metadata.annotations.items() if key != MIRROR}
    meta = structs.replace(shown.metadata, uid=static.uid, annotations=notes, owner_references=())
    return structs.replace(shown, metadata=meta, status=PodStatus())
