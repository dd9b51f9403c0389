"""Rules and defaults of web hooks, validating and mutating alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from apiserver.registry.validation import checks, expressions, policies, requestrules, webhookclients
from apiserver.registry.validation.celadmission import Scope
from steersman.api import fields, names
from steersman.api.admissionregistration import MutatingWebhook, ValidatingWebhook, WebhookClientConfig
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import LabelSelector

SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
DEFAULT_TIMEOUT_SECONDS: Final = 10
LONGEST_TIMEOUT_SECONDS: Final = 30

_WEBHOOKS: Final = Path("webhooks")
_CHOOSE: Final = f"must specify one of {', '.join(webhookclients.REVIEW_VERSIONS)}"

Webhook = MutatingWebhook | ValidatingWebhook
_W = TypeVar("_W", MutatingWebhook, ValidatingWebhook)


def default_hook(hook: _W) -> _W:
    return replace(
        hook,
        client_config=_default_client(hook.client_config),
        rules=requestrules.default_rules(hook.rules),
        failure_policy="Fail" if hook.failure_policy is None else hook.failure_policy,
        match_policy="Equivalent" if hook.match_policy is None else hook.match_policy,
        namespace_selector=LabelSelector() if hook.namespace_selector is None else hook.namespace_selector,
        object_selector=LabelSelector() if hook.object_selector is None else hook.object_selector,
        timeout_seconds=DEFAULT_TIMEOUT_SECONDS if hook.timeout_seconds is None else hook.timeout_seconds,
    )


def _default_client(config: WebhookClientConfig) -> WebhookClientConfig:
    if config.service is None or config.service.port is not None:
        return config
    return replace(config, service=replace(config.service, port=webhookclients.DEFAULT_PORT))


def validate_hooks(hooks: Sequence[Webhook]) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, hook in enumerate(hooks):
        path = _WEBHOOKS.index(index)
        causes += _validate_hook(hook, path)
        reviews = path.child("admissionReviewVersions")
        causes += webhookclients.validate_review_versions(hook.admission_review_versions, reviews, if_none=_CHOOSE)
        if hook.name and hook.name in seen:
            causes.append(fields.duplicate(path.child("name"), hook.name))
        seen.add(hook.name)
    return causes


def _validate_hook(hook: Webhook, path: Path) -> list[Cause]:
    causes = _validate_name(hook.name, path.child("name"))
    for index, rule in enumerate(hook.rules):
        causes += requestrules.validate_rule(rule, path.child("rules").index(index))
    if hook.failure_policy is not None:
        causes += checks.choice(hook.failure_policy, path.child("failurePolicy"), policies.FAILURE_POLICIES)
    if hook.match_policy is not None:
        causes += checks.choice(hook.match_policy, path.child("matchPolicy"), requestrules.MATCH_POLICIES)
    if hook.side_effects is None:
        causes.append(fields.required(path.child("sideEffects"), f"must specify one of {', '.join(SIDE_EFFECTS)}"))
    else:
        causes += checks.choice(hook.side_effects, path.child("sideEffects"), SIDE_EFFECTS)
    seconds = hook.timeout_seconds
    if seconds is not None and not 1 <= seconds <= LONGEST_TIMEOUT_SECONDS:
        detail = "the timeout value must be between 1 and 30 seconds"
        causes.append(fields.invalid(path.child("timeoutSeconds"), seconds, detail))
    causes += checks.validate_label_selector(hook.namespace_selector, path.child("namespaceSelector"))
    causes += checks.validate_label_selector(hook.object_selector, path.child("objectSelector"))
    if isinstance(hook, MutatingWebhook) and hook.reinvocation_policy is not None:
        where = path.child("reinvocationPolicy")
        causes += checks.choice(hook.reinvocation_policy, where, policies.REINVOCATION_POLICIES)
    client = hook.client_config
    causes += webhookclients.validate_client(client.url, client.service, path.child("clientConfig"))
    return causes + expressions.validate_match_conditions(hook.match_conditions, path.child("matchConditions"), Scope())


def _validate_name(name: str, path: Path) -> list[Cause]:
    """A hook has a name in somebody's domain."""
    if not name:
        return [fields.required(path)]
    if complaints := names.dns_subdomain(name):
        return [fields.invalid(path, name, ",".join(complaints))]
    if name.count(".") < 2:
        return [fields.invalid(path, name, "should be a domain with at least three segments separated by dots")]
    return []
