"""The flowcontrol.apiserver group, v1: how requests are sorted and limited. Stored, and shown to those who ask."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Object
from steersman.api.part import At, Int32, Part, Time, atomic, empty, keyed, null, unique


class PriorityLevelConfigurationReference(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class FlowDistinguisherMethod(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)


class UserSubject(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class GroupSubject(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class ServiceAccountSubject(Part):
    namespace: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(2)] = field(default_factory=str)


class Subject(Part):
    kind: Annotated[str, At(1)] = field(default_factory=str)
    user: Annotated[UserSubject | None, At(2)] = None
    group: Annotated[GroupSubject | None, At(3)] = None
    service_account: Annotated[ServiceAccountSubject | None, At(4)] = None


class ResourcePolicyRule(Part):
    verbs: Annotated[tuple[str, ...], unique(1)] = field(default_factory=empty)
    api_groups: Annotated[tuple[str, ...], unique(2)] = field(default_factory=empty)
    resources: Annotated[tuple[str, ...], unique(3)] = field(default_factory=empty)
    cluster_scope: Annotated[bool, At(4)] = False
    namespaces: Annotated[tuple[str, ...], unique(5)] = ()


class NonResourcePolicyRule(Part):
    verbs: Annotated[tuple[str, ...], unique(1)] = field(default_factory=empty)
    non_resource_urls: Annotated[tuple[str, ...], unique(6)] = field(default_factory=empty, name="nonResourceURLs")


class PolicyRulesWithSubjects(Part):
    subjects: Annotated[tuple[Subject, ...], atomic(1)] = field(default_factory=empty)
    resource_rules: Annotated[tuple[ResourcePolicyRule, ...], atomic(2)] = ()
    non_resource_rules: Annotated[tuple[NonResourcePolicyRule, ...], atomic(3)] = ()


class FlowSchemaSpec(Part):
    priority_level_configuration: Annotated[PriorityLevelConfigurationReference, At(1, required=True)] = field(
        default_factory=PriorityLevelConfigurationReference
    )
    matching_precedence: Annotated[Int32, At(2, required=False)] = field(default_factory=int)
    distinguisher_method: Annotated[FlowDistinguisherMethod | None, At(3)] = None
    rules: Annotated[tuple[PolicyRulesWithSubjects, ...], atomic(4)] = ()


class FlowSchemaCondition(Part):
    type: Annotated[str, At(1)] = ""
    status: Annotated[str, At(2)] = ""
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class FlowSchemaStatus(Part):
    conditions: Annotated[tuple[FlowSchemaCondition, ...], keyed(1, "type")] = ()


class FlowSchema(Object):
    """Which requests belong to which priority level."""

    spec: Annotated[FlowSchemaSpec, At(2)] = field(default_factory=FlowSchemaSpec)
    status: Annotated[FlowSchemaStatus, At(3)] = field(default_factory=FlowSchemaStatus)


class QueuingConfiguration(Part):
    queues: Annotated[Int32, At(1, required=False)] = field(default_factory=int)
    hand_size: Annotated[Int32, At(2, required=False)] = field(default_factory=int)
    queue_length_limit: Annotated[Int32, At(3, required=False)] = field(default_factory=int)


class LimitResponse(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    queuing: Annotated[QueuingConfiguration | None, At(2)] = None


class LimitedPriorityLevelConfiguration(Part):
    nominal_concurrency_shares: Annotated[Int32 | None, At(1)] = None
    limit_response: Annotated[LimitResponse, At(2)] = field(default_factory=LimitResponse)
    lendable_percent: Annotated[Int32 | None, At(3)] = None
    borrowing_limit_percent: Annotated[Int32 | None, At(4)] = None


class ExemptPriorityLevelConfiguration(Part):
    nominal_concurrency_shares: Annotated[Int32 | None, At(1)] = None
    lendable_percent: Annotated[Int32 | None, At(2)] = None


class PriorityLevelConfigurationSpec(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    limited: Annotated[LimitedPriorityLevelConfiguration | None, At(2)] = None
    exempt: Annotated[ExemptPriorityLevelConfiguration | None, At(3)] = None


class PriorityLevelConfigurationCondition(Part):
    type: Annotated[str, At(1)] = ""
    status: Annotated[str, At(2)] = ""
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class PriorityLevelConfigurationStatus(Part):
    conditions: Annotated[tuple[PriorityLevelConfigurationCondition, ...], keyed(1, "type")] = ()


class PriorityLevelConfiguration(Object):
    """How many requests of one level may run at once, and what becomes of the others."""

    spec: Annotated[PriorityLevelConfigurationSpec, At(2)] = field(default_factory=PriorityLevelConfigurationSpec)
    status: Annotated[PriorityLevelConfigurationStatus, At(3)] = field(default_factory=PriorityLevelConfigurationStatus)
