"""The admissionregistration group, v1: web hooks and policies that look at incoming objects."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Condition, LabelSelector, Object
from steersman.api.part import At, Int32, Int64, Part, atomic, empty, keyed, null, unique, whole

# --- Web hooks


class ServiceReference(Part):
    namespace: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(2)] = field(default_factory=str)
    path: Annotated[str | None, At(3)] = None
    port: Annotated[Int32 | None, At(4)] = None


class WebhookClientConfig(Part):
    url: Annotated[str | None, At(3)] = None
    service: Annotated[ServiceReference | None, At(1)] = None
    ca_bundle: Annotated[bytes, At(2)] = b""


class MatchCondition(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    expression: Annotated[str, At(2)] = field(default_factory=str)


class RuleWithOperations(Part):
    operations: Annotated[tuple[str, ...], atomic(1)] = ()
    api_groups: Annotated[tuple[str, ...], atomic((2, 1))] = ()
    api_versions: Annotated[tuple[str, ...], atomic((2, 2))] = ()
    resources: Annotated[tuple[str, ...], atomic((2, 3))] = ()
    scope: Annotated[str | None, At((2, 4))] = None


class MutatingWebhook(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    client_config: Annotated[WebhookClientConfig, At(2, required=True)] = field(default_factory=WebhookClientConfig)
    rules: Annotated[tuple[RuleWithOperations, ...], atomic(3)] = ()
    failure_policy: Annotated[str | None, At(4)] = None
    match_policy: Annotated[str | None, At(9)] = None
    namespace_selector: Annotated[LabelSelector | None, At(5)] = None
    object_selector: Annotated[LabelSelector | None, At(11)] = None
    side_effects: Annotated[str | None, At(6, required=True)] = field(default_factory=null)
    timeout_seconds: Annotated[Int32 | None, At(7)] = None
    admission_review_versions: Annotated[tuple[str, ...], atomic(8)] = field(default_factory=empty)
    reinvocation_policy: Annotated[str | None, At(10)] = None
    match_conditions: Annotated[tuple[MatchCondition, ...], keyed(12, "name")] = ()


class MutatingWebhookConfiguration(Object):
    """Web hooks that may change objects on their way in."""

    webhooks: Annotated[tuple[MutatingWebhook, ...], keyed(2, "name")] = ()


class ValidatingWebhook(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    client_config: Annotated[WebhookClientConfig, At(2, required=True)] = field(default_factory=WebhookClientConfig)
    rules: Annotated[tuple[RuleWithOperations, ...], atomic(3)] = ()
    failure_policy: Annotated[str | None, At(4)] = None
    match_policy: Annotated[str | None, At(9)] = None
    namespace_selector: Annotated[LabelSelector | None, At(5)] = None
    object_selector: Annotated[LabelSelector | None, At(10)] = None
    side_effects: Annotated[str | None, At(6, required=True)] = field(default_factory=null)
    timeout_seconds: Annotated[Int32 | None, At(7)] = None
    admission_review_versions: Annotated[tuple[str, ...], atomic(8)] = field(default_factory=empty)
    match_conditions: Annotated[tuple[MatchCondition, ...], keyed(11, "name")] = ()


class ValidatingWebhookConfiguration(Object):
    """Web hooks that may refuse objects on their way in."""

    webhooks: Annotated[tuple[ValidatingWebhook, ...], keyed(2, "name")] = ()


# --- Policies


class AuditAnnotation(Part):
    key: Annotated[str, At(1)] = field(default_factory=str)
    value_expression: Annotated[str, At(2)] = field(default_factory=str)


@whole
class NamedRuleWithOperations(Part):
    resource_names: Annotated[tuple[str, ...], atomic(1)] = ()
    operations: Annotated[tuple[str, ...], atomic((2, 1))] = ()
    api_groups: Annotated[tuple[str, ...], atomic((2, 2, 1))] = ()
    api_versions: Annotated[tuple[str, ...], atomic((2, 2, 2))] = ()
    resources: Annotated[tuple[str, ...], atomic((2, 2, 3))] = ()
    scope: Annotated[str | None, At((2, 2, 4))] = None


@whole
class MatchResources(Part):
    """Which requests a policy or binding looks at."""

    namespace_selector: Annotated[LabelSelector | None, At(1)] = None
    object_selector: Annotated[LabelSelector | None, At(2)] = None
    resource_rules: Annotated[tuple[NamedRuleWithOperations, ...], atomic(3)] = ()
    exclude_resource_rules: Annotated[tuple[NamedRuleWithOperations, ...], atomic(4)] = ()
    match_policy: Annotated[str | None, At(7)] = None


@whole
class ParamKind(Part):
    api_version: Annotated[str, At(1)] = ""
    kind: Annotated[str, At(2)] = ""


class Validation(Part):
    expression: Annotated[str, At(1)] = field(default_factory=str)
    message: Annotated[str, At(2)] = ""
    reason: Annotated[str | None, At(3)] = None
    message_expression: Annotated[str, At(4)] = ""


@whole
class Variable(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    expression: Annotated[str, At(2)] = field(default_factory=str)


class ValidatingAdmissionPolicySpec(Part):
    param_kind: Annotated[ParamKind | None, At(1)] = None
    match_constraints: Annotated[MatchResources | None, At(2)] = None
    validations: Annotated[tuple[Validation, ...], atomic(3)] = ()
    failure_policy: Annotated[str | None, At(4)] = None
    audit_annotations: Annotated[tuple[AuditAnnotation, ...], atomic(5)] = ()
    match_conditions: Annotated[tuple[MatchCondition, ...], keyed(6, "name")] = ()
    variables: Annotated[tuple[Variable, ...], keyed(7, "name")] = ()


class ExpressionWarning(Part):
    field_ref: Annotated[str, At(2)] = field(default_factory=str)
    warning: Annotated[str, At(3)] = field(default_factory=str)


class TypeChecking(Part):
    expression_warnings: Annotated[tuple[ExpressionWarning, ...], atomic(1)] = ()


class ValidatingAdmissionPolicyStatus(Part):
    observed_generation: Annotated[Int64, At(1)] = 0
    type_checking: Annotated[TypeChecking | None, At(2)] = None
    conditions: Annotated[tuple[Condition, ...], keyed(3, "type", patch="")] = ()


class ValidatingAdmissionPolicy(Object):
    """Checks of incoming objects, written in CEL."""

    spec: Annotated[ValidatingAdmissionPolicySpec, At(2)] = field(default_factory=ValidatingAdmissionPolicySpec)
    status: Annotated[ValidatingAdmissionPolicyStatus, At(3)] = field(default_factory=ValidatingAdmissionPolicyStatus)


@whole
class ParamRef(Part):
    name: Annotated[str, At(1)] = ""
    namespace: Annotated[str, At(2)] = ""
    selector: Annotated[LabelSelector | None, At(3)] = None
    parameter_not_found_action: Annotated[str | None, At(4)] = None


class ValidatingAdmissionPolicyBindingSpec(Part):
    policy_name: Annotated[str, At(1, required=True)] = ""
    param_ref: Annotated[ParamRef | None, At(2)] = None
    match_resources: Annotated[MatchResources | None, At(3)] = None
    validation_actions: Annotated[tuple[str, ...], unique(4, required=True)] = ()


class ValidatingAdmissionPolicyBinding(Object):
    """Where a validating policy applies, and with which parameters."""

    spec: Annotated[ValidatingAdmissionPolicyBindingSpec, At(2, required=True)] = field(
        default_factory=ValidatingAdmissionPolicyBindingSpec
    )


class ApplyConfiguration(Part):
    expression: Annotated[str, At(1)] = ""


class JSONPatch(Part):
    expression: Annotated[str, At(1)] = ""


class Mutation(Part):
    patch_type: Annotated[str, At(2)] = field(default_factory=str)
    apply_configuration: Annotated[ApplyConfiguration | None, At(3)] = None
    json_patch: Annotated[JSONPatch | None, At(4)] = None


class MutatingAdmissionPolicySpec(Part):
    param_kind: Annotated[ParamKind | None, At(1)] = None
    match_constraints: Annotated[MatchResources | None, At(2)] = None
    variables: Annotated[tuple[Variable, ...], atomic(3)] = ()
    mutations: Annotated[tuple[Mutation, ...], atomic(4)] = ()
    failure_policy: Annotated[str | None, At(5)] = None
    match_conditions: Annotated[tuple[MatchCondition, ...], keyed(6, "name")] = ()
    reinvocation_policy: Annotated[str, At(7)] = ""


class MutatingAdmissionPolicy(Object):
    """Changes to incoming objects, written in CEL."""

    spec: Annotated[MutatingAdmissionPolicySpec, At(2)] = field(default_factory=MutatingAdmissionPolicySpec)


class MutatingAdmissionPolicyBindingSpec(Part):
    policy_name: Annotated[str, At(1)] = ""
    param_ref: Annotated[ParamRef | None, At(2)] = None
    match_resources: Annotated[MatchResources | None, At(3)] = None


class MutatingAdmissionPolicyBinding(Object):
    """Where a mutating policy applies, and with which parameters."""

    spec: Annotated[MutatingAdmissionPolicyBindingSpec, At(2)] = field(
        default_factory=MutatingAdmissionPolicyBindingSpec
    )
