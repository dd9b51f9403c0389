"""ValidatingWebhookConfigurations: web hooks that may refuse objects on their way in."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import webhooks
from apiserver.registry.warnings import small as warned
from steersman.api.admissionregistration import ValidatingWebhookConfiguration
from steersman.api.errors import Cause


def default(new: ValidatingWebhookConfiguration) -> ValidatingWebhookConfiguration:
    return replace(new, webhooks=tuple(map(webhooks.default_hook, new.webhooks)))


def validate(new: ValidatingWebhookConfiguration) -> list[Cause]:
    return webhooks.validate_hooks(new.webhooks)


VALIDATING_WEBHOOK_CONFIGURATION = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_admission,
)
