"""The kinds of which one line says nearly all: namespaces, settings, accounts, limits, leases, priorities."""

from __future__ import annotations

from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer, flag, number
from steersman.api.apiregistration import APIService
from steersman.api.coordination import Lease
from steersman.api.core import ComponentStatus, ConfigMap, Namespace, ResourceQuota, Secret, ServiceAccount
from steersman.api.flowcontrol import FlowSchema, PriorityLevelConfiguration
from steersman.api.node import RuntimeClass
from steersman.api.policy import PodDisruptionBudget
from steersman.api.scheduling import PriorityClass


def namespace_cells(shown: Namespace, now: datetime) -> Cells:
    return [shown.metadata.name, shown.status.phase, ages.since(shown.metadata.creation_timestamp, now)]


def secret_cells(shown: Secret, now: datetime) -> Cells:
    return [shown.metadata.name, shown.type, len(shown.data), ages.since(shown.metadata.creation_timestamp, now)]


def configmap_cells(shown: ConfigMap, now: datetime) -> Cells:
    entries = len(shown.data) + len(shown.binary_data)
    return [shown.metadata.name, entries, ages.since(shown.metadata.creation_timestamp, now)]


def serviceaccount_cells(shown: ServiceAccount, now: datetime) -> Cells:
    return [shown.metadata.name, ages.since(shown.metadata.creation_timestamp, now)]


def resourcequota_cells(shown: ResourceQuota, now: datetime) -> Cells:
    requests: list[str] = []
    limits: list[str] = []
    for resource, hard in sorted(shown.status.hard.items()):
        column = limits if resource.startswith("limits.") else requests
        column.append(f"{resource}: {shown.status.used.get(resource, '0')}/{hard}")
    age = ages.since(shown.metadata.creation_timestamp, now)
    return [shown.metadata.name, ", ".join(requests), ", ".join(limits), age]


def disruptionbudget_cells(shown: PodDisruptionBudget, now: datetime) -> Cells:
    spec = shown.spec
    return [
        shown.metadata.name,
        "N/A" if spec.min_available is None else str(spec.min_available),
        "N/A" if spec.max_unavailable is None else str(spec.max_unavailable),
        shown.status.disruptions_allowed,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


def lease_cells(shown: Lease, now: datetime) -> Cells:
    return [shown.metadata.name, shown.spec.holder_identity or "", ages.since(shown.metadata.creation_timestamp, now)]


def priorityclass_cells(shown: PriorityClass, now: datetime) -> Cells:
    age, preemption = ages.since(shown.metadata.creation_timestamp, now), shown.preemption_policy or ""
    return [shown.metadata.name, shown.value, shown.global_default, age, preemption]


def runtimeclass_cells(shown: RuntimeClass, now: datetime) -> Cells:
    return [shown.metadata.name, shown.handler, ages.since(shown.metadata.creation_timestamp, now)]


def componentstatus_cells(shown: ComponentStatus, _: datetime) -> Cells:
    for condition in shown.conditions:
        if condition.type == "Healthy":
            word = "Healthy" if condition.status == "True" else "Unhealthy"
            return [shown.metadata.name, word, condition.message, condition.error]
    return [shown.metadata.name, "Unknown", "", ""]


def flowschema_cells(shown: FlowSchema, now: datetime) -> Cells:
    spec, method = shown.spec, shown.spec.distinguisher_method
    dangling = next((each.status for each in shown.status.conditions if each.type == "Dangling"), "?")
    return [
        shown.metadata.name,
        spec.priority_level_configuration.name,
        spec.matching_precedence,
        phrases.NONE if method is None else method.type,
        ages.since(shown.metadata.creation_timestamp, now),
        dangling,
    ]


def precedence(shown: FlowSchema) -> tuple[int, str]:
    """Schemas stand in the order in which requests are held against them."""
    return shown.spec.matching_precedence, shown.metadata.name


def prioritylevel_cells(shown: PriorityLevelConfiguration, now: datetime) -> Cells:
    limited = shown.spec.limited
    queuing = None if limited is None else limited.limit_response.queuing
    return [
        shown.metadata.name,
        shown.spec.type,
        phrases.NONE if limited is None else limited.nominal_concurrency_shares or 0,
        phrases.NONE if queuing is None else queuing.queues,
        phrases.NONE if queuing is None else queuing.hand_size,
        phrases.NONE if queuing is None else queuing.queue_length_limit,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


def apiservice_cells(shown: APIService, now: datetime) -> Cells:
    service, available = shown.spec.service, "Unknown"
    for condition in shown.status.conditions:
        if condition.type == "Available":
            is_explained = condition.status != "True" and condition.reason
            available = f"{condition.status} ({condition.reason})" if is_explained else condition.status
            break
    return [
        shown.metadata.name,
        "Local" if service is None else f"{service.namespace}/{service.name}",
        available,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


_DATA = Column("Data", "How many entries it has.")

NAMESPACE = Printer((NAME, Column("Status", "Whether the namespace is in use or going."), AGE), namespace_cells)
SECRET = Printer((NAME, Column("Type", "What the secret is for."), _DATA, AGE), secret_cells)
CONFIG_MAP = Printer((NAME, _DATA, AGE), configmap_cells)
SERVICE_ACCOUNT = Printer((NAME, AGE), serviceaccount_cells)
RESOURCE_QUOTA = Printer(
    (
        NAME,
        Column("Request", "How much is used of what may be asked for, and of what may be counted."),
        Column("Limit", "How much is used of what containers may be allowed at most."),
        AGE,
    ),
    resourcequota_cells,
)
DISRUPTION_BUDGET = Printer(
    (
        NAME,
        Column("Min Available", "How many pods must stay available."),
        Column("Max Unavailable", "How many pods may be unavailable."),
        number("Allowed Disruptions", "How many pods may be evicted now."),
        AGE,
    ),
    disruptionbudget_cells,
)
LEASE = Printer((NAME, Column("Holder", "Who holds the lease."), AGE), lease_cells)
PRIORITY_CLASS = Printer(
    (
        NAME,
        number("Value", "The priority of pods of the class: higher ones go first."),
        flag("Global-Default", "Whether pods that name no class belong to it."),
        AGE,
        Column("PreemptionPolicy", "Whether pods of the class may make others go."),
    ),
    priorityclass_cells,
)
RUNTIME_CLASS = Printer((NAME, Column("Handler", "What the node is to run its pods with."), AGE), runtimeclass_cells)
COMPONENT_STATUS = Printer(
    (
        NAME,
        Column("Status", "Whether the component is well."),
        Column("Message", "What it says of itself."),
        Column("Error", "What is wrong with it."),
    ),
    componentstatus_cells,
)
FLOW_SCHEMA = Printer(
    (
        NAME,
        Column("PriorityLevel", "The level at which matching requests wait."),
        Column("MatchingPrecedence", "Which schema a request is held against first: the lowest."),
        Column("DistinguisherMethod", "What tells the flows of one schema apart."),
        AGE,
        Column("MissingPL", "Whether its priority level is missing."),
    ),
    flowschema_cells,
    order=precedence,
)
PRIORITY_LEVEL = Printer(
    (
        NAME,
        Column("Type", "Whether the level is limited or exempt."),
        Column("NominalConcurrencyShares", "The level's share in the requests that are carried out at once."),
        Column("Queues", "How many queues the level has."),
        Column("HandSize", "How many of the queues one flow is spread over."),
        Column("QueueLengthLimit", "How many requests may wait in one queue."),
        AGE,
    ),
    prioritylevel_cells,
)
API_SERVICE = Printer(
    (
        NAME,
        Column("Service", "Who serves the group-version."),
        Column("Available", "Whether it is served."),
        AGE,
    ),
    apiservice_cells,
)
