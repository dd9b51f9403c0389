"""Rules for a pod's spec, wherever it stands: in a pod, or in the template of a workload.

Complaints come in the order in which Kubernetes looks at the fields.
"""

from __future__ import annotations

from apiserver.registry.validation import (
    affinity,
    checks,
    containers,
    network,
    podannotations,
    podform,
    resources,
    security,
    tolerations,
    topology,
    volumes,
    walking,
    windows,
)
from apiserver.registry.validation.container import Surroundings
from steersman.api import fields, names
from steersman.api.core import PodResourceClaim, PodSchedulingGate, PodSchedulingGroup, PodSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import ObjectMeta

RESTART_POLICIES = ("Always", "OnFailure", "Never")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
LONGEST_DEADLINE_SECONDS = 2**31 - 1

_WHOLE_OBJECT = Path("[]")
_ONE_CLAIM = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
_SOME_CLAIM = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"


def validate_pod_spec(spec: PodSpec, meta: ObjectMeta | None, path: Path) -> list[Cause]:
    """`meta`: of the pod; None for a template, of which less is asked."""
    causes: list[Cause] = []
    if spec.termination_grace_period_seconds is None:
        causes.append(fields.required(path.child("terminationGracePeriodSeconds")))
    in_pod = meta is not None
    usable, complaints = volumes.validate_volumes(
        spec.volumes, path.child("volumes"), pod_name=meta.name if meta is not None else "", in_pod=in_pod
    )
    causes += complaints
    claim_names = {claim.name for claim in spec.resource_claims if claim.name} if spec.resource_claims else ()
    if spec.resource_claims:
        causes += _validate_claims(spec.resource_claims, meta, path.child("resourceClaims"))
    surroundings = Surroundings(spec, usable, claim_names)
    causes += containers.validate_containers(surroundings, path.child("containers"))
    if spec.init_containers:
        causes += containers.validate_init_containers(surroundings, path.child("initContainers"))
    if spec.ephemeral_containers:
        causes += containers.validate_ephemeral_containers(surroundings, path.child("ephemeralContainers"))
    if spec.resources is not None:
        causes += resources.validate_pod_resources(spec, claim_names, path.child("resources"))
    if spec.host_network:
        causes += network.validate_host_network(spec, path, in_pod=in_pod)
    causes += _validate_behaviour(spec, path)
    return causes + _validate_names(spec, path) + _validate_rest(spec, path)


def _validate_behaviour(spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if spec.restart_policy not in RESTART_POLICIES:
        causes += checks.required_choice(spec.restart_policy, path.child("restartPolicy"), RESTART_POLICIES)
    if spec.dns_policy not in network.DNS_POLICIES:
        causes += checks.required_choice(spec.dns_policy, path.child("dnsPolicy"), network.DNS_POLICIES)
    if spec.node_selector:
        causes += checks.validate_labels(spec.node_selector, path.child("nodeSelector"))
    causes += security.validate_pod_context(spec, path)
    if spec.affinity is not None:
        causes += affinity.validate_affinity(spec.affinity, path.child("affinity"))
    if spec.dns_config is not None or spec.dns_policy == "None":
        causes += network.validate_dns(spec, path.child("dnsConfig"))
    for index, gate in enumerate(spec.readiness_gates):
        where = path.child("readinessGates").index(index).child("conditionType")
        causes += checks.name(gate.condition_type, where, names.qualified_name)
    if spec.scheduling_gates:
        causes += _validate_gates(spec.scheduling_gates, path.child("schedulingGates"))
    if spec.topology_spread_constraints:
        where = path.child("topologySpreadConstraints")
        causes += topology.validate_spread(spec.topology_spread_constraints, where)
    if _mentions_windows(spec):
        causes += windows.validate_host_processes(spec, path)
    if spec.host_users is False:
        causes += _validate_own_users(spec, path)
    return causes


def _validate_names(spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if spec.hostname_override is not None:
        causes += network.validate_hostname_override(spec, path.child("hostnameOverride"))
    if spec.service_account_name:
        causes += checks.name(spec.service_account_name, path.child("serviceAccountName"), names.dns_subdomain)
    if spec.node_name:
        causes += checks.name(spec.node_name, path.child("nodeName"), names.dns_subdomain)
    if spec.active_deadline_seconds is not None:
        where = path.child("activeDeadlineSeconds")
        causes += checks.in_range(spec.active_deadline_seconds, where, 1, LONGEST_DEADLINE_SECONDS)
    if spec.hostname:
        causes += checks.name(spec.hostname, path.child("hostname"), names.dns_label)
    if spec.subdomain:
        causes += checks.name(spec.subdomain, path.child("subdomain"), names.dns_label)
    if spec.tolerations:
        causes += tolerations.validate_tolerations(spec.tolerations, path.child("tolerations"))
    if spec.host_aliases:
        causes += network.validate_host_aliases(spec.host_aliases, path.child("hostAliases"))
    if spec.priority_class_name:
        causes += checks.name(spec.priority_class_name, path.child("priorityClassName"), names.dns_subdomain)
    if spec.runtime_class_name is not None:
        causes += checks.name(spec.runtime_class_name, path.child("runtimeClassName"), names.dns_subdomain)
    return causes


def _validate_rest(spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if spec.preemption_policy is not None:
        where = path.child("preemptionPolicy")
        causes += checks.required_choice(spec.preemption_policy, where, PREEMPTION_POLICIES)
    if spec.overhead:
        causes += resources.validate_overhead(spec.overhead, path.child("overhead"))
    if spec.os is not None:
        causes += windows.validate_system(spec, path)
    if spec.scheduling_group is not None:
        causes += _validate_group(spec.scheduling_group, path.child("schedulingGroup").child("podGroupName"))
    return causes + _validate_files_of_variables(spec, path) if _reads_files(spec) else causes


def _validate_claims(claims: tuple[PodResourceClaim, ...], meta: ObjectMeta | None, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    taken: set[str] = set()
    for index, claim in enumerate(claims):
        if meta is not None and podannotations.MIRROR in meta.annotations:
            causes.append(fields.forbidden(_WHOLE_OBJECT, "static pods do not support resource claims"))
            continue
        where = path.index(index)
        if claim.name in taken:
            causes.append(fields.duplicate(where.child("name"), claim.name))
        else:
            causes += checks.required_name(claim.name, where.child("name"), names.dns_label)
        if claim.name:
            taken.add(claim.name)
        causes += _validate_claim_source(claim, where)
    return causes


def _validate_claim_source(claim: PodResourceClaim, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    name, template = claim.resource_claim_name, claim.resource_claim_template_name
    if name is not None and template is not None:
        causes.append(fields.invalid(path, podform.as_json(claim), _ONE_CLAIM))
    if name is None and template is None:
        causes.append(fields.invalid(path, podform.as_json(claim), _SOME_CLAIM))
    if name is not None:
        causes += checks.name(name, path.child("resourceClaimName"), names.dns_subdomain)
    if template is not None:
        causes += checks.name(template, path.child("resourceClaimTemplateName"), names.dns_subdomain)
    return causes


def _validate_gates(gates: tuple[PodSchedulingGate, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        causes += checks.name(gate.name, path.index(index), names.qualified_name)
        if gate.name in seen:
            causes.append(fields.duplicate(path.index(index), gate.name))
        seen.add(gate.name)
    return causes


def _validate_group(group: PodSchedulingGroup, path: Path) -> list[Cause]:
    if group.pod_group_name is None:
        return [fields.invalid(path, None, "must specify one of: `podGroupName`")]
    return checks.name(group.pod_group_name, path, names.dns_subdomain)


def _mentions_windows(spec: PodSpec) -> bool:
    """Whether any security context has Windows options. Most pods have none; this saves them the walk."""
    context = spec.security_context
    if context is not None and context.windows_options is not None:
        return True
    contexts = (
        *(container.security_context for container in spec.containers),
        *(container.security_context for container in spec.init_containers),
        *(container.security_context for container in spec.ephemeral_containers),
    )
    return any(own is not None and own.windows_options is not None for own in contexts)


def _validate_own_users(spec: PodSpec, path: Path) -> list[Cause]:
    """A pod with user ids of its own shares no other namespace with the host, and no raw devices."""
    detail = "when `hostUsers` is false"
    causes: list[Cause] = []
    for shared, shown in ((spec.host_network, "hostNetwork"), (spec.host_pid, "HostPID"), (spec.host_ipc, "HostIPC")):
        if shared:
            causes.append(fields.forbidden(path.child(shown), detail))
    for container, where in walking.every_container(spec, path):
        if container.volume_devices:
            causes.append(fields.forbidden(where.child("volumeDevices"), detail))
    return causes


def _reads_files(spec: PodSpec) -> bool:
    """Whether any variable comes from a file. Hardly any does; this saves the walk with paths."""
    variables = [
        *(variable for container in spec.containers for variable in container.env),
        *(variable for container in spec.init_containers for variable in container.env),
        *(variable for container in spec.ephemeral_containers for variable in container.env),
    ]
    return any(v.value_from is not None and v.value_from.file_key_ref is not None for v in variables)


def _validate_files_of_variables(spec: PodSpec, path: Path) -> list[Cause]:
    """Variables read from files: the file lies in an emptyDir that an earlier container has written to."""
    causes: list[Cause] = []
    by_name = {volume.name: volume for volume in spec.volumes}
    for container, where in walking.every_container(spec, path):
        for index, variable in enumerate(container.env):
            source = variable.value_from
            if source is None or source.file_key_ref is None:
                continue
            name = source.file_key_ref.volume_name
            where_name = where.child("env").index(index).child("valueFrom", "fileKeyRef", "volumeName")
            if name not in by_name:
                causes.append(fields.not_found(where_name, name))
            elif by_name[name].empty_dir is None:
                causes.append(fields.invalid(where_name, name, "referenced volume must be of type emptyDir"))
    return causes
