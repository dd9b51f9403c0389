"""How often the metadata of a changed object is looked at, and so how often one mistake in it is named.

On every update Kubernetes looks at it on its own and by the side of what was there. Then the kind's own rules do so
again, once or twice, each kind in its own way. Whoever counts the causes of a refusal counts all of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apiserver.registry.metadata import Look
from apiserver.registry.requests import Subresource
from steersman.api.kinds import Kind


@dataclass(frozen=True, slots=True)
class Looks:
    """The kind's own: before everything else, and between the rules for any object and those for a step."""

    first: tuple[Look, ...] = ()
    then: tuple[Look, ...] = ()


_NONE: Final = Looks()
_STEP: Final = Looks((Look.STEP,))
_WHOLE: Final = Looks((Look.WHOLE,))
_STEP_AND_WHOLE: Final = Looks((Look.STEP, Look.WHOLE))
_WHOLE_THEN_STEP: Final = Looks((Look.WHOLE,), (Look.STEP,))
_WHOLE_TWICE: Final = Looks((Look.WHOLE,), (Look.WHOLE,))

_OF_UPDATES: Final[Mapping[str, Looks]] = {
    "events": _NONE,
    "poddisruptionbudgets.policy": _NONE,
    # On its own.
    "limitranges": _WHOLE,
    "csinodes.storage.k8s.io": _WHOLE,
    "endpointslices.discovery.k8s.io": _WHOLE,
    "flowschemas.flowcontrol.apiserver.k8s.io": _WHOLE,
    "mutatingadmissionpolicies.admissionregistration.k8s.io": _WHOLE,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": _WHOLE,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": _WHOLE,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": _WHOLE,
    "validatingadmissionpolicies.admissionregistration.k8s.io": _WHOLE,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": _WHOLE,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": _WHOLE,
    "volumeattachments.storage.k8s.io": _WHOLE,
    # Both, the step first.
    "apiservices.apiregistration.k8s.io": _STEP_AND_WHOLE,
    "configmaps": _STEP_AND_WHOLE,
    "controllerrevisions.apps": _STEP_AND_WHOLE,
    "endpoints": _STEP_AND_WHOLE,
    "ingressclasses.networking.k8s.io": _STEP_AND_WHOLE,
    "ingresses.networking.k8s.io": _STEP_AND_WHOLE,
    "persistentvolumeclaims": _STEP_AND_WHOLE,
    "pods": _STEP_AND_WHOLE,
    "secrets": _STEP_AND_WHOLE,
    "serviceaccounts": _STEP_AND_WHOLE,
    "volumeattributesclasses.storage.k8s.io": _STEP_AND_WHOLE,
    # Both, the step last.
    "certificatesigningrequests.certificates.k8s.io": _WHOLE_THEN_STEP,
    "clusterrolebindings.rbac.authorization.k8s.io": _WHOLE_THEN_STEP,
    "clusterroles.rbac.authorization.k8s.io": _WHOLE_THEN_STEP,
    "csistoragecapacities.storage.k8s.io": _WHOLE_THEN_STEP,
    "ipaddresses.networking.k8s.io": _WHOLE_THEN_STEP,
    "namespaces": _WHOLE_THEN_STEP,
    "nodes": _WHOLE_THEN_STEP,
    "rolebindings.rbac.authorization.k8s.io": _WHOLE_THEN_STEP,
    "roles.rbac.authorization.k8s.io": _WHOLE_THEN_STEP,
    "runtimeclasses.node.k8s.io": _WHOLE_THEN_STEP,
    "storageclasses.storage.k8s.io": _WHOLE_THEN_STEP,
    # And one that starts over.
    "persistentvolumes": _WHOLE_TWICE,
}
"""By qualified resource; the others look at the step."""

_OF_STATUS: Final[Mapping[str, Looks]] = {
    "certificatesigningrequests.certificates.k8s.io": _WHOLE_THEN_STEP,
    "cronjobs.batch": _NONE,
    "flowschemas.flowcontrol.apiserver.k8s.io": _NONE,
    "poddisruptionbudgets.policy": _NONE,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": _NONE,
    "validatingadmissionpolicies.admissionregistration.k8s.io": _NONE,
}

_OF_OTHER_DOORS: Final[Mapping[Subresource, Looks]] = {
    Subresource.APPROVAL: _WHOLE_THEN_STEP,
    Subresource.EPHEMERAL_CONTAINERS: _STEP_AND_WHOLE,
    Subresource.FINALIZE: _STEP,
    Subresource.RESIZE: _STEP_AND_WHOLE,
}


def of(kind: Kind, door: Subresource) -> Looks:
    if door in _OF_OTHER_DOORS:
        return _OF_OTHER_DOORS[door]
    return (_OF_STATUS if door is Subresource.STATUS else _OF_UPDATES).get(kind.qualified_resource, _STEP)
