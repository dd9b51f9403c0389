"""The apiextensions group, v1: definitions of custom resources."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Object
from steersman.api.part import NO_JSON, At, Int32, Int64, Json, Part, Some, Time, atomic, empty, keyed, null

# --- Schemas


class ExternalDocumentation(Part):
    description: Annotated[str, At(1)] = ""
    url: Annotated[str, At(2)] = ""


class ValidationRule(Part):
    """A rule in CEL that objects must meet."""

    rule: Annotated[str, At(1)] = field(default_factory=str)
    message: Annotated[str, At(2)] = ""
    message_expression: Annotated[str, At(3)] = ""
    reason: Annotated[str | None, At(4)] = None
    field_path: Annotated[str, At(5)] = ""
    optional_old_self: Annotated[bool | None, At(6)] = None


class JSONSchemaProps(Part):
    """OpenAPI v3 schema as far as custom resources may use it."""

    id: Annotated[str, At(1)] = ""
    schema: Annotated[str, At(2)] = field(default="", name="$schema")
    ref: Annotated[str | None, At(3)] = field(default=None, name="$ref")
    description: Annotated[str, At(4)] = ""
    type: Annotated[str, At(5)] = ""
    format: Annotated[str, At(6)] = ""
    title: Annotated[str, At(7)] = ""
    default: Annotated[Json, At(8)] = NO_JSON
    maximum: Annotated[float | None, At(9)] = None
    exclusive_maximum: Annotated[bool, At(10)] = False
    minimum: Annotated[float | None, At(11)] = None
    exclusive_minimum: Annotated[bool, At(12)] = False
    max_length: Annotated[Int64 | None, At(13)] = None
    min_length: Annotated[Int64 | None, At(14)] = None
    pattern: Annotated[str, At(15)] = ""
    max_items: Annotated[Int64 | None, At(16)] = None
    min_items: Annotated[Int64 | None, At(17)] = None
    unique_items: Annotated[bool, At(18)] = False
    multiple_of: Annotated[float | None, At(19)] = None
    enum: Annotated[tuple[Json, ...], atomic(20)] = ()
    max_properties: Annotated[Int64 | None, At(21)] = None
    min_properties: Annotated[Int64 | None, At(22)] = None
    required: Annotated[tuple[str, ...], atomic(23)] = ()
    items: Annotated["JSONSchemaProps | tuple[JSONSchemaProps, ...] | None", At(24)] = None
    all_of: Annotated["tuple[JSONSchemaProps, ...]", atomic(25)] = ()
    one_of: Annotated["tuple[JSONSchemaProps, ...]", atomic(26)] = ()
    any_of: Annotated["tuple[JSONSchemaProps, ...]", atomic(27)] = ()
    not_: Annotated["JSONSchemaProps | None", At(28)] = None
    properties: Annotated["dict[str, JSONSchemaProps]", At(29)] = field(default_factory=dict)
    additional_properties: Annotated["JSONSchemaProps | bool | None", At(30)] = None
    pattern_properties: Annotated["dict[str, JSONSchemaProps]", At(31)] = field(default_factory=dict)
    dependencies: Annotated["dict[str, JSONSchemaProps | tuple[str, ...]]", At(32)] = field(default_factory=dict)
    additional_items: Annotated["JSONSchemaProps | bool | None", At(33)] = None
    definitions: Annotated["dict[str, JSONSchemaProps]", At(34)] = field(default_factory=dict)
    external_docs: Annotated[ExternalDocumentation | None, At(35)] = None
    example: Annotated[Json, At(36)] = NO_JSON
    nullable: Annotated[bool, At(37)] = False
    x_kubernetes_preserve_unknown_fields: Annotated[bool | None, At(38)] = field(
        default=None, name="x-kubernetes-preserve-unknown-fields"
    )
    x_kubernetes_embedded_resource: Annotated[bool, At(39)] = field(
        default=False, name="x-kubernetes-embedded-resource"
    )
    x_kubernetes_int_or_string: Annotated[bool, At(40)] = field(default=False, name="x-kubernetes-int-or-string")
    x_kubernetes_list_map_keys: Annotated[tuple[str, ...], atomic(41)] = field(
        default=(), name="x-kubernetes-list-map-keys"
    )
    x_kubernetes_list_type: Annotated[str | None, At(42)] = field(default=None, name="x-kubernetes-list-type")
    x_kubernetes_map_type: Annotated[str | None, At(43)] = field(default=None, name="x-kubernetes-map-type")
    x_kubernetes_validations: Annotated[tuple[ValidationRule, ...], keyed(44, "rule")] = field(
        default=(), name="x-kubernetes-validations"
    )


# --- Definitions


class ServiceReference(Part):
    namespace: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(2)] = field(default_factory=str)
    path: Annotated[str | None, At(3)] = None
    port: Annotated[Int32 | None, At(4)] = None


class WebhookClientConfig(Part):
    url: Annotated[str | None, At(3)] = None
    service: Annotated[ServiceReference | None, At(1)] = None
    ca_bundle: Annotated[bytes, At(2)] = b""


class WebhookConversion(Part):
    client_config: Annotated[WebhookClientConfig | None, At(2)] = None
    conversion_review_versions: Annotated[tuple[str, ...], atomic(3)] = field(default_factory=empty)


class CustomResourceConversion(Part):
    strategy: Annotated[str, At(1)] = field(default_factory=str)
    webhook: Annotated[WebhookConversion | None, At(2)] = None


class CustomResourceDefinitionNames(Part):
    plural: Annotated[str, At(1)] = field(default_factory=str)
    singular: Annotated[str, At(2)] = ""
    short_names: Annotated[tuple[str, ...], atomic(3)] = ()
    kind: Annotated[str, At(4)] = field(default_factory=str)
    list_kind: Annotated[str, At(5)] = ""
    categories: Annotated[tuple[str, ...], atomic(6)] = ()


class CustomResourceColumnDefinition(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    type: Annotated[str, At(2)] = field(default_factory=str)
    format: Annotated[str, At(3)] = ""
    description: Annotated[str, At(4)] = ""
    priority: Annotated[Int32, At(5)] = 0
    json_path: Annotated[str, At(6)] = field(default_factory=str)


class CustomResourceValidation(Part):
    open_api_v3_schema: Annotated[JSONSchemaProps | None, At(1)] = field(default=None, name="openAPIV3Schema")


class SelectableField(Part):
    json_path: Annotated[str, At(1)] = field(default_factory=str)


class CustomResourceSubresourceScale(Part):
    spec_replicas_path: Annotated[str, At(1)] = field(default_factory=str)
    status_replicas_path: Annotated[str, At(2)] = field(default_factory=str)
    label_selector_path: Annotated[str | None, At(3)] = None


class CustomResourceSubresourceStatus(Part):
    pass


class CustomResourceSubresources(Part):
    status: Annotated[CustomResourceSubresourceStatus | None, At(1)] = None
    scale: Annotated[CustomResourceSubresourceScale | None, At(2)] = None


class CustomResourceDefinitionVersion(Part):
    """One served form of a custom kind."""

    name: Annotated[str, At(1)] = field(default_factory=str)
    served: Annotated[bool, At(2)] = field(default_factory=bool)
    storage: Annotated[bool, At(3)] = field(default_factory=bool)
    deprecated: Annotated[bool, At(7)] = False
    deprecation_warning: Annotated[str | None, At(8)] = None
    schema: Annotated[CustomResourceValidation | None, At(4)] = None
    subresources: Annotated[CustomResourceSubresources | None, At(5)] = None
    additional_printer_columns: Annotated[tuple[CustomResourceColumnDefinition, ...], atomic(6)] = ()
    selectable_fields: Annotated[tuple[SelectableField, ...], atomic(9)] = ()


class CustomResourceDefinitionSpec(Part):
    group: Annotated[str, At(1)] = field(default_factory=str)
    names: Annotated[CustomResourceDefinitionNames, At(3, required=True)] = field(
        default_factory=CustomResourceDefinitionNames
    )
    scope: Annotated[str, At(4)] = field(default_factory=str)
    versions: Annotated[tuple[CustomResourceDefinitionVersion, ...], atomic(7)] = field(default_factory=empty)
    conversion: Annotated[CustomResourceConversion | None, At(9)] = None
    preserve_unknown_fields: Annotated[bool, At(10)] = False


class CustomResourceDefinitionCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""
    observed_generation: Annotated[Int64, At(6)] = 0


class CustomResourceDefinitionStatus(Part):
    conditions: Annotated[
        Some[CustomResourceDefinitionCondition] | None, keyed(1, "type", patch="", required=False)
    ] = field(default_factory=null)
    accepted_names: Annotated[CustomResourceDefinitionNames, At(2)] = field(
        default_factory=CustomResourceDefinitionNames
    )
    stored_versions: Annotated[Some[str] | None, atomic(3, required=False)] = field(default_factory=null)
    observed_generation: Annotated[Int64, At(4)] = 0


class CustomResourceDefinition(Object):
    """A kind that users have brought."""

    spec: Annotated[CustomResourceDefinitionSpec, At(2, required=True)] = field(
        default_factory=CustomResourceDefinitionSpec
    )
    status: Annotated[CustomResourceDefinitionStatus, At(3)] = field(default_factory=CustomResourceDefinitionStatus)
