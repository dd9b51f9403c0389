"""What extends the API or guards it: custom resources, API services, webhooks, admission policies, flow control."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import admissionregistration as admission
from steersman.api import apiextensions, apiregistration, flowcontrol
from steersman.api.descriptions.meta import CONDITION
from steersman.api.part import Part

_SERVICE = {
    "namespace": "The namespace of the service.",
    "name": "The name of the service.",
    "path": "The path to ask for.",
    "port": "The port; 443 if nothing is said.",
}
_CLIENT = {
    "url": "Where it is reached, if not by a service.",
    "service": "The service by which it is reached.",
    "caBundle": "Certificates to trust it by, as PEM in base64.",
}

_RESOURCES: Mapping[type[Part], Mapping[str, str]] = {
    apiextensions.CustomResourceDefinitionSpec: {
        "group": "The group of the new kind.",
        "names": "What it is called.",
        "scope": "Whether its objects live in namespaces: Namespaced or Cluster.",
        "versions": "Its versions.",
        "conversion": "How objects of one version become objects of another.",
        "preserveUnknownFields": "Whether fields that the schema does not know are kept; an older setting.",
    },
    apiextensions.CustomResourceDefinitionNames: {
        "plural": "The name in paths.",
        "singular": "The name of one object.",
        "shortNames": "Shorter names.",
        "kind": "The kind.",
        "listKind": "The kind of a list.",
        "categories": "Collective names, such as all.",
    },
    apiextensions.CustomResourceDefinitionVersion: {
        "name": "The version, such as v1.",
        "served": "Whether it is served.",
        "storage": "Whether objects are stored in it; true for exactly one.",
        "deprecated": "Whether its users are warned.",
        "deprecationWarning": "The words of that warning.",
        "schema": "What objects look like.",
        "subresources": "Its subresources.",
        "additionalPrinterColumns": "Columns that kubectl get shows.",
        "selectableFields": "Fields that field selectors know.",
    },
    apiextensions.CustomResourceValidation: {"openAPIV3Schema": "The schema."},
    apiextensions.CustomResourceSubresources: {
        "status": "Whether the status is written through a door of its own.",
        "scale": "Where the number of replicas is found.",
    },
    apiextensions.CustomResourceSubresourceScale: {
        "specReplicasPath": "The path of the wanted number, such as .spec.replicas.",
        "statusReplicasPath": "The path of the actual number.",
        "labelSelectorPath": "The path of the selector in one text.",
    },
    apiextensions.CustomResourceColumnDefinition: {
        "name": "The heading.",
        "type": "The type of the value.",
        "format": "The format of the value.",
        "description": "What it means.",
        "priority": "0 is always shown, more only with -o wide.",
        "jsonPath": "Where the value is found.",
    },
    apiextensions.SelectableField: {"jsonPath": "Where the field is found."},
    apiextensions.CustomResourceConversion: {
        "strategy": "None only changes the apiVersion, Webhook asks somebody.",
        "webhook": "Whom to ask.",
    },
    apiextensions.WebhookConversion: {
        "clientConfig": "Where it is reached.",
        "conversionReviewVersions": "The versions of reviews that it understands.",
    },
    apiextensions.WebhookClientConfig: _CLIENT,
    apiextensions.ServiceReference: _SERVICE,
    apiextensions.CustomResourceDefinitionStatus: {
        "conditions": "Whether its names were accepted, and whether it is served.",
        "acceptedNames": "The names that it got.",
        "storedVersions": "Every version in which objects may be stored.",
        "observedGeneration": "The generation that was last acted on.",
    },
    apiextensions.CustomResourceDefinitionCondition: CONDITION,
    apiextensions.ValidationRule: {
        "rule": "The rule, in CEL; self is the value.",
        "message": "What to tell when it is broken.",
        "messageExpression": "The same, worked out in CEL.",
        "reason": "What kind of an error it is.",
        "fieldPath": "The field that is to blame.",
        "optionalOldSelf": "Whether the rule is also for new values, where oldSelf is missing.",
    },
    apiextensions.ExternalDocumentation: {"description": "What it is about.", "url": "Where it is."},
    apiextensions.JSONSchemaProps: {
        "id": "Not used.",
        "$schema": "Not used.",
        "$ref": "Not allowed.",
        "description": "What the value means.",
        "type": "The type: object, array, string, integer, number or boolean.",
        "format": "What the text or number is, such as date-time.",
        "title": "A heading.",
        "default": "The value when none is given.",
        "maximum": "The largest number.",
        "exclusiveMaximum": "Whether maximum itself is too large.",
        "minimum": "The smallest number.",
        "exclusiveMinimum": "Whether minimum itself is too small.",
        "maxLength": "The most characters.",
        "minLength": "The fewest characters.",
        "pattern": "A regular expression that the text must match.",
        "maxItems": "The most items.",
        "minItems": "The fewest items.",
        "uniqueItems": "Whether items must differ; lists of type set are the better way.",
        "multipleOf": "The number must be a multiple of this.",
        "enum": "The values that are allowed.",
        "maxProperties": "The most fields.",
        "minProperties": "The fewest fields.",
        "required": "Fields that must be there.",
        "items": "The schema of the items.",
        "allOf": "Schemas that must all fit.",
        "oneOf": "Schemas of which exactly one must fit.",
        "anyOf": "Schemas of which one must fit.",
        "not": "A schema that must not fit.",
        "properties": "The schemas of the fields.",
        "additionalProperties": "The schema of fields that properties does not name, or whether there may be any.",
        "patternProperties": "Not allowed.",
        "dependencies": "Not allowed.",
        "additionalItems": "Not allowed.",
        "definitions": "Not allowed.",
        "externalDocs": "Where there is more to read.",
        "example": "An example.",
        "nullable": "Whether null is allowed.",
        "x-kubernetes-preserve-unknown-fields": "Whether fields that the schema does not know are kept.",
        "x-kubernetes-embedded-resource": "Whether the value is a whole object with apiVersion, kind and metadata.",
        "x-kubernetes-int-or-string": "Whether the value is a number or a text.",
        "x-kubernetes-list-map-keys": "The fields that tell items of a list of type map apart.",
        "x-kubernetes-list-type": "How the list merges: atomic, set or map.",
        "x-kubernetes-map-type": "How the object merges: granular or atomic.",
        "x-kubernetes-validations": "Rules in CEL.",
    },
    apiregistration.APIServiceSpec: {
        "service": "Who serves the group-version; this server itself if nothing is said.",
        "group": "The group.",
        "version": "The version.",
        "insecureSkipTLSVerify": "Whether to trust the service without looking.",
        "caBundle": "Certificates to trust it by, as PEM in base64.",
        "groupPriorityMinimum": "The group's place among the groups; higher is earlier.",
        "versionPriority": "The version's place in its group; higher is earlier.",
    },
    apiregistration.ServiceReference: {name: text for name, text in _SERVICE.items() if name != "path"},
    apiregistration.APIServiceStatus: {"conditions": "Whether it is available."},
    apiregistration.APIServiceCondition: CONDITION,
}

_RULE = {
    "operations": "What is done: CREATE, UPDATE, DELETE, CONNECT, or * for all.",
    "apiGroups": "The groups; * is all of them.",
    "apiVersions": "The versions; * is all of them.",
    "resources": "The resources, such as pods, pods/log or */scale.",
    "scope": "Whether Cluster or Namespaced objects are meant, or * for both.",
}
_MATCHING = {
    "failurePolicy": "Whether a request fails when nobody can decide: Fail or Ignore.",
    "matchPolicy": "Whether the same object in another version counts too.",
    "namespaceSelector": "Only for objects in such namespaces.",
    "objectSelector": "Only for objects with such labels.",
    "matchConditions": "Further conditions in CEL; all must hold.",
}
_WEBHOOK = {
    **_MATCHING,
    "name": "Its name, like that of a host.",
    "clientConfig": "Where it is reached.",
    "rules": "Which requests it is asked about.",
    "sideEffects": "Whether asking it changes anything.",
    "timeoutSeconds": "How long it may take; 10 if nothing is said.",
    "admissionReviewVersions": "The versions of reviews that it understands.",
}
_POLICY = {
    "paramKind": "The kind of the objects that the policy takes as parameters.",
    "matchConstraints": "Which requests it is about.",
    "failurePolicy": _MATCHING["failurePolicy"],
    "matchConditions": _MATCHING["matchConditions"],
    "variables": "Values that the expressions can use.",
}
_BINDING = {
    "policyName": "The policy.",
    "paramRef": "Its parameters.",
    "matchResources": "To which requests it is narrowed down.",
}

_ADMISSION: Mapping[type[Part], Mapping[str, str]] = {
    admission.MutatingWebhookConfiguration: {"webhooks": "Who is asked, and may change objects."},
    admission.ValidatingWebhookConfiguration: {"webhooks": "Who is asked, and may refuse objects."},
    admission.MutatingWebhook: {**_WEBHOOK, "reinvocationPolicy": "Whether it is asked again after later changes."},
    admission.ValidatingWebhook: _WEBHOOK,
    admission.WebhookClientConfig: _CLIENT,
    admission.ServiceReference: _SERVICE,
    admission.MatchCondition: {"name": "Its name.", "expression": "The condition, in CEL."},
    admission.RuleWithOperations: _RULE,
    admission.NamedRuleWithOperations: {**_RULE, "resourceNames": "Only objects with these names."},
    admission.MatchResources: {
        "namespaceSelector": _MATCHING["namespaceSelector"],
        "objectSelector": _MATCHING["objectSelector"],
        "resourceRules": "Requests that are meant.",
        "excludeResourceRules": "Requests that are not meant all the same.",
        "matchPolicy": _MATCHING["matchPolicy"],
    },
    admission.ParamKind: {"apiVersion": "The group and version.", "kind": "The kind."},
    admission.ParamRef: {
        "name": "The name of the object.",
        "namespace": "The namespace of the object.",
        "selector": "Objects by their labels instead.",
        "parameterNotFoundAction": "What happens when there is none: Allow or Deny.",
    },
    admission.Variable: {"name": "The name; expressions call it variables.name.", "expression": "The value, in CEL."},
    admission.Validation: {
        "expression": "What must hold, in CEL.",
        "message": "What to tell when it does not.",
        "reason": "What kind of an error it is.",
        "messageExpression": "The message, worked out in CEL.",
    },
    admission.AuditAnnotation: {"key": "The key of the annotation.", "valueExpression": "Its value, in CEL."},
    admission.ValidatingAdmissionPolicySpec: {
        **_POLICY,
        "validations": "What must hold.",
        "auditAnnotations": "What is noted about requests.",
    },
    admission.ValidatingAdmissionPolicyBindingSpec: {
        **_BINDING,
        "validationActions": "What happens when something does not hold.",
    },
    admission.ValidatingAdmissionPolicyStatus: {
        "observedGeneration": "The generation that was last looked at.",
        "typeChecking": "What is doubtful about the types in its expressions.",
        "conditions": "What is observed about it.",
    },
    admission.TypeChecking: {"expressionWarnings": "The doubts, one by one."},
    admission.ExpressionWarning: {"fieldRef": "The expression.", "warning": "What is doubtful."},
    admission.MutatingAdmissionPolicySpec: {
        **_POLICY,
        "mutations": "What is changed.",
        "reinvocationPolicy": "Whether it applies again after later changes.",
    },
    admission.MutatingAdmissionPolicyBindingSpec: _BINDING,
    admission.Mutation: {
        "patchType": "Which of the others it is.",
        "applyConfiguration": "The change, as something to apply.",
        "jsonPatch": "The change, as a JSON patch.",
    },
    admission.ApplyConfiguration: {"expression": "What to apply, in CEL."},
    admission.JSONPatch: {"expression": "The operations, in CEL."},
}

_FLOW: Mapping[type[Part], Mapping[str, str]] = {
    flowcontrol.FlowSchemaSpec: {
        "priorityLevelConfiguration": "The level at which its requests are served.",
        "matchingPrecedence": "Its place among the schemas; lower is earlier.",
        "distinguisherMethod": "What tells the flows in it apart.",
        "rules": "Which requests are meant.",
    },
    flowcontrol.PriorityLevelConfigurationReference: {"name": "The name of the level."},
    flowcontrol.FlowDistinguisherMethod: {"type": "ByUser or ByNamespace."},
    flowcontrol.PolicyRulesWithSubjects: {
        "subjects": "Who asks.",
        "resourceRules": "For which resources.",
        "nonResourceRules": "For which paths.",
    },
    flowcontrol.Subject: {
        "kind": "Which of the others it is.",
        "user": "A user.",
        "group": "A group.",
        "serviceAccount": "A ServiceAccount.",
    },
    flowcontrol.UserSubject: {"name": "The name; * is everybody."},
    flowcontrol.GroupSubject: {"name": "The name; * is every group."},
    flowcontrol.ServiceAccountSubject: {"namespace": "The namespace.", "name": "The name; * is every one."},
    flowcontrol.ResourcePolicyRule: {
        "verbs": "What is done; * is everything.",
        "apiGroups": "The groups; * is all of them.",
        "resources": "The resources; * is all of them.",
        "clusterScope": "Whether requests without a namespace are meant.",
        "namespaces": "The namespaces; * is all of them.",
    },
    flowcontrol.NonResourcePolicyRule: {
        "verbs": "What is done; * is everything.",
        "nonResourceURLs": "The paths; * is all of them.",
    },
    flowcontrol.FlowSchemaStatus: {"conditions": "What is observed about it."},
    flowcontrol.FlowSchemaCondition: CONDITION,
    flowcontrol.PriorityLevelConfigurationSpec: {
        "type": "Exempt or Limited.",
        "limited": "The limits.",
        "exempt": "What a level without limits lends to others.",
    },
    flowcontrol.LimitedPriorityLevelConfiguration: {
        "nominalConcurrencyShares": "Its share of the places.",
        "limitResponse": "What becomes of requests for which there is no place.",
        "lendablePercent": "How much of its share others may borrow.",
        "borrowingLimitPercent": "How much it may borrow from others.",
    },
    flowcontrol.ExemptPriorityLevelConfiguration: {
        "nominalConcurrencyShares": "Its share of the places.",
        "lendablePercent": "How much of its share others may borrow.",
    },
    flowcontrol.LimitResponse: {"type": "Queue or Reject.", "queuing": "The queues."},
    flowcontrol.QueuingConfiguration: {
        "queues": "How many queues there are.",
        "handSize": "How many of them a flow may use.",
        "queueLengthLimit": "How many requests may wait in one.",
    },
    flowcontrol.PriorityLevelConfigurationStatus: {"conditions": "What is observed about it."},
    flowcontrol.PriorityLevelConfigurationCondition: CONDITION,
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_RESOURCES, **_ADMISSION, **_FLOW}
