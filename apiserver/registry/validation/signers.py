"""Rules for the names of signers (`example.com/signer`) and of the trust bundles that belong to them."""

from __future__ import annotations

from collections.abc import Sequence

from steersman.api import fields, names
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

MAX_DOMAIN_LENGTH = 253
MAX_LENGTH = MAX_DOMAIN_LENGTH + 1 + 63 + 1 + 253
"""A domain, and a namespace and a name behind the slash."""


def is_kubernetes(signer_name: str) -> bool:
    domain = signer_name.partition("/")[0]
    return domain == "kubernetes.io" or domain.endswith(".kubernetes.io")


def validate_signer_name(signer_name: str, path: Path) -> list[Cause]:
    if not signer_name:
        return [fields.required(path)]
    segments = signer_name.split("/")
    if len(segments) != 2:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [fields.invalid(path, signer_name, detail)]
    domain, rest = segments
    causes = [fields.too_long(path, MAX_DOMAIN_LENGTH)] if len(domain) > MAX_DOMAIN_LENGTH else []
    labels = domain.split(".")
    causes += _first_wrong(labels, [names.dns_label(label) for label in labels], domain, path)
    if len(labels) < 2:
        detail = "should be a domain with at least two segments separated by dots"
        causes.append(fields.invalid(path, domain, detail))
    parts = rest.split(".")
    causes += _first_wrong(parts, [names.dns_subdomain(part) for part in parts], rest, path)
    if len(signer_name) > MAX_LENGTH:
        causes.append(fields.too_long(path, MAX_LENGTH))
    return causes


def trust_bundle_name(name: str) -> Sequence[str]:
    """Complaints about a ClusterTrustBundle's name: `domain:signer:name`, or a plain name without a signer."""
    prefix, colon, own = name.rpartition(":")
    if not colon:
        return names.dns_subdomain(name)
    required = f"{prefix.replace('/', ':')}:"
    if not prefix:
        return ['ClusterTrustBundle without signer name must not have ":" in its name']
    if not name.startswith(required):
        signer_name = prefix.replace(":", "/")
        return [f"ClusterTrustBundle for signerName {signer_name} must be named with prefix {required}"]
    return names.dns_subdomain(own)


def _first_wrong(labels: list[str], complaints: list[Sequence[str]], shown: str, path: Path) -> list[Cause]:
    """Only the first bad label is worth naming; the rest would look alike."""
    for label, texts in zip(labels, complaints, strict=True):
        if texts:
            return [fields.invalid(path, shown, f"validating label {quoted(label)}: {text}") for text in texts]
    return []
