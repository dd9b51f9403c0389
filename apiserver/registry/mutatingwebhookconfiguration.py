"""MutatingWebhookConfigurations: web hooks that may change objects on their way in, once unless they ask for more."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import webhooks
from apiserver.registry.warnings import small as warned
from steersman.api.admissionregistration import MutatingWebhook, MutatingWebhookConfiguration
from steersman.api.errors import Cause


def default(new: MutatingWebhookConfiguration) -> MutatingWebhookConfiguration:
    return replace(new, webhooks=tuple(map(_default_hook, new.webhooks)))


def validate(new: MutatingWebhookConfiguration) -> list[Cause]:
    return webhooks.validate_hooks(new.webhooks)


def _default_hook(hook: MutatingWebhook) -> MutatingWebhook:
    policy = "Never" if hook.reinvocation_policy is None else hook.reinvocation_policy
    return replace(webhooks.default_hook(hook), reinvocation_policy=policy)


MUTATING_WEBHOOK_CONFIGURATION = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_admission,
)
