"""Rules and defaults for how a custom kind is converted between its versions: not at all, or by a web hook.

Complaints name the fields as older versions of the API had them (`webhookClientConfig`): users know them so.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from apiserver.registry.validation import checks, pem, webhookclients
from steersman.api import fields
from steersman.api.apiextensions import CustomResourceConversion
from steersman.api.errors import Cause
from steersman.api.fields import Path

STRATEGIES: Final = ("None", "Webhook")


def default_conversion(conversion: CustomResourceConversion | None) -> CustomResourceConversion:
    if conversion is None:
        return CustomResourceConversion(strategy="None")
    client = conversion.webhook.client_config if conversion.webhook else None
    if conversion.webhook is None or client is None or client.service is None or client.service.port is not None:
        return conversion
    service = replace(client.service, port=webhookclients.DEFAULT_PORT)
    webhook = replace(conversion.webhook, client_config=replace(client, service=service))
    return replace(conversion, webhook=webhook)


def validate_conversion(conversion: CustomResourceConversion, path: Path) -> list[Cause]:
    causes = checks.required_choice(conversion.strategy, path.child("strategy"), STRATEGIES)
    client = conversion.webhook.client_config if conversion.webhook else None
    versions = conversion.webhook.conversion_review_versions if conversion.webhook else ()
    where, reviews = path.child("webhookClientConfig"), path.child("conversionReviewVersions")
    if conversion.strategy != "Webhook":
        detail = "should not be set when strategy is not set to Webhook"
        given = ((where, client), (reviews, versions))
        return causes + [fields.forbidden(surplus, detail) for surplus, value in given if value]
    if client is None:
        causes.append(fields.required(where, "required when strategy is set to Webhook"))
    else:
        causes += webhookclients.validate_client(client.url, client.service, where)
    return causes + webhookclients.validate_review_versions(versions, reviews)


def validate_bundle(
    new: CustomResourceConversion | None, old: CustomResourceConversion | None, path: Path
) -> list[Cause]:
    """A kind that is served must be able to trust its converter; what was broken before may stay so."""
    now, before = _bundle(new), _bundle(old)
    if _is_readable(now) or not _is_readable(before):
        return []
    where = path.child("webhookClientConfig").child("caBundle")
    return [fields.invalid(where, now, "unable to load root certificates: unable to parse bytes as PEM block")]


def _bundle(conversion: CustomResourceConversion | None) -> bytes:
    webhook = conversion.webhook if conversion is not None else None
    return webhook.client_config.ca_bundle if webhook is not None and webhook.client_config is not None else b""


def _is_readable(bundle: bytes) -> bool:
    return not bundle or any(block.kind == "CERTIFICATE" for block in pem.blocks(bundle))
