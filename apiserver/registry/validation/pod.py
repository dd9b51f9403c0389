"""Rules for pods and pod templates as they come in. What may change later is in `podupdate`, status in `podstatus`."""

from __future__ import annotations

from apiserver.registry.validation import checks, container, podannotations, podspec
from steersman.api import fields
from steersman.api.core import Pod, PodSpec, PodTemplateSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

validate_pod_spec = podspec.validate_pod_spec

_METADATA = Path("metadata")
_SPEC = Path("spec")
_CONTAINERS = _SPEC.child("containers")
_INIT_CONTAINERS = _SPEC.child("initContainers")


def validate_pod(pod: Pod) -> list[Cause]:
    """What holds for a pod at any time of its life, whichever way it is written."""
    spec = pod.spec
    causes: list[Cause] = []
    if pod.metadata.annotations:
        where = _METADATA.child("annotations")
        causes += podannotations.validate_annotations(pod.metadata.annotations, spec, where)
    causes += podspec.validate_pod_spec(spec, pod.metadata, _SPEC)
    if not spec.service_account_name:
        causes += _validate_no_tokens(spec)
    causes += container.validate_images_of_pod(spec.containers, _CONTAINERS)
    return causes + container.validate_images_of_pod(spec.init_containers, _INIT_CONTAINERS)


def validate_new_pod(pod: Pod) -> list[Cause]:
    """What holds for a new pod on top of that."""
    spec = pod.spec
    causes: list[Cause] = []
    if spec.ephemeral_containers:
        causes.append(fields.forbidden(_SPEC.child("ephemeralContainers"), "cannot be set on create"))
    if spec.node_name and spec.scheduling_gates:
        detail = "cannot be set until all schedulingGates have been cleared"
        causes.append(fields.forbidden(_SPEC.child("nodeName"), detail))
    return causes + podannotations.validate_fields_agree(pod.metadata.annotations, spec, _SPEC)


def validate_pod_template(template: PodTemplateSpec, path: Path) -> list[Cause]:
    metadata, spec = template.metadata, template.spec
    causes = checks.validate_labels(metadata.labels, path.child("labels"))
    if metadata.annotations:
        causes += checks.validate_annotations(metadata.annotations, path.child("annotations"))
        causes += podannotations.validate_annotations(metadata.annotations, spec, path.child("annotations"))
    where = path.child("spec")
    causes += podspec.validate_pod_spec(spec, None, where)
    causes += podannotations.validate_fields_agree(metadata.annotations, spec, where)
    if spec.ephemeral_containers:
        detail = "ephemeral containers not allowed in pod template"
        causes.append(fields.forbidden(where.child("ephemeralContainers"), detail))
    return causes


def _validate_no_tokens(spec: PodSpec) -> list[Cause]:
    """A token is somebody's; a pod without an account cannot have one."""
    causes: list[Cause] = []
    for index, volume in enumerate(spec.volumes):
        sources = volume.projected.sources if volume.projected is not None else None
        for position, source in enumerate(sources or ()):
            if source.service_account_token is not None:
                where = _SPEC.child("volumes").index(index).child("projected").child("sources").index(position)
                detail = "must not be specified when serviceAccountName is not set"
                causes.append(fields.forbidden(where.child("serviceAccountToken"), detail))
    return causes
