"""How requests are sorted in an empty cluster: facts of Kubernetes v1.36, as it shows them to users.

Levels come first, because schemas name them. What Kubernetes calls mandatory and what it merely suggests are both here:
an untouched cluster has all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from steersman.api.flowcontrol import (
    ExemptPriorityLevelConfiguration,
    FlowDistinguisherMethod,
    FlowSchema,
    FlowSchemaCondition,
    FlowSchemaSpec,
    FlowSchemaStatus,
    GroupSubject,
    LimitedPriorityLevelConfiguration,
    LimitResponse,
    NonResourcePolicyRule,
    PolicyRulesWithSubjects,
    PriorityLevelConfiguration,
    PriorityLevelConfigurationReference,
    PriorityLevelConfigurationSpec,
    QueuingConfiguration,
    ResourcePolicyRule,
    ServiceAccountSubject,
    Subject,
    UserSubject,
)
from steersman.api.meta import ObjectMeta

_AUTO_UPDATED: Final = {"apf.kubernetes.io/autoupdate-spec": "true"}
_ANY: Final = ("*",)
_BY_USER, _BY_NAMESPACE = "ByUser", "ByNamespace"


# --- Levels


def _level(name: str, spec: PriorityLevelConfigurationSpec) -> PriorityLevelConfiguration:
    return PriorityLevelConfiguration(metadata=ObjectMeta(name=name, annotations=_AUTO_UPDATED), spec=spec)


def _limited(name: str, shares: int, lendable: int, queues: int = 0, hand: int = 0) -> PriorityLevelConfiguration:
    """Without queues, what is too much is turned away."""
    queuing = QueuingConfiguration(queues=queues, hand_size=hand, queue_length_limit=50) if queues else None
    limited = LimitedPriorityLevelConfiguration(
        nominal_concurrency_shares=shares,
        lendable_percent=lendable,
        limit_response=LimitResponse(type="Queue" if queuing else "Reject", queuing=queuing),
    )
    return _level(name, PriorityLevelConfigurationSpec(type="Limited", limited=limited))


_EXEMPT = ExemptPriorityLevelConfiguration(nominal_concurrency_shares=0, lendable_percent=0)

LEVELS: Final = (
    _level("exempt", PriorityLevelConfigurationSpec(type="Exempt", exempt=_EXEMPT)),
    _limited("catch-all", shares=5, lendable=0),
    _limited("system", shares=30, lendable=33, queues=64, hand=6),
    _limited("node-high", shares=40, lendable=25, queues=64, hand=6),
    _limited("leader-election", shares=10, lendable=0, queues=16, hand=4),
    _limited("workload-high", shares=40, lendable=50, queues=128, hand=6),
    _limited("workload-low", shares=100, lendable=90, queues=128, hand=6),
    _limited("global-default", shares=20, lendable=50, queues=128, hand=6),
)


# --- Schemas


@dataclass(frozen=True, slots=True)
class _Traffic:
    """Whose requests, and which of them."""

    subjects: Sequence[Subject]
    resources: tuple[ResourcePolicyRule, ...] = (
        ResourcePolicyRule(verbs=_ANY, api_groups=_ANY, resources=_ANY, namespaces=_ANY, cluster_scope=True),
    )
    others: tuple[NonResourcePolicyRule, ...] = (NonResourcePolicyRule(verbs=_ANY, non_resource_urls=_ANY),)


def _groups(*names: str) -> list[Subject]:
    return [Subject(kind="Group", group=GroupSubject(name=name)) for name in names]


def _users(*names: str) -> list[Subject]:
    return [Subject(kind="User", user=UserSubject(name=name)) for name in names]


_EVERYBODY: Final = _groups("system:unauthenticated", "system:authenticated")
_NODES: Final = _groups("system:nodes")
_SYSTEM_ACCOUNTS: Final = [
    Subject(kind="ServiceAccount", service_account=ServiceAccountSubject(name="*", namespace="kube-system"))
]


def _on(
    resources: Iterable[str], group: str, verbs: tuple[str, ...] = _ANY, *, cluster_wide: bool = False
) -> ResourcePolicyRule:
    return ResourcePolicyRule(
        verbs=verbs, api_groups=(group,), resources=tuple(resources), namespaces=_ANY, cluster_scope=cluster_wide
    )


_LEASES: Final = "coordination.k8s.io"
_ELECTIONS: Final = (_on(["leases"], _LEASES, ("get", "create", "update")),)
_HEARTBEATS: Final = (_on(["nodes", "nodes/status"], "", cluster_wide=True), _on(["leases"], _LEASES))
_PROBES: Final = (NonResourcePolicyRule(verbs=("get",), non_resource_urls=("/healthz", "/readyz", "/livez")),)


def _schema(name: str, level: str, precedence: int, told_apart: str, traffic: _Traffic) -> FlowSchema:
    rules = PolicyRulesWithSubjects(
        subjects=tuple(traffic.subjects), resource_rules=traffic.resources, non_resource_rules=traffic.others
    )
    message = f'This FlowSchema references the PriorityLevelConfiguration object named "{level}" and it exists'
    found = FlowSchemaCondition(type="Dangling", status="False", reason="Found", message=message)
    return FlowSchema(
        metadata=ObjectMeta(name=name, annotations=_AUTO_UPDATED),
        spec=FlowSchemaSpec(
            priority_level_configuration=PriorityLevelConfigurationReference(name=level),
            matching_precedence=precedence,
            distinguisher_method=FlowDistinguisherMethod(type=told_apart) if told_apart else None,
            rules=(rules,),
        ),
        status=FlowSchemaStatus(conditions=(found,)),
    )


SCHEMAS: Final = (
    _schema("exempt", "exempt", 1, "", _Traffic(_groups("system:masters"))),
    _schema("probes", "exempt", 2, "", _Traffic(_EVERYBODY, resources=(), others=_PROBES)),
    _schema(
        "system-leader-election",
        "leader-election",
        100,
        _BY_USER,
        _Traffic(
            [*_users("system:kube-controller-manager", "system:kube-scheduler"), *_SYSTEM_ACCOUNTS], _ELECTIONS, ()
        ),
    ),
    _schema("system-node-high", "node-high", 400, _BY_USER, _Traffic(_NODES, _HEARTBEATS, ())),
    _schema("system-nodes", "system", 500, _BY_USER, _Traffic(_NODES)),
    _schema(
        "kube-controller-manager",
        "workload-high",
        800,
        _BY_NAMESPACE,
        _Traffic(_users("system:kube-controller-manager")),
    ),
    _schema("kube-scheduler", "workload-high", 800, _BY_NAMESPACE, _Traffic(_users("system:kube-scheduler"))),
    _schema("kube-system-service-accounts", "workload-high", 900, _BY_NAMESPACE, _Traffic(_SYSTEM_ACCOUNTS)),
    _schema("service-accounts", "workload-low", 9000, _BY_USER, _Traffic(_groups("system:serviceaccounts"))),
    _schema("global-default", "global-default", 9900, _BY_USER, _Traffic(_EVERYBODY)),
    _schema("catch-all", "catch-all", 10000, _BY_USER, _Traffic(_EVERYBODY)),
)
