"""The table of kinds: everything that is known about a kind beside its fields.

A kind may be served in several group-versions over one stored object: `stored_as` names the one that is stored. Kinds
that only exist for the length of a call (reviews, bindings) are in the table too; `is_stored` tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

from steersman.api import (
    admissionregistration,
    apiextensions,
    apiregistration,
    apps,
    authentication,
    authorization,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    discovery,
    events,
    flowcontrol,
    networking,
    node,
    policy,
    rbac,
    scheduling,
    storage,
)
from steersman.api.errors import Subject
from steersman.api.meta import Object
from steersman.api.part import Part

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CREATE_ONLY = ("create",)


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Where the Scale subresource finds its numbers in an object."""

    replicas: str = "spec.replicas"
    status_replicas: str = "status.replicas"
    selector: str = "spec.selector"


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind in one group-version.

    `generation`: whether `metadata.generation` counts what users ask for. `born_with_generation`: whether it is 1 to
    begin with (None: if it counts). `unconditional_update`: whether an update may leave the resourceVersion out.
    `create_on_update`: whether an update of a missing object creates it. `graceful`: whether a deletion may take its
    time. `deprecated`: what everybody who still uses the kind is to be told. There is one Kind object per kind, so they
    compare by identity; what is derived is worked out once, because every request asks for it.
    """

    struct: type[Object]
    resource: str
    group: str = ""
    version: str = "v1"
    named: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    namespaced: bool = True
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    generation: bool = False
    born_with_generation: bool | None = None
    unconditional_update: bool = True
    create_on_update: bool = False
    graceful: bool = False
    scale: ScalePaths | None = None
    stored_as: str = ""
    deprecated: str = ""

    @cached_property
    def kind(self) -> str:
        return self.named or self.struct.__name__

    @cached_property
    def singular(self) -> str:
        return self.kind.lower()

    @cached_property
    def first_generation(self) -> int:
        is_born = self.generation if self.born_with_generation is None else self.born_with_generation
        return 1 if is_born else 0

    @cached_property
    def has_status(self) -> bool:
        return "status" in self.subresources

    @cached_property
    def is_stored(self) -> bool:
        return "watch" in self.verbs

    @cached_property
    def storage(self) -> Kind:
        """The kind in whose form and under whose key the objects are stored: mostly this one."""
        if not self.stored_as:
            return self
        group, _, version = self.stored_as.rpartition("/")
        return _BY_KIND[group, version, self.kind]

    @cached_property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def qualified_resource(self) -> str:
        return self.subject.qualified_resource

    @cached_property
    def subject(self) -> Subject:
        return Subject(self.group, self.resource, self.kind)


_ALL = ("all",)
_EXTENSION = ("api-extensions",)
_STATUS = ("status",)
_SCALABLE = ("scale", "status")

_core = partial(Kind, group="", version="v1")
_apps = partial(Kind, group="apps", version="v1")
_autoscaling = partial(Kind, group="autoscaling", version="v2")
_batch = partial(Kind, group="batch", version="v1")
_policy = partial(Kind, group="policy", version="v1")
_certificates = partial(Kind, group="certificates.k8s.io", version="v1")
_coordination = partial(Kind, group="coordination.k8s.io", version="v1")
_discovery = partial(Kind, group="discovery.k8s.io", version="v1")
_events = partial(Kind, group="events.k8s.io", version="v1")
_flowcontrol = partial(
    Kind,
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    namespaced=False,
    subresources=_STATUS,
    generation=True,
)
_node = partial(Kind, group="node.k8s.io", version="v1")
_scheduling = partial(Kind, group="scheduling.k8s.io", version="v1")
_networking = partial(Kind, group="networking.k8s.io", version="v1")
_storage = partial(Kind, group="storage.k8s.io", version="v1")
_authentication = partial(Kind, group="authentication.k8s.io", version="v1", namespaced=False, verbs=CREATE_ONLY)
_authorization = partial(Kind, group="authorization.k8s.io", version="v1", namespaced=False, verbs=CREATE_ONLY)
_rbac = partial(Kind, group="rbac.authorization.k8s.io", version="v1", create_on_update=True)
_admissionregistration = partial(
    Kind,
    group="admissionregistration.k8s.io",
    version="v1",
    categories=_EXTENSION,
    namespaced=False,
    generation=True,
    unconditional_update=False,
)
_apiextensions = partial(
    Kind,
    group="apiextensions.k8s.io",
    version="v1",
    categories=_EXTENSION,
    namespaced=False,
    generation=True,
    unconditional_update=False,
)
_apiregistration = partial(Kind, group="apiregistration.k8s.io", version="v1")

_CORE = (
    _core(core.Binding, "bindings", verbs=CREATE_ONLY),
    _core(
        core.ComponentStatus,
        "componentstatuses",
        short_names=("cs",),
        namespaced=False,
        verbs=("get", "list"),
        deprecated="v1 ComponentStatus is deprecated in v1.19+",
    ),
    _core(core.ConfigMap, "configmaps", short_names=("cm",)),
    _core(
        core.Endpoints,
        "endpoints",
        short_names=("ep",),
        create_on_update=True,
        deprecated="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ),
    _core(core.Event, "events", short_names=("ev",), create_on_update=True),
    _core(core.LimitRange, "limitranges", short_names=("limits",), create_on_update=True),
    _core(
        core.Namespace,
        "namespaces",
        short_names=("ns",),
        namespaced=False,
        subresources=("finalize", "status"),
        verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
    ),
    _core(core.Node, "nodes", short_names=("no",), namespaced=False, subresources=("proxy", "status")),
    _core(core.PersistentVolumeClaim, "persistentvolumeclaims", short_names=("pvc",), subresources=_STATUS),
    _core(core.PersistentVolume, "persistentvolumes", short_names=("pv",), namespaced=False, subresources=_STATUS),
    _core(
        core.Pod,
        "pods",
        short_names=("po",),
        categories=_ALL,
        subresources=(
            "attach",
            "binding",
            "ephemeralcontainers",
            "eviction",
            "exec",
            "log",
            "portforward",
            "proxy",
            "resize",
            "status",
        ),
        generation=True,
        graceful=True,
    ),
    _core(core.PodTemplate, "podtemplates", generation=True),
    _core(
        core.ReplicationController,
        "replicationcontrollers",
        short_names=("rc",),
        categories=_ALL,
        subresources=_SCALABLE,
        generation=True,
        scale=ScalePaths(),
    ),
    _core(core.ResourceQuota, "resourcequotas", short_names=("quota",), subresources=_STATUS),
    _core(core.Secret, "secrets"),
    _core(core.ServiceAccount, "serviceaccounts", short_names=("sa",), subresources=("token",)),
    _core(
        core.Service,
        "services",
        short_names=("svc",),
        categories=_ALL,
        subresources=("proxy", "status"),
        create_on_update=True,
    ),
)

_WORKLOADS = (
    _apps(apps.ControllerRevision, "controllerrevisions"),
    _apps(apps.DaemonSet, "daemonsets", short_names=("ds",), categories=_ALL, subresources=_STATUS, generation=True),
    _apps(
        apps.Deployment,
        "deployments",
        short_names=("deploy",),
        categories=_ALL,
        subresources=_SCALABLE,
        generation=True,
        scale=ScalePaths(),
    ),
    _apps(
        apps.ReplicaSet,
        "replicasets",
        short_names=("rs",),
        categories=_ALL,
        subresources=_SCALABLE,
        generation=True,
        scale=ScalePaths(),
    ),
    _apps(
        apps.StatefulSet,
        "statefulsets",
        short_names=("sts",),
        categories=_ALL,
        subresources=_SCALABLE,
        generation=True,
        scale=ScalePaths(),
    ),
    _autoscaling(
        autoscaling.HorizontalPodAutoscaler,
        "horizontalpodautoscalers",
        short_names=("hpa",),
        categories=_ALL,
        subresources=_STATUS,
    ),
    _autoscaling(
        autoscaling.HorizontalPodAutoscalerV1,
        "horizontalpodautoscalers",
        short_names=("hpa",),
        categories=_ALL,
        named="HorizontalPodAutoscaler",
        version="v1",
        subresources=_STATUS,
        stored_as="autoscaling/v2",
    ),
    _batch(batch.CronJob, "cronjobs", short_names=("cj",), categories=_ALL, subresources=_STATUS, generation=True),
    _batch(batch.Job, "jobs", categories=_ALL, subresources=_STATUS, generation=True),
    _policy(
        policy.PodDisruptionBudget,
        "poddisruptionbudgets",
        short_names=("pdb",),
        subresources=_STATUS,
        generation=True,
        unconditional_update=False,
    ),
)

_CLUSTER = (
    _certificates(
        certificates.CertificateSigningRequest,
        "certificatesigningrequests",
        short_names=("csr",),
        namespaced=False,
        subresources=("approval", "status"),
    ),
    _coordination(coordination.Lease, "leases", unconditional_update=False, create_on_update=True),
    _discovery(discovery.EndpointSlice, "endpointslices", generation=True),
    _events(events.Event, "events", short_names=("ev",), create_on_update=True, stored_as="v1"),
    _flowcontrol(flowcontrol.FlowSchema, "flowschemas"),
    _flowcontrol(flowcontrol.PriorityLevelConfiguration, "prioritylevelconfigurations"),
    _node(node.RuntimeClass, "runtimeclasses", namespaced=False, unconditional_update=False, create_on_update=True),
    _scheduling(
        scheduling.PriorityClass, "priorityclasses", short_names=("pc",), namespaced=False, born_with_generation=True
    ),
)

_NETWORKING = (
    _networking(networking.IngressClass, "ingressclasses", namespaced=False, generation=True),
    _networking(networking.Ingress, "ingresses", short_names=("ing",), subresources=_STATUS, generation=True),
    _networking(networking.IPAddress, "ipaddresses", short_names=("ip",), namespaced=False),
    _networking(networking.NetworkPolicy, "networkpolicies", short_names=("netpol",), generation=True),
    _networking(networking.ServiceCIDR, "servicecidrs", namespaced=False, subresources=_STATUS),
)

_STORAGE = (
    _storage(
        storage.CSIDriver,
        "csidrivers",
        namespaced=False,
        generation=True,
        born_with_generation=False,
        unconditional_update=False,
    ),
    _storage(storage.CSINode, "csinodes", namespaced=False, unconditional_update=False),
    _storage(storage.CSIStorageCapacity, "csistoragecapacities", unconditional_update=False),
    _storage(storage.StorageClass, "storageclasses", short_names=("sc",), namespaced=False),
    _storage(
        storage.VolumeAttachment,
        "volumeattachments",
        namespaced=False,
        subresources=_STATUS,
        unconditional_update=False,
    ),
    _storage(storage.VolumeAttributesClass, "volumeattributesclasses", short_names=("vac",), namespaced=False),
)

_RIGHTS = (
    _authentication(authentication.SelfSubjectReview, "selfsubjectreviews"),
    _authentication(authentication.TokenReview, "tokenreviews"),
    _authorization(authorization.LocalSubjectAccessReview, "localsubjectaccessreviews", namespaced=True),
    _authorization(authorization.SelfSubjectAccessReview, "selfsubjectaccessreviews"),
    _authorization(authorization.SelfSubjectRulesReview, "selfsubjectrulesreviews"),
    _authorization(authorization.SubjectAccessReview, "subjectaccessreviews"),
    _rbac(rbac.ClusterRoleBinding, "clusterrolebindings", namespaced=False),
    _rbac(rbac.ClusterRole, "clusterroles", namespaced=False),
    _rbac(rbac.RoleBinding, "rolebindings"),
    _rbac(rbac.Role, "roles"),
)

_EXTENSIONS = (
    _admissionregistration(admissionregistration.MutatingAdmissionPolicy, "mutatingadmissionpolicies"),
    _admissionregistration(admissionregistration.MutatingAdmissionPolicyBinding, "mutatingadmissionpolicybindings"),
    _admissionregistration(admissionregistration.MutatingWebhookConfiguration, "mutatingwebhookconfigurations"),
    _admissionregistration(
        admissionregistration.ValidatingAdmissionPolicy, "validatingadmissionpolicies", subresources=_STATUS
    ),
    _admissionregistration(admissionregistration.ValidatingAdmissionPolicyBinding, "validatingadmissionpolicybindings"),
    _admissionregistration(admissionregistration.ValidatingWebhookConfiguration, "validatingwebhookconfigurations"),
    _apiextensions(
        apiextensions.CustomResourceDefinition,
        "customresourcedefinitions",
        short_names=("crd", "crds"),
        subresources=_STATUS,
    ),
    _apiregistration(
        apiregistration.APIService,
        "apiservices",
        categories=_EXTENSION,
        namespaced=False,
        subresources=_STATUS,
        unconditional_update=False,
    ),
)

ALL: tuple[Kind, ...] = (*_CORE, *_WORKLOADS, *_CLUSTER, *_NETWORKING, *_STORAGE, *_RIGHTS, *_EXTENSIONS)

_BY_KIND = {(kind.group, kind.version, kind.kind): kind for kind in ALL}
_BY_RESOURCE = {(kind.group, kind.version, kind.resource): kind for kind in ALL}
_BY_GROUP = {(kind.group, kind.resource): kind for kind in sorted(ALL, key=lambda kind: not kind.stored_as)}


def by_kind(group: str, version: str, kind: str) -> Kind | None:
    return _BY_KIND.get((group, version, kind))


def by_resource(group: str, resource: str, version: str = "") -> Kind | None:
    """The kind behind a plural; without a version, the one of the group whose form is stored, if there is one."""
    if version:
        return _BY_RESOURCE.get((group, version, resource))
    return _BY_GROUP.get((group, resource))


_BY_STRUCT: dict[type[Part], Kind] = {kind.struct: kind for kind in ALL}


def of_struct(struct: type[Part]) -> Kind | None:
    """The kind that a Struct is the form of; the bodies of subresources and options are in no table."""
    return _BY_STRUCT.get(struct)


def name_and_version(struct: type[Part]) -> tuple[str, str]:
    """What errors call a Struct; what is in no table is in v1."""
    kind = _BY_STRUCT.get(struct)
    return (kind.kind, kind.version) if kind is not None else (struct.__name__, "v1")
